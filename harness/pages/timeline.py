"""The timeline of a run's page: lanes of stamps and a table of events, all on the server's clock. Pure."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from harness.capture.model import Capture
from harness.wire.decode import decode
from harness.wire.stream import Stream

LANES = ("write", "arrive", "paint")
MOST = 5000  # events, and rows a lane, that a page gets; ``left_out`` says how many more there are
TEXT = 80  # characters of an event that are shown


def timeline(captures: Sequence[Capture]) -> dict[str, Any]:
    """``lanes``: [{name, hop, rows: [[t, upto]]}], ``events``: [{i, t_write, t_arrive, t_paint, delay, text}].

    t in ms since the relay had the request (of other runs: since each request was sent). ``bound_ms``: how far off
    a figure that crosses to the browser may be; null where nothing ties its clock to ours, and its times are then
    moved so that the least delay is 0.
    """
    taps = {capture.tap: capture for capture in captures}
    if "write" not in taps:
        lanes = [_lane(f"{c.hop} {c.tap}", c.hop, c, c.times) for c in captures]
        return {"lanes": lanes, "bound_ms": 0.0, "events": [], "left_out": 0}
    shifts, bound = _shifts(taps)
    times = {tap: array("d", (t + shifts[tap] for t in taps[tap].times)) for tap in LANES if tap in taps}
    lanes = [_lane(tap, taps[tap].hop, taps[tap], times[tap]) for tap in times]
    stream = decode(taps.get("read", taps["write"]))
    said = _texts(stream)
    events = [_event(stream, taps, times, index) for index in range(min(len(stream), MOST))]
    for event in events:
        raw = stream.raw(event["i"])[: 4 * TEXT].decode("utf-8", "replace").strip()
        event["text"] = said.get(event["i"], raw)[:TEXT]
    return {"lanes": lanes, "bound_ms": bound, "events": events, "left_out": max(0, len(stream) - MOST)}


def _lane(name: str, hop: str, capture: Capture, times: Sequence[float]) -> dict[str, Any]:
    rows = [[round(t, 3), upto] for t, upto in zip(times[:MOST], capture.ends[:MOST], strict=True)]
    return {"name": name, "hop": hop, "rows": rows}


def _shifts(taps: Mapping[str, Capture]) -> tuple[dict[str, float], float | None]:
    """What to add to each tap's times, and the bound of what crosses to the browser."""
    shifts, write = dict.fromkeys(LANES, 0.0), taps["write"]
    arrive = taps.get("arrive")
    if arrive is None:
        return shifts, None
    begun = [_moment(capture) for capture in (write, arrive)]
    if arrive.clock is not None and begun[0] is not None and begun[1] is not None:
        shift = begun[1] - begun[0] + arrive.clock.offset_ms
        return shifts | {"arrive": shift, "paint": shift}, arrive.clock.uncertainty_ms
    delays = [
        t - sent for t, upto in zip(arrive.times, arrive.ends, strict=True) if (sent := _at(write, upto)) is not None
    ]
    shift = -min(delays, default=0.0)
    return shifts | {"arrive": shift, "paint": shift}, None


def _moment(capture: Capture) -> float | None:
    try:
        return datetime.fromisoformat(capture.sent_at).timestamp() * 1e3
    except ValueError:
        return None


def _at(capture: Capture, upto: int, times: Sequence[float] | None = None) -> float | None:
    """When this tap had seen the body up to ``upto``."""
    index = capture.read_of(upto - 1) if upto else 0
    times = capture.times if times is None else times
    return times[index] if index < len(times) else None


def _event(
    stream: Stream, taps: Mapping[str, Capture], times: Mapping[str, array[float]], index: int
) -> dict[str, Any]:
    decoded = stream.ends[index]
    # Server taps count bytes as they came, the browser decoded ones; the two differ only under a content coding.
    raw = decoded if stream.coding == "identity" else stream.capture.ends[stream.reads[index]]
    found: dict[str, Any] = {"i": index}
    for tap in LANES:
        t = _at(taps[tap], raw if tap == "write" else decoded, times[tap]) if tap in taps else None
        found[f"t_{tap}"] = None if t is None else round(t, 3)
    write, arrive = found["t_write"], found["t_arrive"]
    found["delay"] = None if write is None or arrive is None else round(arrive - write, 3)
    return found


def _texts(stream: Stream) -> dict[int, str]:
    """Event index → what its deltas said."""
    said: dict[int, str] = {}
    for event, _, text in stream.deltas():
        said[event] = said.get(event, "") + text
    return said
