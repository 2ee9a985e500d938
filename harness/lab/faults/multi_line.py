"""JSON over several data lines."""

from __future__ import annotations

import json
from dataclasses import replace

from harness.lab.params import Params
from harness.lab.plan import Emission, Plan
from harness.lab.registry import fault


@fault("multi-line", "")
def multi_line(plan: Plan, p: Params) -> Plan:
    """Every JSON object is indented and its lines become data lines of one event: legal, joined by LF."""

    def spread(plan: Plan, e: Emission) -> Emission:
        if not isinstance(e.payload, dict) or plan.framing.format != "sse":
            return e
        f = plan.framing
        lines = json.dumps(e.payload, ensure_ascii=False, indent=1).split("\n")
        name = f"event:{f.space}{e.event}{f.eol}" if e.event else ""
        text = name + "".join(f"data:{f.space}{line}{f.eol}" for line in lines) + f.eol
        return replace(e, data=text.encode())

    return plan.each(lambda e: spread(plan, e))
