"""Timelines as lanes of marks on one time axis: plain figures that a template draws as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from harness.capture.model import Capture
from harness.wire.decode import decode
from harness.wire.stream import CONTENT, Kind, Stream

WIDTH = 1000
"""Drawing units of a lane's time axis; the page scales them."""

SHADES = {Kind.TEXT: "text", Kind.REASONING: "reasoning", Kind.TOOL: "tool", Kind.ERROR: "error"}


@dataclass(frozen=True, slots=True)
class Mark:
    """Events within one drawing unit: ``x`` in units, ``count`` events, ``shade`` of the weightiest."""

    x: int
    count: int
    shade: str


@dataclass(frozen=True, slots=True)
class Lane:
    """One tap of one exchange. ``start`` and ``stop`` in drawing units: the exchange's begin and its end here."""

    hop: str
    tap: str
    repeat: int | None
    marks: tuple[Mark, ...]
    start: float
    stop: float | None
    end: str


@dataclass(frozen=True, slots=True)
class Axis:
    """``span_ms`` is the whole width; ``ticks`` are (units, seconds as text)."""

    span_ms: float
    ticks: tuple[tuple[float, str], ...]


def lanes(captures: Sequence[Capture], span_ms: float | None = None) -> tuple[list[Lane], Axis]:
    """Lanes in the given order. Taps of one exchange share its time; other exchanges each begin at the left.

    ``span_ms`` sets the width, so that two runs can be drawn to one scale; by default it fits.
    """
    begins = _begins(captures)
    span = span_ms or span_of(captures)
    drawn = [_lane(decode(c), begin, WIDTH / span) for c, begin in zip(captures, begins, strict=True)]
    return drawn, Axis(span, _ticks(span))


def span_of(captures: Sequence[Capture]) -> float:
    """Milliseconds from the first begin to the last stamp, at least 1."""
    ends = [
        begin + max([*c.times[-1:], *([c.end.t] if c.end else []), *([c.head.t] if c.head else []), 0.0])
        for c, begin in zip(captures, _begins(captures), strict=True)
    ]
    return max([*ends, 1.0])


def _begins(captures: Sequence[Capture]) -> list[float]:
    """When each capture's clock began, ms after the first of its exchange."""
    sent = [_epoch_ms(c) for c in captures]
    found = []
    for capture, own in zip(captures, sent, strict=True):
        kin = [
            other
            for c, other in zip(captures, sent, strict=True)
            if capture.exchange and c.exchange == capture.exchange and c.repeat == capture.repeat and other is not None
        ]
        found.append(0.0 if own is None or not kin else own - min(kin))
    return found


def _epoch_ms(capture: Capture) -> float | None:
    try:
        begun = datetime.fromisoformat(capture.sent_at.replace("Z", "+00:00")).timestamp() * 1000
    except ValueError:
        return None
    return begun + (capture.clock.offset_ms if capture.clock else 0.0)


def _lane(stream: Stream, begin: float, scale: float) -> Lane:
    capture = stream.capture
    piled: dict[int, tuple[int, str]] = {}
    for t, number in zip(stream.times, stream.kinds, strict=True):
        kind = Kind(number)
        x = round((begin + t) * scale)
        count, shade = piled.get(x, (0, "other"))
        weight = SHADES.get(kind, "other")
        piled[x] = (count + 1, weight if kind in CONTENT or kind is Kind.ERROR else shade)
    if not stream.kinds and capture.times:  # no events: the reads themselves
        for t in capture.times:
            x = round((begin + t) * scale)
            piled[x] = (piled.get(x, (0, ""))[0] + 1, "other")
    return Lane(
        hop=capture.hop,
        tap=capture.tap,
        repeat=capture.repeat,
        marks=tuple(Mark(x, count, shade) for x, (count, shade) in sorted(piled.items())),
        start=begin * scale,
        stop=None if capture.end is None else (begin + capture.end.t) * scale,
        end="" if capture.end is None else capture.end.kind,
    )


def _ticks(span_ms: float) -> tuple[tuple[float, str], ...]:
    """Four to nine round marks over the span."""
    step = next(s * 10**e for e in range(-1, 9) for s in (1, 2, 5) if span_ms / (s * 10**e) <= 9)
    count = int(span_ms // step)
    return tuple((i * step * WIDTH / span_ms, f"{i * step / 1000:g} s") for i in range(count + 1))
