"""Durations as proxies write them, in seconds."""

from __future__ import annotations

import re

_UNITS = {"us": 1e-6, "ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0, "": 1.0}
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*(us|ms|min|[smhdw]|)", re.I)


def seconds(text: str, unit: str = "s") -> float | None:
    """``1m30s``, ``90``, ``0.25s``; a bare number counts in ``unit``. None for what is no duration."""
    text = text.strip().strip("\"'")
    if not text or not re.fullmatch(rf"(?:{_PART.pattern}\s*)+", text, re.I):
        return None
    parts = [(float(number), name.lower() or unit) for number, name in _PART.findall(text)]
    return sum(number * _UNITS[name] for number, name in parts)
