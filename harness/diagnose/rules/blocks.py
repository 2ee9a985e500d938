"""loss, reorder, duplicate, malformed by a dialect's own books: Anthropic's blocks, the whole texts of Responses."""

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
STOP = Fault(
    "malformed.block-stop",
    "Event {event_no} stops content block {block}, which never started.",
    "The hop numbers the blocks of the stream that it translates by itself, and loses count.",
    "Count the blocks from 0; stop each block once, and only one that was started.",
)
MIXED = Fault(
    "malformed.block-index",
    "Event {event_no} starts a block of {kind} as number {block}, where one of {kind_before} stands.",
    "The hop gives two blocks one number; strict readers stop here (content block not found, wrong type).",
    "Stop the old block first, and give the new one the next number.",
)
NO_BLOCKS = Fault(
    "malformed.no-block-start",
    "{pieces} pieces of content blocks came, and not one content_block_start.",
    "The hop translates the pieces and leaves the frame of the blocks out.",
    "Send content_block_start before the first piece of a block and content_block_stop after its last: strict readers "
    "show nothing without them.",
)
BEGUN = Fault(
    "malformed.message-start",
    "message_start comes {times} times in one answer.",
    "The hop sends its own beside the inner hop's, or a retry began the answer anew.",
    "Send message_start once, as the first event.",
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
    begun: dict[int, str] = {}
    over: set[int] = set()
    told: set[str] = set()
    every = list(_events(view))
    opened = [event for event, e in every if e.get("type") == "message_start"]
    if len(opened) > 1:
        yield BEGUN.found(view, "warning", event=opened[1], times=len(opened))
    rows = [(event, e) for event, e in every if isinstance(e.get("index"), int)]
    if not any(e.get("type") == "content_block_start" for _, e in rows):
        pieces = [event for event, e in rows if e.get("type") == "content_block_delta"]
        if pieces and opened:
            yield NO_BLOCKS.found(view, "warning", event=pieces[0], pieces=len(pieces))
        return
    for event, e in rows:
        kind, block, fault = e.get("type"), e["index"], None
        if kind == "content_block_start":
            sort, before = _sort(e), begun.get(block)
            if before and sort != before:
                if MIXED.code not in told:
                    told.add(MIXED.code)
                    words = {"event_no": event, "kind": sort, "kind_before": before}
                    yield MIXED.found(view, "warning", event=event, block=block, words=words)
            elif before:
                fault = TWICE
            begun[block] = sort
            over.discard(block)
        elif kind == "content_block_stop":
            if block not in begun and STOP.code not in told:
                told.add(STOP.code)
                yield STOP.found(view, "warning", event=event, block=block, words={"event_no": event})
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


def _sort(event: dict[str, Any]) -> str:
    block = event.get("content_block")
    return str(block.get("type"))[:40] if isinstance(block, dict) else "?"


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
