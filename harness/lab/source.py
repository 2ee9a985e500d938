"""From a request to the plan of its answer: scenario, tokens, pace, dialect, then the faults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
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


@dataclass(frozen=True, slots=True)
class Made:
    """A plan with what an engine must know: tokens to make, prompt tokens, and why the answer ends."""

    plan: Plan
    scenario: Scenario
    tokens: int
    prompt: int
    reason: str


def make(ask: Ask, scenarios: Mapping[str, Scenario] | None = None) -> Made:
    """The whole response to a request, faults included. Unknown models raise ModelNotFound.

    Where the scenario has an engine, times are zero but for what faults add: the engine says when.
    """
    scenario = find(ask, scenarios)
    if scenario.plan is not None:
        made = Made(scenario.plan, scenario, 1, ask.prompt_tokens, "stop")
    else:
        made = healthy(ask, scenario, paced=not scenario.engine)
    return replace(made, plan=apply(made.plan, scenario.faults, seed=f"{ask.seed}:{ask.prompt}"))


def find(ask: Ask, scenarios: Mapping[str, Scenario] | None = None) -> Scenario:
    known = built_in() if scenarios is None else scenarios
    wanted = ask.marked.knobs.get("model")
    if wanted is None and ask.model not in known and ask.marked.present:
        wanted = "lab-steady"  # behind a gateway that knows only its own models: the marker says that the lab is meant
    if wanted is not None:
        ask = replace(ask, model=wanted)
    if ask.model not in known:
        raise ModelNotFound(f"the model {ask.model!r} does not exist", "lab", f"Models: {', '.join(known)}.")
    return known[ask.model].marked(ask.marked)


def healthy(ask: Ask, scenario: Scenario, pace_seed: str = "", paced: bool = True) -> Made:
    """The response before any fault; ``pace_seed`` for other jitter over the same text."""
    choices = answer(ask, scenario)
    longest = max(c.size for c in choices)
    seed = pace_seed or f"{ask.seed}:{ask.prompt}"
    times = metronome(scenario, longest, seed) if paced else [0.0] * (longest + 2)
    dialect = DIALECTS[ask.dialect]
    if ask.stream:
        rows = dialect.stream(ask, scenario, choices, times)
        head_at = 0.0 if dialect is fastgpt else rows[0].at
        plan = Plan(tuple(rows), 200, dialect.HEADERS, Framing(dialect.FORMAT), head_at=head_at, end_at=rows[-1].at)
    else:
        at = times[-1]
        whole = Emission(at, "text", dialect.whole(ask, scenario, choices), token=longest)
        plan = Plan((whole,), 200, JSON_HEADERS, Framing("json"), "length", head_at=at, end_at=at)
    prompt = scenario.prompt_tokens or ask.prompt_tokens
    return Made(plan, scenario, longest, prompt, choices[0].finish)
