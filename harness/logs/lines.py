"""From bytes of a log to its lines: cut, cleaned of colours and secrets, and read in whichever format fits."""

from __future__ import annotations

import re
from dataclasses import replace

from harness.capture.mask import MASK, is_key, is_secret_name, mask_value
from harness.logs import apps, nginx
from harness.logs.model import Line

FORMATS = (
    nginx.access, nginx.error, apps.json_line, apps.one_api, apps.litellm, apps.fastgpt, apps.words,
)  # fmt: skip
LONGEST = 4000  # characters of a line that are kept: some gateways log whole prompts
_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_PAIR = re.compile(
    r"""(?P<name>[A-Za-z][\w.\-]{0,63})(?P<mark>["']?\s*[:=]\s*["']?)(?P<value>(?:(?:Bearer|Basic)\s+)?[^\s"',;&)}\]]+)"""
)
_BEARER = re.compile(r"\b(Bearer|Basic)\s+[\w\-.~+/=]{8,}", re.I)
_LONG = re.compile(r"[A-Za-z0-9_\-]{14,}")


def read_lines(data: bytes, offset: int = 0) -> list[Line]:
    """Every line of a piece of a log that begins at byte ``offset`` of it; not yet :func:`masked`.

    A line without a time (a traceback's, uvicorn's) takes that of the line before it.
    """
    found: list[Line] = []
    for raw in data.split(b"\n"):
        at, offset = offset, offset + len(raw) + 1
        text = clean(raw)
        if text.strip():
            line = parse(text, at)
            if line.moment is None and found:
                line = replace(line, moment=found[-1].moment, format=found[-1].format)
            found.append(line)
    return found


def parse(text: str, byte: int = 0) -> Line:
    """One line in the first format that fits it."""
    for read in FORMATS:
        line = read(text, byte)
        if line is not None:
            return line
    return Line(byte, text)


def masked(line: Line) -> Line:
    """The line as it may be shown: its secrets are out of its text and of its fields."""
    text = mask_line(line.text)
    if text == line.text:
        return line
    return replace(line, text=text, fields=parse(text).fields)


def clean(raw: bytes) -> str:
    text = _COLOURS.sub("", raw[: 4 * LONGEST].decode("utf-8", "replace").rstrip("\r"))
    return _CONTROLS.sub(" ", text)[:LONGEST].strip()


def mask_line(text: str) -> str:
    """The line without keys: values under a secret name, bearer tokens, and what looks like a key by itself."""

    def pair(found: re.Match[str]) -> str:
        hide = is_secret_name(found["name"]) and not found["value"].startswith(MASK)
        return found["name"] + found["mark"] + mask_value(found["value"]) if hide else found[0]

    text = _BEARER.sub(lambda found: f"{found[1]} {MASK}", _PAIR.sub(pair, text))
    return _LONG.sub(lambda found: MASK if is_key(found[0]) else found[0], text)
