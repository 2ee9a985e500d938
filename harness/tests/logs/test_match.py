"""The lines of a log that tell of an exchange: by id, by duration, by time; in huge logs; with clocks that differ."""

from datetime import UTC, datetime
from typing import Any

import pytest

from harness.capture.model import Capture, Clock, End, Head, Request
from harness.diagnose.answer import Finding
from harness.logs.exchange import Exchange, exchange_of
from harness.logs.match import MOST, excerpt, without_doubles
from harness.logs.source import CHUNK, Source

NOON = 1764504000.0  # 2025-11-30T12:00:00Z
EXCHANGE = Exchange("gateway", None, "ex-12345678", frozenset({"ex-12345678"}), "/v1/chat", NOON, NOON + 3.2, (NOON,))


def at(seconds: float) -> datetime:
    return datetime.fromtimestamp(NOON + seconds, UTC)


def access(seconds: float, took: float = 0.1, path: str = "/v1/chat", extra: str = "") -> str:
    """An nginx line that was written so many seconds after noon."""
    return (
        f'10.0.0.7 - - [{at(seconds):%d/%b/%Y:%H:%M:%S +0000}] "POST {path} HTTP/1.1" 200 99 "-" "x" '
        f"rt={took:.3f} msec={NOON + seconds:.3f}{extra}"
    )


def log(*lines: str) -> Source:
    return source("\n".join(lines).encode() + b"\n")


def source(data: bytes, reads: list[int] | None = None) -> Source:
    def read(offset: int, size: int) -> bytes:
        if reads is not None:
            reads.append(size)
        return data[offset : offset + size]

    return Source("access.log", len(data), read)


def texts(found: Any) -> list[str]:
    return [one.line.text for one in found.shown]


def test_a_line_that_bears_the_id_is_found_with_its_neighbours_and_the_clocks_offset() -> None:
    lines = [access(-20), access(42.4), access(43.2, 3.2, extra=" rid=ex-12345678"), access(43.4, path="/other")]
    found = excerpt(log(*lines), EXCHANGE, None, 0.0)
    assert (found.matched, found.offset_s, found.format) == ("id", pytest.approx(40.0), "nginx access")
    assert texts(found) == lines[1:]
    assert [one.by_id for one in found.shown] == [False, True, False]
    assert found.shown[1].after_s == pytest.approx(3.2) and found.shown[1].at == pytest.approx(NOON + 3.2)


def test_without_an_id_the_only_request_that_took_as_long_tells_the_offset() -> None:
    found = excerpt(log(access(0, 1.0), access(33.2, 3.21), access(60, 9.0)), EXCHANGE, None, 0.0)
    assert (found.matched, found.offset_s) == ("duration", pytest.approx(30.0))
    assert texts(found) == [access(33.2, 3.21)]


def test_of_two_that_took_as_long_the_one_of_that_time_is_meant() -> None:
    found = excerpt(log(access(3.2, 3.2), access(60, 3.2)), EXCHANGE, None, 0.0)
    assert (found.matched, found.offset_s, len(found.shown)) == ("duration", 0.0, 1)


def test_a_log_without_durations_is_matched_by_time_alone() -> None:
    lines = [f"2025-11-30 {at(s):%H:%M:%S} INFO at {s}" for s in (-60, 1, 2, 60)]
    found = excerpt(log(*lines), EXCHANGE, None, 0.0)
    assert found.matched == "time" and texts(found) == lines[1:3]


@pytest.mark.parametrize(("zone", "ahead"), [(8 * 3600.0, 8 * 3600), (8 * 3600.0, 0), (-5 * 3600.0, 0)])
def test_a_clock_without_a_zone_is_taken_for_local_time_or_utc(zone: float, ahead: int) -> None:
    line = f"[INFO] {at(1 + ahead):%Y/%m/%d - %H:%M:%S} | 20251130120000123456 | consume"
    found = excerpt(log(line), EXCHANGE, None, zone)
    assert texts(found) == [line] and found.shown[0].after_s == pytest.approx(1.0)


def test_a_time_without_a_date_is_that_of_the_nearest_day() -> None:
    found = excerpt(log("11:59:00 - LiteLLM Proxy:INFO: x", "12:00:02 - LiteLLM Proxy:INFO: y"), EXCHANGE, None, 0.0)
    assert texts(found) == ["12:00:02 - LiteLLM Proxy:INFO: y"]


def test_an_offset_that_is_named_is_used_and_no_other_is_guessed() -> None:
    lines = [access(3.2, 3.2), access(3603.2, 0.5)]
    found = excerpt(log(*lines), EXCHANGE, 3600.0, 0.0)
    assert (found.matched, found.offset_s, texts(found)) == ("time", 3600.0, lines[1:])


@pytest.mark.parametrize(
    ("line", "note"),
    [
        ("2025-11-29 12:00:00 x", "ends 86400 s before"),
        ("2025-12-01 12:00:00 x", "begins 86397 s after"),
        ("words only", "bears a time"),
        ("", "bears a time"),
    ],
)
def test_a_log_of_another_time_says_so(line: str, note: str) -> None:
    found = excerpt(log(line), EXCHANGE, None, 0.0)
    assert (found.matched, found.shown) == ("", ()) and note in found.note


def test_of_too_many_lines_the_telling_ones_are_shown_in_order() -> None:
    error = "2025/11/30 12:00:02 [error] 1#1: *5 upstream timed out (110: Connection timed out) while reading"
    lines = [access(s / 50, path="/static") for s in range(150)]
    found = excerpt(log(*lines[:70], error, *lines[70:]), EXCHANGE, None, 0.0)
    assert len(found.shown) == MOST and found.left_out == 151 - MOST
    assert error in texts(found)
    assert [one.at for one in found.shown] == sorted(one.at or 0 for one in found.shown)


@pytest.fixture(scope="module")
def month() -> bytes:
    """About 30 MB: a line every ten seconds for a month."""
    return "\n".join(access(n * 10 + 3.2) for n in range(300_000)).encode() + b"\n"


@pytest.mark.parametrize("place", [0, 1, 150_000, 299_998, 299_999])
def test_in_a_huge_log_only_the_part_around_the_moment_is_read(month: bytes, place: int) -> None:
    begin = NOON + place * 10
    exchange = Exchange("g", None, "", frozenset(), "/v1/chat", begin, begin + 3.2)
    reads: list[int] = []
    (shown,) = excerpt(source(month, reads), exchange, None, 0.0).shown
    assert month[shown.line.byte :].startswith(access(place * 10 + 3.2).encode())
    assert sum(reads) < 40 * CHUNK < len(month) / 8


def test_a_line_of_our_id_is_found_though_others_stand_at_our_time() -> None:
    others = [access(s / 10, 3.2) for s in range(30)]
    ours = access(43.2, 3.2, extra=" rid=ex-12345678 key=sk-abcdef1234567890abcd")
    found = excerpt(log(*others, ours), EXCHANGE, None, 0.0)
    assert (found.matched, found.offset_s, len(found.shown)) == ("id", pytest.approx(40.0), 1)
    assert found.shown[0].by_id and "abcdef" not in str(found.shown[0].line)


def test_a_line_belongs_to_one_exchange() -> None:
    later = Exchange("proxy", None, "ex-87654321", frozenset({"ex-87654321"}), "/v1/chat", NOON + 4, NOON + 7)
    lines = [access(3.2, 3.2, extra=" rid=ex-12345678"), access(3.4), access(7, 3.0, extra=" rid=ex-87654321")]
    found = without_doubles([excerpt(log(*lines), each, None, 0.0) for each in (EXCHANGE, later)])
    assert [texts(one) for one in found] == [lines[:2], lines[2:]]


def test_an_exchange_that_did_not_pass_through_takes_no_line_of_one_that_did() -> None:
    engine = Exchange("engine", None, "", frozenset(), "/v1/chat", NOON - 4, NOON - 0.8)
    lines = log(access(3.2, 3.2))
    found = without_doubles([excerpt(lines, each, None, 0.0) for each in (engine, EXCHANGE)])
    assert [(one.matched, one.offset_s, len(one.shown)) for one in found] == [("", 0.0, 0), ("duration", 0.0, 1)]
    assert "other exchanges" in found[0].note


def test_an_exchange_is_known_by_every_id_that_the_gateway_told() -> None:
    capture = Capture(
        "gateway",
        exchange="ex-12345678",
        request=Request(url="http://g:1/api/v1/chat/completions?x=1", headers=(("x-request-id", "req-12345678"),)),
        sent_at="2025-11-30T12:00:00Z",
        clock=Clock("c", offset_ms=500.0),
        head=Head(20.0, 200, headers=(("x-oneapi-request-id", "2025113012"), ("server", "not-an-id-at-all"))),
        body=b'data: {"id":"chatcmpl-abcdef12","choices":[]}\n\n',
        end=End(3000.0, "complete"),
    )
    exchange = exchange_of(capture, [Finding("stall", "stall", "error", "gateway", "", at_ms=700.0)])
    assert exchange is not None
    assert exchange.ids == {"ex-12345678", "req-12345678", "2025113012", "chatcmpl-abcdef12"}
    assert (exchange.path, exchange.begin, exchange.end) == ("/api/v1/chat/completions", NOON + 0.5, NOON + 3.5)
    assert exchange.moments == (NOON + 0.5, NOON + 0.52, NOON + 1.2, NOON + 3.5)
    assert exchange_of(Capture("x")) is None
