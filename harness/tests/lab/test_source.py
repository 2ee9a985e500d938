"""From request to plan, whatever the request."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import InputError
from harness.lab.ask import read_ask
from harness.lab.plan import Plan
from harness.lab.registry import faults
from harness.lab.source import make

KNOBS = ("events", "rate", "ttft", "jitter", "text", "thinks", "engine", "seed", "model", "prompt_tokens", "load")
NAMES = ("at", "every", "for", "by", "bytes", "code", "after", "field", "done", "message")
VALUES = st.sampled_from(
    [
        "0",
        "1",
        "7",
        "-3",
        "50%",
        "999%",
        "inf",
        "nan",
        "1e9",
        "3s",
        "0ms",
        "x",
        "",
        "counting",
        "small",
        "lab-stall",
        "20",
    ]
)
WORDS = st.one_of(
    st.sampled_from(list(faults())),
    st.builds(lambda k, v: f"{k}={v}", st.sampled_from([*KNOBS, *NAMES]), VALUES),
)


@given(
    st.lists(WORDS, max_size=6),
    st.sampled_from(["chat", "completions", "fastgpt1", "fastgpt2", "ollama"]),
    st.booleans(),
)
@settings(max_examples=300, deadline=None)
def test_any_marker_gives_a_plan_or_one_sentence(words: list[str], dialect: str, stream: bool) -> None:
    prompt = f"[[lab events=12 {' '.join(words)}]]"
    body = {
        "model": "lab-steady", "stream": stream, "detail": True, "prompt": prompt,
        "messages": [{"role": "user", "content": prompt}],
    }  # fmt: skip
    try:
        made = make(read_ask(dialect, body, {})).plan
    except InputError as error:
        assert error.what and error.do
        return
    assert isinstance(made, Plan) and isinstance(made.body(), bytes)
    at = [e.at for e in made.emissions]
    assert at == sorted(at) and all(t >= 0 for t in at)


def test_the_same_request_gives_the_same_plan_and_another_seed_another() -> None:
    body = {"model": "lab-emoji", "stream": True, "messages": [{"role": "user", "content": "hi"}]}
    first, again = (make(read_ask("chat", body, {"x-exchange-id": "k"})).plan for _ in range(2))
    other = make(read_ask("chat", {**body, "seed": 1}, {"x-exchange-id": "k"})).plan
    assert first == again and first.body() != other.body()


def test_an_unknown_model_is_named_with_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"'gpt-5' does not exist.*lab-steady"):
        make(read_ask("chat", {"model": "gpt-5", "messages": [{"role": "user", "content": "hi"}]}, {}))
