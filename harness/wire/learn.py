"""A mould from one event's bytes, and the proof that it does to the rows what it says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import orjson

from harness.wire.effect import Effect, effect
from harness.wire.leaves import Leaf, leaves
from harness.wire.mould import Hole, Mould, Sample
from harness.wire.roles import COUNTS, role
from harness.wire.sink import Sink

_PROBE, _NUMBER = "=probe=", 9973
_TRIES = 4  # places where the text may stand


def learn(sample: Sample, sink: Sink, old: Mould | None, most: int) -> Mould | None:
    """What fits this event, which was just read into the sink, and others like it; None when that cannot be proven.

    Holes are made for the text and for all in which it differs from the event of the ``old`` mould. ``most``: bytes
    of one event.
    """
    try:
        value = orjson.loads(sample.data)
    except orjson.JSONDecodeError:
        return None
    found = effect(sample.data, sample.name, sink)
    if found is None:
        return None
    chunk = "choices" in value
    places = {
        path: Leaf(leaf.form, leaf.start + sample.at, leaf.stop + sample.at)
        for path, leaf in leaves(sample.data, lambda path: role(path, "json", chunk) != "").items()
    }
    holes = [Hole(path, leaf, role(path, leaf.form, chunk)) for path, leaf in places.items()]
    vary = [hole for hole in holes if hole.role and _varies(hole, sample.block, old)]
    texts = [hole for hole in holes if hole.leaf.form == "text" and _text(sample.block, hole.leaf) == found.text]
    for text in texts[:_TRIES]:
        some = sorted([*(hole for hole in vary if hole.path != text.path), text._replace(role="text")], key=_start)
        if effect(_probed(sample, some), sample.name, sink) == _expected(found, some):
            return Mould(sample, some, places, found, sink, most)
    return None


def _start(hole: Hole) -> int:
    return hole.leaf.start


def _text(block: bytes, leaf: Leaf) -> Any:
    return orjson.loads(block[leaf.start - 1 : leaf.stop + 1])


def _varies(hole: Hole, block: bytes, old: Mould | None) -> bool:
    """The old mould has this hole too, or its event has something else of this form there."""
    if old is None or (before := old.places.get(hole.path)) is None or before.form != hole.leaf.form:
        return False
    was = old.sample.block[before.start : before.stop]
    return was != block[hole.leaf.start : hole.leaf.stop] or any(other.path == hole.path for other in old.holes)


def _probed(sample: Sample, holes: list[Hole]) -> bytes:
    """The event's data with other values in its holes."""
    out, at = [], sample.at
    for hole in holes:
        form, start, stop = hole.leaf
        out.append(sample.block[at:start])
        out.append({"text": _PROBE.encode(), "number": b"%d" % _NUMBER}.get(form) or sample.block[start:stop])
        at = stop
    return b"".join(out) + sample.block[at : sample.stop]


def _expected(found: Effect, holes: list[Hole]) -> Effect:
    """The effect with those values in it."""
    roles = {hole.role for hole in holes}
    key = found.key._replace(choice=_NUMBER) if "index" in roles else found.key
    came, counts = found.came, found.counts
    if came is not None:
        came = (_PROBE if "id" in roles else came[0], _NUMBER if "created" in roles else came[1], *came[2:])
    if counts is not None:
        pairs = zip(COUNTS.values(), counts, strict=True)
        counts = tuple(_NUMBER if role in roles else count for role, count in pairs)
    return replace(found, key=key, text=_PROBE, came=came, counts=counts)
