"""Arbitrary captures for property tests. Strategies are built once: building them anew for each draw is slow."""

from datetime import UTC

from hypothesis import strategies as st

from harness.capture.model import ENDS, KINDS, TAPS, WIRES, Capture, Clock, End, Head, Request, stamped

finite = st.floats(allow_nan=False, allow_infinity=False)
text = st.text(max_size=8)
stamps = st.floats(0, 1e10)
moments = st.datetimes(timezones=st.just(UTC)).map(lambda at: at.isoformat()) | st.just("")
_leaves = st.none() | st.booleans() | st.integers() | finite | text
json_values = _leaves | st.lists(_leaves, max_size=2) | st.dictionaries(text, _leaves, max_size=2)


def extras(*known: str) -> st.SearchStrategy:
    """Unknown keys: none of ``known`` and none that tells one kind of line from another."""
    taken = {*known, "t", "status", "data", "b64", "upto", "end"}
    return st.dictionaries(text.filter(lambda key: key not in taken), _leaves, max_size=1)


_headers = st.lists(st.tuples(text.map(str.lower), text), max_size=2).map(tuple)
_request = st.builds(Request, text, text, _headers, json_values, extras("method", "url", "headers", "body"))
_clock = st.builds(
    Clock,
    text,
    text,
    st.floats(0, 1e9),
    st.floats(-1e11, 1e11),
    st.floats(0, 1e9),
    extras("id", "source", "resolution_ms", "offset_ms", "uncertainty_ms"),
)
_head = st.builds(Head, stamps, st.integers(100, 999), text, _headers, extras("http", "headers"))
_end = st.builds(End, stamps, st.sampled_from(ENDS), text, extras("detail"))
_reads = st.lists(st.tuples(stamps, st.binary(max_size=20) | text.map(str.encode)), max_size=4)
_opening = st.fixed_dictionaries({
    "hop": st.text(min_size=1, max_size=8), "kind": st.sampled_from(KINDS), "tap": st.sampled_from(TAPS),
    "wire": st.sampled_from(("", *WIRES)), "exchange": text, "route": text,
    "repeat": st.none() | st.integers(min_value=0), "request": st.none() | _request, "sent_at": moments,
    "clock": st.none() | _clock, "content_decoded": st.booleans(),
    "meta": st.dictionaries(text, json_values, max_size=1),
    "extra": extras(
        "capture", "hop", "kind", "tap", "wire", "exchange", "route", "repeat", "request", "sent_at", "clock",
        "content_decoded", "meta",
    ),
    "head": st.none() | _head, "end": st.none() | _end,
})  # fmt: skip
_read_extras = st.lists(extras(), max_size=2)


@st.composite
def captures(draw: st.DrawFn) -> Capture:
    body, times, ends = stamped(draw(_reads))
    kept = enumerate(draw(_read_extras)[: len(times)])
    return Capture(
        **draw(_opening),
        body=None if len(times) and draw(st.booleans()) else body,
        times=times,
        ends=ends,
        read_extra={index: extra for index, extra in kept if extra},
    )
