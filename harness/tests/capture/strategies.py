"""Arbitrary captures for property tests."""

from hypothesis import strategies as st

from harness.capture.model import ENDS, KINDS, TAPS, WIRES, Capture, Clock, End, Head, Request, stamped


def json_values() -> st.SearchStrategy:
    leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
    return st.recursive(
        leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
    )


def extras(*known: str) -> st.SearchStrategy:
    taken = {*known, "t", "status", "data", "b64", "upto", "end"}
    return st.dictionaries(st.text().filter(lambda key: key not in taken), json_values(), max_size=2)


finite = st.floats(allow_nan=False, allow_infinity=False)
header_pairs = st.lists(st.tuples(st.text().map(str.lower), st.text()), max_size=3).map(tuple)
REQUEST = ("method", "url", "headers", "body")
CLOCK = ("id", "source", "resolution_ms", "offset_ms", "uncertainty_ms")
OPEN = ("capture", "hop", "kind", "tap", "wire", "exchange", "route", "repeat", "request", "sent_at", "clock")


@st.composite
def captures(draw: st.DrawFn) -> Capture:
    body, times, ends = stamped(draw(st.lists(st.tuples(finite, st.binary() | st.text().map(str.encode)), max_size=6)))
    shares = draw(st.booleans())
    kept = [draw(extras()) for _ in range(min(len(times), 2))]
    return Capture(
        hop=draw(st.text(min_size=1)),
        kind=draw(st.sampled_from(KINDS)),
        tap=draw(st.sampled_from(TAPS)),
        wire=draw(st.sampled_from(("", *WIRES))),
        exchange=draw(st.text()),
        route=draw(st.text()),
        repeat=draw(st.none() | st.integers(min_value=0)),
        request=draw(
            st.none() | st.builds(Request, st.text(), st.text(), header_pairs, json_values(), extras(*REQUEST))
        ),
        sent_at=draw(st.text()),
        clock=draw(st.none() | st.builds(Clock, st.text(), st.text(), finite, finite, finite, extras(*CLOCK))),
        content_decoded=draw(st.booleans()),
        meta=draw(st.dictionaries(st.text(), json_values(), max_size=2)),
        extra=draw(extras(*OPEN, "content_decoded", "meta")),
        head=draw(
            st.none() | st.builds(Head, finite, st.integers(), st.text(), header_pairs, extras("http", "headers"))
        ),
        body=None if shares and len(times) else body,
        times=times,
        ends=ends,
        end=draw(st.none() | st.builds(End, finite, st.sampled_from(ENDS), st.text(), extras("detail"))),
        read_extra={index: extra for index, extra in enumerate(kept) if extra},
    )
