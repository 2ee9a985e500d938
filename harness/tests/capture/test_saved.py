"""What plain ``curl`` leaves on a disk: bodies, heads before them, logs, lines with a clock; judged without times."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.capture.model import Capture
from harness.capture.sniff import load_any
from harness.diagnose.run import diagnose
from harness.errors import CaptureError
from harness.tests.build import DONE, FINISH, event

WORDS = [event(f"word{number} ") for number in range(20)]
BODY = b"".join([*WORDS, FINISH, DONE])
CUT = b"".join(WORDS[:9]) + b'data: {"choi'
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\nSet-Cookie: a=b\r\n\r\n"
REDIRECT = b"HTTP/1.1 302 Found\r\nLocation: /v1\r\n\r\n"
INTERIM = b"HTTP/1.1 100 Continue\r\n\r\n"
PROXY = b"HTTP/1.1 200 Connection established\r\n\r\n"
METER = (
    b"  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n"
    b"                                 Dload  Upload   Total   Spent    Left  Speed\n"
    b"\r  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0"
)
ASKED = (
    b"*   Trying 127.0.0.1:8000...\n* Connected to 127.0.0.1 (127.0.0.1) port 8000 (#0)\n"
    b"> POST /v1/chat/completions HTTP/1.1\r\n> Host: 127.0.0.1:8000\r\n> Authorization: Bearer sk-secret\r\n> \r\n"
    b"} [98 bytes data]\n< HTTP/1.1 200 OK\r\n< content-type: text/event-stream\r\n< transfer-encoding: chunked\r\n"
    b"< \r\n{ [451 bytes data]\n"
)
LEFT = b"* Connection #0 to host 127.0.0.1 left intact\n"
BROKE = (
    b"* transfer closed with outstanding read data remaining\n* Closing connection 0\ncurl: (18) transfer closed with\n"
)
STEP_METER = b"\r100  9778    0  9680  100    98   3597     36  0:00:02  0:00:02 --:--:--  3633"


def one(data: bytes) -> Capture:
    (capture,) = load_any(data, "gateway.body.txt")
    assert (capture.hop, capture.kind) == ("gateway", "gateway")
    return capture


FORMS = {
    "body": BODY,
    "body behind a BOM": b"\xef\xbb\xbf" + BODY,
    "body behind a comment": b": ping\n\n" + BODY,
    "body with CRLF": BODY.replace(b"\n", b"\r\n"),
    "curl -i": HEAD + BODY,
    "curl -i with LF alone": (HEAD + BODY).replace(b"\r\n", b"\n"),
    "curl -i of HTTP/2": b"HTTP/2 200 \r\ncontent-type: text/event-stream\r\n\r\n" + BODY,
    "curl -iL over a proxy": PROXY + REDIRECT + INTERIM + HEAD + BODY,
    "curl -v": ASKED + BODY + LEFT,
    "curl -v without -s": METER + ASKED + BODY[:900] + STEP_METER + BODY[900:] + STEP_METER + b"\n" + LEFT,
    "curl -v --trace-time": b"".join(b"18:14:30.338515 " + line + b"\n" for line in ASKED.splitlines())
    + BODY + b"18:14:35.000001 " + LEFT,
    "2>&1 without -v": METER + BODY,
}  # fmt: skip


@pytest.mark.parametrize("data", FORMS.values(), ids=FORMS.keys())
def test_a_saved_stream_is_judged_but_for_its_delays(data: bytes) -> None:
    capture = one(data)
    assert capture.body is not None and capture.body.replace(b"\r\n", b"\n").endswith(BODY)
    answer = diagnose([capture])
    assert answer.verdict.healthy is True and not [f for f in answer.findings if f.severity == "error"]
    assert not [f for f in answer.findings if f.code == "content.replay-alone"]
    assert answer.verdict.confidence == "likely" and "--trace-time" in (answer.verdict.needs or "")
    (row,) = answer.captures
    assert row["outcome"] == "done" and row["content_events"] == 20
    assert row["timing"] == {"ttfb_ms": None, "ttft_ms": None, "e2e_ms": None,
                             "itl_ms": {"p50": None, "p95": None, "p99": None, "max": None}}  # fmt: skip


@pytest.mark.parametrize(
    ("data", "symptom"),
    [
        (CUT, "truncation"),
        (HEAD + CUT, "truncation"),
        (ASKED + CUT + b"\n" + BROKE, "truncation"),
        (ASKED + CUT + BROKE, "truncation"),
        (ASKED + CUT + b"\n* Recv failure: Connection reset by peer\n* Closing connection 0\n", "reset"),
        (b'HTTP/1.1 502 Bad Gateway\r\ncontent-type: text/html\r\n\r\n<html><h1>502</h1></html>\n', "error"),
        (b'{"error":{"message":"Loading model","code":503}}', "error"),
    ],
)  # fmt: skip
def test_how_it_ended_is_judged(data: bytes, symptom: str) -> None:
    answer = diagnose([one(data)])
    assert answer.verdict.symptom == symptom
    assert all(finding.at_ms is None for finding in answer.findings), "there is no time to point at"
    assert not any(name.endswith("_ms") for finding in answer.findings for name in finding.evidence)
    assert " 0 ms" not in answer.verdict.summary


def test_a_head_is_kept_and_its_secrets_are_not() -> None:
    capture = one(PROXY + HEAD + BODY)
    assert capture.head is not None and capture.head.status == 200 and capture.head.get("set-cookie") == "***"
    said = one(ASKED + BODY + LEFT)
    assert said.request is not None and said.request.url == "http://127.0.0.1:8000/v1/chat/completions"
    assert dict(said.request.headers)["authorization"] == "Bearer ***"
    assert said.end is not None and said.end.kind == "complete"


def test_a_saved_body_beside_a_recording_shows_what_was_lost_and_blames_nobody_for_delay() -> None:
    inner = one(BODY)
    timed = Capture("engine", "engine", head=inner.head, body=BODY, end=inner.end)
    for index, end in enumerate([*(sum(map(len, WORDS[: i + 1])) for i in range(20)), len(BODY)]):
        timed.times.append(100.0 + 50 * index)
        timed.ends.append(end)
    assert diagnose([timed, inner]).verdict.healthy is True
    assert diagnose([inner, timed]).verdict.healthy is True
    lossy = one(BODY.replace(WORDS[7], b""))
    found = diagnose([timed, lossy]).verdict
    assert (found.symptom, found.first_bad_hop) == ("loss", "gateway")


def stamp(kind: str, second: float) -> str:
    at = datetime(2026, 11, 30, 23, 59, 58) + timedelta(seconds=second)
    return {
        "epoch": f"{1764504000 + second:.6f}", "since": f"{second:.6f}", "iso": at.isoformat() + "Z",
        "day": at.strftime("[%Y-%m-%d %H:%M:%S.%f]"), "clock": at.strftime("%H:%M:%S.%f"),
        "ts": at.strftime("%b %d %H:%M:%S"),
    }[kind]  # fmt: skip


def stamped(kind: str, body: bytes, gap: float = 0.05, stall_at: int = 99) -> bytes:
    out, at = bytearray(), 0.25
    for number, line in enumerate(body.splitlines(keepends=True)):
        at += gap + (4 if number == stall_at else 0)
        out += stamp(kind, at).encode() + b" " + line
    return bytes(out)


@pytest.mark.parametrize("kind", ["epoch", "since", "iso", "day", "clock"])
def test_lines_with_a_clock_before_them_have_times(kind: str) -> None:
    steady = one(stamped(kind, HEAD + BODY))
    assert steady.body == BODY and steady.head is not None and steady.head.status == 200
    answer = diagnose([steady])
    assert answer.verdict.healthy is True and answer.verdict.confidence == "certain"
    timing = answer.captures[0]["timing"]
    assert timing["ttfb_ms"] is None and timing["itl_ms"]["p50"] == pytest.approx(100, abs=0.01)
    assert diagnose([one(stamped(kind, BODY, stall_at=20))]).verdict.symptom == "stall"


def test_whole_seconds_are_too_coarse_for_delays() -> None:
    coarse = one(stamped("ts", BODY, stall_at=20))
    assert coarse.body == BODY
    assert diagnose([coarse]).verdict.healthy is True
    assert diagnose([one(stamped("ts", CUT))]).verdict.symptom == "truncation"


def test_a_coded_body_is_decoded_as_its_head_says() -> None:
    import gzip

    head = HEAD.replace(b"\r\n\r\n", b"\r\nContent-Encoding: gzip\r\n\r\n")
    raw, undone = one(head + gzip.compress(BODY)), one(head + BODY)
    assert (raw.content_decoded, undone.content_decoded) == (False, True)
    assert diagnose([raw]).captures[0]["content_events"] == diagnose([undone]).captures[0]["content_events"] == 20


def test_records_and_whole_documents_are_taken() -> None:
    lines = b"".join(
        b'{"model":"m","message":{"role":"assistant","content":"w%d "},"done":false}\n' % i for i in range(6)
    )
    last = b'{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop"}\n'
    assert diagnose([one(lines + last)]).captures[0]["wire"] == "ollama"
    assert diagnose([one(lines)]).verdict.symptom == "truncation"
    whole = (
        b'{\n "choices": [{"index": 0, "message": {"role": "assistant", "content": "x"}, "finish_reason": "stop"}]\n}'
    )
    assert diagnose([one(whole)]).verdict.healthy is None


@given(st.sampled_from([b"", HEAD, ASKED, METER, b"data: ", b"0.5 data: ", b"HTTP/1.1 200", b'{"error":']), st.binary())
def test_arbitrary_bytes_raise_nothing_but_capture_error(start: bytes, data: bytes) -> None:
    with suppress(CaptureError):
        load_any(start + data, "x")
