"""What the lab answers to GET: health, models in two dialects, the ledger's index, the catalogue."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from harness.lab.engines import Engines
from harness.lab.gateways.registry import gateways
from harness.lab.ledger import Ledger
from harness.lab.registry import faults
from harness.lab.scenarios import Scenario

CREATED = 1_760_000_000
JSON = "application/json"
TEXT = "text/plain; charset=utf-8"


class Shown(Protocol):
    """What the pages need to know of the lab."""

    ledger: Ledger
    engines: Engines
    scenarios: Mapping[str, Scenario]


def root(lab: Shown) -> tuple[str, Any]:
    return TEXT, (
        "The lab is running.\n"
        "/v1/models   the models\n"
        "/catalogue   models, faults and gateways, each with what it imitates\n"
        "/ledger/     what was written, by exchange key\n"
        "/metrics     the simulated engines' metrics\n"
        "/confusion   what the diagnosis says of every fault (takes some seconds the first time)\n"
    )


def health(lab: Shown) -> tuple[str, Any]:
    return JSON, {"status": "ok"}


def models(lab: Shown) -> tuple[str, Any]:
    rows = [
        {"id": name, "object": "model", "created": CREATED, "owned_by": "lab", "about": scenario.about}
        for name, scenario in lab.scenarios.items()
    ]
    return JSON, {"object": "list", "data": rows}


def tags(lab: Shown) -> tuple[str, Any]:
    details = {"format": "lab", "family": "lab", "parameter_size": "0B", "quantization_level": "none"}
    rows = [
        {"name": f"{name}:latest", "model": f"{name}:latest", "modified_at": "2025-10-09T08:53:20Z", "size": 0,
         "digest": "", "details": details}
        for name in lab.scenarios
    ]  # fmt: skip
    return JSON, {"models": rows}


def version(lab: Shown) -> tuple[str, Any]:
    return JSON, {"version": "lab"}


def metrics(lab: Shown) -> tuple[str, Any]:
    return "text/plain; version=0.0.4; charset=utf-8", lab.engines.metrics()


def ledger(lab: Shown) -> tuple[str, Any]:
    return JSON, {"records": lab.ledger.rows(), "dropped": lab.ledger.dropped, "bound_bytes": lab.ledger.bound}


def catalogue(lab: Shown) -> tuple[str, Any]:
    return JSON, {
        "models": {name: s.about for name, s in lab.scenarios.items()},
        "faults": {name: {"symptom": f.symptom, "about": f.about} for name, f in faults().items()},
        "gateways": {name: {"symptom": g.symptom, "about": g.about} for name, g in gateways().items()},
    }


PAGES: dict[str, Callable[[Any], tuple[str, Any]]] = {
    "/": root, "/health": health, "/metrics": metrics, "/v1/models": models, "/api/tags": tags, "/api/version": version,
    "/version": version, "/ledger/": ledger, "/ledger": ledger, "/catalogue": catalogue,
}  # fmt: skip
