"""Markers in a prompt, ``[[lab stall at=20 for=3s]]``: how to steer the lab from behind a gateway.

Words with ``=`` before any fault name are knobs of the source (``events=40 rate=50 text=chinese seed=7
key=EXCHANGE model=lab-stall``); a bare word names a fault, and the words after it are its parameters. Faults
compose in order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_MARKER = re.compile(r"\[\[lab\b([^\[\]]*)\]\]")


@dataclass(frozen=True, slots=True)
class Call:
    """One fault by name with its parameters."""

    name: str
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Marked:
    """What the markers of a prompt ask for, whether there were any, and the prompt without them."""

    knobs: Mapping[str, str]
    calls: tuple[Call, ...]
    prompt: str
    present: bool = False


def read_markers(prompt: str) -> Marked:
    knobs: dict[str, str] = {}
    calls: list[Call] = []
    for match in _MARKER.finditer(prompt):
        into: dict[str, str] = knobs
        for word in match[1].split():
            name, equals, value = word.partition("=")
            if equals:
                into[name] = value
            else:
                into = {}
                calls.append(Call(name, into))
    return Marked(knobs, tuple(calls), " ".join(_MARKER.sub(" ", prompt).split()), _MARKER.search(prompt) is not None)
