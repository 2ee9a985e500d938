"""Scenarios: what each lab model does, read from TOML; a prompt marker may change or add to it."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from harness.errors import InputError
from harness.lab.markers import Call, Marked
from harness.lab.params import milliseconds
from harness.lab.plan import Plan
from harness.lab.texts import TEXTS

BUILT_IN = Path(__file__).with_name("scenarios.toml")


@dataclass(frozen=True, slots=True)
class Scenario:
    """One model of the lab. ``events`` 0: by seed and prompt, 3 to 5 s; ``ttft`` ms to the first content; ``rate``
    content events a second; ``jitter`` the share by which gaps vary; ``thinks`` reasoning events before the answer;
    ``engine`` the engine profile that makes the tokens, ``prompt_tokens`` the prompt's size where not its own,
    ``plan`` a replay instead of all that, ``load`` how many other requests the synthesiser puts beside it.
    """

    name: str
    about: str = ""
    events: int = 0
    rate: float = 20.0
    ttft: float = 150.0
    jitter: float = 0.0
    text: str = "counting"
    thinks: int = 0
    reasoning_field: str = "reasoning"
    engine: str = ""
    prompt_tokens: int = 0
    load: int = 0
    plan: Plan | None = None
    faults: tuple[Call, ...] = ()

    def marked(self, marked: Marked) -> Scenario:
        """This scenario with the knobs and faults of a prompt's markers."""
        own = {k: v for k, v in marked.knobs.items() if k not in ("seed", "key", "model")}
        return replace(_scenario(self.name, own, self), faults=(*self.faults, *marked.calls))


@cache
def built_in() -> dict[str, Scenario]:
    return load(BUILT_IN.read_text("utf-8"), BUILT_IN.name)


def load(text: str, where: str) -> dict[str, Scenario]:
    """Scenarios by name from TOML: one table a model, ``faults`` a list of ``{fault = NAME, …}``."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"is no TOML: {error}", where, "Mend the file.") from None
    return {name: _read(name, table, where) for name, table in tables.items()}


def _read(name: str, table: Any, where: str) -> Scenario:
    if not isinstance(table, Mapping):
        raise InputError(f"{name} is no table", where, f"Write [{name}] and its keys below.")
    rows = dict(table)
    calls = []
    for row in rows.pop("faults", []):
        if not isinstance(row, Mapping) or "fault" not in row:
            raise InputError(f"{name}: a fault has no name", where, 'Write faults = [{fault = "stall", at = 20}].')
        params = dict(row)
        calls.append(Call(str(params.pop("fault")), params))
    return replace(_scenario(name, rows, Scenario(name)), faults=tuple(calls))


def _scenario(name: str, rows: Mapping[str, Any], base: Scenario) -> Scenario:
    changes: dict[str, Any] = {}
    for key, value in rows.items():
        if key in ("events", "thinks", "prompt_tokens", "load"):
            changes[key] = int(_number(name, key, value))
        elif key in ("rate", "jitter"):
            changes[key] = _number(name, key, value)
        elif key == "ttft":
            changes[key] = milliseconds(value, key)
        elif key in ("text", "about", "reasoning_field", "engine"):
            changes[key] = str(value)
        else:
            raise InputError(
                f"{name} has no setting {key!r}", "lab", "Settings: events rate ttft jitter text thinks engine."
            )
    scenario = replace(base, **changes)
    if scenario.text not in TEXTS:
        raise InputError(f"{name}: there is no text {scenario.text!r}", "lab", f"Texts: {', '.join(TEXTS)}.")
    bounds = 0 < scenario.rate <= 10_000 and 0 <= scenario.events <= 20_000 and 0 <= scenario.jitter <= 1
    if not bounds or not 0 <= scenario.thinks <= 20_000 or not 0 <= scenario.prompt_tokens <= 10_000_000:
        do = "At most: rate 10000, events and thinks 20000, jitter 1, prompt_tokens 10000000."
        raise InputError(f"{name}: a setting is out of bounds", "lab", do)
    return scenario


def _number(name: str, key: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{name}: {key}={value} is no number", "lab", f"Write {key}=40, say.")
    return number
