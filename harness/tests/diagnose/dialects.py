"""A case told in another dialect: the same deltas, times and ends as Ollama's records or FastGPT's events."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

from harness.capture.model import Capture, Head, Request
from harness.tests.diagnose.transforms import Ladder, events_changed
from harness.wire.decode import decode

Teller = Callable[[str, str, str | None, bool], bytes]


def translatable(ladder: Ladder) -> bool:
    """Plain chat answers of one choice, text alone, nothing off the protocol: what every dialect can tell."""
    for capture in ladder:
        stream = decode(capture)
        plain = (
            stream.framing in ("sse", "none") and stream.coding == "identity" and not stream.faults and not stream.tail
        )
        parts = all(channel.key.choice == 0 and channel.key.part == "content" for channel in stream.channels)
        once = len(stream.finishes) < 2 and len(stream.terminators) < 2 and b"\nid:" not in stream.body
        if (
            capture.wire not in ("openai", "")
            or not (plain and parts and once)
            or (capture.head and capture.head.status >= 400)
        ):
            return False
    return True


def translated(ladder: Ladder, wire: str, which: str = "all") -> Ladder:
    """All captures, or the outermost alone (``which`` "outer"), told in ``wire``."""
    teller, head, path = WIRES[wire]
    last = len(ladder) - 1
    return tuple(
        _told(capture, teller, head, path, wire) if which == "all" or index == last else capture
        for index, capture in enumerate(ladder)
    )


def _told(capture: Capture, teller: Teller, kind: str, path: str, wire: str) -> Capture:
    stream = decode(capture)
    texts = {event: text for event, _, text in stream.deltas()}
    ends = {finish.event: finish.reason for finish in stream.finishes}
    errors = {error.event: error.message for error in stream.errors}
    count = iter(range(len(stream)))

    def change(raw: bytes) -> bytes:
        event = next(count)
        if event in stream.terminators and not texts.get(event):
            return b"" if wire == "ollama" else b"event: answer\ndata: [DONE]\n\n"
        return teller(texts.get(event, ""), ends.get(event, ""), errors.get(event), event == len(stream) - 1)

    changed = events_changed(capture, change)
    old = capture.head
    headers = tuple((k, kind if k == "content-type" else v) for k, v in old.headers) if old else ()
    request = Request(
        "POST", f"http://{capture.hop}.example{path}", (), capture.request.body if capture.request else None
    )
    head = Head(old.t, old.status, old.http, headers) if old else None
    return replace(changed, wire=wire, head=head, request=request)


def _ollama(text: str, finish: str, error: str | None, last: bool) -> bytes:
    if error is not None:
        return json.dumps({"error": error}).encode() + b"\n"
    done = {"done": True, "done_reason": finish} if finish else {"done": False}
    return (
        json.dumps(
            {"model": "m", "message": {"role": "assistant", "content": text}, **done}, ensure_ascii=False
        ).encode()
        + b"\n"
    )


def _fastgpt(text: str, finish: str, error: str | None, last: bool) -> bytes:
    if error is not None:
        return b"event: error\ndata: " + json.dumps({"message": error}).encode() + b"\n\n"
    delta = {} if finish and not text else {"role": "assistant", "content": text}
    choice = {"delta": delta, "index": 0, "finish_reason": finish or None}
    body = {"id": "", "object": "", "created": 0, "model": "", "choices": [choice]}
    return b"event: answer\ndata: " + json.dumps(body, ensure_ascii=False).encode() + b"\n\n"


WIRES: dict[str, tuple[Teller, str, str]] = {
    "ollama": (_ollama, "application/x-ndjson", "/api/chat"),
    "fastgpt": (_fastgpt, "text/event-stream", "/api/v1/chat/completions"),
}
