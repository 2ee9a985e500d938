"""HAR files as browsers write them: events get their times where the file has them, and nothing is made up."""

import base64
import copy
import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.capture.har import load_har
from harness.errors import CaptureError

EVENTS = [f'data: {{"choices":[{{"delta":{{"content":"w{i}"}}}}]}}\n\n' for i in range(3)] + ["data: [DONE]\n\n"]
BODY = "".join(EVENTS)
START = 1796047545.123  # 2026-11-30T14:05:45.123Z

CHROME: dict[str, Any] = {
    "startedDateTime": "2026-11-30T14:05:45.123Z",
    "time": 900.0,
    "request": {
        "method": "POST",
        "url": "https://gw.example/v1/chat/completions?api_key=abc",
        "httpVersion": "h2",
        "headers": [{"name": ":method", "value": "POST"}, {"name": "Authorization", "value": "Bearer sk-1"}],
        "postData": {"mimeType": "application/json", "text": '{"model":"m","stream":true,"apiKey":"x"}'},
    },
    "response": {
        "status": 200,
        "httpVersion": "h2",
        "headers": [{"name": "Content-Type", "value": "text/event-stream"}],
        "content": {"size": len(BODY), "mimeType": "text/event-stream", "text": BODY},
        "_error": None,
    },
    "cache": {},
    "timings": {"blocked": 5, "dns": 10, "connect": 35, "ssl": 20, "send": 1, "wait": 99, "receive": 750},
    "_eventSourceMessages": [
        {"time": START + 0.2 + 0.1 * i, "eventName": "message", "eventId": "", "data": event[6:-2]}
        for i, event in enumerate(EVENTS)
    ],
}
FIREFOX: dict[str, Any] = {
    "startedDateTime": "2026-11-30T15:05:45.123+01:00",
    "time": 900,
    "request": {
        "method": "POST",
        "url": "http://gw.example/v1/chat/completions",
        "httpVersion": "HTTP/1.1",
        "headers": [],
        "postData": {"mimeType": "application/json", "params": [], "text": '{"stream":true}'},
    },
    "response": {
        "status": 200,
        "httpVersion": "HTTP/1.1",
        "headers": [
            {"name": "Content-Type", "value": "text/event-stream"},
            {"name": "content-encoding", "value": "br"},
        ],
        "content": {
            "mimeType": "text/event-stream",
            "size": len(BODY),
            "text": base64.b64encode(BODY.encode()).decode(),
            "encoding": "base64",
        },
    },
    "cache": {},
    "timings": {"blocked": 0, "dns": 0, "connect": 50, "ssl": 0, "send": 0, "wait": 100, "receive": 750},
}
PICTURE: dict[str, Any] = {
    "startedDateTime": "2026-11-30T14:05:44.000Z",
    "request": {"method": "GET", "url": "https://gw.example/logo.png", "headers": []},
    "response": {"status": 200, "headers": [], "content": {"size": 9, "mimeType": "image/png"}},
}


def har(*entries: Any) -> bytes:
    return json.dumps({"log": {"version": "1.2", "entries": list(entries)}}).encode()


def changed(entry: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    entry = copy.deepcopy(entry)
    *steps, last = path.split(".")
    at = entry
    for step in steps:
        at = at[step]
    at[last] = value
    return entry


def test_chrome_messages_time_the_events_of_the_body() -> None:
    (capture,) = load_har(har(PICTURE, CHROME), "x.har", "gateway")
    assert [data.decode() for _, data in capture.reads()] == EVENTS
    # The request went out 50 ms after the start: blocked, name lookup and connection come first.
    assert list(capture.times) == pytest.approx([150, 250, 350, 450], abs=0.01)
    assert capture.sent_at == "2026-11-30T14:05:45.173000Z"
    assert capture.head is not None and (capture.head.t, capture.head.status, capture.head.http) == (100, 200, "2")
    assert capture.end is not None and (capture.end.kind, capture.end.t) == ("complete", 850)
    assert (capture.hop, capture.kind, capture.content_decoded, capture.repeat) == ("gateway", "gateway", True, None)


def test_secrets_of_a_har_are_masked() -> None:
    request = load_har(har(CHROME))[0].request
    assert request is not None and request.url.endswith("?api_key=***")
    assert ("authorization", "Bearer ***") in request.headers
    assert request.body == {"model": "m", "stream": True, "apiKey": "***"}


def test_messages_alone_rebuild_the_stream() -> None:
    messages = [
        {"time": START + 1, "eventName": "answer", "eventId": "7", "data": "one\ntwo"},
        {"time": START + 2, "eventName": "message", "eventId": "", "data": ""},
    ]
    entry = changed(
        changed(CHROME, "response.content", {"size": 0, "mimeType": "text/event-stream"}),
        "_eventSourceMessages",
        messages,
    )
    (capture,) = load_har(har(entry))
    assert capture.body == b"event: answer\nid: 7\ndata: one\ndata: two\n\ndata: \n\n"
    assert list(capture.times) == pytest.approx([950, 1950], abs=0.01)


def test_comments_travel_with_the_event_after_them_and_a_tail_with_the_last() -> None:
    body = ": ping\n\n" + EVENTS[0] + "\r\n" + "".join(EVENTS[1:]) + ": bye"
    (capture,) = load_har(har(changed(CHROME, "response.content.text", body)))
    reads = [data.decode() for _, data in capture.reads()]
    assert reads[0].startswith(": ping\n\ndata:") and reads[-1].endswith("[DONE]\n\n: bye") and "".join(reads) == body


def test_messages_that_do_not_fit_the_body_are_taken_and_noted() -> None:
    (capture,) = load_har(har(changed(CHROME, "response.content.text", EVENTS[0])))
    assert [data.decode() for _, data in capture.reads()] == EVENTS and "messages were taken" in capture.meta["note"]


def test_firefox_has_no_event_times_and_that_is_said() -> None:
    (capture,) = load_har(har(FIREFOX))
    assert list(capture.reads()) == [(850.0, BODY.encode())]
    assert capture.meta["timed"] is False and capture.content_decoded
    assert capture.sent_at == "2026-11-30T14:05:45.173000Z"


@pytest.mark.parametrize(
    ("error", "end", "detail"),
    [
        ("net::ERR_INCOMPLETE_CHUNKED_ENCODING", "truncated", "browser-cannot-tell"),
        ("net::ERR_HTTP2_PROTOCOL_ERROR", "truncated", "browser-cannot-tell"),
        ("net::ERR_CONNECTION_RESET", "reset", "ERR_CONNECTION_RESET"),
        ("net::ERR_ABORTED", "aborted", "ERR_ABORTED"),
        ("net::ERR_TIMED_OUT", "timeout", "ERR_TIMED_OUT"),
    ],
)
def test_the_browsers_error_tells_the_end(error: str, end: str, detail: str) -> None:
    (capture,) = load_har(har(changed(CHROME, "response._error", error)))
    assert capture.end is not None and capture.end.kind == end and detail in capture.end.detail


def test_no_answer_is_a_reset_without_a_head() -> None:
    entry = changed(changed(FIREFOX, "response.status", 0), "response.content", {"size": 0})
    (capture,) = load_har(har(entry))
    assert capture.head is None and capture.end is not None and capture.end.kind == "reset" and capture.body == b""


def test_several_streams_are_repeats_and_one_can_be_chosen() -> None:
    data = har(PICTURE, CHROME, FIREFOX)
    assert [(capture.repeat, len(capture.times)) for capture in load_har(data)] == [(0, 4), (1, 1)]
    assert [capture.repeat for capture in load_har(data, entry=2)] == [None]


BAD = {
    "cut off": (har(CHROME)[:300], "expected a HAR file"),
    "no entries": (b'{"log": {}}', "entries"),
    "none at all": (har(), "the HAR has no entries"),
    "log is a list": (b'{"log": []}', '"log" to be an object'),
    "a list": (b"[]", "expected an object"),
    "no stream": (har(PICTURE, PICTURE), "no streamed exchange among its 2 entries"),
    "saved without bodies": (har(changed(FIREFOX, "response.content", {"size": 9})), "with content"),
    "odd start": (har(changed(CHROME, "startedDateTime", "yesterday")), "startedDateTime"),
    "odd timing": (har(changed(CHROME, "timings.wait", "long")), '"wait" to be a finite number'),
    "odd message": (har(changed(CHROME, "_eventSourceMessages", [1])), "_eventSourceMessages"),
    "bad base64": (har(changed(FIREFOX, "response.content.text", "*")), "base64"),
    "odd headers": (har(changed(CHROME, "response.headers", {"a": "b"})), "headers"),
    "NaN": (har(changed(CHROME, "timings.wait", float("nan"))), "NaN"),
}  # fmt: skip


@pytest.mark.parametrize(("data", "expected"), BAD.values(), ids=BAD.keys())
def test_bad_hars_get_one_sentence_with_the_entry(data: bytes, expected: str) -> None:
    with pytest.raises(CaptureError) as caught:
        load_har(data, "x.har")
    assert caught.value.where.startswith("x.har") and expected in str(caught.value)


@pytest.mark.parametrize("entry", [-1, 3])
def test_an_entry_that_is_not_there_is_refused(entry: int) -> None:
    with pytest.raises(CaptureError, match=f"no entry {entry}: the file has 3"):
        load_har(har(PICTURE, CHROME, FIREFOX), entry=entry)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


def paths(value: Any, lead: str = "") -> list[str]:
    found = [lead] if lead else []
    for key, inner in value.items() if isinstance(value, dict) else ():
        found += paths(inner, f"{lead}.{key}" if lead else key)
    return found


@given(st.sampled_from([CHROME, FIREFOX]), st.data())
def test_mutated_entries_raise_nothing_but_capture_error(entry: dict[str, Any], data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(paths(entry)))
    try:
        load_har(har(changed(entry, path, data.draw(json_values))), entry=0)
    except CaptureError as error:
        assert error.where == "entry 0"


@given(st.integers(0, 2000), st.integers(0, 30), st.binary(max_size=20))
def test_mutated_bytes_raise_nothing_but_capture_error(at: int, cut: int, put: bytes) -> None:
    data = har(CHROME)
    with suppress(CaptureError):
        load_har(data[:at] + put + data[at + cut :])


def entry_with(base: dict[str, Any] = FIREFOX, **response: Any) -> dict[str, Any]:
    made = copy.deepcopy(base)
    made["response"] |= response
    return made


def test_a_redirect_is_only_the_way_to_the_answer() -> None:
    led_on = entry_with(status=307, content={"size": 0, "mimeType": "x-unknown", "text": ""})
    (capture,) = load_har(har(led_on, CHROME))
    assert capture.head is not None and capture.head.status == 200
    (alone,) = load_har(har(led_on))
    assert alone.head is not None and alone.head.status == 307


def test_a_websocket_is_passed_by_or_refused() -> None:
    socket = copy.deepcopy(CHROME) | {"_webSocketMessages": [{"type": "send", "time": START, "data": "hi"}]}
    socket.pop("_eventSourceMessages")
    socket["request"] |= {"method": "GET", "url": "wss://gw.example/ws"}
    socket["response"] |= {"status": 101, "content": {"size": 0, "mimeType": "x-unknown"}}
    assert len(load_har(har(socket, CHROME))) == 1
    with pytest.raises(CaptureError, match="a WebSocket"):
        load_har(har(socket))


def test_messages_from_before_the_request_move_all_together() -> None:
    early = copy.deepcopy(CHROME)
    for message in early["_eventSourceMessages"]:
        message["time"] -= 0.5
    (capture,) = load_har(har(early))
    assert [round(t) for t in capture.times] == [0, 100, 200, 300]


def test_an_encoded_body_that_a_proxy_saved_as_it_saw_it_is_decoded() -> None:
    import gzip

    coded = base64.b64encode(gzip.compress(BODY.encode())).decode()
    headers = [{"name": "Content-Encoding", "value": "gzip"}, {"name": "Content-Type", "value": "text/event-stream"}]
    content = {"size": 9, "mimeType": "text/event-stream", "text": coded, "encoding": "base64"}
    (capture,) = load_har(har(entry_with(content=content, headers=headers)))
    assert capture.content_decoded is False and capture.body is not None and capture.body[:2] == b"\x1f\x8b"


def test_an_error_may_stand_at_the_entry_and_a_time_may_be_null() -> None:
    (capture,) = load_har(
        har(copy.deepcopy(FIREFOX) | {"_error": "net::ERR_CONNECTION_RESET", "startedDateTime": None})
    )
    assert capture.end is not None and capture.end.kind == "reset" and capture.sent_at == ""


def test_the_log_may_stand_far_down() -> None:
    from harness.capture.sniff import load_any

    data = json.dumps({"_comment": "x" * 9000, "log": {"entries": [CHROME]}}).encode()
    assert len(load_any(data, "gateway.har")) == 1


def test_what_failed_without_a_body_is_kept_and_what_only_lost_its_body_is_left_out() -> None:
    """As Playwright writes it: ``_failureText``, a size of -1, no text."""
    bare = {"size": -1, "mimeType": "text/event-stream"}
    failed = entry_with(CHROME, content=bare, _failureText="net::ERR_INCOMPLETE_CHUNKED_ENCODING")
    failed.pop("_eventSourceMessages")
    whole, cut = load_har(har(FIREFOX, entry_with(content={"size": 9, "mimeType": "text/event-stream"}), failed))
    assert whole.end is not None and whole.end.kind == "complete"
    assert (
        cut.body == b"" and cut.end is not None and cut.end.kind == "truncated" and "kept no body" in cut.meta["note"]
    )


def test_a_stream_that_a_recorder_handed_on_without_keeping_it_is_no_empty_answer() -> None:
    handed_on = entry_with(content={"size": 0, "mimeType": "text/event-stream", "text": ""})
    handed_on["timings"] = {"connect": 1.0, "send": 9.2, "wait": 105.7, "receive": 3696.4}
    with pytest.raises(CaptureError, match="without the body"):
        load_har(har(handed_on))
    empty = copy.deepcopy(handed_on) | {"timings": {"send": 1, "wait": 106, "receive": 0}}
    (capture,) = load_har(har(handed_on, empty))
    assert capture.body == b"" and capture.end is not None and capture.end.kind == "complete"
