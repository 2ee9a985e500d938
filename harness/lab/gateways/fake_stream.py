"""A gateway that does not stream upstream, and pretends to."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from harness.capture.model import Headers
from harness.lab.gateways.model import Do, Finish, Gateway, Send, SendHead
from harness.lab.gateways.registry import gateway
from harness.lab.params import Params
from harness.lab.plan import SSE_HEADERS, to_json


@gateway("fake-stream", "first-byte")
class FakeStream(Gateway):
    """Asks upstream without streaming and turns the whole answer into a few events at once: aiproxy's streamfake,
    a guardrail that must see all of the text."""

    def __init__(self, params: Params) -> None:
        super().__init__(params)
        self._body = bytearray()

    def ask(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        super().ask(body)
        return {**{k: v for k, v in body.items() if k != "stream_options"}, "stream": False}

    def head(self, t: float, status: int, headers: Headers) -> Iterable[Do]:
        yield SendHead(status, SSE_HEADERS)

    def data(self, t: float, data: bytes) -> Iterable[Do]:
        self._body += data
        return ()

    def end(self, t: float, kind: str) -> Iterable[Do]:
        try:
            whole = json.loads(self._body)
            text = whole["choices"][0]["message"]["content"]
        except (ValueError, LookupError, TypeError):
            yield Send(bytes(self._body))
            yield Finish("cut")
            return
        base = {"id": whole["id"], "object": "chat.completion.chunk", "created": 0, "model": whole["model"]}
        words = text.split(" ")
        pieces = [(" " if i else "") + w for i, w in enumerate(words)]
        rows = [({"role": "assistant", "content": ""}, None), *(({"content": p}, None) for p in pieces), ({}, "stop")]
        for delta, finish in rows:
            choice = {"index": 0, "delta": delta, "finish_reason": finish}
            yield Send(f"data: {to_json({**base, 'choices': [choice]})}\n\n".encode())
        yield Send(b"data: [DONE]\n\n")
        yield Finish("complete")
