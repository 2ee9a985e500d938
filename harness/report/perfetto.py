"""Export captures as a Chrome trace (JSON), which ui.perfetto.dev opens: hops above one another on one time axis.

One process a hop, one track an exchange and tap; a slice for the exchange, in it one for the wait until the
head and one an event; arrows link what an event carried over the hops; a counter shows the text growing.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from harness.capture.bundle import resolve_shared
from harness.capture.model import Capture
from harness.report.arrows import arrows
from harness.wire.decode import decode
from harness.wire.stream import Kind, Stream

Event = dict[str, Any]


def to_perfetto(captures: Sequence[Capture]) -> bytes:
    """The captures, innermost first, as ``{"traceEvents": […]}``; times in µs from the earliest side's begin.

    Sides are put on one axis by ``sent_at`` and the clock's offset when every capture has a ``sent_at``; else
    each starts at 0, and ``otherData`` says so.
    """
    lent = resolve_shared(captures)
    streams = [decode(capture) for capture in lent]
    starts, common = _starts(lent)
    hops = list(dict.fromkeys(capture.hop for capture in lent))
    # A thread whose number is its process's own counts as the "main thread", so those of the tracks come after.
    tracks = [
        _Track(stream, hops.index(stream.capture.hop) + 1, len(hops) + 1 + i, starts[i])
        for i, stream in enumerate(streams)
    ]
    events: list[Event] = []
    for order, hop in enumerate(hops, 1):
        events.append({"ph": "M", "pid": order, "name": "process_name", "args": {"name": hop}})
        events.append({"ph": "M", "pid": order, "name": "process_sort_index", "args": {"sort_index": order}})
    for track in tracks:
        events += track.events()
    events += _flows(tracks)
    axis = "sent_at" if common else "each capture starts at 0: not all of them say when they were sent"
    found = {"displayTimeUnit": "ms", "otherData": {"axis": axis}, "traceEvents": events}
    # Perfetto's parser refuses the escapes of surrogates, in pairs too: so UTF-8, and a lone one is a question mark.
    return json.dumps(found, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _starts(captures: Sequence[Capture]) -> tuple[list[float], bool]:
    """µs at which each side began, the earliest at 0; and whether they are on one axis."""
    found = [_moment(capture) for capture in captures]
    known = [moment for moment in found if moment is not None]
    if not known or len(known) < len(found):
        return [0.0] * len(captures), len(captures) == 1
    return [round(moment - min(known), 3) for moment in known], True


def _moment(capture: Capture) -> float | None:
    """µs since 1970 at which this side began, on the common clock."""
    try:
        found = datetime.fromisoformat(capture.sent_at)
        found = found.replace(tzinfo=UTC) if found.tzinfo is None else found
        return found.timestamp() * 1e6 + (capture.clock.offset_ms * 1e3 if capture.clock else 0.0)
    except (ValueError, OverflowError):
        return None


class _Track:
    """One capture's track: where it stands, and when each of its events is drawn."""

    def __init__(self, stream: Stream, pid: int, tid: int, start: float) -> None:
        self.stream, self.pid, self.tid, self.start = stream, pid, tid, start
        self.drawn = self._drawn()

    def _drawn(self) -> list[float]:
        """µs of each event, one after another by at least 1 ns, since slices of one track must not overlap."""
        found: list[float] = []
        for t in self.stream.times:
            at = round(self.start + t * 1000.0, 3)
            found.append(max(at, round(found[-1] + 0.001, 3)) if found else at)
        return found

    def _at(self, **more: Any) -> Event:
        return {"pid": self.pid, "tid": self.tid, **more}

    def events(self) -> list[Event]:
        capture, head, end = self.stream.capture, self.stream.capture.head, self.stream.capture.end
        label = " ".join(filter(None, [capture.tap, capture.exchange, _repeat(capture)]))
        last = max([0.0, *capture.times, *([head.t] if head else []), *([end.t] if end else [])])
        # The last event's slice is 1 ns long and has to lie within the exchange's.
        stop = max([self.start + last * 1000.0, *(at + 0.002 for at in self.drawn[-1:])])
        name = capture.request.url if capture.request and capture.request.url else capture.hop
        figures = {"end": end.kind if end else "", "detail": end.detail if end else "", "reads": len(capture.times)}
        found = [
            self._at(ph="M", name="thread_name", args={"name": label}),
            self._slice("exchange", name, self.start, stop, {**figures, "status": head.status if head else None}),
        ]
        first = min([stop, *self.drawn[:1]])
        came = round(self.start + head.t * 1000.0, 3) if head is not None else 0.0
        if self.start < came <= first:
            found.append(self._slice("head", "waits for the head", self.start, came, {}))
        return found + self._events()

    def _events(self) -> list[Event]:
        stream, grown = self.stream, 0
        chars: dict[int, int] = {}
        for event, _, text in stream.deltas():
            chars[event] = chars.get(event, 0) + len(text)
        found = []
        for event, at in enumerate(self.drawn):
            args = {"event": event, "t_ms": stream.times[event], "read": stream.reads[event]}
            args |= {"bytes": stream.ends[event] - stream.starts[event], "chars": chars.get(event, 0)}
            found.append(self._slice("event", Kind(stream.kinds[event]).name.lower(), at, at + 0.001, args))
            if event in chars:
                grown += chars[event]
                # Shown as name and argument: "read 4 characters".
                counter = f"{stream.capture.tap} {self.tid}"
                found.append({"ph": "C", "pid": self.pid, "name": counter, "ts": at, "args": {"characters": grown}})
        return found

    def _slice(self, category: str, name: str, start: float, stop: float, args: Event) -> Event:
        return self._at(
            ph="X", cat=category, name=name, ts=round(start, 3), dur=round(max(stop - start, 0.0), 3), args=args
        )


def _repeat(capture: Capture) -> str:
    return "" if capture.repeat is None else f"#{capture.repeat}"


def _flows(tracks: Sequence[_Track]) -> list[Event]:
    """An arrow from each event to the one that carries it on at the next capture of the same repeat."""
    found: list[Event] = []
    last: dict[int | None, _Track] = {}
    for track in tracks:
        inner = last.get(track.stream.capture.repeat)
        last[track.stream.capture.repeat] = track
        if inner is None:
            continue
        for event, outer in arrows(inner.stream, track.stream):
            link = {"cat": "flow", "name": "carried on", "id": len(found) // 2 + 1}
            found.append(inner._at(ph="s", ts=inner.drawn[event], **link))
            found.append(track._at(ph="f", bp="e", ts=track.drawn[outer], **link))
    return found
