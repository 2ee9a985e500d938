"""What a request asks of the source, read from any dialect's JSON body."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from harness.errors import InputError
from harness.lab.markers import Marked, read_markers


@dataclass(frozen=True, slots=True)
class Ask:
    """One request. ``dialect``: chat, completions, fastgpt1, fastgpt2, ollama. ``key``: the exchange key."""

    dialect: str
    model: str
    marked: Marked
    stream: bool
    key: str
    body: Mapping[str, Any]
    n: int = 1
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    include_usage: bool = False
    continuous_usage: bool = False
    tools: tuple[Mapping[str, Any], ...] = ()
    detail: bool = False
    seed: int = 0
    priority: int = 0
    prompt_tokens: int = 0
    id: str = ""  # the same for the same key, seed, model and prompt, so that the same request gives the same bytes

    @property
    def prompt(self) -> str:
        return self.marked.prompt


def read_ask(dialect: str, body: Any, headers: Mapping[str, str]) -> Ask:
    """The request as the source understands it; InputError says what is wrong with it."""
    if not isinstance(body, Mapping):
        raise InputError("the body is no JSON object", "lab", 'Send {"model": …, "messages": […]}.')
    prompt, tokens = _prompt(dialect, body)
    marked = read_markers(prompt)
    options = body.get("options") if isinstance(body.get("options"), Mapping) else {}
    wanted = body.get("stream_options") if isinstance(body.get("stream_options"), Mapping) else {}
    assert isinstance(options, Mapping) and isinstance(wanted, Mapping)
    user = body.get("user")
    model = _model(dialect, body)
    key = headers.get("x-exchange-id") or marked.knobs.get("key") or (user if isinstance(user, str) else "")
    seed = _seed(marked, body)
    return Ask(
        dialect=dialect,
        model=model,
        marked=marked,
        stream=bool(body.get("stream", dialect == "ollama")),
        key=key,
        body=body,
        n=_number(body, "n", 1, most=16),
        max_tokens=_limit(body, options),
        stop=_stop(body, options),
        include_usage=bool(wanted.get("include_usage")),
        continuous_usage=bool(wanted.get("include_usage") and wanted.get("continuous_usage_stats")),
        tools=tuple(t for t in body.get("tools") or () if isinstance(t, Mapping)),
        detail=bool(body.get("detail")),
        seed=seed,
        priority=_number(body, "priority", 0, least=-(2**31)),
        prompt_tokens=tokens,
        id=hashlib.sha256(f"{key}|{seed}|{model}|{marked.prompt}".encode("utf-8", "replace")).hexdigest()[:24],
    )


def _model(dialect: str, body: Mapping[str, Any]) -> str:
    name = body.get("model") or ""
    if dialect.startswith("fastgpt"):
        name = body.get("appId") or name or "lab-steady"
    if not isinstance(name, str) or not name:
        raise InputError("the body names no model", "lab", "Name one of /v1/models.")
    return name.rpartition("/")[2].removesuffix(":latest")


def _prompt(dialect: str, body: Mapping[str, Any]) -> tuple[str, int]:
    """The last user message's text, and roughly how many tokens the whole prompt has (4 characters each)."""
    if dialect == "completions":
        prompt = body.get("prompt", "")
        text = prompt if isinstance(prompt, str) else str(prompt)
        return text, max(1, len(text) // 4)
    messages = body.get("messages")
    if not isinstance(messages, list) or not all(isinstance(m, Mapping) for m in messages) or not messages:
        raise InputError("messages is no list of objects with content", "lab", 'Send [{"role": "user", "content": …}].')
    texts = [_text(m.get("content")) for m in messages]
    users = [t for m, t in zip(messages, texts, strict=True) if m.get("role") == "user"]
    return (users or texts)[-1], max(1, sum(map(len, texts)) // 4)


def _text(content: Any) -> str:
    if isinstance(content, list):
        return " ".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    return content if isinstance(content, str) else ""


def _limit(body: Mapping[str, Any], options: Mapping[str, Any]) -> int | None:
    for where, name in ((body, "max_completion_tokens"), (body, "max_tokens"), (options, "num_predict")):
        if where.get(name) is not None:
            value = _number(where, name, 1, least=-2)
            return value if value > 0 else None
    return None


def _stop(body: Mapping[str, Any], options: Mapping[str, Any]) -> tuple[str, ...]:
    stop = body.get("stop") or options.get("stop") or ()
    return (stop,) if isinstance(stop, str) else tuple(str(s) for s in stop)


def _seed(marked: Marked, body: Mapping[str, Any]) -> int:
    word = marked.knobs.get("seed")
    if word is None:
        return _number(body, "seed", 0, least=-(2**63))
    if not word.lstrip("-").isdecimal():
        raise InputError(f"seed={word} is no number", "lab", "Write seed=7, say.")
    return int(word)


def _number(body: Mapping[str, Any], name: str, default: int, least: int = 1, most: int = 2**63) -> int:
    value = body.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        bound = f"of at least {least}" if most == 2**63 else f"from {least} to {most}"
        raise InputError(f"{name} is {value!r}", "lab", f"Send a whole number {bound}.")
    return value
