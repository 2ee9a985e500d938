"""Requests to a lab, and waiting for what it shows of them."""

from __future__ import annotations

import asyncio

from harness.lab.server import Lab


def body(model: str = "lab-steady", prompt: str = "go", **more: object) -> dict[str, object]:
    """A chat request; ``more`` goes beside model and messages."""
    return {"model": model, "stream": True, "messages": [{"role": "user", "content": prompt}], **more}


async def end_of(lab: Lab, key: str, hop: str = "engine", seconds: float = 3.0) -> str:
    """The end of the newest record, once it has one."""
    for _ in range(int(seconds / 0.005)):
        found = lab.ledger.find(key, hop)
        if found and found[-1].ending is not None:
            return found[-1].ending.kind
        await asyncio.sleep(0.005)
    return "still open"


def metric(page: str, name: str, model: str, **labels: str) -> float:
    """One figure of a metrics page, under vLLM's name without its prefix; NaN where the model has no row yet."""
    more = "".join(f',{k}="{v}"' for k, v in labels.items())
    line = f'vllm:{name}{{engine="0",model_name="{model}"{more}}} '
    return float(next((row for row in page.splitlines() if row.startswith(line)), "nan").rpartition(" ")[2])


async def metrics_when(lab: Lab, model: str, seconds: float = 10.0, **values: float) -> str:
    """The metrics page as soon as these figures have these values together; the last page when they never have."""
    page = ""
    for _ in range(int(seconds / 0.005)):
        page = lab.engines.metrics()
        if all(metric(page, name, model) == value for name, value in values.items()):
            break
        await asyncio.sleep(0.005)
    return page
