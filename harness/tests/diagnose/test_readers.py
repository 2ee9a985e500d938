"""The models of common readers: what each loses, and that the ones of real libraries behave like them."""

from __future__ import annotations

import httpx
import pytest

from harness.diagnose.readers import differences, standard, unicode_lines
from harness.diagnose.run import diagnose
from harness.tests.diagnose.build import DONE, answer, capture, chunk, numbered, spaced

WORDS = numbered(8)
EVENTS = answer(WORDS)
SPLIT = [part for e in answer(["é", "ü"]) for part in (e[: e.find(b"\xc3") + 1], e[e.find(b"\xc3") + 1 :])]


def lost(reads: list[bytes]) -> set[str]:
    return {name.split(" (")[0] for name in differences(reads)}


def test_a_plain_stream_is_read_alike_by_all() -> None:
    assert differences(EVENTS) == {}
    assert standard(EVENTS).text == "".join(WORDS)


@pytest.mark.parametrize(
    ("reads", "reader"),
    [
        ([e.replace(b"\n", b"\r\n") for e in EVENTS], "splits at blank lines"),
        ([b"event: message\n" + e for e in EVENTS], "splits at blank lines"),
        ([*EVENTS[:3], chunk("a\u2028b "), *EVENTS[3:]], "splits lines as Python does"),
        ([part for e in EVENTS for part in (e[:60], e[60:])], "parses read by read"),
        (SPLIT, "decodes read by read"),
        ([e.replace(b"data: ", b"data:") for e in EVENTS], "scans lines up to 64 KiB, wants 'data: '"),
        ([*EVENTS[:3], chunk("x" * 70_000), *EVENTS[3:]], "scans lines up to 64 KiB, wants 'data: '"),
        ([b"id: 1\n" + EVENTS[0], b"id: 2\n\n", *EVENTS[1:]], "is the openai SDK for Python"),
        ([*EVENTS[:3], chunk("other ", index=1), *EVENTS[3:]], "ignores the choice index"),
        ([*EVENTS[:-2], chunk("last", finish="stop"), DONE], "stops at finish_reason"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_each_reader_has_its_weakness(reads: list[bytes], reader: str) -> None:
    assert reader in lost(reads)


@pytest.mark.parametrize("text", ["a\u2028b", "a\x85b", "plain", "a\x0cb"])
def test_the_model_of_unicode_lines_agrees_with_httpx(text: str) -> None:
    reads = [*EVENTS[:3], chunk(text), *EVENTS[3:]]
    lines = httpx.Response(200, content=b"".join(reads)).iter_lines()
    assert b"".join(reads).decode().splitlines() == list(lines)
    assert (unicode_lines(reads).text == standard(reads).text) == (text == "plain" or "\x0c" in text)


def test_readers_are_told_as_a_hazard_only() -> None:
    found = diagnose([capture(spaced([e.replace(b"\n", b"\r\n") for e in EVENTS]))], consumers=True)
    assert found.verdict.healthy is True
    assert {f.severity for f in found.findings} == {"info"}
    assert "content.readers" in {f.code for f in found.findings}
