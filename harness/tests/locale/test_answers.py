"""An answer in Chinese: the same codes and figures, and no English sentence is left in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from harness.capture.model import Capture
from harness.diagnose.answer import Answer
from harness.diagnose.run import diagnose
from harness.language import catalogue, speaking
from harness.phrase import phrase
from harness.report.columns import columns
from harness.report.text import fact_name, render
from harness.tests.diagnose.cases import every
from harness.tests.diagnose.test_unseen import CASES
from harness.tests.locale import collect

ALL: dict[str, tuple[Capture, ...]] = {case.id: tuple(case.captures) for case in every()}
ALL |= {name: tuple(case.captures) for name, case in CASES.items()}
QUOTED = re.compile("“.*?”", re.S)
ENGLISH = re.compile(r"\b[a-z]{2,}(?:[ ,]+[a-z]{2,}){2,}")  # three words in a row
SETTINGS = ("timeout server", "timeout client", "timeout tunnel", "option http-no-delay")
SAME_IN_BOTH = {"choice", "ids", "url", "id"}
SENTENCES = ("summary", "cause", "fix")


@cache
def answered(name: str) -> Answer:
    return diagnose(ALL[name])


def data(value: Any) -> Iterator[str]:
    """What was recorded, not said by us: texts among the figures."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from data(item)


def sentences(answer: Answer) -> Iterator[tuple[str, list[str]]]:
    """Each text, with the data that may stand in it."""
    found = [text for finding in answer.findings for text in data(tuple(finding.evidence.values()))]
    ends = ["our limit"]
    for finding in answer.findings:
        yield from ((text, found) for text in (finding.summary, finding.cause, finding.fix) if text)
    yield from ((text, found + ends) for text in (answer.verdict.summary, answer.verdict.needs) if text)


def english(text: str, known: list[str]) -> str:
    """The first English words in a row that are neither a setting nor data; "" where there are none."""
    rest = QUOTED.sub("", text)
    for part in sorted([*known, *SETTINGS], key=len, reverse=True):
        rest = rest.replace(part, "") if len(part) > 3 else rest
    hit = ENGLISH.search(rest)
    return hit[0] if hit else ""


def bare(answer: Answer) -> dict[str, Any]:
    """The answer without its sentences."""
    row = answer.as_json()
    findings = [{key: value for key, value in f.items() if key not in SENTENCES} for f in row["findings"]]
    verdict = {key: value for key, value in row["verdict"].items() if key != "summary"}
    return row | {"findings": findings, "verdict": verdict | {"needs": verdict["needs"] is not None}}


@pytest.mark.parametrize("name", ALL)
def test_codes_and_figures_stay_and_no_english_sentence_does(name: str) -> None:
    answer = answered(name)
    chinese = answer.told(catalogue("zh"))
    assert bare(chinese) == bare(answer)
    for text, known in sentences(chinese):
        assert re.search("[\u3000-\u9fff\uff00-\uffef]", text), (
            f"not translated: {text}"
        )  # a fix may be a setting alone
        assert not (left := english(text, known)), f"{left!r} in {text}"


def test_every_figure_has_a_name_in_words() -> None:
    shown = {key for name in ALL for finding in answered(name).findings for key in finding.evidence}
    with speaking("zh"):
        bare_names = sorted(key for key in shown if fact_name(key) == key and key not in SAME_IN_BOTH)
    assert not bare_names, f"name them in EXTRA of {collect.__file__}, and translate them"


def test_english_is_what_it_was() -> None:
    answer = answered(next(iter(ALL)))
    told = answer.told(catalogue("en"))
    assert told.as_json() == answer.as_json()


@pytest.mark.parametrize("name", list(ALL)[::12])
def test_the_text_is_aligned_and_fits_eighty_columns(name: str) -> None:
    with speaking("zh"):
        lines = render(answered(name)).splitlines()
    words = max(
        (columns(word) for line in lines for word in re.split(r"[\s\u3000-\u9fff\uff00-\uffef]", line)), default=0
    )
    assert all(columns(line) <= max(80, words + 14) for line in lines)
    assert not any(english(line, list(ALL)) for line in lines if line.startswith(("故障", "正常", "无法判断")))
    starts = [line for line in lines if line.lstrip().startswith(("。", "，", "；", "：", "、", "）"))]
    assert not starts, "a line begins with a sign that belongs to the one before"


def test_long_times_turn_into_seconds_and_lists_take_their_own_sign() -> None:
    translate = catalogue("zh")
    assert phrase("to {target}", target=[1, 2, 3, 4, 5, 6, 7]).told(translate) == "到 1、2、3、4、5、6、…"
    said = phrase("{after_ms} ms, {missing}", after_ms=3010).told(lambda text: "{after_ms} 毫秒，{missing}")
    assert said.startswith("3.01 秒")
