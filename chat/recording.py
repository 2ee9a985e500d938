"""The recorder of one chat exchange."""

from __future__ import annotations

from harness.probe.recorder import NullRecorder, Recorder
from harness.routes.model import Hop, Route
from harness.runs import spool


def recorder_for(exchange: str, route: Route, hop: Hop) -> Recorder:
    """A recorder that spools, judges and stores; raises InputError for an exchange id that is taken."""
    opener = getattr(spool, "open_recorder", None)
    return opener(exchange, route, hop) if opener else NullRecorder()
