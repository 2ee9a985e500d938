"""Answers to measure with, made in memory: the same bytes for us and for the peers."""

from __future__ import annotations

import json
import random
from array import array
from collections.abc import Callable
from typing import Any

from harness.capture.model import Capture, End, Head

Json = dict[str, Any]
WORDS = (" the", " river", " and", "é", " boat", ",", " went", " down", "漢", " slowly", " \\n", ' "so"')
_SPAN = 16  # digits of a random id


def _chunk(i: int, word: str, **delta: Any) -> Json:
    """vLLM's chunk."""
    return {
        "id": "chatcmpl-0123456789abcdef0123456789abcdef",
        "object": "chat.completion.chunk",
        "created": 1760000000,
        "model": "qwen2-7b",
        "choices": [{"index": 0, "delta": delta or {"content": word}, "logprobs": None, "finish_reason": None}],
    }


def _aging(i: int, word: str) -> Json:
    return _chunk(i, word) | {"created": 1760000000 + i // 50}


def _usage(i: int, word: str) -> Json:
    return _chunk(i, word) | {"usage": {"prompt_tokens": 300, "completion_tokens": i, "total_tokens": 300 + i}}


def _reasoning(i: int, word: str) -> Json:
    return _chunk(i, word, reasoning=word)


def _tool(i: int, word: str) -> Json:
    call: Json = {"index": 0, "function": {"arguments": word}}
    if i == 0:
        call |= {"id": "call_0", "type": "function", "function": {"name": "write", "arguments": ""}}
    return _chunk(i, word, tool_calls=[call])


def _logprobs(i: int, word: str) -> Json:
    token = {"token": word, "logprob": -(i % 97) / 13, "bytes": list(word.encode())}
    value = _chunk(i, word)
    value["choices"][0]["logprobs"] = {"content": [token | {"top_logprobs": [token]}]}
    return value


def _two(i: int, word: str) -> Json:
    value = _chunk(i, word)
    value["choices"][0]["index"] = i % 2
    return value


def _tokens(i: int, word: str) -> Json:
    value = _chunk(i, word)
    value["choices"][0]["token_ids"] = [i * 7919 % 150_000]
    return value


def _ids(i: int, word: str) -> Json:
    return _chunk(i, word) | {"id": f"chatcmpl-{random.Random(i).randrange(16**_SPAN):016x}"}


def _padded(i: int, word: str) -> Json:
    """OpenAI's own, which pads each event with noise."""
    more = {"service_tier": "default", "system_fingerprint": "fp_560af6e559", "usage": None}
    return _chunk(i, word) | more | {"obfuscation": "wJ3kPzQ9x"[: 1 + i % 9]}


def _llama(i: int, word: str) -> Json:
    """llama.cpp's with ``timings_per_token``."""
    timings = {
        "cache_n": 40, "prompt_n": 1, "prompt_ms": 35.754, "prompt_per_token_ms": 35.754,
        "prompt_per_second": 27.968898584773733, "predicted_n": i + 1, "predicted_ms": 12.9071 * (i + 1),
        "predicted_per_token_ms": 12.9071 + i / 1e6, "predicted_per_second": 77.47673 + i / 1e6,
    }  # fmt: skip
    return {
        "choices": [{"finish_reason": None, "index": 0, "delta": {"content": word}}],
        "created": 1760000000 + i // 77,
        "id": "chatcmpl-uLik7nve7FmUS4V9ym5AQvEImzIaYaEN",
        "model": "smollm2-135m",
        "system_fingerprint": "b0-unknown",
        "object": "chat.completion.chunk",
        "timings": timings,
    }


def _sglang(i: int, word: str) -> Json:
    """SGLang's and LMDeploy's, which say what is absent."""
    delta = {"role": "assistant", "content": word, "reasoning_content": None, "tool_calls": None}
    value = _chunk(i, word, **delta) | {"usage": None}
    value["choices"][0]["matched_stop"] = None
    return value


def _named(i: int, word: str) -> Json:
    return _chunk(i, word, role="assistant", content=word) | {"id": "", "object": "", "created": 0, "model": ""}


def _ollama(i: int, word: str) -> Json:
    at = f"2026-01-01T00:00:{i // 1000 % 60:02d}.{i % 1000:03d}{i * 7919 % 1_000_000:06d}".rstrip("0") + "Z"
    return {"model": "m", "created_at": at, "message": {"role": "assistant", "content": word}, "done": False}


def _responses(i: int, word: str) -> Json:
    return {
        "type": "response.output_text.delta", "sequence_number": i, "item_id": "msg_0123456789abcdef",
        "output_index": 0, "content_index": 0, "delta": word, "logprobs": [], "obfuscation": "wJ3kPzQ9x"[: 1 + i % 9],
    }  # fmt: skip


def _anthropic(i: int, word: str) -> Json:
    return {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": word}}


def _escaped(i: int, word: str) -> Json:
    return _chunk(i, "江河"[i % 2] + word)


KINDS: dict[str, Callable[[int, str], Json]] = {
    "alike": _chunk, "escaped": _escaped, "crlf": _chunk, "tight": _chunk, "spaced": _chunk, "aging": _aging,
    "usage": _usage, "reasoning": _reasoning, "tool": _tool, "logprobs": _logprobs, "two": _two, "tokens": _tokens,
    "ids": _ids, "padded": _padded, "llama": _llama, "sglang": _sglang, "named": _named, "responses": _responses,
    "anthropic": _anthropic, "ollama": _ollama,
}  # fmt: skip
"""``alike``: vLLM's chunks. ``escaped``: Chinese text in ASCII escapes. ``crlf``: lines that end so. ``tight``: no
space behind ``data:``. ``spaced``: spaces in the JSON, as Python's json writes it. ``aging``: ``created`` grows every
50 events. ``usage``: counts in every event. ``two``: two choices in turn. ``tokens``: with token ids. ``ids``: another
id in every event. ``padded``: OpenAI's, with noise of changing length. ``llama``: llama.cpp's with timings.
``sglang``: nulls for all that is absent. ``named``: FastGPT's, with event lines. ``ollama``: native records."""
_EVENT_LINES = {"named": "answer", "responses": "response.output_text.delta", "anthropic": "content_block_delta"}


def body(events: int, kind: str = "alike") -> bytes:
    """That many events with a short text each, and the terminator."""
    eol = "\r\n" if kind == "crlf" else "\n"
    gaps = (", ", ": ") if kind == "spaced" else (",", ":")
    start = f"event: {_EVENT_LINES[kind]}{eol}data: " if kind in _EVENT_LINES else "data:"
    start += " " * (kind not in _EVENT_LINES and kind != "tight")
    out = []
    for i in range(events):
        word = WORDS[i * 7 % len(WORDS)] if i % 40 == 0 else WORDS[i * 5 % 10]
        text = json.dumps(KINDS[kind](i, word), ensure_ascii=kind == "escaped", separators=gaps)
        out.append(f"{text}\n" if kind == "ollama" else f"{start}{text}{eol}{eol}")
    if kind not in ("ollama", "responses", "anthropic"):
        out.append(f"data: [DONE]{eol}{eol}")
    return "".join(out).encode()


def reads(data: bytes, size: int) -> list[bytes]:
    """The body in reads of ``size`` bytes."""
    return [data[i : i + size] for i in range(0, len(data), size)]


def capture(data: bytes, size: int, kind: str = "alike") -> Capture:
    """The body as a capture of such reads, one each 0.1 ms."""
    count = (len(data) + size - 1) // size
    content = "application/x-ndjson" if kind == "ollama" else "text/event-stream"
    return Capture(
        "engine",
        kind="engine",
        wire={"named": "fastgpt"}.get(kind, kind if kind in ("ollama", "responses", "anthropic") else "openai"),
        head=Head(0.05, 200, "1.1", (("content-type", content),)),
        body=data,
        times=array("d", (0.1 * (i + 1) for i in range(count))),
        ends=array("Q", (min((i + 1) * size, len(data)) for i in range(count))),
        end=End(0.1 * (count + 1), "complete"),
    )
