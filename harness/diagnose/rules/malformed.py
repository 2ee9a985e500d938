"""malformed: events that the format or the dialect does not allow (ends and tools: malformed_ends)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from harness.diagnose.answer import Finding
from harness.diagnose.fault import Fault
from harness.diagnose.thresholds import MIN_JUDGED
from harness.diagnose.view import View
from harness.phrase import phrase
from harness.wire.stream import Kind, WireFault

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
    "Event {event_no} holds a number that JSON does not know ({detail}): strict parsers (browsers, Go) reject "
    "the frame.",
    "A serialiser that allows NaN and Infinity (Python's default).",
    "Replace NaN and Infinity by null before serialising (allow_nan=False finds them).",
)
CONTROL = Fault(
    "malformed.control",
    "{count} events hold a control character (line end, tab) that is not escaped in a JSON text, first event "
    "{event_no}: JSON parsers reject the frame.",
    "The hop builds its JSON by hand, or unescapes it on the way.",
    "Let a JSON serialiser write the chunk; pass the inner hop's bytes on as they are.",
)
TWICE = Fault(
    "malformed.encoded-twice",
    "The data of {count} events is a JSON text that holds the chunk, first at event {event_no}: encoded twice.",
    "The hop serialises what is serialised already; readers get a text, no object, and show nothing of it.",
    "Write the chunk's JSON after data: as it is.",
)
UNREADABLE = Fault(
    "malformed.unreadable",
    "Not one of {count} events can be read as a chat event, first: {sample}.",
    "What stands after data: is not the chunk's JSON (a text of it, another language's notation, a second data:).",
    "Write one JSON object after each data:, as the chunk is.",
)
UNASKED = Fault(
    "malformed.unasked",
    "One JSON answer was asked for (stream: false), and a stream of events came.",
    "The hop streams to everybody, or asks the hop behind it with stream: true and hands that on.",
    "Collect the events at this hop, or ask with stream: true.",
)
UNOPENED = Fault(
    "malformed.order",
    "Text comes at event {event_no} before message_start: the Messages protocol opens an answer with it.",
    "A translation to Anthropic's events that forgets the first one (often where a tool call comes first).",
    "Send message_start before the first content block; Anthropic's SDKs stop with an error otherwise.",
)
STRANGE = Fault(
    "malformed.unknown",
    "{count} events are no chat chunks, first event {event_no}: {sample}.",
    "The hop adds objects of its own to the stream; readers that check every event against the schema stop there.",
    "Send such notes as comments, or in a chunk with empty choices.",
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
SHAPE = Fault(
    "malformed.shape",
    "Off the protocol at {count} events, first at event {event_no}: {detail}.",
    "This hop's frames differ from what the dialect's readers expect; tolerant ones go on.",
    "Read tolerantly (a missing delta is an empty one); correct it at this hop.",
)
DIALECT = Fault(
    "malformed.dialect",
    "The endpoint speaks {expected}, the stream is {actual}: the text is there, but readers of {expected} see "
    "none of it.",
    "A router passes chunks through untranslated.",
    "Translate the frames on the streaming path, or ask the endpoint that speaks {actual}.",
)
NO_FIELD_TEXT = Fault(
    "malformed.field-text",
    "{count} lines are no field of an event stream, and the answer is in them; first: {detail}.",
    "The hop wrote chunks without data: before them (or with something before that word): readers skip such lines.",
    "Begin every event with data: in small letters, with nothing before it.",
)
NO_FIELD = Fault(
    "malformed.field",
    "{count} lines are no field of an event stream, first: {detail}.",
    "Plain text was written into the stream (a log line, a page, a bare error).",
    "Write only data, event, id and retry lines.",
)


CHUNK = re.compile(rb"""["'](choices|delta|content|message|response)["']|\{\s*["']\w+["']\s*:""")
UNREAD_SHARE = 0.8  # of the events
SPOKEN = re.compile(rb'"(content|reasoning|reasoning_content|text|arguments)"\s*:\s*"[^"]')


def alone(view: View) -> Iterator[Finding]:
    stream = view.stream
    if not view.streamed:
        return
    if view.asked_to_stream is False and stream.framing == "sse" and view.content:
        yield UNASKED.found(view, "warning", at_ms=view.head.t if view.head else None)
    if stream.wire == "anthropic" and view.content and Kind.ROLE not in stream.kinds[: view.content[0]]:
        first = view.content[0]
        yield UNOPENED.found(view, "warning", event=first, words={"event_no": first})
    by_code: dict[str, list[WireFault]] = {}
    for fault in stream.faults:
        by_code.setdefault(fault.code, []).append(fault)
    yield from _frames(view, by_code)


def _frames(view: View, by_code: dict[str, list[WireFault]]) -> Iterator[Finding]:
    stream = view.stream
    for fault in by_code.get("json", [])[:3]:
        raw = stream.raw(fault.event) if fault.event is not None else b""
        words: dict[str, Any] = {"event_no": fault.event}
        if CHUNK.search(raw):
            glued = b"data:" in raw.partition(b"data:")[2].partition(b"\n")[0]
            words["glued_words"] = phrase("; a second frame begins inside it.") if glued else phrase(".")
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
    if raw_signs := by_code.get("control", []):
        event = raw_signs[0].event
        hurt = any(fault.event is not None and view.is_content(fault.event) for fault in raw_signs)
        words = {"event_no": event}
        yield CONTROL.found(view, "error" if hurt else "warning", event=event, count=len(raw_signs), words=words)
    tail = stream.facts.get("tail") or {}
    if "tail" in by_code and view.end == "complete" and (tail.get("whole") or stream.tail):
        if tail.get("text"):
            yield LAST_TEXT.found(view, "error", at_ms=view.end_ms, chars=len(tail["text"]))
        else:
            yield LAST.found(view, "warning", at_ms=view.end_ms, kind=tail.get("kind", "incomplete"))
    shapes = [fault for fault in by_code.get("shape", []) if "the wire is" not in fault.detail]
    twice = [f for f in shapes if f.event is not None and rb"\"choices\"" in stream.raw(f.event)]
    if twice:
        first = twice[0].event
        yield TWICE.found(view, "error", event=first, count=len(twice), words={"event_no": first})
    elif shapes:
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
        spoken = [fault for fault in strays if SPOKEN.search(_line(stream.body, fault.offset))]
        said = NO_FIELD_TEXT if spoken else NO_FIELD
        yield said.found(view, "error" if spoken else "warning", count=len(strays), detail=(spoken or strays)[0].detail)
    yield from _strange(view)
    yield from _unreadable(view, told=bool(twice or by_code.get("json")))
    yield from _dialect(view, [fault for fault in by_code.get("shape", []) if "the wire is" in fault.detail])


def _line(body: bytes, start: int) -> bytes:
    return body[start : start + 100_000].partition(b"\n")[0]


def _unreadable(view: View, told: bool) -> Iterator[Finding]:
    """A chat endpoint whose whole stream is foreign to every dialect."""
    stream = view.stream
    if Kind.UNKNOWN not in stream.kinds:
        return
    events = [i for i, kind in enumerate(stream.kinds) if kind != Kind.TERMINATOR]
    unknown = [i for i in events if stream.kinds[i] == Kind.UNKNOWN]
    chat = view.asked_to_stream and view.capture.wire != "other"
    if chat and not told and not view.content and len(unknown) >= max(MIN_JUDGED, UNREAD_SHARE * len(events)):
        sample = stream.raw(unknown[0])[:80].decode("utf-8", "replace").strip()
        yield UNREADABLE.found(view, "error", event=unknown[0], count=len(unknown), sample=sample)


def _strange(view: View) -> Iterator[Finding]:
    """Objects without name among chat chunks that are neither chunk nor error nor usage."""
    stream = view.stream
    if Kind.UNKNOWN not in stream.kinds:
        return
    faulty = {fault.event for fault in stream.faults}
    strange = [
        i
        for i, kind in enumerate(stream.kinds)
        if kind == Kind.UNKNOWN and i not in stream.names and i not in faulty and stream.wire == "openai"
    ]
    if strange and view.content:
        sample = stream.raw(strange[0])[:80].decode("utf-8", "replace").strip()
        words = {"event_no": strange[0]}
        yield STRANGE.found(view, "warning", event=strange[0], count=len(strange), sample=sample, words=words)


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
