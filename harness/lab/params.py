"""Parameters of faults and scenarios: durations, places and numbers, read from TOML values or marker words."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.errors import InputError

_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m)?")
_UNIT = {None: 1.0, "ms": 1.0, "s": 1000.0, "m": 60_000.0}


def milliseconds(value: Any, name: str = "duration") -> float:
    """``3s``, ``250ms``, ``1m`` or a bare number of milliseconds."""
    match = _DURATION.fullmatch(str(value).strip())
    if not match:
        raise InputError(f"{name}={value} is no duration", "lab", "Write it as 3s, 250ms or 1m.")
    return float(match[1]) * _UNIT[match[2]]


@dataclass(frozen=True, slots=True)
class Params:
    """The words of one fault or scenario, with the random source that its seed gives."""

    values: Mapping[str, Any] = field(default_factory=dict)
    rng: random.Random = field(default_factory=lambda: random.Random(0))

    def ms(self, name: str, default: float) -> float:
        return milliseconds(self.values[name], name) if name in self.values else default

    def number(self, name: str, default: float) -> float:
        try:
            value = float(self.values.get(name, default))
        except (TypeError, ValueError):
            value = math.nan
        if not math.isfinite(value):
            raise InputError(f"{name}={self.values[name]} is no number", "lab", f"Write {name}=5, say.")
        return value

    def count(self, name: str, default: int) -> int:
        return int(self.number(name, default))

    def text(self, name: str, default: str) -> str:
        return str(self.values.get(name, default))

    def place(self, name: str, default: str | int, total: int) -> int:
        """A 1-based count of content events: ``20``, or ``50%`` of ``total``; clipped to 1..total."""
        value = str(self.values.get(name, default))
        try:
            n = round(total * float(value[:-1]) / 100) if value.endswith("%") else int(value)
        except (ValueError, OverflowError):
            raise InputError(f"{name}={value} is no place", "lab", f"Write {name}=20 or {name}=50%.") from None
        return max(1, min(n, max(total, 1)))
