"""Read an nginx configuration with its includes from disk, through crossplane."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import crossplane

from harness.errors import InputError

OUT_OF_REACH = re.compile(r"(?:\[Errno \d+\] )?(?P<why>No such file or directory|Permission denied): '(?P<file>.*)'")
"""What the system says of a file that is not there, or may not be read."""


def read_nginx(path: Path) -> tuple[list[dict[str, Any]], list[str]]:
    """The directives, includes put in their places; and a sentence for each include that could not be read.

    Raises InputError, naming file and line, when the file itself is no nginx configuration.
    """
    payload = crossplane.parse(str(path), check_ctx=False, check_args=False)
    notes = []
    for error in payload.get("errors", ()):
        said = str(error.get("error", "")).partition(" in /")[0]
        if lost := OUT_OF_REACH.fullmatch(said):
            why = "cannot be read" if lost["why"] == "Permission denied" else "is missing"
            notes.append(f"the include {lost['file']} {why} here, so its settings are not known")
            continue
        at = f"{error.get('file', path)}, line {error['line']}" if error.get("line") else str(error.get("file", path))
        raise InputError(f"no nginx configuration: {said}", at)
    configs = payload.get("config") or [{}]
    return list(_joined(configs[0].get("parsed", ()), configs, (0,))), notes


def _joined(
    block: Sequence[Mapping[str, Any]], configs: Sequence[Any], way: tuple[int, ...]
) -> Iterator[dict[str, Any]]:
    """The block with what it includes in its place; an include of nothing stays, so that it is still written out.

    ``way``: the files that led here; one that includes itself is not followed.
    """
    for item in block:
        inner = [n for n in item.get("includes", ()) if n not in way and n < len(configs)]
        if item["directive"] == "include" and inner:
            for number in inner:
                yield from _joined(configs[number].get("parsed", ()), configs, (*way, number))
            continue
        own = {**item, "file": configs[way[-1]].get("file", "")}
        own.pop("includes", None)
        if "block" in item:
            own["block"] = list(_joined(item["block"], configs, way))
        yield own


def write_nginx(directives: Sequence[Mapping[str, Any]]) -> str:
    """Directives as configuration text."""
    return str(crossplane.build(list(directives), indent=4)) + "\n"
