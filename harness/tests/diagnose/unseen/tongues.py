"""One answer in four dialects, and what a gateway that translates it may do: the same faults in every tongue."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from harness.capture.model import Capture
from harness.tests.diagnose.build import NDJSON, ollama
from harness.tests.diagnose.unseen.kit import DONE, Unseen, at, fault, fine, hop, on, warn
from harness.tests.diagnose.unseen.shapes import block, call, claudes, inputs, item, texts, thinks, thoughts, to, vllm

TEXT = ["A", " heron", " stood", " very", " still", " beside", " the", " weir", "."]
THOUGHT = ["They", " want", " a", " bird", ",", " a", " grey", " one", "."]
ARGUMENTS = ['{"city": ', '"Bergen"', ', "unit": ', '"C"', "}"]
FOG = ["山", "雾", "散", "得", "很", "慢", "。"]
Words = list[str]
Teller = Callable[..., list[bytes]]


def chat(thought: Words, text: Words, call_of: Words | None, finish: str = "stop", ended: bool = True) -> list[bytes]:
    events = [vllm({"role": "assistant", "content": ""}), *[vllm({"reasoning_content": w}) for w in thought]]
    events += [vllm({"content": w}) for w in text]
    if call_of is not None:
        events += [call(0, "", name="get_weather", ident="call_1"), *[call(0, f) for f in call_of]]
        finish = "tool_calls"
    return events + ([vllm({}, finish), DONE] if ended else [])


def claude(thought: Words, text: Words, call_of: Words | None, finish: str = "stop", ended: bool = True) -> list[bytes]:
    rows: list[dict[str, Any]] = []
    number = 0
    for kind, deltas in (("thinking", thoughts(thought) if thought else []), ("text", texts(text))):
        if deltas:
            rows += block(number, kind, *deltas)
            number += 1
    if call_of is not None:
        rows += block(number, "tool_use", *inputs(call_of), id="toolu_1")
        finish = "tool_use"
    events = claudes(*rows, reason={"stop": "end_turn", "length": "max_tokens"}.get(finish, finish))
    return events if ended else [e for e in events if not any(m in e for m in (b"message_delta", b"_stop"))]


def responses(
    thought: Words, text: Words, call_of: Words | None, finish: str = "stop", ended: bool = True
) -> list[bytes]:
    rows: list[tuple[str, dict[str, Any]]] = [("created", {"response": {"id": "resp_1", "status": "in_progress"}})]
    rows += [("reasoning_summary_text.delta", {"item_id": "rs_1", "summary_index": 0, "delta": w}) for w in thought]
    rows += [("output_text.delta", {"item_id": "m_1", "content_index": 0, "delta": w}) for w in text]
    if call_of is not None:
        made = {"id": "fc_1", "type": "function_call", "call_id": "call_1", "name": "get_weather", "arguments": ""}
        rows += [("output_item.added", {"output_index": 2, "item": made})]
        rows += [("function_call_arguments.delta", {"item_id": "fc_1", "output_index": 2, "delta": f}) for f in call_of]
    if ended:
        status = "incomplete" if finish == "length" else "completed"
        why = {"reason": "max_output_tokens"} if finish == "length" else None
        rows += [(status, {"response": {"id": "resp_1", "status": status, "incomplete_details": why}})]
    return [item(kind, i, **more) for i, (kind, more) in enumerate(rows)]


def records(
    thought: Words, text: Words, call_of: Words | None, finish: str = "stop", ended: bool = True
) -> list[bytes]:
    """Ollama's: a call comes whole, its arguments an object; one that was cut short comes without."""
    events = [*[thinks(w) for w in thought], *[ollama(w) for w in text]]
    if call_of is not None:
        try:
            arguments = json.loads("".join(call_of))
        except ValueError:
            arguments = {}
        message = {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "get_weather"}}]}
        message["tool_calls"][0]["function"]["arguments"] = arguments  # type: ignore[index]
        events.append(ollama(message=message))
    return events + ([ollama("", done=True, done_reason=finish)] if ended else [])


TONGUES: dict[str, tuple[Teller, dict[str, Any]]] = {
    "chat": (chat, {}),
    "claude": (claude, to("/v1/messages", wire="anthropic")),
    "responses": (responses, to("/v1/responses", wire="responses")),
    "ollama": (records, to("/api/chat", wire="ollama", headers=NDJSON)),
}


def told(tongue: str, name: str, *answer: Any, late: float = 0.0, **more: Any) -> Capture:
    tell, asked = TONGUES[tongue]
    return hop(name, on(at(tell(*answer), start=200, gap=80), late), **(asked | more))


def translated(inner: str, outer: str) -> dict[str, Unseen]:
    """What may become of an answer between an engine that speaks one dialect and a gateway that speaks another."""

    def made(*answer: Any, **more: Any) -> Capture:
        return told(inner, "engine", *answer, **more)

    def became(*answer: Any, late: float = 12.0, **more: Any) -> Capture:
        return told(outer, "gateway", *answer, late=late, **more)

    whole, plain, tool = (THOUGHT, TEXT, None), ([], TEXT, None), ([], TEXT, ARGUMENTS)
    cut = ([], TEXT[:5], None, "stop", False)
    tell, asked = TONGUES[outer]
    events = at(tell(*plain), start=212, gap=80)
    cases = {
        "whole": fine(made(*whole), became(*whole)),
        "with-a-call": fine(made(*tool), became(*tool)),
        "a-call-alone": fine(made([], [], ARGUMENTS), became([], [], ARGUMENTS)),
        "out-of-tokens": fine(made(*plain, "length"), became(*plain, "length")),
        "length-told-as-stop": warn("rewrite", "gateway", made(*plain, "length"), became(*plain)),
        "thought-told-as-text": warn("rewrite|content", "gateway", made(*whole), became([], THOUGHT + TEXT, None)),
        "piece-lost": fault("loss", "gateway", made(*plain), became([], TEXT[:4] + TEXT[5:], None)),
        "first-lost": fault("loss", "gateway", made(*plain), became([], TEXT[1:], None)),
        "last-lost": fault("loss|truncation", "gateway", made(*plain), became([], TEXT[:-2], None)),
        "piece-twice": fault("duplicate", "gateway", made(*plain), became([], TEXT[:4] + TEXT[3:], None)),
        "swapped": fault(
            "reorder", "gateway", made(*plain), became([], [*TEXT[:3], TEXT[4], TEXT[3], *TEXT[5:]], None)
        ),
        "thought-lost": fault("loss", "gateway", made(*whole), became(*plain)),
        "thought-lost-in-part": fault("loss", "gateway", made(*whole), became(THOUGHT[:3], TEXT, None)),
        "answer-lost": fault("loss|content|truncation", "gateway", made(*whole), became(THOUGHT, [], None)),
        "call-lost": fault("loss", "gateway", made(*tool), became(*plain)),
        "arguments-lost": fault("loss|malformed", "gateway", made(*tool), became([], TEXT, [])),
        "arguments-cut": fault("loss|malformed|truncation", "gateway", made(*tool), became([], TEXT, ARGUMENTS[:-1])),
        "text-beside-a-call-lost": fault("loss", "gateway", made(*tool), became([], [], ARGUMENTS)),
        "cut-told-as-an-end": fault("truncation|loss", "engine", made(*cut), became([], TEXT[:5], None)),
        "reset-passed-on": fault("truncation|reset", "engine", made(*cut, end="reset"), became(*cut)),
        "cut": fault("truncation|loss", "gateway", made(*plain), became(*cut)),
        "held-to-the-end": fault(
            "burst|not-streamed", "gateway", made(*plain), hop("gateway", [(1_300.0, b"".join(tell(*plain)))], **asked)
        ),
        "late": fault("first-byte", "gateway", made(*plain), became(*plain, late=2_600)),
        "stalls": fault(
            "stall", "gateway", made(*plain), hop("gateway", events[:-5] + on(events[-5:], 7_000), **asked)
        ),
        "torn-signs": fault(
            "encoding", "gateway", made([], FOG, None), became([], [*FOG[:2], "\ufffd\ufffd", *FOG[3:]], None)
        ),
        "foreign-text": fault(
            "interleave|rewrite", "gateway", made(*plain), became([], [*TEXT[:3], " Your", " invoice", *TEXT[3:]], None)
        ),
    }
    return {f"{inner}-to-{outer}-{name}": case for name, case in cases.items()}


CASES = {
    name: case
    for inner in TONGUES
    for outer in TONGUES
    if inner != outer
    for name, case in translated(inner, outer).items()
} | {
    f"{tongue}-runs-on-after-the-stop": fault(
        "not-cancelled",
        "gateway",
        told(tongue, "engine", [], TEXT * 6, None),
        told(tongue, "gateway", [], TEXT[:4], None, "stop", False, late=9, end="aborted", end_ms=620.0),
    )
    for tongue in TONGUES
} | {
    f"{tongue}-arguments-become-an-empty-object": fault(
        "loss|malformed",
        "gateway",
        told(tongue, "engine", [], TEXT, ARGUMENTS),
        told(tongue, "gateway", [], TEXT, ["{}"], late=9),
    )
    for tongue in TONGUES
}  # fmt: skip
