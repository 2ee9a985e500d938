"""Lines of JSON, one record each."""

from __future__ import annotations

import pytest

from harness.wire.records import Records
from harness.wire.sse import Aside


class Listener:
    def __init__(self) -> None:
        self.found: list[tuple[bytes | None, int, int]] = []

    def event(self, data: bytes | None, name: str, start: int, end: int) -> None:
        self.found.append((data, start, end))

    def aside(self, line: Aside) -> None:
        raise AssertionError(line)


def read(body: bytes, limit: int = 100) -> tuple[list[tuple[bytes | None, int, int]], tuple[int, bytes | None]]:
    listener = Listener()
    rest = Records(body, listener, limit, None).run()
    return listener.found, rest


@pytest.mark.parametrize(
    ("body", "records"),
    [
        (b"{}\n[]\n", [(b"{}", 0, 3), (b"[]", 3, 6)]),
        (b"{}\r\n \n\n\t{} \r\n", [(b"{}", 0, 4), (b"{}", 7, 13)]),
        (b"\xef\xbb\xbf{}\n{}\n", [(b"{}", 3, 6), (b"{}", 6, 9)]),
        (b"\n", []),
    ],
    ids=["lf", "white space", "bom", "blank"],
)
def test_lines_are_records(body: bytes, records: list[tuple[bytes, int, int]]) -> None:
    assert read(body) == (records, (len(body), b""))


@pytest.mark.parametrize(
    ("body", "rest"),
    [(b"{}\n{", (3, b"{")), (b"\xef\xbb\xbf{", (3, b"{")), (b"{}\n" + b"x" * 101, (3, None)), (b"", (0, b""))],
    ids=["cut", "bom", "oversize", "nothing"],
)
def test_what_has_no_end_is_left(body: bytes, rest: tuple[int, bytes | None]) -> None:
    assert read(body)[1] == rest


def test_an_oversize_record_is_told_with_its_place() -> None:
    assert read(b"1\n" + b"x" * 101 + b"\n2\n")[0] == [(b"1", 0, 2), (None, 2, 104), (b"2", 104, 106)]
