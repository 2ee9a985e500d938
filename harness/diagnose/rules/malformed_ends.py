"""malformed, second part: ends that contradict themselves, tool calls that do not parse, ids that change."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from harness.diagnose.answer import Finding
from harness.diagnose.fault import Fault
from harness.diagnose.view import View
from harness.phrase import phrase
from harness.wire.payload import reason
from harness.wire.sse import LIMIT
from harness.wire.stream import Kind

ENDLESS = Fault(
    "malformed.line-limit",
    "A line or event of more than {limit_mib} MiB begins at byte {offset}: it is no chat event, and readers that wait "
    "for its end keep all of it in memory.",
    "The hop writes without line ends (a file, a page, a broken serialiser), or never ends an event.",
    "End every event with a blank line; bound the line length at every reader.",
)
NO_FINISH = Fault(
    "malformed.no-finish",
    "The terminator came, but no finish_reason on any of {events} events.",
    "A protocol gap, no lost text by itself; but some gateways end an answer that broke behind them like this.",
    "Send the terminal frame; if this hop is a gateway, hold the text against the hop behind.",
)
ONLY_END = Fault(
    "truncation.only-terminator",
    "The terminator came and nothing before it: no role, no text, no finish_reason.",
    "The hop found no answer behind it (a refusal, an empty body, lines that it cannot read) and ends the stream as if "
    "there had been one.",
    "Check the inner hop's status and first chunk before the stream is opened, and pass an error on.",
)
TWICE = Fault(
    "malformed.two-ends",
    "Choice {choice} is finished {times} times (first at event {first}, last at event {last}); {after} "
    "characters come after the first or ride on it.",
    "The hop sets finish_reason before the real end. Readers that stop at the first lose what follows.",
    "Set finish_reason once, on the last frame of the choice.",
)
EARLY = Fault(
    "malformed.early-finish",
    "finish_reason {reason} at event {first}, and {after} characters of the same choice after it.",
    "The hop ends the choice before its text ends. Readers that stop there lose the rest.",
    "Set finish_reason only on the last frame.",
)
AFTER = Fault(
    "malformed.after-terminator",
    "{after} characters of text come after the terminator (event {first}): readers that stop there lose them.",
    "Something ends the stream before its text.",
    "Send the terminator last.",
)
ARGUMENTS = Fault(
    "malformed.arguments",
    "The arguments of tool call {tool} are no JSON though the answer is finished ({reason}): {detail}.",
    "The end (or the middle) of the arguments was lost in the hop's tool parser.",
    "A fixed parser at this hop; check joined arguments with a JSON parser before the call is made.",
)
NAMELESS = Fault(
    "malformed.call-without-name",
    "The arguments of tool call {tool} came, and no name of a function: nobody can make the call.",
    "The hop drops id and name when it writes the chunk anew (a call that comes whole in one chunk, for one).",
    "Pass id, type and function.name on with the first piece of each call.",
)
TOOL_STOP = Fault(
    "malformed.tool-finish",
    "A tool call was sent, but the answer ends with finish_reason {reason}.",
    "The hop forgets that a call was seen; some clients then do not run it.",
    "End with finish_reason tool_calls.",
)
ID_CHANGES = Fault(
    "malformed.id-changes",
    "Every frame bears another id ({ids} ids on {events} events).",
    "The hop makes a new id for each chunk; clients that group by id see many answers.",
    "One id for one answer.",
)
CHOICES = Fault(
    "malformed.choice-counts-on",
    "Each of {pieces} pieces bears another choice index, {first} to {last}: the index counts pieces, not answers.",
    "The hop writes the number of the token where the number of the choice belongs.",
    "Send index 0 with each chunk of a single answer: readers that keep answers apart see one piece of each.",
)
COUNTS_ON = 4  # choices in a row with one piece each
FINISHED = ("stop", "tool_calls", "function_call", "tool_use", "end_turn")


def alone(view: View) -> Iterator[Finding]:
    if not view.streamed:
        return
    for fault in [fault for fault in view.stream.faults if fault.code == "line-limit"][:1]:
        limit = LIMIT // 1024**2
        yield ENDLESS.found(view, "error", event=fault.event, at_ms=view.end_ms, limit_mib=limit, offset=fault.offset)
    yield from _ends(view)
    yield from _tools(view)
    if counts_on(view):
        first, last = min(view.choices), max(view.choices)
        figures: dict[str, Any] = {"pieces": len(view.content), "first": first, "last": last}
        yield CHOICES.found(view, "warning", event=view.content[1], **figures)
    stream = view.stream
    ids = [row.id for row in stream.identities if row.id]
    if len(set(ids)) > 2 and len(set(ids)) >= 0.6 * len(stream) - 1 and len(set(ids)) == len(ids):
        yield ID_CHANGES.found(view, "warning", event=stream.identities[1].event, ids=len(ids), events=len(stream))


def counts_on(view: View) -> bool:
    """One answer whose choice index goes up by one with each piece."""
    if len(view.stream.channels) < len(view.stream.pieces):  # some piece goes on where another one was
        return False
    order = [key.choice for _, key, _ in view.stream.deltas()]
    steps = all(b == a + 1 for a, b in pairwise(order))
    return len(order) >= COUNTS_ON and steps and view.asked.get("n", 1) in (1, None)


def _ends(view: View) -> Iterator[Finding]:
    stream = view.stream
    gap = view.terminated and not view.finished and stream.wire != "ollama" and not view.in_band
    if gap and view.content:
        yield NO_FINISH.found(view, "warning", event=stream.terminators[0], events=len(stream))
    elif gap and set(stream.kinds) <= {Kind.TERMINATOR, Kind.HEARTBEAT}:
        yield ONLY_END.found(view, "error", event=stream.terminators[0])
    for choice in view.finished:
        marks = [finish.event for finish in stream.finishes if finish.choice == choice]
        later = (
            [(at, text) for at, key, text in stream.deltas() if key.choice == choice and at > marks[0]]
            if marks[0] < (view.content or [0])[-1]
            else []
        )
        after = sum(len(text) for _, text in later)
        figures: dict[str, Any] = {"choice": choice, "first": marks[0], "after": after}
        if len(marks) > 1:
            rides = sum(len(text) for at, _, text in stream.deltas() if at == marks[0])
            yield TWICE.found(
                view,
                "warning",
                event=marks[0],
                times=len(marks),
                last=marks[-1],
                **(figures | {"after": after + rides}),
            )
        elif after:
            yield EARLY.found(view, "warning", event=marks[0], reason=view.finished[choice], **figures)
    if stream.terminators and view.content and view.content[-1] > stream.terminators[0]:
        first = stream.terminators[0]
        after = sum(len(text) for at, _, text in stream.deltas() if at > first)
        yield AFTER.found(view, "error", event=first, first=first, after=after)


def _tools(view: View) -> Iterator[Finding]:
    tools = [channel for channel in view.stream.channels if channel.key.part.startswith("tool")]
    shared = any(fault.code == "tool-index" for fault in view.stream.faults)
    for channel in tools:
        reason = view.finished.get(channel.key.choice, "")
        if reason and not channel.name and channel.text.strip() and view.stream.wire == "openai":
            event = view.texts[channel.key].events[0] if channel.key in view.texts else None
            yield NAMELESS.found(view, "error", event=event, tool=channel.key.part)
        free = channel.key.part in view.stream.facts.get("free_form", ())
        if reason in FINISHED and channel.text.strip() and not shared and not free:
            detail = _json_fault(channel.text)
            if detail:
                yield ARGUMENTS.found(
                    view,
                    "error",
                    event=view.content[-1],
                    tool=channel.name or channel.key.part,
                    reason=reason,
                    detail=detail,
                )
        if reason == "stop" and view.stream.wire in ("openai", "fastgpt") and not _nodes(view):
            yield TOOL_STOP.found(
                view, "warning", event=view.stream.finishes[-1].event, reason=reason, tools=len(tools)
            )
            break


def _nodes(view: View) -> bool:
    """FastGPT runs tools itself and always ends with ``stop``."""
    return bool(view.stream.names)


def _json_fault(text: str) -> str:
    try:
        value = json.loads(text)
    except ValueError as error:
        return reason(error)
    return phrase("a text that holds the arguments: they were encoded twice") if isinstance(value, str) else ""
