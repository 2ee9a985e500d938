"""Read an nginx configuration with its includes from disk, through crossplane."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import crossplane

from harness.errors import InputError


def read_nginx(path: Path) -> tuple[list[dict[str, Any]], list[str]]:
    """The directives, includes put in their places; and a sentence for each include that could not be read.

    Raises InputError, naming file and line, when the file itself is no nginx configuration.
    """
    payload = crossplane.parse(str(path), combine=True, check_ctx=False, check_args=False)
    notes = []
    for error in payload.get("errors", ()):
        said = str(error.get("error", "")).partition(" in /")[0]
        if "No such file" in said or "Permission denied" in said:
            notes.append(f"an include is missing here, so its settings are not known ({said})")
            continue
        at = f"{error.get('file', path)}, line {error['line']}" if error.get("line") else str(error.get("file", path))
        raise InputError(f"no nginx configuration: {said}", at)
    configs = payload.get("config") or [{}]
    return list(configs[0].get("parsed", ())), notes


def write_nginx(directives: Sequence[Mapping[str, Any]]) -> str:
    """Directives as configuration text."""
    return str(crossplane.build(list(directives), indent=4)) + "\n"
