"""The field's metrics of one decoded stream, under the field's names. All times in ms from the request.

t_req is 0 (a capture's times count from it); a_1 … a_n are the arrivals of the content events (text, reasoning, tool
arguments), each the time of the read that completed it; N is the number of output tokens that ``usage`` claims.
Chunks are not tokens: nothing here counts chunks as tokens.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from itertools import compress

from harness.timeline.percentile import of_sorted, percentile
from harness.wire.stream import CONTENT, Kind, Stream

__all__ = ["Metrics", "Spread", "measure", "percentile"]

_FLAGS = bytes(kind in CONTENT for kind in range(256))  # kind → 1 for content, for bytes.translate


@dataclass(frozen=True, slots=True)
class Spread:
    """Percentiles of samples, by linear interpolation; None without samples."""

    p50: float | None
    p95: float | None
    p99: float | None
    max: float | None

    @classmethod
    def of(cls, samples: array[float]) -> Spread:
        ordered = sorted(samples)
        return cls(*(of_sorted(ordered, q) for q in (50, 95, 99, 100)))

    def as_json(self) -> dict[str, float | None]:
        return {"p50": self.p50, "p95": self.p95, "p99": self.p99, "max": self.max}


@dataclass(frozen=True, slots=True)
class Metrics:
    """What one tap saw, in figures; None where a figure does not exist.

    ``head_ms``: response head - t_req (AIPerf's stream setup latency).
    ``ttfb_ms``: first byte of the body - t_req. A content coding may hold events back longer.
    ``first_event_ms``: first decodable event - t_req, whatever it carries (vLLM's "first streamed output").
    ``ttft_ms``: a_1 - t_req, first non-empty content (inference-perf docs/metrics.md).
    ``ttfo_ms``: first content that is not reasoning - t_req (AIPerf, GuideLLM).
    ``ttst_ms``: a_2 - a_1 (AIPerf).
    ``itl_ms``: samples a_i - a_(i-1), to be pooled over requests, never averaged per request first (vLLM
    docs/benchmarking/cli.md). Where a chunk holds several tokens this is AIPerf's inter-chunk latency.
    ``tpot_ms``: (E2E - TTFT) / (N - 1) (vLLM, SGLang, inference-perf); needs ``usage``.
    ``ntpot_ms``: E2E / N (inference-perf).
    ``e2e_ms``: a_n - t_req, the last *content* (vLLM's end).
    ``last_byte_ms``: last byte - t_req (AIPerf's ``request_end``).
    ``terminator_ms``: first terminator - t_req. ``end_ms``: the connection's end - t_req.
    ``output_tokens``: N. ``coalescing``: events per read that completed any (ours).
    """

    events: int
    content_events: int
    reads: int
    head_ms: float | None
    ttfb_ms: float | None
    first_event_ms: float | None
    ttft_ms: float | None
    ttfo_ms: float | None
    ttst_ms: float | None
    e2e_ms: float | None
    last_byte_ms: float | None
    terminator_ms: float | None
    end_ms: float | None
    tpot_ms: float | None
    ntpot_ms: float | None
    output_tokens: int | None
    coalescing: float | None
    itl: Spread
    itl_ms: array[float] = field(repr=False)


def measure(stream: Stream) -> Metrics:
    """The figures of one stream."""
    capture, times = stream.capture, stream.times
    arrivals = content_times(stream)
    gaps = array("d", map(float.__sub__, arrivals[1:], arrivals))
    tokens = next((u.completion for u in reversed(stream.usages) if u.completion is not None), None)
    ttft = arrivals[0] if arrivals else None
    e2e = arrivals[-1] if arrivals else None
    bearing = len(set(stream.reads))
    first_byte = next((t for t, end in zip(capture.times, capture.ends, strict=False) if end), None)
    return Metrics(
        events=len(stream),
        content_events=len(arrivals),
        reads=len(capture.times),
        head_ms=capture.head.t if capture.head else None,
        ttfb_ms=first_byte,
        first_event_ms=times[0] if times else None,
        ttft_ms=ttft,
        ttfo_ms=_first_output(stream),
        ttst_ms=gaps[0] if gaps else None,
        e2e_ms=e2e,
        last_byte_ms=capture.times[-1] if first_byte is not None else None,
        terminator_ms=times[stream.terminators[0]] if stream.terminators else None,
        end_ms=capture.end.t if capture.end else None,
        tpot_ms=(e2e - ttft) / (tokens - 1) if e2e is not None and ttft is not None and tokens and tokens > 1 else None,
        ntpot_ms=e2e / tokens if e2e is not None and tokens else None,
        output_tokens=tokens,
        coalescing=len(stream) / bearing if bearing else None,
        itl=Spread.of(gaps),
        itl_ms=gaps,
    )


def content_times(stream: Stream) -> array[float]:
    """a_1 … a_n: when each content event was complete, ms."""
    flags = stream.kinds.translate(_FLAGS)
    return array("d", compress(stream.times, flags))


def _first_output(stream: Stream) -> float | None:
    firsts = [at for kind in (Kind.TEXT, Kind.TOOL) if (at := stream.kinds.find(kind)) >= 0]
    return stream.times[min(firsts)] if firsts else None
