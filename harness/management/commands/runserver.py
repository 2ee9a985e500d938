"""``runserver`` by reflex: refused, since Django's own serves over WSGI, which holds streams back."""

from __future__ import annotations

from harness.errors import InputError
from harness.management.base import ScopeCommand


class Command(ScopeCommand):
    help = "Not for streams: use `up`."

    def run_from_argv(self, argv: list[str]) -> None:
        raise InputError("Django's runserver would hold every stream back to its end", do="Use `manage.py up`.")
