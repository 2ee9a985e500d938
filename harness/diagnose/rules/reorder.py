"""reorder: the same pieces in another order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from harness.diagnose.answer import Finding
from harness.diagnose.damage import damages
from harness.diagnose.fault import Fault
from harness.diagnose.pair import Pair

MOVED = Fault(
    "reorder.moved",
    "{hop} tells the words of {hop_inner} in another order: {moves} pieces stand elsewhere, first {first_piece}.",
    "Pieces overtake each other inside {hop}: concurrent calls or several readers of one queue.",
    "Await each send, keep one reader for each answer, add sequence numbers.",
)
CHANNELS = Fault(
    "reorder.channels",
    "At {hop_inner} all of {first_channel} comes before {next_channel}, at {hop} some of it after (event {event_no}).",
    "{hop} writes thinking, words and calls by ways of their own, and one overtakes the other.",
    "Write the pieces of one answer in the order in which they come, whatever channel they are for.",
)


def between(pair: Pair) -> Iterator[Finding]:
    for damage in damages(pair):
        if damage.kind != "reorder":
            continue
        a, b = pair.inner.texts[damage.key], pair.outer.texts[damage.key]
        pairs = [[a.event_at(e.a), b.event_at(e.b)] for e in damage.edits[:20]]
        yield MOVED.found(
            pair.outer,
            "error",
            inner=pair.inner,
            event=pairs[0][1],
            moves=len(damage.edits),
            exchange=pair.sameness,
            first_piece=damage.samples()[0],
            channel=f"{damage.key.choice}/{damage.key.part}",
            event_pairs=pairs,
        )
    yield from _channels(pair)


def _channels(pair: Pair) -> Iterator[Finding]:
    """Each channel is whole, and yet one of them has got before another that came first."""
    if pair.sameness == "different":
        return
    inner, outer = pair.inner.texts, pair.outer.texts
    for a, b in permutations(pair.channels, 2):
        if a.choice != b.choice or inner[a].events[-1] >= inner[b].events[0]:
            continue
        if outer[a].events[-1] > outer[b].events[0] and outer[a].text == inner[a].text:
            event = outer[a].events[-1]
            yield CHANNELS.found(
                pair.outer,
                "warning",
                inner=pair.inner,
                event=event,
                words={"event_no": event},
                first_channel=f"{a.choice}/{a.part}",
                next_channel=f"{b.choice}/{b.part}",
            )
            return
