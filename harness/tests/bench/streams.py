"""Answers to measure with, made in memory: the same bytes for us and for the peers."""

from __future__ import annotations

import json
from array import array
from typing import Any

from harness.capture.model import Capture, End, Head

KINDS = ("alike", "escaped", "aging", "usage", "named", "crlf", "ollama")
WORDS = (" the", " river", " and", "é", " boat", ",", " went", " down", "漢", " slowly", " \\n", ' "so"')


def body(events: int, kind: str = "alike") -> bytes:
    """``alike``: vLLM's chunks. ``escaped``: with Chinese text in ASCII escapes.
    ``aging``: ``created`` grows every 50 events, as llama.cpp's does. ``usage``: with
    continuous usage. ``named``: FastGPT's, with event lines. ``crlf``: alike with CRLF. ``ollama``: native records."""
    eol = "\r\n" if kind == "crlf" else "\n"
    out = []
    for i in range(events):
        word = WORDS[i * 7 % len(WORDS)] if i % 40 == 0 else WORDS[i * 5 % 10]
        out.append(_event(i, word, kind, eol))
    if kind != "ollama":
        out.append(f"data: [DONE]{eol}{eol}")
    return "".join(out).encode()


def _event(i: int, word: str, kind: str, eol: str) -> str:
    if kind == "ollama":
        message = {"role": "assistant", "content": word}
        at = f"2026-01-01T00:00:{i // 1000 % 60:02d}.{i % 1000:03d}000000Z"
        return (
            json.dumps({"model": "m", "created_at": at, "message": message, "done": False}, ensure_ascii=False) + "\n"
        )
    value: dict[str, Any] = {
        "id": "" if kind == "named" else "chatcmpl-0123456789abcdef0123456789abcdef",
        "object": "" if kind == "named" else "chat.completion.chunk",
        "created": 0 if kind == "named" else 1760000000 + (i // 50 if kind == "aging" else 0),
        "model": "" if kind == "named" else "qwen2-7b",
        "choices": [{"index": 0, "delta": {"content": word}, "logprobs": None, "finish_reason": None}],
    }
    if kind == "usage":
        value["usage"] = {"prompt_tokens": 300, "completion_tokens": i, "total_tokens": 300 + i}
    if kind == "escaped":
        value["choices"][0]["delta"]["content"] = "江河"[i % 2] + word
    text = json.dumps(value, ensure_ascii=kind == "escaped", separators=(",", ":"))
    return (f"event: answer{eol}" if kind == "named" else "") + f"data: {text}{eol}{eol}"


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
        wire={"ollama": "ollama", "named": "fastgpt"}.get(kind, "openai"),
        head=Head(0.05, 200, "1.1", (("content-type", content),)),
        body=data,
        times=array("d", (0.1 * (i + 1) for i in range(count))),
        ends=array("Q", (min((i + 1) * size, len(data)) for i in range(count))),
        end=End(0.1 * (count + 1), "complete"),
    )
