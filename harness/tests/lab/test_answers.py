"""What the source says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from harness.lab.answers import answer
from harness.lab.ask import Ask, read_ask
from harness.lab.scenarios import built_in
from harness.lab.texts import TEXTS

STEADY = built_in()["lab-steady"]


def asked(prompt: str = "go", **more: Any) -> Ask:
    return read_ask("chat", {"model": "m", "messages": [{"role": "user", "content": prompt}], **more}, {})


def test_the_words_number_themselves() -> None:
    (choice,) = answer(asked(), STEADY)
    assert choice.text.split() == [f"t{i}" for i in range(1, choice.size + 1)]
    assert choice.finish == "stop"


def test_answers_last_three_to_ten_seconds_and_depend_on_the_prompt() -> None:
    sizes = {answer(asked(f"prompt {i}"), STEADY)[0].size for i in range(50)}
    assert len(sizes) > 5
    assert min(sizes) >= 60 and max(sizes) <= 200


@pytest.mark.parametrize("text", TEXTS)
def test_the_same_seed_and_prompt_give_the_same_text(text: str) -> None:
    scenario = replace(STEADY, text=text, events=40)
    first, again = answer(asked("hi there"), scenario), answer(asked("hi there"), scenario)
    assert first == again and first[0].size == 40 and first[0].text


def test_max_tokens_cuts_and_says_length() -> None:
    (choice,) = answer(asked(max_tokens=4), STEADY)
    assert (choice.text, choice.finish) == ("t1 t2 t3 t4", "length")
    (choice,) = answer(asked(max_tokens=4), replace(STEADY, thinks=3))
    assert (len(choice.reasoning), choice.text) == (3, "t1")


def test_a_stop_string_ends_before_itself() -> None:
    (choice,) = answer(asked(stop=["5", "t9"]), STEADY)
    assert (choice.text, choice.finish) == ("t1 t2 t3 t4 t", "stop")


def test_n_gives_as_many_choices() -> None:
    assert [c.index for c in answer(asked(n=3), STEADY)] == [0, 1, 2]


def test_tools_give_a_canned_call() -> None:
    tools = [{"type": "function", "function": {"name": "get_weather"}}]
    (choice,) = answer(asked(tools=tools), STEADY)
    assert (choice.tool, choice.finish) == ("get_weather", "tool_calls")
    assert choice.text == '{"city": "Berlin", "unit": "celsius"}'
    assert answer(asked(tools=tools, tool_choice="none"), STEADY)[0].tool == ""
