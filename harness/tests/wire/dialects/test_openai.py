"""OpenAI chunks and the deviations of those who speak them."""

from __future__ import annotations

from typing import Any

import pytest

from harness.tests.wire.build import capture, chunk, kinds, sse
from harness.wire.decode import decode
from harness.wire.stream import ChannelKey, Kind, Stream


def read(*events: Any, wire: str = "openai") -> Stream:
    return decode(capture(sse(*events), wire=wire))


def usage(**counts: Any) -> dict[str, Any]:
    return chunk() | {"choices": [], "usage": counts}


def test_a_minimal_stream_of_vllm_is_classed_chunk_by_chunk() -> None:
    body = sse(
        chunk("", role="assistant"),
        chunk("Hi"),
        chunk("", "stop"),
        usage(prompt_tokens=9, total_tokens=11, completion_tokens=2),
        "[DONE]",
    )
    assert kinds(body) == "role text finish usage terminator"
    stream = decode(capture(body))
    assert stream.finishes == [(2, 0, "stop")]
    assert stream.usages == [(3, 9, 2, 11, None)]
    assert stream.terminators == [4]
    assert stream.faults == []


def test_role_with_null_content_is_a_role_and_only_the_first_is() -> None:
    role = chunk(role="assistant", content=None)
    assert kinds(sse(role, role, chunk("a", role="assistant"), chunk(""), chunk())) == "role empty text empty empty"


def test_each_choice_has_its_own_role_channel_and_finish() -> None:
    stream = read(
        chunk("", role="assistant"),
        chunk("", role="assistant", index=1),
        chunk("a"),
        chunk("b", index=1),
        chunk("A"),
        chunk(finish="stop", index=1),
        chunk(finish="length"),
    )
    assert (stream.text(), stream.text(choice=1)) == ("aA", "b")
    assert [(f.choice, f.reason) for f in stream.finishes] == [(1, "stop"), (0, "length")]
    assert list(stream.kinds[:2]) == [Kind.ROLE, Kind.ROLE]


def test_several_choices_in_one_chunk_are_kept_apart() -> None:
    both = chunk("a") | {"choices": chunk("a")["choices"] + chunk("b", index=1)["choices"]}
    assert [(key, text) for _, key, text in read(both).deltas()] == [((0, "content"), "a"), ((1, "content"), "b")]


@pytest.mark.parametrize("name", ["reasoning", "reasoning_content"])
def test_reasoning_is_read_under_both_names(name: str) -> None:
    stream = read(chunk(**{name: "hm"}), chunk("yes"))
    assert list(stream.kinds) == [Kind.REASONING, Kind.TEXT]
    assert (stream.text("reasoning"), stream.facts["reasoning_field"]) == ("hm", name)


def test_reasoning_under_both_names_at_once_is_read_once() -> None:
    assert read(chunk(reasoning="hm", reasoning_content="hm")).text("reasoning") == "hm"


def test_reasoning_and_content_in_one_chunk_are_both_read() -> None:
    stream = read(chunk("a", reasoning_content="b"))
    assert (list(stream.kinds), stream.text(), stream.text("reasoning")) == ([Kind.TEXT], "a", "b")


def call(index: int | None, arguments: str = "", **more: Any) -> dict[str, Any]:
    """A chunk with a piece of a tool call."""
    function = {"arguments": arguments} | ({"name": more.pop("name")} if "name" in more else {})
    return chunk(tool_calls=[({} if index is None else {"index": index}) | {"function": function} | more])


def test_tool_calls_are_gathered_by_index() -> None:
    stream = read(
        call(0, id="a", name="f"),
        call(1, '{"y"', id="b", name="g"),
        call(0, '{"x":1}'),
        call(1, ":2}"),
        chunk(finish="tool_calls"),
    )
    assert [(c.key, c.text, c.name, c.id) for c in stream.channels] == [
        (ChannelKey(0, "tool:0"), '{"x":1}', "f", "a"),
        (ChannelKey(0, "tool:1"), '{"y":2}', "g", "b"),
    ]
    assert list(stream.kinds) == [Kind.TOOL] * 4 + [Kind.FINISH]
    assert stream.faults == []


def test_parallel_calls_under_one_index_are_told() -> None:
    stream = read(call(0, "{}", id="a", name="f"), call(0, "{}", id="b", name="g"))
    assert [(f.code, f.event) for f in stream.faults] == [("tool-index", 1)]


def test_calls_without_index_are_told_and_kept_apart_by_id() -> None:
    stream = read(call(None, "1", id="a", name="f"), call(None, "2"), call(None, "3", id="b", name="g"))
    assert [c.text for c in stream.channels] == ["12", "3"]
    assert {f.code for f in stream.faults} == {"shape"}


def test_arguments_that_are_an_object_are_told() -> None:
    stream = read(chunk(tool_calls=[{"index": 0, "function": {"name": "f", "arguments": {"x": 1}}}]))
    assert [f.code for f in stream.faults] == ["shape"]


def test_the_older_function_call_is_a_tool() -> None:
    stream = read(chunk(function_call={"name": "f", "arguments": ""}), chunk(function_call={"arguments": "{}"}))
    assert [(c.key.part, c.text, c.name) for c in stream.channels] == [("tool:0", "{}", "f")]


def test_a_refusal_is_text_of_its_own() -> None:
    stream = read(chunk(refusal="no"))
    assert (list(stream.kinds), stream.text("refusal"), stream.text()) == ([Kind.TEXT], "no", "")


def test_content_in_parts_is_read() -> None:
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "yes"}]
    stream = read(chunk(content=parts))
    assert (stream.text(), stream.text("reasoning"), list(stream.kinds)) == ("yes", "hm", [Kind.TEXT])


def test_the_older_completions_endpoint_is_text() -> None:
    event = {"id": "c", "object": "text_completion", "choices": [{"index": 0, "text": "a", "finish_reason": None}]}
    assert read(event).text() == "a"


def test_a_whole_message_in_one_event_is_text_and_told() -> None:
    event = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "a"}, "finish_reason": "stop"}]}
    stream = read(event)
    assert (stream.text(), [f.code for f in stream.faults], stream.finishes) == ("a", ["shape"], [(0, 0, "stop")])


def test_a_text_that_ends_with_its_finish_is_text() -> None:
    stream = read(chunk("end", "stop"))
    assert (list(stream.kinds), stream.finishes) == ([Kind.TEXT], [(0, 0, "stop")])


def test_continuous_usage_rides_on_every_kind() -> None:
    counts = {"usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}
    stream = read(
        *(event | counts for event in (chunk("", role="assistant"), chunk("a"), chunk("b"), chunk(finish="stop")))
    )
    assert [Kind(k).name for k in stream.kinds] == ["ROLE", "TEXT", "TEXT", "FINISH"]
    assert [u.event for u in stream.usages] == [0, 1, 2, 3]


def test_usage_beside_an_empty_delta_is_usage() -> None:
    assert kinds(sse(chunk() | {"usage": {"completion_tokens": 3}})) == "usage"


def test_null_usage_is_none() -> None:
    assert read(chunk("a") | {"usage": None}).usages == []


def test_reasoning_tokens_are_told() -> None:
    (counts,) = read(usage(completion_tokens=9, completion_tokens_details={"reasoning_tokens": 4})).usages
    assert (counts.completion, counts.reasoning, counts.prompt) == (9, 4, None)


def test_log_probabilities_count_tokens() -> None:
    event = chunk("ab")
    event["choices"][0]["logprobs"] = {"content": [{"token": "a"}, {"token": "b"}]}
    assert read(event, event).facts["logprob_tokens"] == 4


def test_azure_frames_without_choices_or_delta() -> None:
    first = {"id": "", "object": "", "created": 0, "model": "", "prompt_filter_results": [{"x": 1}], "choices": []}
    last = {"id": "c", "choices": [{"index": 0, "finish_reason": None, "content_filter_offsets": {}}]}
    stream = read(first, chunk("a"), last)
    assert [Kind(k).name for k in stream.kinds] == ["EMPTY", "TEXT", "EMPTY"]
    assert [(f.code, f.event) for f in stream.faults] == [("shape", 2)]
    assert stream.facts["prompt_filter_results"] == [{"x": 1}]


@pytest.mark.parametrize("name", ["timings", "metrics"])
def test_figures_of_the_engine_are_kept(name: str) -> None:
    assert read(chunk(finish="stop") | {name: {"prompt_ms": 1.5}}).facts[name] == {"prompt_ms": 1.5}


def test_identities_are_told_where_they_change() -> None:
    stream = read(
        chunk("a"),
        chunk("b") | {"system_fingerprint": "fp"},
        {"choices": []},
        chunk("c"),
        chunk("d") | {"id": "", "model": ""},
        chunk("e") | {"id": "x"},
    )
    assert [(i.event, i.id, i.fingerprint) for i in stream.identities] == [
        (0, "chatcmpl-1", ""),
        (1, "chatcmpl-1", "fp"),
        (5, "x", "fp"),
    ]


@pytest.mark.parametrize(
    ("change", "detail"),
    [
        ({"choices": "x"}, "no list"),
        ({"choices": [1]}, "no object"),
        ({"choices": [{"index": "0", "delta": {}}]}, "index is str"),
        ({"choices": [{"index": 0, "delta": {"tool_calls": {}}}]}, "tool_calls is no list"),
        ({"choices": [{"index": 0, "delta": {"tool_calls": [1]}}]}, "tool call is no object"),
        ({"choices": [{"index": 0, "delta": {}, "finish_reason": 1}]}, "finish_reason is no text"),
        ({"choices": [], "usage": 3}, "usage is no object"),
    ],
)
def test_what_is_no_chunk_is_told(change: dict[str, Any], detail: str) -> None:
    (fault,) = read(chunk() | change).faults
    assert fault.code == "shape"
    assert detail in fault.detail


def test_a_custom_tools_input_is_text_as_it_is() -> None:
    call = {"index": 0, "id": "c1", "type": "custom", "custom": {"name": "run", "input": "print(1)"}}
    stream = read(chunk() | {"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]})
    (channel,) = stream.channels
    assert (channel.name, channel.text) == ("run", "print(1)")
    assert stream.facts["free_form"] == ["tool:0"]
