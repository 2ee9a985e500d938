"""What is learned from one event about the next never changes what is decoded."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from harness.capture.model import Capture
from harness.tests.wire.build import PIECES, chats, chunk, cuttings, pieces, records, sse
from harness.wire.engine import Engine
from harness.wire.stream import Stream

FACTS = (
    "wire", "kinds", "starts", "ends", "channels", "finishes", "usages", "errors", "terminators", "identities", "names",
    "faults", "tail", "facts",
)  # fmt: skip


def run(body: bytes, cuts: list[int], *, plain: bool) -> Engine:
    engine = Engine(Stream(Capture("engine"), ""), plain=plain)
    for part in pieces(body, cuts):
        engine.feed(part)
    engine.close()
    return engine


def seen(engine: Engine) -> list[object]:
    stream = engine.stream
    return [getattr(stream, name) for name in FACTS] + [getattr(stream.pieces, name) for name in PIECES]


@given(chats(), cuttings)
def test_the_short_way_and_the_long_way_agree(body: bytes, cuts: list[int]) -> None:
    assert seen(run(body, cuts, plain=False)) == seen(run(body, [], plain=True))


@given(records(), cuttings)
def test_the_short_way_and_the_long_way_agree_on_records(body: bytes, cuts: list[int]) -> None:
    assert seen(run(body, cuts, plain=False)) == seen(run(body, [], plain=True))


def used(body: bytes) -> int:
    short = run(body, [], plain=False)._sse.short
    return short.hole.used if short.hole else 0


@pytest.mark.parametrize("eol", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize(
    "make",
    [
        lambda text: chunk(text),
        lambda text: chunk(text, role="assistant"),
        lambda text: chunk(reasoning_content=text),
        lambda text: ("answer", chunk(text) | {"id": "", "object": "", "model": ""}),
        lambda text: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}},
        lambda text: (
            "response.output_text.delta",
            {"type": "response.output_text.delta", "item_id": "i", "delta": text},
        ),
    ],
    ids=["openai", "role in each", "reasoning", "fastgpt", "anthropic", "responses"],
)
def test_alike_events_take_the_short_way(make: object, eol: str) -> None:
    body = sse(*(make(f"w{i}") for i in range(50)), eol=eol)  # type: ignore[operator]
    assert used(body) >= 45


def test_a_text_that_stands_twice_in_the_event_is_found_in_its_own_place() -> None:
    body = sse(*(chunk(text) | {"model": "m"} for text in "mnmomnmomnmo"))
    engine = run(body, [], plain=False)
    assert engine.stream.channels[0].text == "mnmo" * 3
    assert engine._sse.short.hole is not None


@pytest.mark.parametrize("text", ['say "x"', "back\\slash", "tab\t", "", "\u2028", "\ufffd"])
def test_what_json_does_not_take_literally_goes_the_long_way(text: str) -> None:
    body = sse(*(chunk(t) for t in ("a", "b", text, "c", "d")))
    stream = run(body, [], plain=False).stream
    assert stream.channels[0].text == f"ab{text}cd"


@pytest.mark.parametrize("long", ["x" * 10_000, "漢" * 9_000, 'say "x" ' * 2_000, "x" * 300_000])
def test_an_event_longer_than_the_window_is_read_among_short_ones(long: str) -> None:
    words = ["a", "b", "c", long, "d", "e", long, long, "f"]
    stream = run(sse(*(chunk(word) for word in words)), [], plain=False).stream
    assert stream.channels[0].text == "".join(words)
    assert list(stream.pieces.length) == [len(word) for word in words]


def test_another_identity_in_between_is_not_overlooked() -> None:
    a, b = chunk("a"), chunk("b") | {"id": "other"}
    body = sse(a, a, a, b | {"x": 1}, a, a)
    assert [(i.event, i.id) for i in run(body, [], plain=False).stream.identities] == [
        (0, "chatcmpl-1"),
        (3, "other"),
        (4, "chatcmpl-1"),
    ]


def test_a_doubled_key_is_read_as_json_reads_it() -> None:
    line = json.dumps(chunk("LAST")).replace('"content": ', '"content": "first", "content": ')
    body = b"".join(f"data: {line.replace('LAST', f't{i}')}\n\n".encode() for i in range(10))
    stream = run(body, [], plain=False).stream
    assert stream.channels[0].text == "".join(f"t{i}" for i in range(10))
    body = b"".join(f"data: {line.replace('first', f'f{i}')}\n\n".encode() for i in range(10))
    assert run(body, [], plain=False).stream.channels[0].text == "LAST" * 10
