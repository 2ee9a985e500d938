"""Cut times against the table of timers: the kind by what came before the cut, suspects by length and place."""

from __future__ import annotations

import pytest

from harness.capture.model import Capture
from harness.diagnose.answer import Finding
from harness.tests.diagnose.build import answer, capture, numbered, spaced, told

CUTS = ("truncation.cut", "reset.mid-stream", "reset.before-headers")


def flowing(seconds: float, hop: str, end: str = "truncated") -> Capture:
    """Data every 100 ms (or in 600 steps) up to the cut."""
    gap = max(100.0, seconds * 1000 / 600)
    reads = spaced(answer(numbered(1000), finish=None, done=False), gap=gap)
    cut = seconds * 1000
    return capture([row for row in reads if row[0] < cut], hop=hop, end=end, end_ms=cut)


def silent(seconds: float, hop: str, end: str = "truncated") -> Capture:
    """Some two seconds of data, then silence for so long."""
    reads = spaced(answer(numbered(23), finish=None, done=False), gap=90.0)
    return capture(reads, hop=hop, end=end, end_ms=reads[-1][0] + seconds * 1000)


def cut_of(found: Capture) -> Finding:
    return next(finding for finding in told(found).findings if finding.code in CUTS)


TOTAL = [
    (10.0, "app", "serverless function limit", "maximum duration"),
    (15.0, "proxy", "Envoy route timeout", "timeout: 0s"),
    (16.0, "proxy", "Envoy route timeout", "timeout: 0s"),
    (20.0, "proxy", "Azure Application Gateway", "backend setting"),
    (29.0, "proxy", "AWS API Gateway", "integration timeout"),
    (30.0, "app", "gunicorn sync worker", "async workers"),
    (30.0, "proxy", "GCP backend service", "timeoutSec"),
    (60.0, "gateway", "a gateway's own request limit", "request timeout"),
    (240.0, "proxy", "ingress-nginx reload", "worker-shutdown-timeout"),
    (300.0, "app", "aiohttp", "ClientTimeout"),
    (300.0, "proxy", "Cloud Run", "request timeout"),
    (600.0, "app", "openai SDK", "timeout of the client"),
]
IDLE = [
    (5.0, "app", "httpx default", "httpx.Timeout"),
    (10.0, "client", "OkHttp default", "readTimeout"),
    (20.0, "proxy", "Azure Application Gateway", "backend setting"),
    (30.0, "proxy", "CloudFront", "origin response timeout"),
    (30.0, "app", "Next.js rewrite", "proxyTimeout"),
    (50.0, "proxy", "HAProxy", "timeout server"),
    (60.0, "proxy", "nginx", "proxy_read_timeout"),
    (60.0, "proxy", "AWS ALB", "idle_timeout"),
    (100.0, "proxy", "Cloudflare", "proxy read timeout"),
    (120.0, "proxy", "Cloudflare", "proxy read timeout"),
    (300.0, "proxy", "Envoy stream_idle_timeout", "stream_idle_timeout"),
    (301.0, "proxy", "Envoy stream_idle_timeout", "stream_idle_timeout"),
    (300.0, "gateway", "new-api", "STREAMING_TIMEOUT"),
    (600.0, "engine", "llama.cpp", "--timeout"),
]
HEAD = [
    (60.0, "proxy", "nginx", "proxy_read_timeout"),
    (29.0, "proxy", "AWS API Gateway", "integration timeout"),
    (180.0, "gateway", "aiproxy", "stream_request_timeout"),
]


@pytest.mark.parametrize("end", ["truncated", "reset"])
@pytest.mark.parametrize(("seconds", "hop", "product", "setting"), TOTAL)
def test_data_up_to_the_cut_names_a_total_limit(seconds: float, hop: str, product: str, setting: str, end: str) -> None:
    cut = cut_of(flowing(seconds, hop, end))
    assert cut.evidence["timer"] == "total"
    assert abs(cut.evidence["timer_s"] - seconds) <= 1
    assert "data flowed" in (cut.cause or "") and product in (cut.cause or "")
    assert setting in (cut.fix or "")


@pytest.mark.parametrize("end", ["truncated", "reset"])
@pytest.mark.parametrize(("seconds", "hop", "product", "setting"), IDLE)
def test_silence_before_the_cut_names_an_idle_timer(
    seconds: float, hop: str, product: str, setting: str, end: str
) -> None:
    cut = cut_of(silent(seconds, hop, end))
    assert cut.evidence["timer"] == "idle"
    assert abs(cut.evidence["timer_s"] - seconds) <= 1
    assert "silence came" in (cut.cause or "") and product in (cut.cause or "")
    assert setting in (cut.fix or "") and "comment line" in (cut.fix or "")


@pytest.mark.parametrize(("seconds", "hop", "product", "setting"), HEAD)
def test_a_cut_before_the_headers_asks_every_kind_of_timer(
    seconds: float, hop: str, product: str, setting: str
) -> None:
    cut = cut_of(capture([], hop=hop, status=None, end="reset", end_ms=seconds * 1000, detail="reset by peer"))
    assert cut.evidence["timer"] == "head"
    assert product in (cut.cause or "") and setting in (cut.fix or "")


@pytest.mark.parametrize("seconds", [17.3, 41.7, 77.7])
@pytest.mark.parametrize("hop", ["proxy", "app", "gateway"])
def test_an_odd_time_names_no_timer(seconds: float, hop: str) -> None:
    for made in (flowing, silent):
        cut = cut_of(made(seconds, hop))
        assert "timer" not in cut.evidence and "suspects" not in cut.evidence
        assert "round" not in (cut.cause or "") and "Raise" not in (cut.fix or "")


def test_a_total_limit_fires_in_a_silence_too() -> None:
    reads = spaced(answer(numbered(23), finish=None, done=False), gap=90.0)
    cut = cut_of(capture(reads, hop="proxy", end="truncated", end_ms=29_000))
    assert (cut.evidence["timer"], cut.evidence["timer_s"]) == ("total", 29)


def test_an_idle_timer_is_not_reset_by_nothing_but_by_bytes() -> None:
    """Heartbeats are bytes: silence counts from the last of them, not from the last text."""
    reads = spaced(answer(numbered(23), finish=None, done=False), gap=90.0)
    beat = reads[-1][0] + 7000
    cut = cut_of(capture([*reads, (beat, b": ping\n\n")], hop="proxy", end="truncated", end_ms=beat + 60_000))
    assert (cut.evidence["timer"], cut.evidence["timer_s"]) == ("idle", 60)
