"""How unseen cases are told: an expectation fixed by the contract first, then captures of a handful of events."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from harness.capture.model import Capture, Request
from harness.tests.diagnose.build import DONE, answer, capture, chunk

Reads = list[tuple[float, bytes]]
CHAT = {"model": "demo", "stream": True, "messages": [{"role": "user", "content": "tell me"}]}
TALE = [
    "The",
    "old",
    "ferry",
    "left",
    "the",
    "harbour",
    "before",
    "dawn",
    "and",
    "nobody",
    "on",
    "the",
    "quay",
    "saw",
    "that",
    "its",
    "lamps",
    "were",
    "out",
    "until",
    "the",
    "bell",
    "rang",
    "twice",
    "over",
    "grey",
    "water",
]


class Unseen(NamedTuple):
    severity: str
    symptoms: tuple[str, ...]
    hop: str | None
    captures: tuple[Capture, ...]

    @property
    def expect(self) -> dict[str, Any]:
        return {"severity": self.severity, "symptoms": list(self.symptoms), "hop": self.hop}


def fault(symptoms: str, hop: str, *captures: Capture) -> Unseen:
    """A user is hurt; ``symptoms``: the words that would be right, ``a|b``."""
    return Unseen("error", tuple(symptoms.split("|")), hop, captures)


def warn(symptoms: str, hop: str, *captures: Capture) -> Unseen:
    return Unseen("warning", tuple(symptoms.split("|")), hop, captures)


def fine(*captures: Capture) -> Unseen:
    return Unseen("none", (), None, captures)


def tale(count: int = 20, **more: Any) -> list[bytes]:
    """A whole answer of that many words of prose."""
    return answer(words(count), **({"ident": "cmpl-1"} | more))


def words(count: int = 20) -> list[str]:
    return [TALE[i % len(TALE)] + " " for i in range(count)]


def part(text: str | None = None, **more: Any) -> bytes:
    return chunk(text, **({"ident": "cmpl-1"} | more))


def at(events: Sequence[bytes], start: float = 180.0, gap: float = 90.0, seed: int = 1) -> Reads:
    """One read an event, with a tenth of jitter."""
    rng = random.Random(seed)
    return [(round(start + gap * i + rng.uniform(0, 0.1 * gap), 1), event) for i, event in enumerate(events)]


def on(reads: Iterable[tuple[float, bytes]], ms: float = 2.0) -> Reads:
    """The same bytes as the next hop hands them on."""
    return [(t + ms, data) for t, data in reads]


def flushed(reads: Reads, times: Sequence[float]) -> Reads:
    """Held until the next of ``times``."""
    out: dict[float, bytes] = {}
    for t, data in reads:
        when = next((f for f in times if f >= t), max(times[-1], reads[-1][0]) + 1)
        out[when] = out.get(when, b"") + data
    return sorted(out.items())


def sized(reads: Reads, size: int) -> Reads:
    """Let go whenever ``size`` bytes are full, the rest at the end."""
    out: Reads = []
    held = b""
    for t, data in reads:
        held += data
        while len(held) >= size:
            out.append((t + 1, held[:size]))
            held = held[size:]
    return [*out, (reads[-1][0] + 2, held)] if held else out


PATHS = {
    "openai": "/v1/chat/completions",
    "ollama": "/api/chat",
    "responses": "/v1/responses",
    "anthropic": "/v1/messages",
}


def hop(name: str, reads: Reads, **more: Any) -> Capture:
    """A capture as a recorder makes it: wire and URL by what was asked for."""
    body = b"".join(data for _, data in reads)
    marks = {b'"done":': "ollama", b"content_block": "anthropic", b'"response.': "responses"}
    wire = more.pop("wire", next((wire for mark, wire in marks.items() if mark in body), "openai"))
    url = f"http://{name}.example{PATHS.get(wire, PATHS['openai'])}"
    asked = Request("POST", url, (), more.pop("request", CHAT))
    return capture(reads, hop=name, **({"asked": asked, "wire": wire} | more))


def ladder(reads: Reads, *names: str, step: float = 3.0, **more: Any) -> tuple[Capture, ...]:
    """The same bytes at every hop, a little later each time."""
    return tuple(hop(name, on(reads, step * i), **more) for i, name in enumerate(names))


def refusal(name: str, status: int, body: Any, ms: float = 20.0, **more: Any) -> Capture:
    page = isinstance(body, str)
    data = body.encode() if page else json.dumps(body).encode()
    headers = (("content-type", "text/html" if page else "application/json"), ("content-length", str(len(data))))
    return hop(name, [(ms, data)], status=status, head_ms=ms, headers=headers + more.pop("extra", ()), **more)


def silent(name: str, end_ms: float, end: str = "aborted", **more: Any) -> Capture:
    """A hop that was asked and gave nothing."""
    return hop(name, [], status=None, end=end, end_ms=end_ms, **more)


def sse(value: Any, event: str = "") -> bytes:
    name = f"event: {event}\n" if event else ""
    return f"{name}data: {json.dumps(value, ensure_ascii=False)}\n\n".encode()


def claude(texts: Sequence[str], *, reason: str | None = "end_turn", stop: bool = True) -> list[bytes]:
    """Anthropic's events of one text block."""
    message = {"id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": "claude", "usage": {}}
    rows: list[dict[str, Any]] = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "ping"},
        *[{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}} for text in texts],
    ]
    if reason:
        rows += [
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": len(texts)}},
        ]
    rows += [{"type": "message_stop"}] if stop else []
    return [sse(row, row["type"]) for row in rows]


def respond(texts: Sequence[str], *, last: dict[str, Any] | None = None) -> list[bytes]:
    """Events of the Responses API; ``last`` the final response object's status and details, None for no end."""
    rows: list[dict[str, Any]] = [{"type": "response.created", "response": {"id": "resp_1", "status": "in_progress"}}]
    rows += [{"type": "response.output_text.delta", "item_id": "m1", "delta": text} for text in texts]
    if last:
        rows.append({"type": f"response.{last['status']}", "response": {"id": "resp_1", **last}})
    return [sse(row | {"sequence_number": i}, row["type"]) for i, row in enumerate(rows)]


def call(index: int = 0, arguments: str = "", *, name: str = "", ident: str = "") -> bytes:
    """One delta of a tool call."""
    made: dict[str, Any] = {"index": index, "function": {"arguments": arguments} | ({"name": name} if name else {})}
    return part(tool_calls=[made | ({"id": ident, "type": "function"} if ident else {})])


def whole(text: str) -> dict[str, Any]:
    """A chat completion that was not streamed."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return {"id": "cmpl-1", "object": "chat.completion", "model": "demo", "choices": [choice]}


START, END = part("", role="assistant"), [part(finish="stop"), DONE]
RESPONSE = at(respond(words(20), last={"status": "completed"}))
__all__ = ["DONE", "Reads", "Unseen"]
