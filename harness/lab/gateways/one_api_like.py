"""Gateways that read lines as the one-api family does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from harness.capture.model import Headers
from harness.lab.gateways.events import data_of, payload_of
from harness.lab.gateways.eventwise import Eventwise
from harness.lab.gateways.model import Do, Finish, Send
from harness.lab.gateways.registry import gateway
from harness.lab.params import Params
from harness.lab.plan import to_json

GO_HEADERS: Headers = (
    ("content-type", "text/event-stream"), ("cache-control", "no-cache"), ("x-accel-buffering", "no"),
)  # fmt: skip


class Scanning(Eventwise):
    """Reads lines up to a limit; always ends cleanly with one ``[DONE]``; never tells upstream of a leaving."""

    set_headers = GO_HEADERS
    leaving = "never"
    line_limit = 64 * 1024

    def __init__(self, params: Params) -> None:
        super().__init__(params)
        self._broken = False

    def event(self, t: float, block: bytes) -> Iterable[Do]:
        if self._broken or data_of(block).strip() == "[DONE]":
            return
        if max(map(len, block.split(b"\n"))) > self.line_limit:
            self._broken = True  # the scanner's error is only logged
            return
        yield from self.chunk(block)

    def chunk(self, block: bytes) -> Iterable[Do]:
        yield Send(block)

    def last(self, t: float, kind: str) -> Iterable[Do]:
        yield Send(b"data: [DONE]\n\n")

    def finish(self, t: float, kind: str) -> Iterable[Do]:
        yield Finish("complete")


@gateway("one-api-like", "error", model="lab-error")
class OneApiLike(Scanning):
    """Like one-api: passes data lines on as they are, needs the space after the colon, drops comments, event lines
    and chunks without choices or usage (errors inside the stream among them), ends at a line above 64 KiB, always
    says ``[DONE]``, never tells upstream that the client left."""

    def chunk(self, block: bytes) -> Iterable[Do]:
        for line in block.replace(b"\r\n", b"\n").split(b"\n"):
            if not line.startswith(b"data: "):
                continue
            payload = payload_of(line)
            if isinstance(payload, dict) and not payload.get("choices") and not payload.get("usage"):
                continue
            yield Send(line + b"\n\n")


@gateway("aiproxy-like", "truncation", model="lab-truncate")
class AiproxyLike(Scanning):
    """Like aiproxy: asks for usage, writes every chunk anew under the requested model name, drops what is no JSON,
    makes up a usage chunk where none came, always says ``[DONE]``, never tells upstream that the client left."""

    line_limit = 256 * 1024

    def __init__(self, params: Params) -> None:
        super().__init__(params)
        self._usage, self._chunks = False, 0

    def ask(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        super().ask(body)
        return {**body, "stream_options": {"include_usage": True}} if body.get("stream") else body

    def chunk(self, block: bytes) -> Iterable[Do]:
        payload = payload_of(block)
        if not isinstance(payload, dict):
            return
        self._chunks += 1
        self._usage = self._usage or bool(payload.get("usage"))
        yield Send(f"data: {to_json({**payload, 'model': self.request.get('model', '')})}\n\n".encode())

    def last(self, t: float, kind: str) -> Iterable[Do]:
        if not self._usage:
            counts = {"prompt_tokens": 1, "completion_tokens": self._chunks, "total_tokens": 1 + self._chunks}
            made = {"id": "", "object": "chat.completion.chunk", "created": 0, "model": "", "choices": []}
            yield Send(f"data: {to_json({**made, 'usage': counts})}\n\n".encode())
        yield from super().last(t, kind)
