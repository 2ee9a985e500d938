"""The registry of faults: name → function from plan to plan, filled by the modules of ``harness.lab.faults``."""

from __future__ import annotations

import importlib
import pkgutil
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from harness.errors import InputError
from harness.lab.markers import Call
from harness.lab.params import Params
from harness.lab.plan import Plan

Change = Callable[[Plan, Params], Plan]


@dataclass(frozen=True, slots=True)
class Fault:
    """A named change of a plan; ``about`` is its docstring: what it imitates. ``symptom``: what should be found.

    ``symptom`` is one of the closed list of symptoms, or "" where the stream stays healthy; ``severity`` error or
    warning. ``outer``: the symptom where it is planted behind a hop that was good, if another. ``whole``: also for
    answers that are not streamed, which stay good otherwise, so that they can serve as a reference.
    """

    name: str
    change: Change
    symptom: str
    about: str
    severity: str = "error"
    outer: str = ""
    whole: bool = False


_faults: dict[str, Fault] = {}


def fault(
    name: str, symptom: str, severity: str = "error", *, outer: str = "", whole: bool = False
) -> Callable[[Change], Change]:
    """Register a fault under ``name``."""

    def register(change: Change) -> Change:
        about = " ".join((change.__doc__ or "").split())
        _faults[name] = Fault(name, change, symptom, about, severity, outer or symptom, whole)
        return change

    return register


@cache
def _load() -> None:
    package = importlib.import_module("harness.lab.faults")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")


def faults() -> dict[str, Fault]:
    """Every fault by name."""
    _load()
    return dict(sorted(_faults.items()))


def apply(plan: Plan, calls: Iterable[Call], seed: Any = 0) -> Plan:
    """The plan after each fault in turn; one seed gives one outcome."""
    known = faults()
    for place, call in enumerate(calls):
        if call.name not in known:
            do = f"Faults: {', '.join(known)}."
            raise InputError(f"there is no fault called {call.name!r}", "lab", do)
        if plan.framing.format == "json" and not known[call.name].whole:
            continue
        plan = known[call.name].change(plan, Params(call.params, random.Random(f"{seed}:{place}:{call.name}")))
    return plan
