"""The recorder of one chat exchange."""

from __future__ import annotations

from harness.probe.recorder import Recorder
from harness.routes.model import Hop, Route
from harness.runs.live import open_recorder


def recorder_for(exchange: str, route: Route, hop: Hop) -> Recorder:
    """A recorder that spools, judges and stores; raises InputError for an exchange id that is running."""
    return open_recorder(exchange, route, hop)
