"""Response headers that differ from one hop to the next, without those that differ by nature."""

from __future__ import annotations

from collections.abc import Sequence

from harness.capture.model import Capture

# Headers that differ from one exchange to the next by nature.
PASSING = frozenset({"date", "x-request-id", "content-length", "connection", "keep-alive", "set-cookie", "etag", "age"})


def differing(captures: Sequence[Capture]) -> dict[str, dict[str, str]]:
    """Response headers that the hops do not share: name → hop → value (of each hop's first answer), "" if missing."""
    heads: dict[str, dict[str, str]] = {}
    for capture in captures:
        if capture.head is not None:
            heads.setdefault(capture.hop, {k: v for k, v in capture.head.headers if k not in PASSING})
    names = sorted({name for head in heads.values() for name in head})
    return {
        name: {hop: head.get(name, "") for hop, head in heads.items()}
        for name in names
        if len({head.get(name, "") for head in heads.values()}) > 1  # an empty one says no more than none
    }
