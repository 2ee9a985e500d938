"""Every chunk has another id."""

from __future__ import annotations

from typing import Any

from harness.lab.edits import with_payload
from harness.lab.params import Params
from harness.lab.plan import Emission, Plan
from harness.lab.registry import fault


@fault("ids-change", "malformed", "warning")
def ids_change(plan: Plan, p: Params) -> Plan:
    """The id differs from chunk to chunk: a gateway that makes one a chunk."""

    def renamed(n: int, e: Emission) -> Emission:
        def change(payload: dict[str, Any]) -> None:
            if "id" in payload:
                payload["id"] = f"chatcmpl-{n}"

        return with_payload(e, change)

    return plan.with_emissions(renamed(n, e) for n, e in enumerate(plan.emissions))
