"""The SSE parser against the standard, however the bytes are cut and whatever ends the lines."""

from __future__ import annotations

import json
import random
import re
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.tests.wire.build import cuttings, pieces
from harness.wire.sse import Aside, Block, Event, SSEParser

CASES = json.loads((Path(__file__).parent / "sse-conformance.json").read_text())["cases"]
SOUP = st.lists(
    st.sampled_from(
        b"data|data:|: | |x|event: e|id: 1|retry: 9|\n|\n\n|\r|\r\n|\xef\xbb\xbf|\xe2\x80\xa8|\xff|\x00".split(b"|")
    ),
    max_size=40,
).map(b"".join)


def parse(parts: Any) -> list[Event]:
    parser, out = SSEParser(), []
    for part in parts:
        out += parser.feed(part)
    return out + parser.close()


def told(events: list[Event]) -> list[list[str]]:
    return [[e.type, e.data, e.id] for e in events]


def with_ends(body: bytes, ends: str) -> bytes:
    """The same lines with other ends; a CR is never put before a blank line's LF, which would make one end of two."""
    rng = random.Random(7)
    before = [b""]

    def one(match: re.Match[bytes]) -> bytes:
        blank = match.start() == 0 or body[match.start() - 1] in b"\r\n"
        choice = {"lf": b"\n", "cr": b"\r", "crlf": b"\r\n"}.get(ends) or rng.choice([b"\n", b"\r", b"\r\n"])
        if blank and before[0] == b"\r" and choice == b"\n":
            choice = b"\r\n"
        before[0] = choice
        return choice

    return re.sub(rb"\r\n|\r|\n", one, body)


def splits(body: bytes) -> list[tuple[int, int]]:
    """Every way to cut into three up to 100 bytes; longer: around structure, and seeded ones."""
    if len(body) <= 100:
        return list(combinations(range(len(body) + 1), 2))
    near = {i + d for i, byte in enumerate(body) if byte in b"\r\n:\xef" for d in (0, 1, 2)}
    rng = random.Random(len(body))
    places = sorted({p for p in near if p <= len(body)} | {rng.randrange(len(body)) for _ in range(40)})
    pairs = list(combinations(places, 2))
    return pairs if len(pairs) <= 3000 else rng.sample(pairs, 3000)


def test_the_corpus_has_all_its_cases() -> None:
    assert len(CASES) == 35


@pytest.mark.parametrize("ends", ["as sent", "lf", "cr", "crlf", "mixed"])
@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_standard_is_met_however_the_bytes_are_cut(case: dict[str, Any], ends: str) -> None:
    body = bytes.fromhex(case["hex"])
    body = body if ends == "as sent" else with_ends(body, ends)
    for size in (1, 2, max(len(body), 1)):
        assert told(parse(pieces(body, range(size, len(body), size)))) == case["events"], size
    for cuts in splits(body):
        assert told(parse(pieces(body, cuts))) == case["events"], cuts


@given(SOUP, cuttings)
def test_cuts_and_empty_reads_change_nothing(body: bytes, cuts: list[int]) -> None:
    assert parse(pieces(body, cuts)) == parse([body])


@given(st.binary(max_size=300), cuttings)
def test_no_bytes_raise(body: bytes, cuts: list[int]) -> None:
    assert parse(pieces(body, cuts)) == parse([body])


@pytest.mark.parametrize("cuts", [(1,), (2,), (1, 2), (3,), (1, 2, 3)], ids=str)
def test_a_bom_split_over_reads_is_one_bom(cuts: tuple[int, ...]) -> None:
    (event,) = parse(pieces(b"\xef\xbb\xbfdata: 1\n\n", cuts))
    assert (event.data, event.start, event.end) == ("1", 3, 12)


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\u0085", "\x0b", "\x0c", "\x1c"])
def test_only_cr_and_lf_end_a_line(mark: str) -> None:
    assert told(parse([f"data: a{mark}b\n\n".encode()])) == [["message", f"a{mark}b", ""]]


def test_an_event_knows_its_bytes() -> None:
    body = b": c\n\n\n\nevent: a\ndata: 1\n\ndata: 2\r\n\r\ndata: 3\r\r"
    assert [body[e.start : e.end] for e in parse([body])] == [
        b"event: a\ndata: 1\n\n",
        b"data: 2\r\n\r",
        b"data: 3\r\r",
    ]


def test_the_unterminated_tail_is_kept_beside() -> None:
    parser = SSEParser()
    assert parser.feed(b"data: 1\n\nevent: e\ndata: [DO") != []
    assert parser.close() == []
    assert parser.tail == b"event: e\ndata: [DO"


def test_comments_and_strange_lines_are_told_with_their_places() -> None:
    comment, strange, event = SSEParser().items(b": a\n\ndata: 1\nerror: {}\n\n")
    assert comment == Aside(0, 4, b": a")
    assert strange == Aside(13, 23, b"error: {}")
    assert event == Block(5, 24, b"1", "", "")


def test_a_retry_of_digits_is_a_number_of_ms() -> None:
    parser = SSEParser()
    parser.feed(b"retry: 03000\nretry: x\nretry\n\n")
    assert parser.retry == 3000


@pytest.mark.parametrize("step", [7, 1000, 10**9], ids=["small", "middle", "whole"])
def test_an_endless_line_is_dropped_at_the_limit(step: int) -> None:
    body = b"data: 1\n\ndata: " + b"x" * 5000 + b"\n\ndata: 2\n\n"
    parser, items = SSEParser(limit=1000), []
    for part in pieces(body, range(step, len(body), step)):
        items += parser.items(part)
        assert parser._rest_size <= 1000 + step or step > 5000
    assert [(block.start, block.data) for block in items] == [(0, b"1"), (9, None), (5017, b"2")]


def test_many_lines_together_meet_the_limit_too() -> None:
    parser = SSEParser(limit=100)
    assert [e.data for e in parser.feed(b"data: 123456789\n" * 20 + b"\ndata: 2\n\n")] == ["2"]
