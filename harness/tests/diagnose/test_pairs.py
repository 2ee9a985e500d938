"""Two hops held side by side: what the outer one did to a good inner stream, in several dialects and places."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from harness.capture.model import Capture, Clock
from harness.tests.diagnose.build import DONE, NDJSON, answer, capture, chunk, codes, errors, ollama, spaced, told
from harness.tests.diagnose.transforms import faithful

TEXT = "a river carries sand and stones from the hills down into the plain where towns stand"
WORDS = [f"{word} " for word in TEXT.split(" ")]
HAN = list("河流从山上把沙子和石头带到平原城市就在那里")


def sse(words: list[str], **more: object) -> list[bytes]:
    return answer(words, **more)  # type: ignore[arg-type]


def ndjson(words: list[str]) -> list[bytes]:
    return [*(ollama(word) for word in words), ollama(done=True, done_reason="stop", eval_count=len(words))]


def fastgpt(words: list[str]) -> list[bytes]:
    def event(delta: dict[str, str], finish: str | None = None) -> bytes:
        body = {
            "id": "",
            "object": "",
            "created": 0,
            "model": "",
            "choices": [{"delta": delta, "index": 0, "finish_reason": finish}],
        }
        return b"event: answer\ndata: " + json.dumps(body, ensure_ascii=False).encode() + b"\n\n"

    return [
        *(event({"role": "assistant", "content": word}) for word in words),
        event({}, "stop"),
        b"event: answer\n" + DONE,
    ]


DIALECTS: dict[str, Callable[[list[str]], list[bytes]]] = {"openai": sse, "ollama": ndjson, "fastgpt": fastgpt}


def hop(events: list[bytes], name: str, start: float = 100.0, gap: float = 40.0) -> Capture:
    headers = NDJSON if events and events[0].startswith(b"{") else None
    return capture(spaced(events, start, gap), hop=name, **({"headers": headers} if headers else {}))  # type: ignore[arg-type]


@pytest.mark.parametrize("inner_wire", DIALECTS)
@pytest.mark.parametrize("outer_wire", DIALECTS)
@pytest.mark.parametrize("words", [WORDS, HAN], ids=["english", "chinese"])
@pytest.mark.parametrize("at", [1, 5, 9, 13])
def test_damage_is_classed_and_placed(inner_wire: str, outer_wire: str, words: list[str], at: int) -> None:
    inner = hop(DIALECTS[inner_wire](words), "engine")

    def outer(changed: list[str]) -> set[str]:
        found = told(inner, hop(DIALECTS[outer_wire](changed), "gateway", 103))
        assert found.verdict.first_bad_hop in ("gateway", None)
        return errors(found)

    assert outer(words) == set()
    assert outer(words[:at] + words[at + 1 :]) == {"loss"}
    assert outer([*words[: at + 1], *words[at:]]) == {"duplicate"}
    assert outer([*words[:at], words[at + 1], words[at], *words[at + 2 :]]) == {"reorder"}
    assert outer(words[: at + 2]) == {"truncation"}
    assert outer([*words[:at], "XYZZY ", *words[at:]]) == {"rewrite"}


def test_blanks_that_are_dropped_glue_words() -> None:
    found = told(
        hop(sse(WORDS), "engine"), hop(sse([w.strip() if i in (4, 9) else w for i, w in enumerate(WORDS)]), "gateway")
    )
    assert errors(found) == {"loss"}


def test_a_trimmed_end_is_a_warning() -> None:
    found = told(hop(sse(WORDS), "engine"), hop(sse([*WORDS[:-1], WORDS[-1].strip()]), "gateway"))
    assert errors(found) == set()
    assert "rewrite.whitespace" in codes(found, "warning")


def test_utf8_read_as_latin1_is_encoding() -> None:
    broken = [w.encode().decode("cp1252", "replace") for w in ("Grüße ", "aus ", "Köln ", "und ", "Düren ")]
    found = told(hop(sse(["Grüße ", "aus ", "Köln ", "und ", "Düren "]), "engine"), hop(sse(broken), "app"))
    assert (errors(found), found.verdict.first_bad_hop) == ({"encoding"}, "app")


def test_thinking_that_a_gateway_drops_is_a_loss() -> None:
    thinking = [chunk("", role="assistant"), *[chunk(reasoning_content=w) for w in WORDS], *sse(HAN)]
    found = told(hop(thinking, "engine"), hop(sse(HAN), "gateway", 800))
    assert (found.verdict.symptom, found.verdict.first_bad_hop) == ("loss", "gateway")


def test_thinking_told_inside_the_answer_is_a_warning() -> None:
    thinking = [chunk("", role="assistant"), *[chunk(reasoning_content=w) for w in WORDS], *sse(HAN)]
    mixed = ["<think>", *WORDS, "</think>", *HAN]
    found = told(hop(thinking, "engine"), hop(sse(mixed), "gateway", 103))
    assert found.verdict.healthy is True or found.verdict.first_bad_hop == "gateway"
    assert {"content.think-tags", "rewrite.channel"} & codes(found, "warning", "error")


def test_lost_events_are_pinned_to_the_reads_that_cut_them() -> None:
    events = sse(WORDS)
    whole = b"".join(events)
    reads, start = [], 0
    for i, end in enumerate(range(500, len(whole) + 500, 500)):
        reads.append((100.0 + 100 * i, whole[start:end]))
        start = end
    inner = capture(reads)
    bounds, at, lost = {500 * i for i in range(1, 99)}, 0, []
    for i, event in enumerate(events):
        if 0 < i <= len(WORDS) and any(at < b < at + len(event) for b in bounds):
            lost.append(i - 1)
        at += len(event)
    outer = hop(sse([w for i, w in enumerate(WORDS) if i not in lost]), "gateway", 110)
    finding = next(f for f in told(inner, outer).findings if f.code == "loss.text")
    assert finding.evidence["at_read_boundary"] is True
    assert "reads" in (finding.cause or "")


def test_clocks_that_differ_do_not_matter() -> None:
    inner = replace(
        hop(sse(WORDS), "engine"), clock=Clock("a", offset_ms=0), sent_at="2026-01-01T00:00:00Z", exchange="x"
    )
    outer = replace(
        faithful(inner, "app", 1), clock=Clock("b", offset_ms=70_000, uncertainty_ms=9), sent_at="2026-01-01T09:00:00Z"
    )
    assert told(inner, outer).verdict.healthy is True


@pytest.mark.parametrize("missing", [0, 1])
def test_a_missing_capture_moves_the_blame_no_further_than_it_can_tell(missing: int) -> None:
    engine = hop(sse(WORDS), "engine")
    gateway = hop(sse(WORDS), "gateway", 103)
    app = hop(sse(WORDS[:6] + WORDS[7:]), "app", 106)
    captures = [engine, gateway, app]
    del captures[missing]
    found = told(*captures)
    assert (found.verdict.symptom, found.verdict.first_bad_hop) == ("loss", "app")


def test_the_first_of_two_sick_hops_is_named() -> None:
    engine = hop(sse(WORDS), "engine")
    gateway = hop(sse([*WORDS[:3], WORDS[4], WORDS[3], *WORDS[5:]]), "gateway", 103)
    app = hop(sse([*WORDS[:3], WORDS[4], WORDS[3], *WORDS[5:9], *WORDS[10:]]), "app", 106)
    found = told(engine, gateway, app)
    assert (found.verdict.symptom, found.verdict.first_bad_hop) == ("reorder", "gateway")
    assert {f.hop for f in found.findings if f.severity == "error"} == {"gateway", "app"}


def test_delay_decides_only_when_alone() -> None:
    slow = capture([(t + (4000 if i > 6 else 0), e) for i, (t, e) in enumerate(spaced(sse(WORDS)))])
    cut = capture(
        [(t + (4000 if i > 6 else 0), e) for i, (t, e) in enumerate(spaced(sse(WORDS)[:12], 102))],
        hop="proxy",
        end="truncated",
    )
    found = told(slow, cut)
    assert (found.verdict.symptom, found.verdict.first_bad_hop) == ("truncation", "proxy")
    assert told(slow).verdict.symptom == "stall"


@pytest.mark.parametrize("flush", [4, 8, 15])
@pytest.mark.parametrize("gap", [40.0, 90.0, 400.0])
def test_clumps_are_a_burst_whatever_their_size(flush: int, gap: float) -> None:
    events = sse(WORDS)
    inner = hop(events, "engine", 100, gap)
    times = [t for t, _ in spaced(events, 102, gap)]
    last = len(events) - 1
    clumped = capture([(times[min(last, (i // flush + 1) * flush - 1)], e) for i, e in enumerate(events)], hop="proxy")
    found = told(inner, clumped)
    assert (found.verdict.symptom, found.verdict.first_bad_hop) == ("burst", "proxy")


PROSE_TEXT = (
    "Streams break in many ways. A proxy may hold the text back, a gateway may write it anew and lose a "
    "piece, and a timer may cut a good answer in the middle; the reader sees the same pause each time. "
    "Whoever looks from one place alone can say that it broke, but not where. Two places are better than "
    "one: what is whole here and broken there was broken on the way between them, and that is the hop to "
    "look at first.\n- stamps\n- texts\n- ends"
)
PROSE = PROSE_TEXT.split(" ")


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("kind", ["loss", "duplicate", "reorder", "shuffle", "sample"])
def test_damage_of_another_exchange_is_told_from_another_sample(kind: str, seed: int) -> None:
    """Two exchanges: a chance stretch of prose, damaged at a chance place and chunked anew, or another sample."""
    rng = random.Random(seed)
    size, start = rng.randrange(12, 40), rng.randrange(len(PROSE) - 40)
    inner = [f"{word} " for word in PROSE[start : start + size]]
    outer, at = list(inner), rng.randrange(1, size - 2)
    if kind == "loss":
        del outer[at]
    elif kind == "duplicate":
        outer.insert(at, outer[at])
    elif kind == "reorder":
        outer[at], outer[at + 1] = outer[at + 1], outer[at]
    elif kind == "shuffle":
        for i in range(0, size - 1, 3):
            outer[i], outer[i + 1] = outer[i + 1], outer[i]
    else:
        outer = outer[: at // 2] + [f"{word} " for word in rng.sample(PROSE, size)]
    if outer == inner:
        return
    if rng.random() < 0.5:
        outer = ["".join(outer[i : i + 2]) for i in range(0, len(outer), 2)]
    events = [sse(words, ident=f"chatcmpl-{name * 16}") for words, name in ((inner, "a"), (outer, "b"))]
    pair = [replace(hop(e, name), exchange=name) for e, name in zip(events, ("engine", "gateway"), strict=True)]
    found = told(*pair)
    if kind == "sample":
        assert errors(found) == set(), [f.summary for f in found.findings]
    else:
        assert found.verdict.symptom == ("reorder" if kind == "shuffle" else kind)
        assert (found.verdict.first_bad_hop, found.verdict.confidence) == ("gateway", "likely")


@pytest.mark.parametrize("scale", [1.0, 4.0])
def test_a_hop_that_is_always_one_event_behind_is_told_as_that_alone(scale: float) -> None:
    gaps = [180, 620, 90, 900, 310, 150, 700, 240, 500, 130, 480, 800, 200, 350, 260, 410, 120]
    events, times = sse(WORDS), [300.0 * scale]
    times += [times[0] + scale * sum(gaps[: i + 1]) for i in range(len(events) - 1)]
    inner = capture(zip(times, events, strict=True))
    late = [*(t + 6 for t in times[1:]), times[-1] + 12]
    found = told(inner, capture(zip(late, events, strict=True), hop="network-path"))
    assert found.verdict.healthy is True
    assert "burst.one-behind" in codes(found, "warning")
    steady = told(inner, capture([(t + 206, e) for t, e in zip(times, events, strict=True)], hop="proxy"))
    assert codes(steady, "error", "warning") == set()
