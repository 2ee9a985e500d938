"""A gateway that answers as FastGPT does, over an OpenAI upstream."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from harness.capture.model import Headers
from harness.lab.dialects.fastgpt import HEADERS
from harness.lab.gateways.events import payload_of
from harness.lab.gateways.eventwise import Eventwise
from harness.lab.gateways.model import Do, Finish, Send, SendHead, Wake
from harness.lab.gateways.registry import gateway
from harness.lab.params import Params
from harness.lab.plan import to_json

BEAT = 10_000.0


@gateway("fastgpt-like", "truncation", model="lab-truncate", path="/api/v1", wire="fastgpt")
class FastgptLike(Eventwise):
    """Like FastGPT: ids, model and usage are blank, the finish is always ``stop`` and ``[DONE]`` always comes, upstream
    errors and cuts are swallowed; an empty chunk every ``every`` (10s); only ``reasoning_content`` is read; with
    ``detail`` every event has a name. A leaving client is noticed at the next upstream chunk."""

    set_headers = HEADERS
    leaving = "next-read"

    def __init__(self, params: Params) -> None:
        super().__init__(params)
        self._every = params.ms("every", BEAT)
        self._detail = False

    def target(self, path: str) -> str:
        return "/v1/chat/completions"

    def ask(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        super().ask(body)
        self._detail = bool(body.get("detail"))
        return {k: v for k, v in body.items() if k not in ("detail", "chatId", "variables", "appId")}

    def start(self, t: float) -> Iterable[Do]:
        if self.request.get("stream"):
            yield SendHead(200, HEADERS)
            if self._detail:
                yield self._send({"status": "running", "name": "AI chat"}, "flowNodeStatus")
            yield Wake(t + self._every)

    def head(self, t: float, status: int, headers: Headers) -> Iterable[Do]:
        rows = list(super().head(t, status, headers))
        if not self.request.get("stream"):
            return rows
        return ()

    def data(self, t: float, data: bytes) -> Iterable[Do]:
        if not self.streaming and self.request.get("stream"):
            return ()  # an upstream error after our own head: swallowed into the node's record
        return super().data(t, data)

    def event(self, t: float, block: bytes) -> Iterable[Do]:
        payload = payload_of(block)
        choices = payload.get("choices") if isinstance(payload, dict) else None
        delta = (choices[0].get("delta") or {}) if choices else {}
        for key in ("reasoning_content", "content"):
            if delta.get(key):
                yield self._answer({"role": "assistant", key: delta[key]})

    def wake(self, t: float) -> Iterable[Do]:
        yield self._answer({"role": "assistant", "content": ""})
        yield Wake(t + self._every)

    def end(self, t: float, kind: str) -> Iterable[Do]:
        if self.request.get("stream"):
            yield self._answer({}, "stop")
            yield Send(b"event: answer\ndata: [DONE]\n\n" if self._detail else b"data: [DONE]\n\n")
        yield Finish("complete")

    def _answer(self, delta: dict[str, Any], finish: str | None = None) -> Send:
        choice = {"delta": delta, "index": 0, "finish_reason": finish}
        return self._send({"id": "", "object": "", "created": 0, "model": "", "choices": [choice]}, "answer")

    def _send(self, payload: dict[str, Any], name: str) -> Send:
        line = f"event: {name}\n" if self._detail else ""
        return Send(f"{line}data: {to_json(payload)}\n\n".encode())
