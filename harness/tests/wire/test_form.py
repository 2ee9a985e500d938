"""Events that differ in several places: what is learned of them, and what must not be."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.capture.model import Capture
from harness.tests.wire.build import chunk, lines, sse
from harness.wire.engine import Engine
from harness.wire.form import Form
from harness.wire.stream import Stream


def run(body: bytes, plain: bool = False) -> Engine:
    engine = Engine(Stream(Capture("engine"), ""), plain=plain)
    engine.feed(body)
    engine.close()
    return engine


def form(body: bytes) -> Form | None:
    return run(body)._sse.short.form


def counted(i: int, **more: Any) -> dict[str, Any]:
    return chunk(f"w{i}") | {"usage": {"prompt_tokens": 300, "completion_tokens": i, "total_tokens": 300 + i}} | more


def test_counts_are_read_where_they_stand() -> None:
    body = sse(*(counted(i) for i in range(40)))
    engine = run(body)
    short = engine._sse.short
    assert short.form is not None
    assert short.form.used > 30
    assert engine.stream.usages == run(body, plain=True).stream.usages
    assert engine.stream.text() == "".join(f"w{i}" for i in range(40))


def test_a_time_that_grows_changes_the_identity_each_time() -> None:
    body = sse(*(chunk(f"w{i}") | {"created": 100 + i // 10} for i in range(60)))
    engine = run(body)
    assert [(i.event, i.created) for i in engine.stream.identities] == [(10 * n, 100 + n) for n in range(6)]
    assert engine._sse.short.form is not None
    assert engine._sse.short.form.used >= 3


def test_records_with_a_stamp_are_read_by_form() -> None:
    records = ({"model": "m", "created_at": f"t{i}", "message": {"content": f"w{i}"}, "done": False} for i in range(40))
    engine = run(lines(*records))
    assert engine._short.form is not None
    assert engine._short.form.used > 30
    assert engine.stream.text() == "".join(f"w{i}" for i in range(40))


@pytest.mark.parametrize(
    "events",
    [
        [chunk("a") | {"id": f"c{i}"} for i in range(20)],
        [chunk("a") | {"model": f"m{i}"} for i in range(20)],
        [chunk("a") | {f"key{i}": 1} for i in range(20)],
        [chunk("a") | {"error": f"e{i}"} for i in range(20)],
        [chunk("a", finish=f"r{i}") for i in range(20)],
    ],
    ids=["id", "model", "key", "error", "finish"],
)
def test_places_that_say_more_than_a_count_are_not_learned(events: list[Any]) -> None:
    body = sse(*events)
    assert form(body) is None
    assert run(body).stream.channels == run(body, plain=True).stream.channels


@pytest.mark.parametrize(
    "events",
    [
        [chunk(f"w{i}", index=i % 2) for i in range(40)],
        [chunk(**{["content", "reasoning"][i % 2]: f"w{i}"}) for i in range(40)],
        [chunk(f"w{i}") | {"created": 1 + i % 3} for i in range(40)],
    ],
    ids=["choice", "channel", "created"],
)
def test_channels_and_identities_that_take_turns_are_kept_apart(events: list[Any]) -> None:
    short, long = run(sse(*events)).stream, run(sse(*events), plain=True).stream
    assert (short.channels, short.pieces, short.identities) == (long.channels, long.pieces, long.identities)


def test_an_event_name_that_varies_is_not_learned() -> None:
    assert form(sse(*((f"e{i}", chunk("a")) for i in range(20)))) is None


def test_numbers_that_are_no_counts_are_ignored_only_when_they_say_nothing() -> None:
    body = sse(*(chunk(f"w{i}") | {"sequence": i + 1} for i in range(40)))
    assert form(body) is not None
    odd = sse(*(chunk(f"w{i}") | {"sequence": i + 1} for i in range(40)), chunk("x") | {"sequence": 1.5})
    assert run(odd).stream.text().endswith("w39x")


def test_a_count_that_is_no_whole_number_goes_the_long_way() -> None:
    text = json.dumps(counted(99)).replace('"completion_tokens": 99', '"completion_tokens": 9.5')
    stream = run(sse(*(counted(i) for i in range(40)), text)).stream
    assert (stream.usages[-1].completion, stream.usages[-2].completion) == (None, 39)
