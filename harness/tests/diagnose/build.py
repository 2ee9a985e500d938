"""Captures made by hand for tests: events with times in, a capture out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from harness.capture.model import Capture, End, Head, Request, kind_of, stamped
from harness.diagnose.answer import Answer
from harness.diagnose.run import diagnose

SSE = (("content-type", "text/event-stream"), ("cache-control", "no-cache"), ("transfer-encoding", "chunked"))
NDJSON = (("content-type", "application/x-ndjson"), ("transfer-encoding", "chunked"))
DONE = b"data: [DONE]\n\n"


def chunk(
    content: str | None = None,
    *,
    finish: str | None = None,
    index: int = 0,
    ident: str = "chatcmpl-0123456789abcdef",
    **delta: Any,
) -> bytes:
    body: dict[str, Any] = dict(delta)
    if content is not None:
        body["content"] = content
    choice = {"index": index, "delta": body, "finish_reason": finish}
    event = {"id": ident, "object": "chat.completion.chunk", "created": 1700000000, "model": "m", "choices": [choice]}
    return b"data: " + json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode() + b"\n\n"


def usage(completion: int) -> bytes:
    counts = {"prompt_tokens": 9, "completion_tokens": completion, "total_tokens": 9 + completion}
    event = {"id": "chatcmpl-0123456789abcdef", "created": 1700000000, "model": "m", "choices": [], "usage": counts}
    return b"data: " + json.dumps(event).encode() + b"\n\n"


def ollama(content: str = "", **more: Any) -> bytes:
    record = {"model": "m", "message": {"role": "assistant", "content": content}, "done": False} | more
    return json.dumps(record, ensure_ascii=False).encode() + b"\n"


def capture(
    reads: Iterable[tuple[float, bytes]],
    *,
    hop: str = "engine",
    end: str | None = "complete",
    end_ms: float | None = None,
    detail: str = "",
    status: int | None = 200,
    headers: Sequence[tuple[str, str]] = SSE,
    head_ms: float = 5.0,
    request: dict[str, Any] | None = None,
    **more: Any,
) -> Capture:
    body, times, ends = stamped(reads)
    last = times[-1] if times else head_ms
    asked = (
        {"model": "m", "stream": True, "messages": [{"role": "user", "content": "go on"}]}
        if request is None
        else request
    )
    return Capture(
        hop=hop,
        kind=more.pop("kind", kind_of(hop)),
        request=more.pop("asked", Request("POST", f"http://{hop}.example/v1/chat/completions", (), asked)),
        head=Head(head_ms, status, "1.1", tuple(headers)) if status else None,
        body=body,
        times=times,
        ends=ends,
        end=End(last + 1 if end_ms is None else end_ms, end, detail) if end else None,
        **more,
    )


def spaced(events: Sequence[bytes], start: float = 100.0, gap: float = 20.0) -> list[tuple[float, bytes]]:
    return [(start + gap * i, event) for i, event in enumerate(events)]


def answer(
    words: Sequence[str], *, role: bool = True, finish: str | None = "stop", done: bool = True, **more: Any
) -> list[bytes]:
    """The events of a whole answer: role, one event a word, finish, terminator."""
    events = [chunk("", role="assistant", **more)] if role else []
    events += [chunk(word, **more) for word in words]
    if finish:
        events.append(chunk(finish=finish, **more))
    return events + ([DONE] if done else [])


def numbered(count: int = 20, stem: str = "t") -> list[str]:
    return [f"{stem}{i} " for i in range(1, count + 1)]


def told(*captures: Capture) -> Answer:
    return diagnose(captures)


def errors(found: Answer) -> set[str]:
    """The symptoms with severity error."""
    return {finding.symptom for finding in found.findings if finding.severity == "error"}


def codes(found: Answer, *severities: str) -> set[str]:
    wanted = severities or ("error", "warning", "info")
    return {finding.code for finding in found.findings if finding.severity in wanted}
