"""The database, made or brought up to date for a command that runs before any ``up``."""

from __future__ import annotations

from django.conf import settings
from django.core.management import call_command

from harness.errors import InputError


def migrated() -> None:
    """Make the data directory and the tables where they are missing. InputError where there can be none."""
    try:
        settings.DATA_DIR.mkdir(0o700, parents=True, exist_ok=True)  # prompts and answers are in it
    except OSError as error:
        reason = "it is a file" if isinstance(error, FileExistsError) else error.strerror or str(error)
        what = f"cannot use the data directory: {reason}"
        raise InputError(
            what, str(settings.DATA_DIR), "Set HARNESS_DATA_DIR to a directory that can be written."
        ) from None
    call_command("migrate", verbosity=0, interactive=False, skip_checks=True)
