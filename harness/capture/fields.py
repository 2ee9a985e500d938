"""Typed fields out of one JSON line, each refusal naming file, line and what was expected."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NoReturn

import orjson

from harness.capture.model import Headers
from harness.errors import CaptureError

Object = dict[str, Any]
MOST_MS = 1e10
"""A stamp's most, in ms: four months. What is more was meant as a time of day, or in another unit."""
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d{1,12})?([Zz]|[+-]\d\d:\d\d)", re.A)
_SIMPLE = {frozenset({"t", "data"}), frozenset({"t", "b64"}), frozenset({"t", "upto"})}


class Place:
    """Where in the input we are: ``name`` of the file (may be empty) and ``line`` (or other ``unit``)."""

    __slots__ = ("line", "name", "unit")

    def __init__(self, name: str = "", unit: str = "line") -> None:
        self.name, self.line, self.unit = name, 1, unit

    def fail(self, what: str, do: str = "") -> NoReturn:
        at = f"{self.unit} {self.line}" if self.unit else ""
        raise CaptureError(what, ", ".join(part for part in (self.name, at) if part), do)


def _constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON number")


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the number {text[:20]} is out of range")
    return value


def parse_json(data: bytes) -> Any:
    """Strict JSON: no NaN, no Infinity, no bytes that are not UTF-8. Big integers stay whole.

    Raises ValueError with a short reason, for too deep nesting too.
    """
    try:
        return json.loads(data.decode("utf-8"), parse_constant=_constant, parse_float=_number)
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start + 1} is not UTF-8") from None
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg.removesuffix(' at')} at character {error.pos + 1}") from None


def parse_line(place: Place, line: bytes) -> Object:
    """One line as a JSON object. orjson is quicker, but rounds big integers, so only plain lines are left to it."""
    try:
        quick = orjson.loads(line)
        if type(quick) is dict and frozenset(quick) in _SIMPLE:
            return quick
    except ValueError:
        pass
    try:
        found = parse_json(line)
    except ValueError as error:
        if "integer string conversion" in str(error):  # Python's own bound, in words for those who write Python
            error = ValueError("a whole number in it has thousands of digits")
        place.fail(f"expected one JSON object, but {error}", "The file is cut off, hand-edited or no capture")
    if not isinstance(found, dict):
        place.fail(f"expected one JSON object, found {shown(found)}")
    return found


def shown(value: Any) -> str:
    """A value as it is shown in an error: JSON, cut at 40 characters."""
    try:
        text = json.dumps(value, ensure_ascii=True)
    except (TypeError, ValueError, RecursionError):
        text = repr(type(value).__name__)
    return text if len(text) <= 40 else text[:37] + "…"


def number(place: Place, obj: Object, key: str, default: float | None = None) -> float:
    """A finite number; without ``default`` the key has to be there."""
    value = obj.get(key, default)
    if type(value) is float and math.isfinite(value):
        return value
    if type(value) is int:
        try:
            return float(value)
        except OverflowError:
            pass
    place.fail(
        f'expected "{key}" to be a finite number' + (f", found {shown(value)}" if key in obj else ", found none")
    )


def stamp(place: Place, obj: Object) -> float:
    """``t``: milliseconds since this tap's side began, from 0 up to :data:`MOST_MS`."""
    t = number(place, obj, "t")
    if t < 0:
        place.fail(f'expected "t" to be milliseconds since the request, from 0 up, found {shown(obj["t"])}')
    if t > MOST_MS:
        hint = "This looks like a time of day: subtract the time of the request" if 1e11 < t < 1e20 else ""
        place.fail(f'expected "t" to be milliseconds since the request, at most 1e10, found {shown(obj["t"])}', hint)
    return t


def moment(place: Place, obj: Object, key: str) -> str:
    """A date and time with its offset (RFC 3339), as it stands; empty when the key is missing."""
    value = text(place, obj, key)
    if key not in obj:
        return ""
    try:
        if _MOMENT.fullmatch(value):
            datetime.fromisoformat(value.upper()).timestamp()
            return value
    except (ValueError, OverflowError):
        pass
    place.fail(f'expected "{key}" to be a date and time like 2026-11-30T12:00:00.123Z, found {shown(value)}')


def integer(place: Place, obj: Object, key: str, least: int | None = None) -> int:
    """A whole number, at least ``least``."""
    value = obj.get(key)
    if type(value) is not int or (least is not None and value < least):
        bound = "" if least is None else f" from {least} up"
        place.fail(f'expected "{key}" to be a whole number{bound}, found {shown(value)}')
    return value


def text(place: Place, obj: Object, key: str, default: str = "", among: Sequence[str] = ()) -> str:
    """A string; with ``among``, one of those."""
    value = obj.get(key, default)
    if not isinstance(value, str):
        place.fail(f'expected "{key}" to be text, found {shown(value)}')
    if among and value not in among and key in obj:
        place.fail(f'expected "{key}" to be one of {", ".join(among)}, found {shown(value)}')
    return value


def mapping(place: Place, obj: Object, key: str) -> Object:
    """A JSON object, empty when the key is missing."""
    value = obj.get(key, {})
    if not isinstance(value, dict):
        place.fail(f'expected "{key}" to be an object, found {shown(value)}')
    return value


def headers(place: Place, obj: Object) -> Headers:
    """``headers`` as [[name, value], …]; names are lower-cased."""
    value = obj.get("headers", [])
    if not isinstance(value, list):
        place.fail(f'expected "headers" to be a list of [name, value] pairs, found {shown(value)}')
    for pair in value:
        if not (isinstance(pair, list) and len(pair) == 2 and all(isinstance(part, str) for part in pair)):
            place.fail(f'expected each of "headers" to be a pair [name, value] of texts, found {shown(pair)}')
    return tuple((name.lower(), content) for name, content in value)


def rest(obj: Object, *known: str) -> Object:
    """The keys that this version does not know; they are kept."""
    return {key: value for key, value in obj.items() if key not in known}
