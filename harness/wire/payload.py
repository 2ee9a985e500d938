"""One event's bytes to a JSON value, strictly first, then as leniently as any client, saying what was wrong."""

from __future__ import annotations

import json
from typing import Any

import orjson

from harness.phrase import Phrase, phrase, term


class Broken:
    """Not JSON for anybody; ``reason`` is the parser's."""

    def __init__(self, reason: str) -> None:
        self.reason = reason


def lenient(payload: bytes) -> tuple[Any, list[tuple[str, str]]]:
    """What a forgiving client makes of bytes that strict JSON refuses: the value (or :class:`Broken`) and faults.

    Faults are (code, detail) with the codes of :class:`~harness.wire.stream.WireFault`: ``utf8``, ``json-nan``,
    ``control``, ``surrogate``, ``json``.
    """
    faults: list[tuple[str, str]] = []
    try:
        text = payload.decode()
    except UnicodeDecodeError as error:
        text = payload.decode("utf-8", "replace")
        said = {"byte": f"0x{payload[error.start]:02x}", "at": error.start, "why": term(error.reason)}
        faults.append(("utf8", phrase("byte {byte} at {at}: {why}", **said)))
    constants: list[str] = []

    def constant(name: str) -> None:
        constants.append(name)

    try:
        value = json.loads(text, strict=False, parse_constant=constant)
    except (ValueError, RecursionError) as error:
        return Broken(str(error) or "nested too deep"), [*faults, ("json", reason(error))]
    if constants:
        faults.append(("json-nan", phrase("{constant} is no JSON value", constant=constants[0])))
    if not _parses(text):
        faults.append(("control", "a control character stands unescaped in a text"))
    if "\\u" in text and _lone(value):
        faults.append(("surrogate", "half of a surrogate pair stands alone"))
    return value, faults


def parse(payload: bytes) -> tuple[Any, list[tuple[str, str]]]:
    """The JSON value of a payload (or :class:`Broken`), and what was wrong with it; no exception on any bytes."""
    try:
        return orjson.loads(payload), []
    except orjson.JSONDecodeError:
        return lenient(payload)


def clean(text: str, limit: int = 2000) -> str:
    """A text that every encoder takes: lone surrogates replaced, cut to ``limit`` characters."""
    return text[:limit].encode("utf-8", "replace").decode()


def _parses(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _lone(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    except (ValueError, RecursionError):
        return False
    return False


def reason(error: Exception) -> Phrase:
    """The parser's reason, the place apart from the words."""
    if isinstance(error, json.JSONDecodeError):
        said = {"line": error.lineno, "column": error.colno, "char": error.pos}
        return phrase("{what}: line {line} column {column} (char {char})", what=term(error.msg), **said)
    return phrase("nested too deep") if isinstance(error, RecursionError) else term(str(error)[:200])
