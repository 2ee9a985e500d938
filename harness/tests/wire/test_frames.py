"""Cutting events out in bulk gives what the line parser gives."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from harness.wire.frames import SSEFrames
from harness.wire.sse import Aside, Block, SSEParser


class Listener:
    """Takes events down as they come."""

    def __init__(self) -> None:
        self.events: list[tuple[bytes | None, str, int, int]] = []
        self.asides: list[Aside] = []

    def event(self, data: bytes | None, name: str, start: int, end: int) -> None:
        self.events.append((data, name, start, end))

    def aside(self, line: Aside) -> None:
        self.asides.append(line)


def framed(body: bytes, limit: int) -> tuple[Listener, bytes]:
    listener = Listener()
    return listener, SSEFrames(body, listener, limit, None).run()


def parsed(body: bytes, limit: int) -> tuple[list[Block | Aside], SSEParser]:
    parser = SSEParser(limit)
    items = parser.items(body)
    parser.close()
    return items, parser


FRAGMENTS = [
    b"data: {}", b"data:{}", b"data: 1", b"data", b"event: e", b"id: 1", b": c", b"odd: 1", b"\n", b"\n\n", b"\n\n",
    b"\r\n", b"\r\n\r\n", b"\r", b"\xef\xbb\xbf", b"data: " + b"x" * 60,
]  # fmt: skip


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=30).map(b"".join), st.sampled_from([50, 10_000]))
@example(b"data: {}\n\n\ndata: 1\n\n", 10_000)
@example(b"data: 1\n\n\n", 10_000)
@example(b"data: 1\r\n\r\n\r\n", 10_000)
@example(b"data: 1\r\n\r\ndata: 2\r\n\r\n", 10_000)
@example(b"data: 1\n\ndata: 2\r\n\r\ndata: 3\n\n", 10_000)
@example(b"event: e\r\ndata: 1\n\ndata: 2\rdata: 3\n\n", 10_000)
@example(b"\n\n\rdata:{}\r\n", 50)
def test_bulk_and_line_by_line_agree(body: bytes, limit: int) -> None:
    listener, tail = framed(body, limit)
    items, parser = parsed(body, limit)
    assert listener.events == [(b.data, b.name, b.start, b.end) for b in items if isinstance(b, Block)]
    assert (listener.asides, tail) == ([i for i in items if isinstance(i, Aside)], parser.tail)


@pytest.mark.parametrize("eol", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("first", [b"data:", b"data: ", b"event: e\ndata: ", b"event:e\ndata:"])
def test_plain_events_need_no_parser(first: bytes, eol: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SSEFrames, "_odd", None)
    body = (first + b"{}\n\n").replace(b"\n", eol.encode()) * 3
    assert [data for data, _, _, _ in framed(body, 1000)[0].events] == [b"{}"] * 3


def test_an_oversize_event_is_told_with_its_place_and_not_kept() -> None:
    listener, _ = framed(b"data: 1\n\ndata: " + b"x" * 5000 + b"\n\ndata: 2\n\n", 1000)
    assert [(data, start) for data, _, start, _ in listener.events] == [(b"1", 0), (None, 9), (b"2", 5017)]
