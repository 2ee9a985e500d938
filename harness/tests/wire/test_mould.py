"""What is learned from one event about the next never changes what is decoded."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from harness.tests.bench.streams import KINDS, body
from harness.tests.wire.build import PIECES, chats, chunk, filled, lines, mixtures, records, sse
from harness.wire.events import Events
from harness.wire.stream import Stream

FACTS = (
    "wire", "framing", "kinds", "starts", "ends", "channels", "finishes", "usages", "errors", "terminators",
    "identities", "names", "faults", "tail", "facts",
)  # fmt: skip


def seen(stream: Stream) -> list[object]:
    return [getattr(stream, name) for name in FACTS] + [getattr(stream.pieces, name) for name in PIECES]


def agree(data: bytes, wire: str = "") -> Stream:
    """Both ways give the same rows."""
    stream = filled(data, wire=wire)
    assert seen(stream) == seen(filled(data, wire=wire, plain=True))
    return stream


WIRES = st.sampled_from(["", "", "openai", "fastgpt", "ollama", "responses", "anthropic", "other"])


@given(chats(), WIRES)
def test_the_short_way_and_the_long_way_agree(data: bytes, wire: str) -> None:
    agree(data, wire)


@given(records(), WIRES)
def test_the_short_way_and_the_long_way_agree_on_records(data: bytes, wire: str) -> None:
    agree(data, wire)


@given(mixtures(), WIRES)
def test_the_short_way_and_the_long_way_agree_on_damaged_mixtures(data: bytes, wire: str) -> None:
    agree(data, wire)


@pytest.fixture
def long_way(monkeypatch: pytest.MonkeyPatch) -> list[bytes | None]:
    """The events that were read the long way."""
    out: list[bytes | None] = []
    real = Events.event

    def event(self: Events, data: bytes | None, name: str, start: int, end: int) -> None:
        if (start, end) != (0, len(data or b"")):  # else it is read again
            out.append(data)
        real(self, data, name, start, end)

    monkeypatch.setattr(Events, "event", event)
    return out


@pytest.mark.parametrize("kind", KINDS)
def test_every_shape_that_engines_send_takes_the_short_way(kind: str, long_way: list[bytes | None]) -> None:
    assert len(filled(body(400, kind))) >= 400
    assert len(long_way) <= 30


@pytest.mark.parametrize("kind", KINDS)
def test_every_shape_decodes_as_the_dialects_read_it(kind: str) -> None:
    stream = agree(body(400, kind))
    assert not stream.faults


ODD: dict[str, dict[str, Any]] = {
    "unknown key": {"key": 1}, "error": {"error": "e"}, "no choices": {"choices": []},
    "two choices": {"choices": [{}] * 2}, "choice is no object": {"choices": [1]},
    "float count": {"usage": {"prompt_tokens": 1.0, "completion_tokens": 2.5}},
    "true count": {"usage": {"total_tokens": True}},
    "empty usage": {"usage": {}}, "huge": {"created": 2**70}, "true": {"created": True}, "id": {"id": 7},
    "timings": {"timings": {"a": 1}}, "no timings": {"timings": {}}, "blank": {"id": "", "object": "", "model": ""},
    "metrics in a list": {"metrics": [1]}, "tier": {"service_tier": "x"},
}  # fmt: skip


@pytest.mark.parametrize("more", ODD.values(), ids=ODD)
def test_odd_events_among_others_are_read_as_the_dialects_read_them(more: dict[str, Any]) -> None:
    agree(sse(*[chunk(f"w{i}") for i in range(20)], *[chunk(f"b{i}") | more for i in range(20)], *[chunk("c")] * 20))


values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=3,
)
KEYS = ("id", "object", "created", "model", "system_fingerprint", "usage", "choices", "error", "service_tier", "x",
        "timings", "metrics")  # fmt: skip
INNER = ("index", "finish_reason", "logprobs", "stop_reason", "delta", "text", "message", "token_ids", "x")
DELTA = ("content", "role", "reasoning", "reasoning_content", "tool_calls", "refusal", "function_call", "x")
COUNTS = ("prompt_tokens", "completion_tokens", "completion_tokens_details")


@given(st.lists(st.tuples(st.sampled_from([*KEYS, *INNER, *DELTA, *COUNTS]), values), max_size=8))
def test_any_value_in_any_place_is_read_as_the_dialects_read_it(changes: list[tuple[str, Any]]) -> None:
    events = [chunk(f"a{i}") for i in range(9)]
    for name, value in changes:
        event = chunk("w") | {"usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}}
        places = [event, event["choices"][0], event["choices"][0]["delta"], event["usage"]]
        places[[name in KEYS, name in INNER, name in DELTA, name in COUNTS].index(True)][name] = value
        other = json.loads(json.dumps(event))
        events += [event, other, event, other | {"created": 5}, chunk("c")]
    agree(sse(*events, ascii_only=True))


@given(st.sampled_from(sorted(KINDS)), st.lists(st.tuples(st.integers(0, 900), st.binary(max_size=3)), max_size=6))
@example("usage", [(365, b"\r")])
@example("usage", [(365, b",")])
@example("logprobs", [(250, b"]")])
def test_damaged_bytes_are_read_as_the_dialects_read_them(kind: str, damages: list[tuple[int, bytes]]) -> None:
    whole = body(12, kind)
    data = whole
    for at, damage in damages:
        data += whole[:at] + damage + whole[at + len(damage) :] + whole
    agree(data)


def test_values_that_make_good_for_each_other_are_not_taken() -> None:
    """Two that are half a value each, and one that is two: as many values as there are events."""
    tokens = ["[1]"] * 12 + ["[1", "2]", "[3],[4]"] + ["[5]"] * 12
    events = [json.dumps(chunk("a")).replace('"index"', f'"token_ids": {ids}, "index"') for ids in tokens]
    assert len(agree(sse(*events)).faults) == 3


@pytest.mark.parametrize("more", ["created", "id", "index", "usage", "name", "field", "channel"])
def test_what_takes_turns_is_kept_apart(more: str) -> None:
    events: list[Any] = []
    for i in range(60):
        event = chunk(f"w{i}")
        if more in ("created", "id"):
            event[more] = (7 if more == "created" else "c") * (1 + i % 3)
        elif more == "index":
            event["choices"][0]["index"] = i % 3
        elif more == "usage" and i % 2:
            event["usage"] = {"completion_tokens": i}
        elif more in ("field", "channel"):
            other = "reasoning_content" if more == "field" else "content"
            event["choices"][0]["delta"] = {("reasoning", other)[i // 7 % 2]: "x"}
        events.append((("", "answer", "message")[i % 3], event) if more == "name" else event)
    agree(sse(*events))


def test_the_last_of_the_facts_counts() -> None:
    stream = agree(sse(*(chunk("w") | {"timings": {"predicted_n": i}} for i in range(50))))
    assert stream.facts["timings"] == {"predicted_n": 49}


def test_tokens_that_log_probabilities_name_are_counted() -> None:
    events = [chunk("w") for _ in range(50)]
    for i, event in enumerate(events):
        event["choices"][0]["logprobs"] = {"content": [{"token": f"t{i}"}] * (1 + i % 3)}
    assert agree(sse(*events)).facts["logprob_tokens"] == sum(1 + i % 3 for i in range(50))


def test_a_text_that_stands_twice_in_the_event_is_found_in_its_own_place() -> None:
    stream = agree(sse(*(chunk(text) | {"model": "m"} for text in "mnmomnmomnmo" * 4)))
    assert stream.text() == "mnmo" * 12


@pytest.mark.parametrize("text", ['say "x"', "back\\slash", "tab\t", "", "\u2028", "\ufffd", "é", "漢字", "🙂", "\x7f"])
@pytest.mark.parametrize("ascii_only", [False, True], ids=["utf-8", "ascii"])
def test_every_text_comes_through(text: str, ascii_only: bool) -> None:
    words = [f"w{i}" for i in range(30)]
    words[15:15] = [text, text]
    assert agree(sse(*map(chunk, words), ascii_only=ascii_only)).text() == "".join(words)


@pytest.mark.parametrize("long", ["x" * 10_000, "漢" * 9_000, 'say "x" ' * 2_000, "x" * 300_000])
def test_an_event_longer_than_the_window_is_read_among_short_ones(long: str) -> None:
    words = ["a", "b", "c", long, "d", "e", long, long, "f"]
    stream = agree(sse(*map(chunk, words)))
    assert list(stream.pieces.length) == [len(word) for word in words]


def test_another_identity_in_between_is_not_overlooked() -> None:
    a, b = chunk("a"), chunk("b") | {"id": "other"}
    stream = agree(sse(*[a] * 20, b | {"x": [1]}, *[a] * 20))
    assert [(i.event, i.id) for i in stream.identities] == [(0, "chatcmpl-1"), (20, "other"), (21, "chatcmpl-1")]


def test_a_doubled_key_is_read_as_json_reads_it() -> None:
    line = json.dumps(chunk("LAST")).replace('"content": ', '"content": "first", "content": ')
    assert agree(sse(*(line.replace("LAST", f"t{i}") for i in range(30)))).text() == "".join(f"t{i}" for i in range(30))
    assert agree(sse(*(line.replace("first", f"f{i}") for i in range(30)))).text() == "LAST" * 30


def test_a_last_line_without_its_end_is_read_too() -> None:
    record = {"model": "m", "created_at": "t", "message": {"content": "w"}, "done": False}
    assert agree(lines(*[record] * 30)[:-1]).text() == "w" * 30
