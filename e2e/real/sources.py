"""What stands behind the parts: the lab with its own models, and models that answer as other servers do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from harness.lab.ask import read_ask
from harness.lab.plan import Emission, Plan
from harness.lab.scenarios import Scenario, built_in
from harness.lab.source import make


def steady(events: int = 40) -> Plan:
    """So many events, one every 20 ms, with usage and [DONE]."""
    body = {
        "model": "lab-steady", "stream": True, "stream_options": {"include_usage": True},
        "messages": [{"role": "user", "content": f"count [[lab events={events} rate=50]]"}],
    }  # fmt: skip
    return make(read_ask("chat", body, {})).plan


def sized(size: int) -> Plan:
    """The same with events of about ``size`` bytes."""

    def grown(emission: Emission) -> Emission:
        if emission.kind != "text":
            return emission
        delta = emission.payload["choices"][0]["delta"]
        padding = "x" * max(0, size - len(steady_plan.encode(emission)) - 1)
        choice = emission.payload["choices"][0] | {"delta": {**delta, "content": delta["content"] + padding + " "}}
        return replace(emission, payload=emission.payload | {"choices": [choice]})

    steady_plan = steady()
    return steady_plan.each(grown)


def scenarios() -> dict[str, Scenario]:
    """The lab's models and those that only these tests need, by name."""
    plan = steady()
    public = ("cache-control", "public, max-age=60")
    no_buffering = ("x-accel-buffering", "no")
    planned: dict[str, Any] = {
        "hinting": replace(plan, headers=(*plan.headers, no_buffering)),
        "close-delimited": replace(plan, transfer="close"),
        "with-length": replace(plan, transfer="length"),
        "cacheable": replace(plan, headers=(*plan.headers, public)),
        "cacheable-long": replace(steady(100), headers=(*plan.headers, public)),
        "cacheable-hinting": replace(plan, headers=(*plan.headers, public, no_buffering)),
        "no-cache": replace(plan, headers=(*plan.headers, ("cache-control", "no-cache"))),
        "450-bytes": sized(450),
        "2-kilobytes": sized(2000),
        "3-kilobytes": sized(3000),
        "9-kilobytes": sized(9000),
        "70-kilobytes": sized(70_000),
    }
    made = {name: Scenario(name, plan=plan) for name, plan in planned.items()}
    return {**built_in(), **made, "gpt-4o": Scenario("gpt-4o")}
