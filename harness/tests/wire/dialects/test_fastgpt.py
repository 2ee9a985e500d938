"""FastGPT, v1 and v2, with and without detail."""

from __future__ import annotations

from typing import Any

from harness.tests.wire.build import capture, kinds, sse
from harness.wire.decode import decode
from harness.wire.stream import Kind

NODE = {
    "nodeId": "n1",
    "moduleName": "AI chat",
    "moduleType": "chatNode",
    "runningTime": 1.86,
    "model": "m",
    "outputTokens": 3,
}


def answer(content: str | None = None, finish: str | None = None, **more: Any) -> dict[str, Any]:
    """FastGPT's chunk: everything but the text is blank."""
    delta = {} if content is None else {"role": "assistant", "content": content}
    return {
        "id": "",
        "object": "",
        "created": 0,
        "model": "",
        "choices": [{"delta": delta | more, "index": 0, "finish_reason": finish}],
    }


def test_without_detail_the_ten_second_beat_is_no_token() -> None:
    body = sse(answer("He"), answer(""), answer("llo"), answer(finish="stop"), "[DONE]")
    assert kinds(body) == "text heartbeat text finish terminator"
    stream = decode(capture(body))
    assert (stream.wire, stream.text(), stream.identities, stream.faults) == ("fastgpt", "Hello", [], [])


def test_a_beat_before_the_first_word_is_a_beat() -> None:
    assert kinds(sse(answer(""), answer(""), answer("a"))) == "heartbeat heartbeat text"


def test_v1_with_detail_goes_on_after_the_terminator() -> None:
    body = sse(
        ("flowNodeStatus", {"status": "running", "name": "AI chat"}),
        ("answer", answer("Hello")),
        ("answer", answer("")),
        ("answer", answer(finish="stop")),
        ("answer", "[DONE]"),
        ("flowResponses", [NODE, NODE]),
    )
    assert kinds(body) == "empty text heartbeat finish terminator empty"
    stream = decode(capture(body))
    assert stream.names == {
        0: "flowNodeStatus",
        1: "answer",
        2: "answer",
        3: "answer",
        4: "answer",
        5: "flowResponses",
    }
    assert stream.facts["flow_responses_after_done"] is True
    assert [node["moduleName"] for node in stream.facts["nodes"]] == ["AI chat", "AI chat"]


def test_v2_tells_each_node_as_it_ends() -> None:
    stream = decode(capture(sse(("flowNodeResponse", NODE | {"errorText": "no"}), ("answer", answer("a")))))
    assert stream.facts["nodes"] == [{"event": 0} | NODE | {"errorText": "no"}]


def test_reasoning_and_fixed_replies_are_content() -> None:
    body = sse(("answer", answer(reasoning_content="hm")), ("fastAnswer", answer("fixed")))
    assert kinds(body) == "reasoning text"


def test_tool_events_are_gathered_by_call() -> None:
    tool = {"id": "c1", "toolName": "Search", "functionName": "search", "params": ""}
    stream = decode(
        capture(
            sse(
                ("toolCall", {"tool": tool}),
                ("toolParams", {"tool": {"id": "c1", "params": '{"q":'}}),
                ("toolParams", {"tool": {"id": "c1", "params": "1}"}}),
                ("toolResponse", {"tool": {"id": "c1", "response": "found"}}),
                ("toolCall", {"tool": tool | {"id": "c2"}}),
            )
        )
    )
    assert [Kind(k).name for k in stream.kinds] == ["TOOL", "TOOL", "TOOL", "EMPTY", "TOOL"]
    assert [(c.key.part, c.text, c.name) for c in stream.channels] == [
        ("tool:0", '{"q":1}', "search"),
        ("tool:1", "", "search"),
    ]


def test_a_question_back_is_a_fact() -> None:
    stream = decode(capture(sse(("interactive", {"interactive": {"type": "userSelect", "params": {}}}))))
    assert (stream.facts["interactive"], stream.wire) == ("userSelect", "fastgpt")


def test_known_events_are_empty_and_unknown_ones_pass_by() -> None:
    body = sse(
        ("updateVariables", {"a": 1}),
        ("workflowDuration", {"durationSeconds": 1.5}),
        ("chatTitle", {"title": "T"}),
        ("streamResumePhase", {"phase": "live"}),
        ("neverHeardOf", {"a": 1}),
        ("answer", answer("a")),
    )
    assert kinds(body, wire="fastgpt") == "empty empty empty empty unknown text"
    facts = decode(capture(body)).facts
    assert (facts["workflow_s"], facts["title"]) == (1.5, "T")


def test_an_error_event_ends_it() -> None:
    body = sse(("answer", answer("a")), ("error", {"message": "Connection error."}))
    assert decode(capture(body, wire="fastgpt")).errors == [(1, "Connection error.", "")]
