"""Commands whose result is a run too: on ``/runs/``, for ``report RUN`` and ``ladder --baseline RUN``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from asgiref.sync import sync_to_async
from django.core.management.base import CommandParser

from harness.capture.model import Capture
from harness.management.base import Outcome, ScopeCommand
from harness.runs.remember import remember


class Stored(ScopeCommand):
    """Adds ``--no-store``. The run's id is the last line of the text, and ``run`` in the JSON (null: not stored)."""

    def add_store(self, parser: CommandParser) -> None:
        parser.add_argument("--no-store", action="store_true", help="leave no run behind")
        self.begun = datetime.now(UTC)

    async def stored(
        self,
        outcome: Outcome,
        options: Mapping[str, Any],
        kind: str,
        route: str,
        captures: Sequence[Capture] = (),
        spec: Mapping[str, Any] | None = None,
        said: str = "",
    ) -> Outcome:
        """The outcome with its run's id. ``said``: what the run's page is to show as it stands, beside the answer."""
        if options.get("no_store"):
            return outcome
        kept = dict(spec or {}) | ({"said": said} if said else {})
        run_id = await sync_to_async(remember)(
            kind, route, captures, outcome.data, self.say, started=self.begun, spec=kept
        )
        text = outcome.text.rstrip("\n") + (f"\n\nrun {run_id}\n" if run_id else "\n")
        return replace(outcome, data=outcome.data | {"run": run_id}, text=text)
