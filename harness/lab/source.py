"""From a request to the plan of its answer: scenario, tokens, pace, dialect, then the faults."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType

from harness.errors import InputError
from harness.lab.answers import answer
from harness.lab.ask import Ask
from harness.lab.dialects import completions, fastgpt, ollama, openai_chat
from harness.lab.pace import metronome
from harness.lab.plan import Emission, Framing, Plan
from harness.lab.registry import apply
from harness.lab.scenarios import Scenario, built_in


class ModelNotFound(InputError):
    """No lab model has that name."""


DIALECTS: dict[str, ModuleType] = {
    "chat": openai_chat, "completions": completions, "fastgpt1": fastgpt, "fastgpt2": fastgpt, "ollama": ollama,
}  # fmt: skip
JSON_HEADERS = (("content-type", "application/json"),)


def plan(ask: Ask, scenarios: Mapping[str, Scenario] | None = None) -> Plan:
    """The whole response to a request, faults included. Unknown models raise ModelNotFound."""
    scenario = find(ask, scenarios)
    made = healthy(ask, scenario)
    return apply(made, scenario.faults, seed=f"{ask.seed}:{ask.prompt}")


def find(ask: Ask, scenarios: Mapping[str, Scenario] | None = None) -> Scenario:
    known = built_in() if scenarios is None else scenarios
    if ask.model not in known:
        raise ModelNotFound(f"the model {ask.model!r} does not exist", "lab", f"Models: {', '.join(known)}.")
    return known[ask.model].marked(ask.marked)


def healthy(ask: Ask, scenario: Scenario, pace_seed: str = "") -> Plan:
    """The response before any fault; ``pace_seed`` for other jitter over the same text."""
    choices = answer(ask, scenario)
    longest = max(c.size for c in choices)
    times = metronome(scenario, longest, pace_seed or f"{ask.seed}:{ask.prompt}")
    dialect = DIALECTS[ask.dialect]
    if not ask.stream:
        payload = dialect.whole(ask, scenario, choices)
        made = Emission(times[-1], "text", payload, token=longest)
        at = made.at
        return Plan((made,), 200, JSON_HEADERS, Framing("json"), "length", head_at=at, end_at=at)
    rows = dialect.stream(ask, scenario, choices, times)
    head_at = 0.0 if dialect is fastgpt else rows[0].at
    return Plan(tuple(rows), 200, dialect.HEADERS, Framing(dialect.FORMAT), head_at=head_at, end_at=rows[-1].at)
