"""The commonest events decoded by type: one piece of text, with an identity and perhaps token counts, nothing else.

The types name every key that such an event may have, and what it may hold; anything more or different is refused by
msgspec and goes the long way round. Nothing is skipped unread, so what passes here is strictly valid JSON.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from harness.wire.sink import Sink
from harness.wire.stream import Kind, Stream, Usage

_Int = Annotated[int, Meta(ge=-(2**62), le=2**62)]  # both JSON readers agree on these
_Nothing = Annotated[list[None], Meta(max_length=0)] | None


class Delta(Struct, forbid_unknown_fields=True, gc=False):
    content: str | None = None
    role: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    refusal: None = None
    tool_calls: _Nothing = None
    function_call: None = None


class Choice(Struct, forbid_unknown_fields=True, gc=False):
    delta: Delta
    index: _Int = 0
    logprobs: None = None
    finish_reason: None = None
    stop_reason: None = None
    matched_stop: None = None
    token_ids: None = None


class Counts(Struct, forbid_unknown_fields=True, gc=False):
    prompt_tokens: _Int
    completion_tokens: _Int | None = None
    total_tokens: _Int | None = None
    prompt_tokens_details: dict[str, _Int | None] | None = None
    completion_tokens_details: dict[str, _Int | None] | None = None


class Chunk(Struct, forbid_unknown_fields=True, gc=False):
    choices: tuple[Choice]
    id: str | None = None
    object: str | None = None
    created: _Int | None = None
    model: str | None = None
    system_fingerprint: str | None = None
    usage: Counts | None = None
    service_tier: None = None
    error: None = None
    prompt_token_ids: None = None
    obfuscation: str | None = None


class Message(Struct, forbid_unknown_fields=True, gc=False):
    role: str | None = None
    content: str | None = None
    thinking: str | None = None
    images: None = None
    tool_calls: None = None


class Record(Struct, forbid_unknown_fields=True, gc=False):
    done: bool
    model: str | None = None
    created_at: str | None = None
    message: Message | None = None
    response: str | None = None
    thinking: str | None = None


_as_chunk = msgspec.json.Decoder(Chunk).decode
_as_record = msgspec.json.Decoder(Record).decode


def event(data: bytes, name: str, start: int, end: int, sink: Sink) -> bool:
    """Read an event that brings a piece of text into the sink, its row included; False: nothing was done."""
    if sink.half:
        return False
    if sink.settled:
        return _chunk(data, name, start, end, sink)
    return sink.stream.wire == "ollama" and not name and _record(data, start, end, sink)


def _chunk(data: bytes, name: str, start: int, end: int, sink: Sink) -> bool:
    """A chunk of OpenAI's or FastGPT's."""
    try:
        found = _as_chunk(data)
    except msgspec.DecodeError:
        return False
    if (name or not found.id) and sink.stream.wire != "fastgpt" and (name or found.id is not None):
        return False
    choice = found.choices[0]
    delta, kind, part = choice.delta, Kind.TEXT, "content"
    text = delta.content
    if delta.reasoning_content or delta.reasoning:
        text, kind, part = _thought(delta, sink.stream), Kind.REASONING, "reasoning"
    number = sink.index.get((choice.index, part))
    if not text or "\ufffd" in text or number is None:
        return False
    came = (found.id, found.created, found.model, found.system_fingerprint)
    if came != sink.came:
        sink.identity(*came)
    sink.plain = (counts := found.usage) is None
    if counts is not None:
        details = counts.completion_tokens_details
        thought = details.get("reasoning_tokens") if details else None
        row = (sink.event, counts.prompt_tokens, counts.completion_tokens, counts.total_tokens, thought)
        sink.stream.usages.append(tuple.__new__(Usage, row))
    sink.text_row(kind, number, text, start, end)
    return True


def _record(data: bytes, start: int, end: int, sink: Sink) -> bool:
    """One of Ollama's records."""
    try:
        found = _as_record(data)
    except msgspec.DecodeError:
        return False
    message, kind, part = found.message, Kind.TEXT, "content"
    if message is None:
        text, thought = found.response, found.thinking
    else:
        text, thought = message.content, message.thinking
        if found.response or found.thinking:
            return False
    if thought:
        text, kind, part = None if text else thought, Kind.REASONING, "reasoning"
    number = sink.index.get((0, part))
    if not text or found.done or "\ufffd" in text or number is None or "role" not in sink.seen:
        return False
    came = (None, None, found.model, None)
    if came != sink.came:
        sink.identity(*came)
    sink.text_row(kind, number, text, start, end)
    return True


def differ_in_text(one: bytes, text: str, other: bytes, probe: str) -> bool:
    """Whether both are chunks that hold these texts in the same place, and are otherwise equal."""
    try:
        first, second = _as_chunk(one), _as_chunk(other)
    except msgspec.DecodeError:
        return False
    delta = second.choices[0].delta
    for name in ("content", "reasoning_content", "reasoning"):
        if getattr(delta, name) == probe:
            setattr(delta, name, text)
            return first == second
    return False


def _thought(delta: Delta, stream: Stream) -> str | None:
    """The reasoning of a delta that has nothing else, in the field where it came so far."""
    if delta.content or (delta.reasoning_content and delta.reasoning):
        return None
    field = "reasoning_content" if delta.reasoning_content else "reasoning"
    return delta.reasoning_content or delta.reasoning if stream.facts.get("reasoning_field") == field else None
