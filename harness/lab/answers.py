"""What the source says: the tokens of each choice, why it stops, and how many tokens that were."""

from __future__ import annotations

import random
from dataclasses import dataclass

from harness.lab.ask import Ask
from harness.lab.scenarios import Scenario
from harness.lab.texts import TEXTS, english


@dataclass(frozen=True, slots=True)
class Choice:
    """One choice: reasoning tokens, then content tokens, or a canned tool call's argument tokens."""

    index: int
    reasoning: tuple[str, ...]
    tokens: tuple[str, ...]
    finish: str
    tool: str = ""

    @property
    def text(self) -> str:
        return "".join(self.tokens)

    @property
    def size(self) -> int:
        return len(self.reasoning) + len(self.tokens)


def answer(ask: Ask, scenario: Scenario) -> list[Choice]:
    """The choices of a request: the same for the same seed, prompt and scenario."""
    return [_choice(ask, scenario, index) for index in range(ask.n)]


def _choice(ask: Ask, scenario: Scenario, index: int) -> Choice:
    rng = random.Random(f"{ask.seed}:{index}:{ask.prompt}")
    count = scenario.events or rng.randint(int(scenario.rate * 3), int(scenario.rate * 5))
    thinking = tuple(english(scenario.thinks, rng, ask.prompt))
    if ask.tools and ask.body.get("tool_choice") != "none":
        function = ask.tools[0].get("function") or {}
        pieces = ('{"', "city", '": "', "Ber", "lin", '", "', "unit", '": "', "cel", "sius", '"}')
        return Choice(index, thinking, pieces, "tool_calls", str(function.get("name") or "lookup"))
    tokens = TEXTS[scenario.text](count, rng, ask.prompt)
    tokens, finish = _stopped(tokens, ask.stop)
    if ask.max_tokens is not None and len(thinking) + len(tokens) > ask.max_tokens:
        thinking = thinking[: ask.max_tokens]
        tokens, finish = tokens[: ask.max_tokens - len(thinking)], "length"
    return Choice(index, thinking, tuple(tokens), finish)


def _stopped(tokens: list[str], stops: tuple[str, ...]) -> tuple[list[str], str]:
    """The tokens before the first stop string, which is not part of the answer."""
    text = "".join(tokens)
    places = [text.index(s) for s in stops if s and s in text]
    if not places:
        return tokens, "stop"
    kept: list[str] = []
    left = min(places)
    for token in tokens:
        if left <= 0:
            break
        kept.append(token[:left])
        left -= len(token)
    return kept, "stop"
