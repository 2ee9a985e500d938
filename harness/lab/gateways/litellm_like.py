"""A gateway that rebuilds every chunk as LiteLLM's proxy does."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from harness.capture.model import Headers
from harness.lab.gateways.events import payload_of
from harness.lab.gateways.eventwise import Eventwise
from harness.lab.gateways.model import Do, Finish, Send, SendHead
from harness.lab.gateways.registry import gateway
from harness.lab.params import Params
from harness.lab.plan import to_json

HEADERS: Headers = (
    ("content-type", "text/event-stream"), ("cache-control", "no-cache"), ("x-accel-buffering", "no"),
    ("x-litellm-version", "lab"),
)  # fmt: skip


@gateway("litellm-like", "truncation", model="lab-early-end")
class LitellmLike(Eventwise):
    """Like LiteLLM: the head waits for the first chunk, and an error in it becomes a status; every chunk is rebuilt,
    comments and event lines are gone; an early clean end gets the finish reason ``stop`` and ``[DONE]``; a leaving
    client is passed on."""

    set_headers = HEADERS

    def __init__(self, params: Params) -> None:
        super().__init__(params)
        self._headed = self._finished = self._over = False
        self._id: dict[str, Any] = {}

    def head(self, t: float, status: int, headers: Headers) -> Iterable[Do]:
        rows = list(super().head(t, status, headers))
        return () if self.streaming else rows

    def event(self, t: float, block: bytes) -> Iterable[Do]:
        payload = payload_of(block)
        if not isinstance(payload, dict) or self._over:
            return
        error = payload.get("error")
        if error and not self._headed:
            self._over = True
            body = to_json({"error": error}).encode()
            yield SendHead(500, (("content-type", "application/json"),), len(body))
            yield Send(body)
            yield Finish("complete")
            return
        yield from self._head()
        if error:
            self._over = True
            yield Send(f"data: {to_json({'error': error})}\n\n".encode())
            return
        self._id = {k: payload.get(k) for k in ("id", "object", "created", "model")}
        choices = payload.get("choices") or []
        self._finished = self._finished or any(c.get("finish_reason") for c in choices)
        rebuilt = {**self._id, "choices": [self._choice(c) for c in choices]}
        if payload.get("usage"):
            rebuilt["usage"] = payload["usage"]
        yield Send(f"data: {to_json(rebuilt)}\n\n".encode())

    def last(self, t: float, kind: str) -> Iterable[Do]:
        yield from self._head()
        if kind == "complete" and not self._over:
            if not self._finished:
                choice = {"index": 0, "delta": {}, "finish_reason": "stop"}
                yield Send(f"data: {to_json({**self._id, 'choices': [choice]})}\n\n".encode())
            yield Send(b"data: [DONE]\n\n")

    def _head(self) -> Iterable[Do]:
        if not self._headed:
            self._headed = True
            yield SendHead(200, HEADERS)

    def _choice(self, choice: dict[str, Any]) -> dict[str, Any]:
        row = {"index": choice.get("index", 0), "delta": choice.get("delta") or {}}
        return {**row, "finish_reason": choice["finish_reason"]} if choice.get("finish_reason") else row
