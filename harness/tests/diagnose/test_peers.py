"""The streams on which benchmark clients fail: ten faults, each its own class, and the legal ones without an alarm.

One engine, 20 content events 20 ms apart, numbered words, chunked; the faults that the comparison of clients names.
"""

from __future__ import annotations

import pytest

from harness.capture.model import Capture
from harness.tests.diagnose.build import DONE, answer, capture, chunk, errors, numbered, spaced, told, usage

WORDS = numbered()
WHOLE = [*answer(WORDS, done=False), usage(20), DONE]


def without(index: int) -> list[bytes]:
    return WHOLE[:index] + WHOLE[index + 1 :]


def broken(end: str) -> Capture:
    return capture(spaced(answer(WORDS[:10], finish=None, done=False)), end=end)


def stalled() -> Capture:
    reads = spaced(WHOLE)
    return capture([(t + (3000 if i > 10 else 0), data) for i, (t, data) in enumerate(reads)])


FAULTS = {
    "clean-eof": (broken("complete"), "truncation"),
    "sent-twice": (capture(spaced([*WHOLE[:8], *WHOLE[7:]])), "duplicate"),
    "swapped": (capture(spaced([*WHOLE[:7], WHOLE[8], WHOLE[7], *WHOLE[9:]])), "reorder"),
    "dropped": (capture(spaced(without(7))), "loss"),
    "one-write": (capture([(400.0, b"".join(WHOLE))]), "burst"),
    "stall": (stalled(), "stall"),
    "in-band-error": (
        capture(
            spaced(
                [
                    *answer(WORDS[:10], finish=None, done=False),
                    b'data: {"error":{"message":"boom","code":500}}\n\n',
                    DONE,
                ]
            )
        ),
        "error",
    ),
    "reset": (broken("reset"), "reset"),
    "no-last-chunk": (broken("truncated"), "truncation"),
    "status": (capture([(10.0, b'{"error":{"message":"no such model"}}')], status=404, headers=()), "error"),
}
CONTROLS = {
    "healthy": capture(spaced(WHOLE)),
    "no-done": capture(spaced([*answer(WORDS, done=False), usage(20)])),
    "ping-inside": capture(
        spaced([e.replace(b"data:", b": ping\ndata:", 1) if i == 9 else e for i, e in enumerate(WHOLE)])
    ),
    "event-line": capture(spaced([b"event: message\n" + e for e in WHOLE])),
    "crlf": capture(spaced([e.replace(b"\n", b"\r\n") for e in WHOLE])),
    "line-separator": capture(spaced([*WHOLE[:5], chunk("x\u2028y "), *WHOLE[5:]])),
    "cut-on-a-space": capture(
        [
            part
            for t, e in spaced(WHOLE)
            for part in ((t, e.partition(b' "')[0]), (t + 2, e[len(e.partition(b' "')[0]) :]))
        ]
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_has_its_own_class(name: str) -> None:
    stream, symptom = FAULTS[name]
    found = told(stream)
    assert errors(found) == {symptom}
    assert (found.verdict.healthy, found.verdict.first_bad_hop, found.verdict.symptom) == (False, "engine", symptom)
    assert found.verdict.needs


@pytest.mark.parametrize("name", CONTROLS)
def test_a_legal_stream_raises_no_alarm(name: str) -> None:
    found = told(CONTROLS[name])
    assert errors(found) == set()
    assert found.verdict.healthy is True


def test_a_missing_terminator_alone_is_a_warning() -> None:
    found = told(CONTROLS["no-done"])
    assert {f.severity for f in found.findings if f.symptom == "truncation"} == {"warning"}


@pytest.mark.parametrize("index", range(1, 19))
def test_the_place_of_the_fault_does_not_matter(index: int) -> None:
    """An event dropped, doubled or swapped anywhere but at the two ends, where nothing counts."""
    swapped = [*WHOLE[: index + 1], WHOLE[index + 2], WHOLE[index + 1], *WHOLE[index + 3 :]]
    assert errors(told(capture(spaced([*WHOLE[: index + 1], *WHOLE[index:]])))) == {"duplicate"}
    if index < 18:
        assert errors(told(capture(spaced(swapped)))) == {"reorder"}
        assert errors(told(capture(spaced(without(index + 1))))) == {"loss"}
