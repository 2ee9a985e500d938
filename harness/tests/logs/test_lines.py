"""Log lines of the gateways that people have, as those write them."""

import pytest

from harness.logs.knowledge import meaning
from harness.logs.lines import mask_line, parse, read_lines
from harness.logs.moments import moment_in, moment_of_number
from harness.logs.nginx import upstreams

NOON = 1764504000.0  # 2025-11-30T12:00:00Z
COMBINED = (
    '10.0.0.7 - - [30/Nov/2025:13:00:00 +0100] "POST /v1/chat/completions HTTP/1.1" 200 5120 "-" "python-httpx/0.28"'
)


@pytest.mark.parametrize(
    ("text", "value", "zone", "date"),
    [
        ("[30/Nov/2025:12:00:00 +0000]", NOON, True, True),
        ("[30/Nov/2025:20:00:00 +0800]", NOON, True, True),
        ("2025/11/30 12:00:00 [error]", NOON, False, True),
        ("[GIN] 2025/11/30 - 12:00:00 |", NOON, False, True),
        ("2025-11-30T12:00:00Z", NOON, True, True),
        ("2025-11-30T14:30:00.250+02:30", NOON + 0.25, True, True),
        ("2025-11-30 12:00:00,125 INFO", NOON + 0.125, False, True),
        ("12:00:00 - LiteLLM Proxy:INFO:", 43200.0, False, False),
        ("12:00:00.5 x", 43200.5, False, False),
    ],
)
def test_a_time_is_read_as_it_is_written(text: str, value: float, zone: bool, date: bool) -> None:
    moment = moment_in(text)
    assert moment is not None and (moment.value, moment.zone, moment.date) == (pytest.approx(value), zone, date)


@pytest.mark.parametrize("text", ["2025-13-30 12:00:00", "99/Foo/2025:12:00:00", "no time", "::1", "1.2.3.4:8080"])
def test_what_is_no_time_is_none(text: str) -> None:
    assert moment_in(text) is None or not moment_in(text).date  # type: ignore[union-attr]


def test_a_clock_without_zone_or_date_is_placed_by_what_is_known() -> None:
    assert moment_in("2025-11-30 20:00:00").epoch(8 * 3600, NOON) == NOON  # type: ignore[union-attr]
    just_after_midnight = moment_in("00:00:01 x")
    assert just_after_midnight is not None
    assert just_after_midnight.epoch(0.0, NOON + 43190) == NOON + 43201


@pytest.mark.parametrize("unit", [1.0, 1e3, 1e6, 1e9])
def test_epochs_are_told_apart_by_size(unit: float) -> None:
    moment = moment_of_number((NOON + 0.5) * unit)
    assert moment is not None and moment.value == pytest.approx(NOON + 0.5, abs=1e-3)
    assert moment_of_number(0.25) is None


@pytest.mark.parametrize(
    ("rest", "fields"),
    [
        ("", {}),
        (' "-"', {}),
        (" 3.214 3.213 0.004 1764504000.123", {
            "request_time": "3.214", "upstream_response_time": "3.213", "upstream_header_time": "0.004",
            "msec": "1764504000.123",
        }),
        (' rt=3.214 uct="0.001" uht="0.004" urt="1.000, 2.213"', {
            "request_time": "3.214", "upstream_connect_time": "0.001", "upstream_header_time": "0.004",
            "upstream_response_time": "1.000, 2.213",
        }),
        (" request_time=3.214 upstream_response_time=1.0, 2.2 msec=1764504000.123", {
            "request_time": "3.214", "upstream_response_time": "1.0, 2.2", "msec": "1764504000.123",
        }),
        (' "-" 3.214 - 0123456789abcdef0123456789abcdef', {
            "request_time": "3.214", "upstream_response_time": "-", "request_id": "0123456789abcdef0123456789abcdef",
        }),
    ],
    ids=["combined", "main", "bare", "labelled", "named", "with-id"],
)  # fmt: skip
def test_an_access_line_tells_status_and_times(rest: str, fields: dict[str, str]) -> None:
    line = parse(COMBINED + rest)
    assert line.format == "nginx access" and line.moment is not None
    assert line.fields["status"] == "200" and fields.items() <= line.fields.items()
    assert set(line.fields) - {"request", "status", "bytes"} == set(fields)
    assert line.moment.value == (1764504000.123 if "msec" in fields else NOON)
    assert line.duration_s == (3.214 if fields else None)


def test_a_request_that_was_tried_again_and_one_that_the_client_left_are_told() -> None:
    line = parse(COMBINED + ' urt="1.000, 2.213 : 0.5"')
    assert upstreams(line.fields) == 3 and "tried again" in meaning(line)
    assert "in front left" in meaning(parse(COMBINED.replace(" 200 ", " 499 ")))
    assert parse(COMBINED.replace(" 200 ", " 502 ")).level == "error"


def test_an_error_line_tells_level_connection_and_what_it_means() -> None:
    line = parse(
        "2025/11/30 12:00:03 [error] 17#17: *56 upstream timed out (110: Connection timed out) while reading upstream, "
        'client: 10.0.0.7, server: , request: "POST /v1/chat/completions HTTP/1.1", upstream: "http://10.0.0.9:8000/v1"'
    )
    assert (line.format, line.level, line.fields["connection"]) == ("nginx error", "error", "56")
    assert line.fields["upstream"] == "http://10.0.0.9:8000/v1" and "proxy_read_timeout" in meaning(line)


@pytest.mark.parametrize(
    ("text", "form", "level", "took", "fields"),
    [
        ("[INFO] 2025/11/30 - 12:00:00 | 2025113012000012345678 | record consume log: userId=1", "one-api", "info",
         None, {"request_id": "2025113012000012345678"}),
        ("[GIN] 2025/11/30 - 12:00:00 | 2025113012000012345678 | 200 |    3.214s |  10.0.0.7 |    POST /v1/chat",
         "one-api", "", 3.214, {"status": "200", "request": "POST /v1/chat"}),
        ('[GIN] 2025/11/30 - 12:00:00 | 500 |  1m2.5s |  10.0.0.7 | POST     "/v1/chat"', "one-api", "error", 62.5,
         {"status": "500", "request": "POST /v1/chat"}),
        ("\x1b[32m[INFO] 2025-11-30 12:00:00 Request finish /api/v1/chat/completions, time: 812ms\x1b[0m", "FastGPT",
         "info", 0.812, {}),
        ("\x1b[92m12:00:00 - LiteLLM Proxy.stdout:ERROR\x1b[0m: common.py:317 - lost", "LiteLLM", "error", None, {}),
        ('{"message": "x", "level": "WARNING", "timestamp": "2025-11-30T12:00:00.000123"}', "JSON", "warn", None, {}),
        ('{"level":50,"time":1764504000000,"msg":"x","request_id":"abcdefgh"}', "JSON", "error", None,
         {"request_id": "abcdefgh"}),
        ('{"msec":"1764504000.000","request":"POST /v1","status":"200","rt":"3.214"}', "JSON", "", 3.214,
         {"request": "POST /v1", "status": "200"}),
        ('{"level":"info","ts":1764504000.0,"duration":3.214,"status":200}', "JSON", "info", 3.214, {"status": "200"}),
        ("2025-11-30 12:00:00,000 ERROR gateway: lost", "text", "error", None, {}),
    ],
    ids=["one-api", "gin-id", "gin", "fastgpt", "litellm", "litellm-json", "pino", "nginx-json", "caddy", "words"],
)  # fmt: skip
def test_each_gateways_lines_are_read(
    text: str, form: str, level: str, took: float | None, fields: dict[str, str]
) -> None:
    (line,) = read_lines(text.encode())
    assert (line.format, line.level) == (form, level) and "\x1b" not in line.text
    assert line.duration_s == (None if took is None else pytest.approx(took))
    assert fields.items() <= line.fields.items()
    assert line.moment is not None and line.moment.epoch(0.0, NOON) == pytest.approx(NOON, abs=0.001)


def test_a_line_without_a_time_belongs_to_the_one_before() -> None:
    lines = read_lines(b"2025-11-30 12:00:00 ERROR x\nTraceback:\n\n  File\r\nnext", offset=100)
    assert [line.byte for line in lines] == [100, 128, 140, 148]
    assert {line.moment for line in lines} == {lines[0].moment}


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer abcdef123456789",
        'x {"api_key": "hush-hush", "max_tokens": 100}',
        "POST /v1?api_key=hush-hush&x=1",
        "curl -H 'authorization: Basic aHVzaC1odXNo'",
        "using key sk-proj-abcdef1234567890abcd for channel 7",
        "cookie=session-hush-hush; path",
    ],
)
def test_secrets_in_lines_are_masked(text: str) -> None:
    masked = mask_line(text)
    assert "***" in masked and "hush" not in masked and "abcdef" not in masked and "aHVz" not in masked
    assert mask_line(masked) == masked


def test_figures_and_ids_are_no_secrets() -> None:
    text = "total_tokens=55 id=chatcmpl-123456789012345678 token_count: 7 max_tokens: 100"
    assert mask_line(text) == text


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xff\xfe\x00\x01", b"{", b"{" * 5000, b"[" * 9999, b'"' * 5000])
def test_garbage_is_read_without_a_fault(data: bytes) -> None:
    assert all(line.moment is None for line in read_lines(data))
