"""A ladder's table: figures over repeats, whose text differs, which headers do."""

from __future__ import annotations

import json

from harness.capture.model import Capture, End, Head, stamped
from harness.language import speaking
from harness.report.hops import hop_rows, hop_table


def seen(hop: str, text: str, *, first: float = 100.0, repeat: int = 0, headers=(), whole: bool = True) -> Capture:
    words = [{"choices": [{"index": 0, "delta": {"content": word + " "}}]} for word in text.split()]
    reads = [(first + 10 * n, b"data: " + json.dumps(word).encode() + b"\n\n") for n, word in enumerate(words)]
    if whole:
        reads.append((first + 10 * len(words), b"data: [DONE]\n\n"))
    body, times, ends = stamped(reads)
    head = Head(50.0, 200, "1.1", (("content-type", "text/event-stream"), *headers))
    end = End(first + 10 * len(words) + 1, "complete" if whole else "truncated")
    return Capture(hop, repeat=repeat, head=head, body=body, times=times, ends=ends, end=end)


def test_figures_are_medians_over_repeats_and_gaps_are_pooled():
    captures = [seen("engine", "a b c", first=first, repeat=n) for n, first in enumerate((90.0, 100.0, 400.0))]
    (row,) = hop_rows(captures)
    assert (row["ttft_ms"], row["repeats"], row["coalescing"]) == (100.0, 3, 1.0)
    assert row["itl_ms"]["max"] == 10.0 and row["outcomes"] == {"done": 3} and row["text_equal"] is None


def test_another_text_and_other_headers_show():
    captures = [seen("engine", "a b c"), seen("gateway", "a c b", headers=(("via", "1.1 gw"),))]
    assert [row["text_equal"] for row in hop_rows(captures)] == [None, False]
    text = hop_table(captures)
    assert "differs" in text and "head via: engine: (missing), gateway: 1.1 gw" in text


def test_ends_that_differ_are_counted_and_an_unreached_hop_has_no_figures():
    refused = Capture("proxy", end=End(1.0, "reset", "refused"))
    captures = [seen("engine", "a b c"), seen("engine", "a b c", repeat=1, whole=False), refused]
    text = hop_table(captures)
    assert "1×done 1×truncated" in text
    assert hop_rows(captures)[1]["ttft_ms"] is None and "proxy" in text


def test_how_evenly_a_hop_hands_on_is_told_against_the_hop_before():
    reads = [(100.0 + 50 * n, b'data: {"choices":[{"index":0,"delta":{"content":"x"}}]}\n\n') for n in range(21)]
    even = Capture("engine", **dict(zip(("body", "times", "ends"), stamped(reads), strict=True)))
    # The same events two hundred at a time late, in pairs: each second gap has gone, each other is twice as long.
    pairs = [(300.0 + 100 * (n // 2), data) for n, (_, data) in enumerate(reads)]
    lumpy = Capture("gateway", **dict(zip(("body", "times", "ends"), stamped(pairs), strict=True)))
    first, second = hop_rows([even, lumpy])
    assert first["fluidity"] == second["fluidity"] == 1.0
    assert (first["jitter_ms"], first["merged_share"]) == (None, None)
    assert 30 < second["jitter_ms"] < 50, "each gap differs from the one before it by 50 ms, smoothed by sixteenths"
    assert (second["merged_share"], second["delay_variation_ms"]) == (0.5, 50.0)
    slow = Capture(
        "proxy", **dict(zip(("body", "times", "ends"), stamped([(900.0 * t, d) for t, d in reads]), strict=True))
    )
    assert hop_rows([slow])[0]["fluidity"] == 0.0


def test_a_ladder_of_usual_names_and_figures_fits_a_terminal():
    captures = [seen("engine", "a b c"), seen("gateway", "a b c", first=13_270.0), seen("proxy", "a c b", whole=False)]
    assert max(map(len, hop_table(captures).splitlines())) <= 80


def test_the_headings_change_their_language_too():
    with speaking("zh"):
        heading = hop_table([seen("engine", "a b c"), seen("gateway", "a b c")]).splitlines()[0]
    assert heading.split()[0] == "跳" and "每次读取" in heading and "文本" in heading and "text" not in heading
