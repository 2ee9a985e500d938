"""not-streamed: a stream was asked for, and something else came: one JSON document, a page, plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from harness.diagnose.answer import Finding
from harness.diagnose.fault import Fault
from harness.diagnose.pair import Pair
from harness.diagnose.rules.error import body_message
from harness.diagnose.thresholds import BURST_JOIN_MS, HOLD_HALF_MS
from harness.diagnose.view import View
from harness.phrase import phrase

JSON = Fault(
    "not-streamed.json",
    "A stream was asked for; one JSON document came after {waited_ms} ms ({body_bytes} bytes).",
    "The hop ignores stream: true, or a setting (FastGPT defaultConfig, a guardrail) turns it off.",
    "Check that stream: true reaches the engine and that no setting of this hop overrides it.",
)
PAGE = Fault(
    "not-streamed.page",
    "A stream was asked for; {content_type} came: {message}",
    "The URL leads to a page (login, start page, error page of a proxy), not to the chat endpoint.",
    "Check the base URL and what answers there.",
)
UNFRAMED = Fault(
    "not-streamed.no-event",
    "{body_bytes} bytes came under the type of a stream and not one event, first: {message}",
    "The body is not framed as events: a text of them, encoded or escaped once more.",
    "Write data:, the chunk's JSON and a blank line for each event, as bytes and not as a value.",
)
MADE_UP = Fault(
    "not-streamed.made-up",
    "{hop} asks {hop_inner} for the whole answer and tells it as a stream of {content_events} events in one flush, "
    "after {waited_ms} ms.",
    "The hop turns stream off for what is behind it (a plugin, a tool mode, a model that it takes for one without "
    "streams) and makes a stream out of the document.",
    "Let the hop ask for a stream too; look for the setting that turns it off (aiproxy: streamfake).",
)
FIELD = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:data|event|id|retry|error)?:")
OWN_LINES = re.compile(rb'(?:[0-9a-z]:["{\[][^\n]*\n){2}')  # a stream all the same: the AI SDK's older lines
UNFRAMED_BYTES = 100  # less is a scrap, whatever it was to be


def alone(view: View) -> Iterator[Finding]:
    framing = view.stream.framing
    if not view.answered or view.refused or view.in_band or view.error_document:
        return
    if framing == "sse" and not len(view.stream) and view.asked_to_stream:
        start = view.stream.body[:200]
        if len(view.stream.body) >= UNFRAMED_BYTES and not FIELD.match(start):
            said = start.decode("utf-8", "replace")[:80]
            yield UNFRAMED.found(view, "error", at_ms=view.last_ms, message=said, body_bytes=len(view.stream.body))
    if framing not in ("json", "text"):
        return
    body = len(view.capture.body or b"")
    asked = view.asked_to_stream
    if framing == "text" and body and not OWN_LINES.match((view.stream.body or b"")[:2000]):
        kind = view.header("content-type").partition(";")[0] or phrase("plain text")
        yield PAGE.found(
            view,
            "error",
            at_ms=view.head.t if view.head else view.last_ms,
            content_type=kind,
            message=body_message(view),
            body_bytes=body,
        )
    elif framing == "json" and body and asked is not False:
        declared = view.header("content-type").startswith("text/event-stream")
        severity = "error" if asked or declared else "info"
        yield JSON.found(view, severity, at_ms=view.last_ms, waited_ms=view.last_ms, body_bytes=body)


def between(pair: Pair) -> Iterator[Finding]:
    """One document where the inner hop streamed (what was asked for need not be recorded), or a stream made of one."""
    inner, outer = pair.inner, pair.outer
    yield from _made_up(pair)
    if outer.asked_to_stream is not None or not inner.content or outer.stream.framing != "json" or outer.clear_refusal:
        return
    if pair.sameness != "different" and outer.answered:
        size = len(outer.capture.body or b"")
        yield JSON.found(outer, "error", inner=inner, at_ms=outer.last_ms, waited_ms=outer.last_ms, body_bytes=size)


def _made_up(pair: Pair) -> Iterator[Finding]:
    inner, outer = pair.inner, pair.outer
    whole = inner.stream.framing == "json" and inner.asked_to_stream is False and not inner.clear_refusal
    if not whole or not outer.asked_to_stream or not outer.streamed or not outer.content_ms:
        return
    waited = outer.content_ms[0]
    if waited >= HOLD_HALF_MS and outer.content_ms[-1] - waited <= BURST_JOIN_MS:
        event, count = outer.content[0], len(outer.content)
        yield MADE_UP.found(outer, "error", inner=inner, event=event, waited_ms=waited, content_events=count)
