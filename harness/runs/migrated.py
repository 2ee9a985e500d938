"""The database, made or brought up to date for a command that runs before any ``up``."""

from __future__ import annotations

from django.conf import settings
from django.core.management import call_command


def migrated() -> None:
    """Make the data directory and the tables where they are missing."""
    settings.DATA_DIR.mkdir(parents=True, exist_ok=True)
    call_command("migrate", verbosity=0, interactive=False, skip_checks=True)
