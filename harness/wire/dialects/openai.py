"""OpenAI chat completion chunks, and the deviations of those who speak it: vLLM, SGLang, llama.cpp, LMDeploy, TGI,
Azure, FastGPT, one-api, new-api, aiproxy, LiteLLM."""

from __future__ import annotations

from typing import Any

from harness.phrase import phrase
from harness.wire.dialects import errors
from harness.wire.dialects.parts import piece
from harness.wire.sink import RANK, Sink
from harness.wire.stream import Kind

EXTRAS = ("metrics", "timings", "service_tier", "prompt_filter_results", "x_groq", "citations")
_KNOWN = frozenset({"id", "object", "created", "model", "system_fingerprint", "choices", "usage", "error"})
_REASONING = ("reasoning_content", "reasoning")
_LISTS = ("reasoning_details", "thinking_blocks")
_AUDIO = (("transcript", "content"), ("data", "audio"))  # what is said is the answer; the sound itself is base64
# What is looked at, of a chunk, of its choices and of their deltas: everything else may hold whatever it likes.
READ = _KNOWN | frozenset(EXTRAS)
READ_OF_CHOICE = frozenset({"index", "delta", "text", "message", "finish_reason", "logprobs"})
READ_OF_DELTA = frozenset({"content", *_REASONING, "role", "refusal", "tool_calls", "function_call", "audio", *_LISTS})


def chunk(obj: dict[str, Any], sink: Sink) -> Kind:
    """One chunk: an object with ``choices`` (a list)."""
    sink.identity(obj.get("id"), obj.get("created"), obj.get("model"), obj.get("system_fingerprint"))
    kind = Kind.EMPTY
    choices = obj["choices"]
    if _is_plain(choices):
        choice = choices[0]
        sink.piece(choice["index"], "content", choice["delta"]["content"])
        kind = Kind.TEXT
    elif isinstance(choices, list):
        for choice in choices:
            found = _choice(choice, obj, sink)
            if RANK[found] < RANK[kind]:
                kind = found
    elif choices is not None:
        sink.fault("shape", "choices is no list")
    if (counts := obj.get("usage")) and usage(counts, sink) and kind is Kind.EMPTY:
        kind = Kind.USAGE
    if obj.get("error") and errors.found(obj, sink):
        kind = Kind.ERROR
    if not _KNOWN.issuperset(obj):
        for name in EXTRAS:
            if obj.get(name):
                sink.fact(name, obj[name])
    return kind


def _is_plain(choices: Any) -> bool:
    """The commonest shape, told quickly: one choice that brings content and nothing else."""
    try:
        (choice,) = choices
        delta = choice["delta"]
        return (
            type(choice) is dict
            and type(delta) is dict
            and len(delta) == 1
            and type(delta["content"]) is str
            and delta["content"] != ""
            and type(choice["index"]) is int
            and choice.get("finish_reason") is None
            and not choice.get("logprobs")
        )
    except (KeyError, TypeError, ValueError, IndexError):
        return False


def usage(counts: Any, sink: Sink) -> bool:
    """OpenAI's usage object; True when it is one."""
    if not isinstance(counts, dict):
        sink.fault("shape", "usage is no object")
        return False
    details = counts.get("completion_tokens_details")
    reasoning = details.get("reasoning_tokens") if isinstance(details, dict) else None
    sink.usage(counts.get("prompt_tokens"), counts.get("completion_tokens"), counts.get("total_tokens"), reasoning)
    return True


def _choice(choice: Any, obj: dict[str, Any], sink: Sink) -> Kind:
    if not isinstance(choice, dict):
        sink.fault("shape", "a choice is no object")
        return Kind.EMPTY
    index = choice.get("index", 0)
    if type(index) is not int:
        sink.fault("shape", phrase("choice index is {type}", type=type(index).__name__))
        index = 0
    kind = Kind.EMPTY
    delta = choice.get("delta")
    if type(delta) is dict:
        kind = _delta(index, delta, obj, sink)
    elif isinstance(text := choice.get("text"), str):  # the older completions endpoint
        kind = piece(index, "content", text, Kind.TEXT, sink)
    elif isinstance(message := choice.get("message"), dict):  # a whole answer in one event
        sink.fault("shape", "message instead of delta")
        kind = _delta(index, message, obj, sink)
    else:
        sink.fault("shape", "choice without delta")
    reason = choice.get("finish_reason")
    if reason is not None:
        if isinstance(reason, str) and reason:
            sink.finish(index, reason)
            kind = Kind.FINISH if RANK[kind] > RANK[Kind.FINISH] else kind
        else:
            sink.fault("shape", "finish_reason is an empty text" if reason == "" else "finish_reason is no text")
    if choice.get("logprobs"):
        _logprobs(choice["logprobs"], sink)
    return kind


def _delta(index: int, delta: dict[str, Any], obj: dict[str, Any], sink: Sink) -> Kind:
    kind = Kind.EMPTY
    content = delta.get("content")
    if content:
        kind = _content(index, content, sink)
    for name in _REASONING:
        if thought := delta.get(name):
            found = piece(index, "reasoning", thought, Kind.REASONING, sink)
            kind = found if RANK[found] < RANK[kind] else kind
            _note_field(name, sink)
            break
    else:
        if "reasoning_field" not in sink.stream.facts and (thought := _listed(delta)):
            found = piece(index, "reasoning", thought, Kind.REASONING, sink)
            kind = found if RANK[found] < RANK[kind] else kind
    if len(delta) > 1 or kind is Kind.EMPTY:
        kind = _rest(index, delta, kind, sink)
        if kind is Kind.EMPTY:
            kind = _silent(index, delta, obj, sink)
    return kind


def _listed(delta: dict[str, Any]) -> str:
    """Thinking that is told in a list of blocks alone (OpenRouter's, LiteLLM's)."""
    blocks = delta.get("reasoning_details") or delta.get("thinking_blocks")
    rows = [block for block in blocks if isinstance(block, dict)] if isinstance(blocks, list) else []
    texts = (row.get("text") or row.get("summary") or row.get("thinking") for row in rows)
    return "".join(text for text in texts if isinstance(text, str))


def _rest(index: int, delta: dict[str, Any], kind: Kind, sink: Sink) -> Kind:
    if delta.get("refusal"):
        kind = piece(index, "refusal", delta["refusal"], Kind.TEXT, sink)
    if type(audio := delta.get("audio")) is dict:
        for name, part in _AUDIO:
            found = piece(index, part, audio.get(name) or "", Kind.TEXT, sink)
            kind = found if RANK[found] < RANK[kind] else kind
    calls = delta.get("tool_calls")
    if calls is not None and not isinstance(calls, list):
        sink.fault("shape", "tool_calls is no list")
    elif calls:
        for position, call in enumerate(calls):
            found = _call(index, position, call, sink)
            kind = found if RANK[found] < RANK[kind] else kind
    if isinstance(old := delta.get("function_call"), dict):
        found = _function(index, "tool:0", old, None, sink)
        kind = found if RANK[found] < RANK[kind] else kind
    return kind


def _silent(index: int, delta: dict[str, Any], obj: dict[str, Any], sink: Sink) -> Kind:
    """No text: FastGPT's heartbeat (blank id and object), the first role of a choice, or nothing."""
    if obj.get("object") == "" and obj.get("id") == "" and delta.get("content") == "":
        return Kind.HEARTBEAT
    if delta.get("role") and ("role", index) not in sink.seen and len(sink.seen) < 10_000:
        sink.seen["role", index] = True
        return Kind.ROLE
    return Kind.EMPTY


def _content(index: int, content: Any, sink: Sink) -> Kind:
    if type(content) is str:
        sink.piece(index, "content", content)
        return Kind.TEXT
    if not isinstance(content, list):
        return piece(index, "content", content, Kind.TEXT, sink)
    kind = Kind.EMPTY  # parts, as Mistral streams them
    for part in content:
        if isinstance(part, dict) and isinstance(part.get("text"), str):
            found = piece(index, "content", part["text"], Kind.TEXT, sink)
        elif isinstance(part, dict) and isinstance(part.get("thinking"), list):
            thought = "".join(
                p["text"] for p in part["thinking"] if isinstance(p, dict) and isinstance(p.get("text"), str)
            )
            found = piece(index, "reasoning", thought, Kind.REASONING, sink)
        else:
            continue
        kind = found if RANK[found] < RANK[kind] else kind
    return kind


def _call(choice: int, position: int, call: Any, sink: Sink) -> Kind:
    if not isinstance(call, dict):
        sink.fault("shape", "a tool call is no object")
        return Kind.EMPTY
    index = call.get("index")
    if type(index) is not int:
        sink.fault("shape", "tool call without index")
        index = _number(choice, position, call.get("id"), sink)
    part, function = f"tool:{index}", call.get("function")
    if isinstance(custom := call.get("custom"), dict):  # a tool that takes text as it is, no JSON
        function = {"name": custom.get("name"), "arguments": custom.get("input")}
        sink.free_form(part)
    return _function(choice, part, function if isinstance(function, dict) else {}, call.get("id"), sink)


def _number(choice: int, position: int, ident: Any, sink: Sink) -> int:
    """A call without index: a new id is a new call, none means the last one."""
    known = sink.seen.setdefault(("calls", choice), {})
    if isinstance(ident, str) and ident and len(known) < 1000:
        return int(known.setdefault(ident, len(known)))
    return max(position, len(known) - 1)


def _function(choice: int, part: str, function: dict[str, Any], ident: Any, sink: Sink) -> Kind:
    kind = Kind.EMPTY
    name, arguments = function.get("name"), function.get("arguments")
    if name or ident:
        sink.name(choice, part, name, ident)
        kind = Kind.TOOL
    if arguments:
        return piece(choice, part, arguments, Kind.TOOL, sink)
    return kind


def _note_field(name: str, sink: Sink) -> None:
    if sink.stream.facts.get("reasoning_field") != name:
        sink.fact("reasoning_field", name)


def _logprobs(logprobs: Any, sink: Sink) -> None:
    """Count the tokens that the log probabilities name: chunks are not tokens."""
    tokens = logprobs.get("content") if isinstance(logprobs, dict) else None
    if isinstance(tokens, list):
        sink.fact("logprob_tokens", sink.stream.facts.get("logprob_tokens", 0) + len(tokens))
