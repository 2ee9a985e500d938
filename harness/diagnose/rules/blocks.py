"""loss, reorder, duplicate by a dialect's own book-keeping: Anthropic's blocks, the whole texts of Responses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from harness.diagnose.answer import Finding
from harness.diagnose.counts import counts
from harness.diagnose.fault import Fault
from harness.diagnose.view import View

NO_START = Fault(
    "loss.block-start",
    "Event {event_no} adds to content block {block}, which never started.",
    "Its content_block_start was dropped; readers that keep a list of blocks fail here.",
    "Pass every event of a block on, its start and stop too.",
)
GAP = Fault(
    "loss.block",
    "Content block {block} never came: the blocks are {blocks}.",
    "A hop took a block out (thinking, a tool's) and kept the numbers, or lost it.",
    "Number the blocks anew where one is taken out.",
)
LATE = Fault(
    "reorder.block",
    "Event {event_no} adds to content block {block} after its stop.",
    "Pieces overtook each other at this hop or behind it.",
    "Send the events of one answer from one task, awaiting each.",
)
TWICE = Fault(
    "duplicate.block-start",
    "Content block {block} starts again at event {event_no}.",
    "An event was sent twice, or a retry began the answer anew.",
    "Send each event once; after a retry go on from the last event that was passed on.",
)
WHOLE = {
    "loss": Fault(
        "loss.whole-text",
        "The stream's own whole text has {whole_chars} characters, its pieces only {chars}.",
        "Pieces were dropped by this hop or one behind it.",
        "Capture the hop behind: the first one whose pieces make the whole is not the culprit, the next is.",
    ),
    "duplicate": Fault(
        "duplicate.whole-text",
        "The pieces have {chars} characters, the stream's own whole text only {whole_chars}.",
        "Pieces were sent twice by this hop or one behind it.",
        "Send each piece once.",
    ),
    "reorder": Fault(
        "reorder.whole-text",
        "The pieces have the characters of the stream's own whole text in another order, from character {first_at} on.",
        "Pieces overtook each other at this hop or behind it.",
        "Send the pieces of one answer from one task, awaiting each.",
    ),
    "rewrite": Fault(
        "rewrite.whole-text",
        "The pieces differ from the stream's own whole text from character {first_at} on.",
        "A hop changes the pieces or the whole, not both.",
        "Change text in one place, or not at all.",
    ),
}
DONE = {"response.output_text.done": "response.output_text.delta"}


def alone(view: View) -> Iterator[Finding]:
    if view.stream.wire == "anthropic":
        yield from _blocks(view)
    elif view.stream.wire == "responses":
        yield from _wholes(view)


def _events(view: View) -> Iterator[tuple[int, dict[str, Any]]]:
    for event in range(len(view.stream)):
        raw = view.stream.raw(event)
        try:
            parsed = json.loads(raw[raw.find(b"{") :]) if b"{" in raw else None
        except ValueError:
            continue
        if isinstance(parsed, dict):
            yield event, parsed


def _blocks(view: View) -> Iterator[Finding]:
    begun: set[int] = set()
    over: set[int] = set()
    told: set[str] = set()
    rows = [(event, e) for event, e in _events(view) if isinstance(e.get("index"), int)]
    if not any(e.get("type") == "content_block_start" for _, e in rows):
        return  # a hop that sends deltas alone
    for event, e in rows:
        kind, block, fault = e.get("type"), e["index"], None
        if kind == "content_block_start":
            fault = TWICE if block in begun else None
            begun.add(block)
            over.discard(block)
        elif kind == "content_block_stop":
            over.add(block)
        elif kind == "content_block_delta":
            fault = NO_START if block not in begun else LATE if block in over else None
        if fault and fault.code not in told:
            told.add(fault.code)
            yield fault.found(view, "error", event=event, block=block, words={"event_no": event})
    gap = next((n for n in range(max(begun)) if n not in begun), None)
    if gap is not None and not told:
        event = next(at for at, e in rows if e["index"] > gap)
        yield GAP.found(view, "warning", event=event, block=gap, blocks=sorted(begun))


def _wholes(view: View) -> Iterator[Finding]:
    """What the ``done`` event says that the text is, against the pieces before it."""
    if any(count.missing or count.doubled or count.swapped for count in counts(view)):
        return
    texts: dict[tuple[Any, ...], str] = {}
    for event, e in _events(view):
        where = (e.get("item_id"), e.get("output_index"), e.get("content_index"))
        if e.get("type") in DONE.values() and isinstance(e.get("delta"), str):
            texts[where] = texts.get(where, "") + e["delta"]
        elif e.get("type") in DONE and isinstance(e.get("text"), str) and texts.get(where):
            whole, pieces = e["text"], texts[where]
            if whole != pieces:
                first = next((i for i, (a, b) in enumerate(zip(whole, pieces, strict=False)) if a != b), None)
                first = min(len(whole), len(pieces)) if first is None else first
                figures: dict[str, Any] = {"whole_chars": len(whole), "chars": len(pieces), "first_at": first}
                yield WHOLE[_kind(whole, pieces)].found(view, "error", event=event, **figures)
                return


def _kind(whole: str, pieces: str) -> str:
    if len(pieces) != len(whole):
        return "loss" if len(pieces) < len(whole) else "duplicate"
    return "reorder" if sorted(pieces) == sorted(whole) else "rewrite"
