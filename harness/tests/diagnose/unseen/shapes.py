"""Events as real engines and gateways shape them: what the unseen cases of real products are made of."""

from __future__ import annotations

import json
from typing import Any

from harness.capture.model import Capture, Request
from harness.tests.diagnose.build import NDJSON, ollama
from harness.tests.diagnose.unseen.kit import CHAT, DONE, Reads, at, hop, on, respond, sse

VLLM = (
    ("date", "Mon, 02 Feb 2026 09:14:31 GMT"),
    ("server", "uvicorn"),
    ("content-type", "text/event-stream; charset=utf-8"),
    ("transfer-encoding", "chunked"),
)
PROSE = [
    "Rain",
    " had",
    " fallen",
    " on",
    " the",
    " tin",
    " roof",
    " since",
    " four",
    ",",
    " and",
    " the",
    " goats",
    " would",
    " not",
    " leave",
    " the",
    " barn",
    ".",
]
HAN = ["山", "里", "的", "雾", "散", "得", "很", "慢", "，", "茶", "农", "等", "到", "九", "点", "才", "上", "坡", "。"]


def vllm(delta: dict[str, Any], finish: str | None = None, index: int = 0, **more: Any) -> bytes:
    choice = {"index": index, "delta": delta, "logprobs": None, "finish_reason": finish} | more.pop("choice", {})
    head = {
        "id": "chatcmpl-9f3c61e0a7d24b5f8f0e",
        "object": "chat.completion.chunk",
        "created": 1770023671,
        "model": "Qwen/Qwen3-32B",
    }
    return sse(head | {"choices": [choice]} | more)


def said(texts: list[str], finish: str = "stop", **more: Any) -> list[bytes]:
    return [
        vllm({"role": "assistant", "content": ""}),
        *[vllm({"content": t}, **more) for t in texts],
        vllm({"content": ""}, finish),
        DONE,
    ]


def sglang(**delta: Any) -> bytes:
    full = {"role": None, "content": None, "reasoning_content": None, "tool_calls": None} | delta
    choice = {"index": 0, "delta": full, "logprobs": None, "finish_reason": None, "matched_stop": None}
    return sse(
        {
            "id": "fea45bfa7bbd4209b1e7",
            "object": "chat.completion.chunk",
            "created": 1756216933,
            "model": "gpt-oss",
            "choices": [choice],
            "usage": None,
        }
    )


def closed(reason: str = "stop", **more: Any) -> bytes:
    choice = {
        "index": 0,
        "delta": {"role": None, "content": None},
        "logprobs": None,
        "finish_reason": reason,
        "matched_stop": 200002,
    }
    return sse(
        {
            "id": "fea45bfa7bbd4209b1e7",
            "object": "chat.completion.chunk",
            "created": 1756216933,
            "model": "gpt-oss",
            "choices": [choice],
            **more,
        }
    )


def llama(delta: dict[str, Any], finish: str | None = None, **more: Any) -> bytes:
    choice = {"finish_reason": finish, "index": 0, "delta": delta}
    head = {
        "created": 1781492230,
        "id": "chatcmpl-qC6laQHbZ2CmxNvJ4NoB",
        "model": "gemma-4-31B.gguf",
        "system_fingerprint": "b9554-d403f00ec",
    }
    return sse({"choices": [choice]} | head | {"object": "chat.completion.chunk"} | more)


def native(text: str, stop: bool = False, **more: Any) -> bytes:
    return sse(
        {
            "index": 0,
            "content": text,
            "tokens": [] if stop else [464],
            "stop": stop,
            "id_slot": 0,
            "tokens_predicted": 3,
        }
        | more
    )


def tgi(i: int, text: str, **more: Any) -> bytes:
    row = {
        "index": i,
        "token": {"id": 300 + i, "text": text, "logprob": -0.21, "special": False},
        "generated_text": None,
        "details": None,
    }
    return b"data:" + json.dumps(row | more).encode() + b"\n\n"


def completion(text: str, finish: str | None = None) -> bytes:
    return sse(
        {
            "id": "cmpl-64a1",
            "object": "text_completion",
            "created": 1770023671,
            "model": "m",
            "choices": [{"index": 0, "text": text, "logprobs": None, "finish_reason": finish, "stop_reason": None}],
        }
    )


def thinks(text: str) -> bytes:
    """Ollama's thinking, which stands inside the message."""
    return ollama(message={"role": "assistant", "content": "", "thinking": text})


def asked(path: str, **body: Any) -> Request:
    return Request("POST", f"http://gpu-3:8000{path}", (), {"model": "m", "stream": True, **body})


def engine(events: list[bytes], gap: float = 40.0, start: float = 260.0, **more: Any):  # type: ignore[no-untyped-def]
    return hop("engine", at(events, start=start, gap=gap, seed=7), **({"headers": VLLM} | more))


def tools(*calls: bytes, finish: str = "tool_calls") -> list[bytes]:
    return [vllm({"role": "assistant", "content": None}), *calls, vllm({}, finish), DONE]


def call(index: int, arguments: str, *, name: str = "", ident: str = "") -> bytes:
    function = {"arguments": arguments} | ({"name": name} if name else {})
    return vllm(
        {"tool_calls": [{"index": index, "function": function} | ({"id": ident, "type": "function"} if ident else {})]}
    )


def every(fragments: list[str], **same: str) -> list[bytes]:
    """vLLM with some parsers: id, type and name on each fragment."""
    return [
        vllm(
            {
                "tool_calls": [
                    {
                        "index": 0,
                        "id": "call_7d1",
                        "type": "function",
                        "function": {"name": "get_weather", "arguments": f} | same,
                    }
                ]
            }
        )
        for f in fragments
    ]


FRAGMENTS = ["", '{"city": ', '"Bergen", ', '"unit": "celsius"', "}"]
WEATHER = '{"city": "Seattle", "state": "WA", "unit": "celsius"}'
HALF = {"token": "\ufffd", "logprob": -0.4, "bytes": [240, 159], "top_logprobs": []}
WHOLE = {"token": " sun", "logprob": -0.1, "bytes": [32, 115, 117, 110], "top_logprobs": []}
NDJ = {"headers": NDJSON}
ASK = [{"role": "user", "content": "How do I write the ChatML markers in a prompt file?"}]


def beats(count: int, gap: float = 2_000.0) -> Reads:
    return [(gap * (i + 1), b"\n") for i in range(count)]


def one_json(text: str) -> bytes:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return json.dumps({"id": "x", "object": "chat.completion", "model": "deepseek-chat", "choices": [choice]}).encode()


ONEAPI = (
    ("content-type", "text/event-stream"),
    ("cache-control", "no-cache"),
    ("transfer-encoding", "chunked"),
    ("x-accel-buffering", "no"),
    ("x-oneapi-request-id", "2026020209143112"),
)
LITELLM = (
    ("content-type", "text/event-stream; charset=utf-8"),
    ("cache-control", "no-cache"),
    ("x-accel-buffering", "no"),
    ("x-litellm-call-id", "5b1c"),
    ("transfer-encoding", "chunked"),
)
JSON = (("content-type", "application/json; charset=utf-8"),)
COMPLETED = {"status": "completed"}
EVEN = at(said(PROSE * 2), gap=55, seed=3)
SPOKEN = PROSE * 2
CALLED = at(tools(call(0, "", name="get_weather", ident="call_7d1"), *[call(0, f) for f in FRAGMENTS]), gap=70)


def pair(
    inner: Reads | list[bytes], outer: Reads | list[bytes], name: str = "gateway", **more: Any
) -> tuple[Capture, Capture]:
    """Engine and gateway; a list of events is one read an event at the engine's pace, a little later outside."""
    first = at(inner, gap=55, seed=3) if isinstance(inner[0], bytes) else inner
    second = on(at(outer, gap=55, seed=3), 9) if isinstance(outer[0], bytes) else on(outer, 9)
    return hop("engine", first), hop(name, second, **({"headers": LITELLM} | more))


def alone(events: list[bytes], gap: float = 55.0, name: str = "gateway", **more: Any) -> Capture:
    return hop(name, at(events, gap=gap, start=420, seed=5), **({"headers": LITELLM} | more))


def claudes(*rows: dict[str, Any], reason: str = "end_turn") -> list[bytes]:
    """Anthropic's events around these blocks."""
    message = {
        "id": "msg_01XFDUDYJgAACz",
        "type": "message",
        "role": "assistant",
        "content": [],
        "model": "claude-sonnet-4-5",
        "stop_reason": None,
        "usage": {"input_tokens": 25, "output_tokens": 1},
    }
    all_rows = [
        {"type": "message_start", "message": message},
        *rows,
        {
            "type": "message_delta",
            "delta": {"stop_reason": reason, "stop_sequence": None},
            "usage": {"output_tokens": 40},
        },
        {"type": "message_stop"},
    ]
    return [sse(row, row["type"]) for row in all_rows]


def block(
    index: int, kind: str, *deltas: dict[str, Any], stop: bool = True, start: bool = True, **more: Any
) -> list[dict[str, Any]]:
    empty = {
        "text": {"text": ""},
        "thinking": {"thinking": "", "signature": ""},
        "tool_use": {"id": f"toolu_{index}", "name": "get_weather", "input": {}},
    }
    first = {
        "type": "content_block_start",
        "index": index,
        "content_block": {"type": kind, **empty.get(kind, {}), **more},
    }
    rows = [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
    return [*([first] if start else []), *rows, *([{"type": "content_block_stop", "index": index}] if stop else [])]


def texts(words: list[str]) -> list[dict[str, Any]]:
    return [{"type": "text_delta", "text": w} for w in words]


def inputs(parts: list[str]) -> list[dict[str, Any]]:
    return [{"type": "input_json_delta", "partial_json": p} for p in parts]


def thoughts(words: list[str]) -> list[dict[str, Any]]:
    return [
        *[{"type": "thinking_delta", "thinking": w} for w in words],
        {"type": "signature_delta", "signature": "EqQBCgIYAhIM1gbcDa9GJwZA2b3h"},
    ]


def item(kind: str, number: int, **more: Any) -> bytes:
    return sse(
        {"type": f"response.{kind}", "sequence_number": number, "output_index": 0, "item_id": "msg_68a", **more},
        f"response.{kind}",
    )


def gemini(text: str, **more: Any) -> bytes:
    row = {
        "candidates": [{"content": {"parts": [{"text": text}], "role": "model"}, "index": 0, **more}],
        "usageMetadata": {"promptTokenCount": 8, "totalTokenCount": 60},
        "modelVersion": "gemini-2.5-flash",
        "responseId": "k3",
    }
    return b"data: " + json.dumps(row).encode() + b"\r\n\r\n"


def dify(event: str, **more: Any) -> bytes:
    return sse(
        {
            "event": event,
            "task_id": "900bbd43",
            "message_id": "663c5084",
            "conversation_id": "45701982",
            "created_at": 1705398420,
        }
        | more
    )


def fastgpt(content: str | None = None, finish: str | None = None, event: str = "", **delta: Any) -> bytes:
    full = delta or ({"role": "assistant", "content": content} if content is not None else {})
    return sse(
        {
            "id": "",
            "object": "",
            "created": 0,
            "model": "",
            "choices": [{"delta": full, "index": 0, "finish_reason": finish}],
        },
        event,
    )


def flow(events: list[bytes], **more: Any) -> Capture:
    url = Request("POST", "http://gateway:3000/api/v1/chat/completions", (), CHAT | {"chatId": "c1", "detail": True})
    return hop("gateway", at(events, gap=55, start=300, seed=3), wire="fastgpt", asked=url, **more)


def to(path: str, **more: Any) -> dict[str, Any]:
    return {"asked": Request("POST", f"http://gateway:3000{path}", (), {"model": "m", "stream": True}), **more}


MESSAGES = to("/v1/messages", wire="anthropic")
RESPONSES = to("/v1/responses", wire="responses")
GEMINI = to("/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse", wire="other")
DIFY = to("/v1/chat-messages", wire="other")
FAILED = sse(
    {
        "error": {
            "message": "EngineCore encountered an issue. See stack trace (above) for the root cause.",
            "type": "InternalServerError",
            "param": None,
            "code": 500,
        }
    }
)
TOLD = respond(SPOKEN, last=COMPLETED)
SEARCH = {
    "type": "web_search_tool_result",
    "tool_use_id": "srvtoolu_1",
    "content": [{"type": "web_search_result", "url": "https://example.org", "title": "Bergen"}],
}
