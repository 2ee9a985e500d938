"""Order and completeness without a reference: counts in the text, ids, sequence numbers."""

from __future__ import annotations

import pytest

from harness.capture.model import Capture
from harness.diagnose.counts import promised
from harness.diagnose.numerals import numbers
from harness.diagnose.view import View
from harness.tests.diagnose.build import answer, capture, codes, errors, numbered, spaced, told
from harness.wire.decode import decode

ONES = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
TEENS = ["ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
HAN = [*"一二三四五六七八九十", *(f"十{sign}" for sign in "一二三四五六七八九"), "二十", "二十一", "二十二"]
ENGLISH = [*ONES, *TEENS, "twenty", *(f"twenty-{one}" for one in ONES), "thirty"]
COUNTS = {
    "digits": [f"{i} " for i in range(1, 31)],
    "digits in lines": [f"{i}\n" for i in range(1, 31)],
    "digits with Chinese commas": [f"{i}、" for i in range(1, 31)],
    "ordinals in Chinese": [f"第{i}个，" for i in range(1, 31)],
    "English words": [f"{word}, " for word in ENGLISH],
    "English words, spaced": [f"{word} " for word in ENGLISH],
    "Chinese": [f"{word}、" for word in HAN],
    "Chinese without commas": HAN,
    "down": [f"{i} " for i in range(30, 0, -1)],
}
ASKS = {
    "Count from 1 to 30.": (1, 30),
    "Please count slowly from one to thirty, one a line": (1, 30),
    "count down from 30 to 1": (30, 1),
    "请从1数到30": (1, 30),
    "从一数到三十": (1, 30),
    "List the numbers 5 through 60": (5, 60),
    "Tell me of the sea": None,
}


def prose(words: list[str], prompt: str = "go on") -> Capture:
    asked = {"model": "m", "stream": True, "messages": [{"role": "user", "content": prompt}]}
    return capture(spaced(answer(words)), request=asked)


@pytest.mark.parametrize("name", COUNTS)
def test_a_whole_count_is_healthy_asked_or_not(name: str) -> None:
    for prompt in ("go on", "Count from 1 to 20"):
        assert errors(told(prose(COUNTS[name], prompt))) == set()


@pytest.mark.parametrize("name", COUNTS)
def test_a_count_that_was_asked_for_proves_a_loss(name: str) -> None:
    words = COUNTS[name]
    lost = told(prose([*words[:12], *words[13:]], "Count from 1 to 20" if name != "down" else "count from 30 to 1"))
    assert errors(lost) == {"loss"}
    assert lost.verdict.confidence == "likely"
    assert "miscounts" in (lost.verdict.needs or "")


@pytest.mark.parametrize("name", COUNTS)
def test_a_swap_and_a_double_show_in_every_spelling(name: str) -> None:
    words = COUNTS[name]
    swapped = told(prose([*words[:12], words[13], words[12], *words[14:]]))
    doubled = told(prose([*words[:12], words[11], *words[12:]]))
    if name != "Chinese without commas":  # 十三十二 may be cut in more than one way
        assert (errors(swapped), errors(doubled)) == ({"reorder"}, {"duplicate"})
    assert swapped.verdict.healthy is doubled.verdict.healthy is False


def test_a_lone_skip_that_nobody_asked_for_is_a_warning() -> None:
    words = COUNTS["digits"]
    one = told(prose([*words[:12], *words[13:]]))
    assert errors(one) == set() and "loss.counted" in codes(one, "warning")
    two = told(prose([*words[:12], *words[13:20], *words[21:]]))
    assert errors(two) == {"loss"} and two.verdict.confidence == "likely"


def test_numbered_pieces_of_a_test_source_are_certain() -> None:
    words = numbered(30)
    found = told(prose([*words[:12], *words[13:]]))
    assert errors(found) == {"loss"} and found.verdict.confidence == "certain"


def test_a_count_that_ends_early_and_unfinished_is_an_error() -> None:
    words, asked = COUNTS["digits"][:17], "Count from 1 to 30"
    events = answer(words, finish=None)
    request = {"model": "m", "stream": True, "messages": [{"role": "user", "content": asked}]}
    short = told(capture(spaced(events), request=request))
    assert "loss.unfinished-count" in codes(short, "error")
    assert "loss.unfinished-count" in codes(told(prose(words, asked)), "warning")
    assert "loss.unfinished-count" not in codes(told(prose(COUNTS["digits"], asked)))


def test_a_count_that_an_error_ended_calls_itself_nothing() -> None:
    words, asked = COUNTS["digits"][:17], "Count from 1 to 30"
    *begun, end = answer(words, finish=None)
    request = {"model": "m", "stream": True, "messages": [{"role": "user", "content": asked}]}
    events = [*begun, b'data: {"error": {"message": "The server had an error", "code": 500}}\n\n', end]
    failed = told(capture(spaced(events), request=request))
    assert errors(failed) == {"error"} and failed.verdict.symptom == "error"


@pytest.mark.parametrize("prompt", ASKS)
def test_prompts_that_ask_to_count_are_read(prompt: str) -> None:
    assert promised(View(decode(prose(["a "], prompt)))) == ASKS[prompt]


@pytest.mark.parametrize(
    "text",
    [
        "In one way or two the river went on and on to the sea, and three boats came",
        "一个人在河边走，看见两只船和三个孩子在水里玩",
        "two four six eight ten twelve",
        "二、四、六、八、十、十二",
    ],
)
def test_prose_with_numbers_is_no_count(text: str) -> None:
    words = [f"{word} " for word in text.split(" ")]
    assert told(prose(words)).verdict.healthy is True


def test_numbers_are_read_as_they_are_said() -> None:
    said = "ninety-nine, one hundred, one hundred and one, one hundred two, two hundred twenty-three"
    assert [n.value for n in numbers(said, 0.8, 5)] == [99, 100, 101, 102, 223]
    assert [n.value for n in numbers("九十九、一百、一百零一、一百零二、一百一十", 0.8, 5)] == [99, 100, 101, 102, 110]


def marked(pattern: str, order: list[int]) -> Capture:
    text = "sand and stones come down with the water of the river in spring"
    events = answer([f"{word} " for word in text.split(" ")])
    return capture(spaced([pattern.format(i=i + 1).encode() + events[i] for i in order]))


WHOLE = list(range(16))


@pytest.mark.parametrize("pattern", ["id: {i}\n", "id: chat-7f3a-{i}\n", "id:{i}\n", "event: message\nid: {i}\n"])
def test_ids_of_events_prove_order_and_completeness(pattern: str) -> None:
    assert errors(told(marked(pattern, WHOLE))) == set()
    lost = told(marked(pattern, [*WHOLE[:6], *WHOLE[7:]]))
    assert errors(lost) == {"loss"} and lost.verdict.confidence == "likely"
    assert errors(told(marked(pattern, [*WHOLE[:6], 7, 6, *WHOLE[8:]]))) == {"reorder"}
    assert errors(told(marked(pattern, [*WHOLE[:6], 5, *WHOLE[6:]]))) == {"duplicate"}


@pytest.mark.parametrize("pattern", ["id: 1700000000{i:03d}7-0\n", "id: 7\n", "id: a{i}b\n"])
def test_ids_that_count_nothing_prove_nothing(pattern: str) -> None:
    assert errors(told(marked(pattern, [*WHOLE[:6], *WHOLE[7:]]))) == set()
