"""Events that are read by type give the same rows as the dialects would, and what is more goes the long way."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.capture.model import Capture
from harness.tests.wire.build import chunk, lines, sse
from harness.tests.wire.test_hole import seen
from harness.wire import typed
from harness.wire.engine import Engine
from harness.wire.stream import Stream


def run(body: bytes, plain: bool = False) -> Engine:
    engine = Engine(Stream(Capture("engine"), ""), plain=plain)
    engine.feed(body)
    engine.close()
    return engine


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The events that were read by type."""
    out: list[bytes] = []
    real = typed.event

    def event(data: bytes, *rest: Any) -> bool:
        done = real(data, *rest)
        out.extend([data] * done)
        return done

    monkeypatch.setattr(typed, "event", event)
    return out


def counted(i: int, **more: Any) -> dict[str, Any]:
    return chunk(f"w{i}") | {"usage": {"prompt_tokens": 300, "completion_tokens": i, "total_tokens": 300 + i}} | more


def agree(body: bytes) -> None:
    assert seen(run(body)) == seen(run(body, plain=True))


def test_counts_are_read_by_type(taken: list[bytes]) -> None:
    body = sse(*(counted(i) for i in range(40)))
    stream = run(body).stream
    assert len(taken) == 39
    assert [usage.completion for usage in stream.usages] == list(range(40))
    agree(body)


def test_a_time_that_grows_changes_the_identity_each_time(taken: list[bytes]) -> None:
    body = sse(*(chunk(f"w{i}") | {"created": 100 + i // 10} for i in range(60)))
    assert [(i.event, i.created) for i in run(body).stream.identities] == [(10 * n, 100 + n) for n in range(6)]
    assert len(taken) >= 5


def test_records_are_read_by_type(taken: list[bytes]) -> None:
    records = ({"model": "m", "created_at": f"t{i}", "message": {"content": f"w{i}"}, "done": False} for i in range(40))
    body = lines(*records)
    assert run(body).stream.text() == "".join(f"w{i}" for i in range(40))
    assert len(taken) == 39
    agree(body)


ODD: dict[str, dict[str, Any]] = {
    "unknown key": {"key": 1}, "error": {"error": "e"}, "no choices": {"choices": []},
    "two choices": {"choices": [{}] * 2},
    "choice is no object": {"choices": [1]}, "float count": {"usage": {"prompt_tokens": 1.0, "completion_tokens": 2.5}},
    "empty usage": {"usage": {}}, "huge": {"created": 2**70}, "true": {"created": True}, "id": {"id": 7},
    "timings": {"timings": {"a": 1}}, "blank id": {"id": "", "object": "", "model": ""},
}  # fmt: skip


@pytest.mark.parametrize("more", ODD.values(), ids=ODD)
def test_what_says_more_than_a_text_goes_the_long_way(taken: list[bytes], more: dict[str, Any]) -> None:
    body = sse(chunk("a"), *[chunk("b") | more] * 9)
    agree(body)
    assert not taken


@pytest.mark.parametrize(
    "events",
    [
        [chunk(f"w{i}", index=i % 2) for i in range(40)],
        [chunk(**{["content", "reasoning"][i % 2]: f"w{i}"}) for i in range(40)],
        [chunk(**{["reasoning_content", "reasoning"][i % 2]: f"w{i}"}) for i in range(40)],
        [chunk(f"w{i}") | {"created": 1 + i % 3} for i in range(40)],
        [chunk(f"w{i}") | {"id": f"c{i}"} for i in range(40)],
        [(f"e{i}", chunk("a")) for i in range(20)],
        [(["", "answer"][i % 2], chunk("a") | {"id": "", "object": "", "model": ""}) for i in range(20)],
    ],
    ids=["choice", "channel", "reasoning field", "created", "id", "event name", "fastgpt"],
)
def test_what_takes_turns_is_kept_apart(events: list[Any]) -> None:
    agree(sse(*events))


values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=3,
)
KEYS = ("id", "object", "created", "model", "system_fingerprint", "usage", "choices", "error", "service_tier", "x")
INNER = ("index", "finish_reason", "logprobs", "stop_reason", "delta", "text", "x")
DELTA = ("content", "role", "reasoning", "reasoning_content", "tool_calls", "refusal", "function_call", "x")


@given(st.lists(st.tuples(st.sampled_from([*KEYS, *INNER, *DELTA, "prompt_tokens"]), values), max_size=8))
def test_any_value_in_any_place_is_read_as_the_dialects_read_it(changes: list[tuple[str, Any]]) -> None:
    events = [chunk("a"), chunk("b")]
    for name, value in changes:
        event = counted(3)
        places = [event, event["choices"][0], event["choices"][0]["delta"], event["usage"]]
        known = [name in KEYS, name in INNER, name in DELTA, name == "prompt_tokens"]
        places[known.index(True)][name] = value
        events += [event, chunk("c")]
    agree(sse(*events, ascii_only=True))


@given(st.lists(st.tuples(st.integers(0, 300), st.binary(min_size=1, max_size=2)), max_size=6), st.booleans())
def test_damaged_bytes_are_read_as_the_dialects_read_them(damages: list[tuple[int, bytes]], records: bool) -> None:
    record = {"model": "m", "created_at": "t", "message": {"role": "assistant", "content": "w"}, "done": False}
    whole = lines(record) if records else sse(counted(1))
    body = whole
    for at, data in damages:
        body += whole[:at] + data + whole[at + len(data) :] + whole
    agree(body)


@pytest.mark.parametrize("text", ["é", "漢字", "🙂", "\u2028", "a\\b", 'say "x"', "\x7f", "，"])
def test_escaped_texts_leave_a_hole_too(text: str) -> None:
    body = sse(*(chunk(f"{text}{i}") for i in range(60)), ascii_only=True)
    engine = run(body)
    assert engine.stream.text() == "".join(f"{text}{i}" for i in range(60))
    assert engine._sse.short.hole is not None
    assert engine._sse.short.hole.used > 40
    agree(body)
