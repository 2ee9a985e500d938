"""malformed: events that the format or the dialect does not allow, and ends that contradict themselves."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from harness.diagnose.answer import Finding
from harness.diagnose.fault import Fault
from harness.diagnose.view import View
from harness.wire.stream import WireFault

BROKEN = Fault(
    "malformed.json",
    "Event {event_no} is not JSON: {detail}{glued_words}",
    "A frame was cut or two were glued together at this hop; what it carried is lost to every reader.",
    "Check the hop's framing: one event, one JSON value, a blank line. Readers should report the event, not skip it.",
)
NOISE = Fault(
    "malformed.not-json",
    "The data of event {event_no} is not JSON and carries no text of the answer: {sample}.",
    "A comment or keep-alive was wrapped as a data event on the way.",
    "Pass comments through as comments (a line that begins with a colon), or drop them.",
)
NAN = Fault(
    "malformed.nan",
    "Event {event_no} holds a number that JSON does not know ({detail}): strict parsers (browsers, Go) reject the frame.",
    "A serialiser that allows NaN and Infinity (Python's default).",
    "Replace NaN and Infinity by null before serialising (allow_nan=False finds them).",
)
LAST_TEXT = Fault(
    "malformed.unterminated",
    "The last event has no blank line after it and is not dispatched: {chars} characters of text are lost to readers.",
    "The sender closes right after the data line.",
    "End every event with a blank line.",
)
LAST = Fault(
    "malformed.unterminated-end",
    "The last event ({kind}) has no blank line after it, so that the standard drops it.",
    "The sender closes right after the data line.",
    "End every event with a blank line, the terminator too.",
)
NO_FINISH = Fault(
    "malformed.no-finish",
    "The terminator came, but no finish_reason on any of {events} events.",
    "A protocol gap, no lost text by itself; but some gateways end an answer that broke behind them like this.",
    "Send the terminal frame; if this hop is a gateway, hold the text against the hop behind.",
)
TWICE = Fault(
    "malformed.two-ends",
    "Choice {choice} is finished {times} times (first at event {first}, last at event {last}); {after} characters come after the first or ride on it.",
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
SHAPE = Fault(
    "malformed.shape",
    "Off the protocol at {count} events, first at event {event_no}: {detail}.",
    "This hop's frames differ from what the dialect's readers expect; tolerant ones go on.",
    "Read tolerantly (a missing delta is an empty one); correct it at this hop.",
)
DIALECT = Fault(
    "malformed.dialect",
    "The endpoint speaks {expected}, the stream is {actual}: the text is there, but readers of {expected} see none of it.",
    "A router passes chunks through untranslated.",
    "Translate the frames on the streaming path, or ask the endpoint that speaks {actual}.",
)
ARGUMENTS = Fault(
    "malformed.arguments",
    "The arguments of tool call {tool} are no JSON though the answer is finished ({reason}): {detail}.",
    "The end (or the middle) of the arguments was lost in the hop's tool parser.",
    "A fixed parser at this hop; check joined arguments with a JSON parser before the call is made.",
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
NO_FIELD = Fault(
    "malformed.field",
    "{count} lines are no field of an event stream, first: {detail}.",
    "Plain text was written into the stream (a log line, a page, a bare error).",
    "Write only data, event, id and retry lines.",
)
FINISHED = ("stop", "tool_calls", "function_call", "tool_use", "end_turn")


def alone(view: View) -> Iterator[Finding]:
    stream = view.stream
    if not view.streamed:
        return
    by_code: dict[str, list[WireFault]] = {}
    for fault in stream.faults:
        by_code.setdefault(fault.code, []).append(fault)
    yield from _frames(view, by_code)
    yield from _ends(view)
    yield from _tools(view)
    ids = [row.id for row in stream.identities if row.id]
    if len(set(ids)) > 2 and len(set(ids)) >= 0.6 * len(stream) - 1 and len(set(ids)) == len(ids):
        yield ID_CHANGES.found(view, "warning", event=stream.identities[1].event, ids=len(ids), events=len(stream))


def _frames(view: View, by_code: dict[str, list[WireFault]]) -> Iterator[Finding]:
    stream = view.stream
    for fault in by_code.get("json", [])[:3]:
        raw = stream.raw(fault.event) if fault.event is not None else b""
        words = {"event_no": fault.event}
        if re.search(rb'"(choices|delta|content|message|response)"|\{\s*"\w+"\s*:', raw):
            glued = b"data:" in raw.partition(b"data:")[2].partition(b"\n")[0]
            words["glued_words"] = "; a second frame begins inside it." if glued else "."
            yield BROKEN.found(view, "error", event=fault.event, detail=fault.detail, glued=glued, words=words)
        else:
            sample = raw[:60].decode("utf-8", "replace").strip()
            yield NOISE.found(view, "warning", event=fault.event, sample=sample, words=words)
    for fault in by_code.get("json-nan", [])[:1]:
        hurt = fault.event is not None and any(i >= fault.event for i in view.content)
        yield NAN.found(
            view,
            "error" if hurt else "warning",
            event=fault.event,
            detail=fault.detail,
            words={"event_no": fault.event},
        )
    tail = stream.facts.get("tail") or {}
    if "tail" in by_code and view.end == "complete" and (tail.get("whole") or stream.tail):
        if tail.get("text"):
            yield LAST_TEXT.found(view, "error", at_ms=view.end_ms, chars=len(tail["text"]))
        else:
            yield LAST.found(view, "warning", at_ms=view.end_ms, kind=tail.get("kind", "incomplete"))
    shapes = [fault for fault in by_code.get("shape", []) if "the wire is" not in fault.detail]
    if shapes:
        yield SHAPE.found(
            view,
            "warning",
            event=shapes[0].event,
            count=len(shapes),
            detail=shapes[0].detail,
            words={"event_no": shapes[0].event},
        )
    strays = by_code.get("field", [])
    if strays:
        yield NO_FIELD.found(view, "warning", count=len(strays), detail=strays[0].detail)
    yield from _dialect(view, [fault for fault in by_code.get("shape", []) if "the wire is" in fault.detail])


def _dialect(view: View, told: list[WireFault]) -> Iterator[Finding]:
    url = view.capture.request.url.split("?")[0].rstrip("/") if view.capture.request else ""
    paths = {"/responses": "responses", "/chat/completions": "openai", "/messages": "anthropic", "/api/chat": "ollama"}
    expected = next((wire for path, wire in paths.items() if url.endswith(path)), view.stream.wire if told else "")
    actual = _spoken(view)
    if expected and actual and expected != actual:
        yield DIALECT.found(view, "warning", event=told[0].event if told else 0, expected=expected, actual=actual)


def _spoken(view: View) -> str:
    """The dialect of the first event that carries text, by its own shape."""
    if not view.content:
        return ""
    raw = view.stream.raw(view.content[0])
    for mark, wire in (
        (b'"choices"', "openai"),
        (b'"response.', "responses"),
        (b"content_block", "anthropic"),
        (b'"done"', "ollama"),
    ):
        if mark in raw:
            return wire
    return ""


def _ends(view: View) -> Iterator[Finding]:
    stream = view.stream
    if view.terminated and not view.finished and stream.wire != "ollama" and not view.in_band and len(stream) > 1:
        if view.content:
            yield NO_FINISH.found(view, "warning", event=stream.terminators[0], events=len(stream))
    for choice in view.finished:
        marks = [finish.event for finish in stream.finishes if finish.choice == choice]
        later = (
            [(at, text) for at, key, text in stream.deltas() if key.choice == choice and at > marks[0]]
            if marks[0] < (view.content or [0])[-1]
            else []
        )
        after = sum(len(text) for _, text in later)
        figures = {"choice": choice, "first": marks[0], "after": after}
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
        if reason in FINISHED and channel.text.strip() and not shared:
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
        json.loads(text)
    except ValueError as error:
        return f"{error}"
    return ""
