"""The fix names the product: by its headers, by the size of its flushes, or by their rhythm."""

from __future__ import annotations

import pytest

from harness.diagnose.knowledge.products import PRODUCTS, product_of
from harness.diagnose.view import View
from harness.tests.diagnose.build import SSE, answer, capture, numbered, spaced, told
from harness.wire.decode import decode

EVENTS = answer(numbered(120))
INNER = capture(spaced(EVENTS, gap=25.0))


def flushed(step: float) -> list[tuple[float, bytes]]:
    """The events, let go every ``step`` ms."""
    return [((t // step + 1) * step, event) for t, event in spaced(EVENTS, gap=25.0)]


def fix_of(outer: list[tuple[float, bytes]], *headers: tuple[str, str]) -> str:
    found = told(INNER, capture(outer, hop="proxy", headers=(*SSE, *headers)))
    return next(f.fix or "" for f in found.findings if f.symptom == "burst" and f.severity == "error")


@pytest.mark.parametrize(
    ("header", "setting"),
    [
        (("server", "nginx/1.22.1"), "proxy_buffering off"),
        (("server", "lighttpd/1.4.69"), "stream-response-body"),
        (("via", "1.1 Caddy"), "response_buffers"),
        (("x-powered-by", "Express"), "res.flush()"),
        (("x-envoy-upstream-service-time", "2"), "timeout: 0s"),
    ],
)
def test_headers_name_the_product_and_its_setting(header: tuple[str, str], setting: str) -> None:
    assert setting in fix_of(flushed(700.0), header)


def test_a_rhythm_of_200_ms_names_haproxy() -> None:
    assert "http-no-delay" in fix_of(flushed(205.0))


def test_reads_of_4096_bytes_name_nginx() -> None:
    body = b"".join(EVENTS)
    times = {offset: 100.0 + 25.0 * (body[: offset + 4096].count(b"\n\n")) for offset in range(0, len(body), 4096)}
    assert "proxy_buffering" in fix_of([(t, body[offset : offset + 4096]) for offset, t in times.items()])


def test_a_header_that_was_only_passed_on_names_nobody() -> None:
    header = ("x-powered-by", "Express")
    inner = capture(spaced(EVENTS, gap=25.0), headers=(*SSE, header))
    found = told(inner, capture(flushed(700.0), hop="gateway", headers=(*SSE, header)))
    assert "Express" not in next(f.fix or "" for f in found.findings if f.symptom == "burst")


def test_each_product_is_known_by_one_mark() -> None:
    assert len({product.name for product in PRODUCTS}) == len(PRODUCTS)
    assert product_of(View(decode(capture([])))) is None
