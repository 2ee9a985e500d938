"""Exports hold what was captured, and ours come back exactly."""

import csv
import gzip
import io
import json
from collections import defaultdict
from itertools import pairwise
from typing import Any

from hypothesis import HealthCheck, given, settings

from harness.capture.har import load_har
from harness.capture.model import Capture, Clock, Head, Request
from harness.report.csv_table import COLUMNS, to_csv
from harness.report.har import to_har
from harness.report.perfetto import to_perfetto
from harness.tests.build import DONE, captured, event
from harness.tests.capture.strategies import captures

WORDS = ["one ", "two ", "=3 ", "four"]
INNER = captured(
    "engine", [(10.0 * i + 10, event(word)) for i, word in enumerate(WORDS)] + [(60.0, DONE)],
    sent_at="2026-11-30T12:00:00.002000Z", clock=Clock("a", "monotonic"),
    request=Request("POST", "http://h/v1?x=1", (("accept", "*/*"),), {"n": 1}),
)  # fmt: skip
OUTER = captured(
    "proxy", [(62.0, b"".join(event(word) for word in WORDS)), (62.0, DONE)],
    sent_at="2026-11-30T12:00:00.000000Z", clock=Clock("a", "monotonic"),
)  # fmt: skip


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(captures())
def test_importing_the_har_that_we_export_gives_the_same_capture(given_capture: Capture) -> None:
    assert load_har(to_har([given_capture])) == [given_capture]


def test_a_har_carries_several_hops_back_in_order() -> None:
    write = Capture("app", "app", tap="write", body=None, times=INNER.times, ends=INNER.ends)
    coded = gzip.compress(event("x"))
    zipped = captured("gateway", [(1.0, coded)], head=Head(0.5, 200, "2", (("content-encoding", "gzip"),)))
    assert load_har(to_har([INNER, write, OUTER, zipped])) == [INNER, write, OUTER, zipped]


def test_a_har_without_our_field_still_tells_events_and_times() -> None:
    har = json.loads(to_har([INNER]))
    (entry,) = har["log"]["entries"]
    del entry["_streamscope"]
    (again,) = load_har(json.dumps(har).encode(), hop="engine")
    assert again.body == INNER.body and again.head is not None and again.head.t == 5.0
    assert [round(t, 2) for t in again.times] == list(INNER.times)
    assert again.sent_at == INNER.sent_at and again.request is not None and again.request.body == {"n": 1}


def test_every_field_that_har_demands_is_there() -> None:
    (entry, _) = json.loads(to_har([INNER, OUTER]))["log"]["entries"]
    assert {"startedDateTime", "time", "request", "response", "cache", "timings"} <= set(entry)
    request = {"method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize"}
    assert request <= set(entry["request"])
    response = {"status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL", "headersSize"}
    assert response <= set(entry["response"]) and {"size", "mimeType", "text"} <= set(entry["response"]["content"])
    assert {"send", "wait", "receive"} <= set(entry["timings"])
    assert sum(part for part in entry["timings"].values() if part >= 0) == entry["time"] == 61.0
    messages = entry["_eventSourceMessages"]
    assert [message["data"] for message in messages[-2:]] == [event("four")[6:-2].decode(), "[DONE]"]
    assert messages[0]["eventName"] == "message" and abs(messages[0]["time"] - 1796040000.012) < 1e-4


def test_coded_bodies_are_shown_decoded() -> None:
    coded = gzip.compress(event("x"))
    zipped = captured("gateway", [(1.0, coded)], head=Head(0.5, 200, "2", (("content-encoding", "gzip"),)))
    (entry,) = json.loads(to_har([zipped]))["log"]["entries"]
    assert entry["response"]["content"]["text"] == event("x").decode()


def test_csv_has_a_row_for_each_event() -> None:
    rows = list(csv.DictReader(io.StringIO(to_csv([INNER, OUTER]).decode(), newline="")))
    assert tuple(rows[0]) == COLUMNS and len(rows) == 10
    assert [row["text"] for row in rows[:5]] == ["one ", "two ", "'=3 ", "four", ""], "no cell may become a formula"
    assert rows[1]["gap_ms"] == "10.0" and rows[4]["kind"] == "terminator" and rows[5]["hop"] == "proxy"


def slices(trace: dict[str, Any]) -> dict[tuple[int, int], list[dict[str, Any]]]:
    found = defaultdict(list)
    for item in trace["traceEvents"]:
        if item["ph"] == "X":
            found[item["pid"], item["tid"]].append(item)
    return found


def test_a_trace_has_a_process_a_hop_and_slices_that_nest() -> None:
    trace = json.loads(to_perfetto([INNER, OUTER]))
    names = {item["pid"]: item["args"]["name"] for item in trace["traceEvents"] if item["name"] == "process_name"}
    assert names == {1: "engine", 2: "proxy"}
    for track in slices(trace).values():
        exchange, *inside = track
        assert exchange["cat"] == "exchange"
        for item in inside:
            assert exchange["ts"] <= item["ts"] and item["ts"] + item["dur"] <= exchange["ts"] + exchange["dur"] + 1e-6
        for earlier, later in pairwise(item for item in inside):
            assert earlier["ts"] + earlier["dur"] <= later["ts"] + 1e-6


def test_sides_stand_on_one_axis_by_when_they_were_sent() -> None:
    trace = json.loads(to_perfetto([INNER, OUTER]))
    tracks = slices(trace)
    assert tracks[1, 3][0]["ts"] == 2000.0 and tracks[2, 4][0]["ts"] == 0.0
    assert [item["ts"] for item in tracks[1, 3] if item["cat"] == "event"][:2] == [12000.0, 22000.0]


def test_arrows_lead_from_each_event_to_the_one_that_carries_it_on() -> None:
    trace = json.loads(to_perfetto([INNER, OUTER]))
    starts = {item["id"]: item for item in trace["traceEvents"] if item["ph"] == "s"}
    stops = {item["id"]: item for item in trace["traceEvents"] if item["ph"] == "f"}
    assert len(starts) == len(stops) == 4 and starts.keys() == stops.keys()
    at = {
        (item["pid"], item["ts"]): item["args"]["event"]
        for t in slices(trace).values()
        for item in t
        if item["cat"] == "event"
    }
    for ident, start in starts.items():
        assert at[start["pid"], start["ts"]] == at[stops[ident]["pid"], stops[ident]["ts"]]


def test_a_trace_has_no_escaped_surrogates_which_perfetto_refuses() -> None:
    trace = to_perfetto([captured("😀\ud800", [(1.0, event("x"))])])
    assert b"\\ud" not in trace and '"😀?"'.encode() in trace


def test_a_head_that_came_with_the_first_event_was_waited_for_until_then() -> None:
    together = 12.3456784  # ms: between two nanoseconds, and the event's time is rounded down
    capture = captured("engine", [(together, event("x")), (20.0, DONE)], head=Head(together, 200, "1.1", ()))
    (wait,) = (item for item in json.loads(to_perfetto([capture]))["traceEvents"] if item.get("cat") == "head")
    assert wait["dur"] == 12345.678


def test_a_gateway_that_joins_and_drops_pieces_gets_its_arrows() -> None:
    joined = captured("gateway", [(30.0, event("one two ")), (70.0, event("four"))])
    trace = json.loads(to_perfetto([INNER, joined]))
    ends = [item["ts"] for item in trace["traceEvents"] if item["ph"] == "f"]
    assert ends == [30000.0, 30000.0, 70000.0]
    assert "not all of them" in trace["otherData"]["axis"]


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=50)
@given(captures(), captures())
def test_whatever_was_captured_can_be_exported(one: Capture, two: Capture) -> None:
    json.loads(to_perfetto([one, two]))
    assert to_csv([one, two]).startswith(b"hop,tap,")
