"""Requests of every dialect, read into one form."""

from __future__ import annotations

from typing import Any

import pytest

from harness.errors import InputError
from harness.lab.ask import read_ask

USER = [{"role": "user", "content": "hello"}]


def chat(**more: Any) -> dict[str, Any]:
    return {"model": "lab-steady", "messages": USER, **more}


def test_the_last_user_message_is_the_prompt_also_in_parts() -> None:
    parts = [{"type": "text", "text": "see"}, {"type": "image_url"}, {"type": "text", "text": "this"}]
    asked = read_ask(
        "chat",
        chat(messages=[*USER, {"role": "assistant", "content": "[[lab reset]]"}, {"role": "user", "content": parts}]),
        {},
    )
    assert asked.prompt.split() == ["see", "this"]
    assert asked.marked.calls == ()


def test_the_exchange_key_comes_from_header_then_marker_then_user() -> None:
    marked = chat(messages=[{"role": "user", "content": "x [[lab key=from-marker]]"}], user="from-user")
    assert read_ask("chat", marked, {"x-exchange-id": "from-header"}).key == "from-header"
    assert read_ask("chat", marked, {}).key == "from-marker"
    assert read_ask("chat", chat(user="from-user"), {}).key == "from-user"


def test_ollama_streams_unless_told_otherwise_and_has_its_options() -> None:
    asked = read_ask("ollama", chat(model="lab-steady:latest", options={"num_predict": 5, "stop": ["x"]}), {})
    assert (asked.stream, asked.model, asked.max_tokens, asked.stop) == (True, "lab-steady", 5, ("x",))
    assert not read_ask("ollama", chat(stream=False), {}).stream
    assert read_ask("ollama", chat(options={"num_predict": -1}), {}).max_tokens is None


def test_fastgpt_names_the_app_not_the_model() -> None:
    assert read_ask("fastgpt1", {"messages": USER}, {}).model == "lab-steady"
    assert read_ask("fastgpt2", {"messages": USER, "appId": "lab-stall", "model": "x"}, {}).model == "lab-stall"


def test_a_gateways_prefix_before_the_model_is_dropped() -> None:
    assert read_ask("chat", chat(model="openai/lab-stall"), {}).model == "lab-stall"


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ([], "no JSON object"),
        ({"messages": USER}, "names no model"),
        ({"model": "m", "messages": []}, "messages"),
        ({"model": "m", "messages": ["x"]}, "messages"),
        (chat(n="two"), "n is 'two'"),
        (chat(max_tokens=True), "max_tokens is True"),
        ({"model": "m", "messages": [{"role": "user", "content": "[[lab seed=x]]"}]}, "seed=x"),
    ],
)
def test_what_makes_no_sense_is_named(body: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_ask("chat", body, {})


def test_half_a_surrogate_pair_in_the_prompt_is_no_trouble() -> None:
    assert len(read_ask("chat", chat(messages=[{"role": "user", "content": "\ud83d"}]), {}).id) == 24
