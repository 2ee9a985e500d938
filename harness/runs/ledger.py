"""The engine's own record of an exchange, where the engine of a route is the lab: the same exchange on both sides.

Asked is only the address that the route names for its innermost hop, and only where a lab's model or marker says that
it may be one; once, when it turns out to be none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from harness.capture.model import Capture
from harness.diagnose.answer import Answer
from harness.diagnose.run import diagnose
from harness.lab.markers import read_markers
from harness.routes.model import Hop, Route
from harness.runs.witness import Witness

PATIENCE = 1.0  # seconds that the lab gets to end an exchange that has ended here


@dataclass(slots=True)
class Ledger:
    """``own_key``: the prompt's. ``is_lab``: None until the innermost hop was asked for an exchange of its own."""

    engine: Hop
    witness: Witness
    own_key: str = ""
    is_lab: bool | None = None
    emitted: dict[str, Capture] = field(default_factory=dict)  # exchange → what the engine wrote

    @classmethod
    def of(cls, route: Route, prompt: str) -> Ledger:
        marked = read_markers(prompt)
        may_be = marked.present or route.model_of(route.hops[0]).startswith(("lab-", "replay-"))
        own_key = marked.knobs.get("key", "")
        return cls(route.hops[0], Witness(route.hops[0]), own_key, None if may_be else False)

    def key_field(self, hop: Hop, key: str) -> dict[str, Any]:
        """A real gateway may drop our header; the field ``user`` goes through most, and the lab looks there too."""
        return {"user": key} if self.is_lab and hop.kind == "gateway" and hop.wire == "openai" else {}

    async def ask(self, captures: Sequence[Capture]) -> None:
        """Look each exchange up. Captures of one round, innermost first; recordings that were added have no record."""
        for capture in captures:
            if self.is_lab is False or capture.head is None or not capture.exchange:
                continue
            found = await self._find(capture)
            if found is not None:
                self.is_lab = True
                self.emitted[capture.exchange] = replace(
                    found,
                    hop=self.engine.name,
                    kind=self.engine.kind,
                    exchange=capture.exchange,
                    route=capture.route,
                    repeat=capture.repeat,
                )
            elif capture.hop == self.engine.name and self.is_lab is None:
                self.is_lab = False

    async def _find(self, capture: Capture) -> Capture | None:
        found = await self.witness.ledger(capture.exchange, PATIENCE)
        if found is None and self.own_key:
            found = await self.witness.ledger(self.own_key, PATIENCE)
            # The prompt's own key is every exchange's: an older record is another's.
            found = found if found is not None and found.sent_at >= capture.sent_at else None
        return found

    def judge(self, captures: Sequence[Capture]) -> Answer:
        """The answer over the captures, each behind its own record. Rows are the captures' alone.

        What the engine's record and our read of it both show is told once.
        """
        beside = [(self.emitted.get(capture.exchange), capture) for capture in captures]
        if not any(emitted for emitted, _ in beside):
            return diagnose(captures)
        both = [(c is capture, c) for emitted, capture in beside for c in (emitted, capture) if c is not None]
        both.sort(key=lambda row: row[1].repeat or 0)
        answer = diagnose([capture for _, capture in both])
        rows = tuple(row for (own, _), row in zip(both, answer.captures, strict=True) if own)
        told = [f for f in answer.findings if f.severity != "info" or f.evidence.get("inherited_from") != f.hop]
        return replace(answer, captures=rows, findings=tuple(told))

    def records(self, captures: Sequence[Capture]) -> tuple[Capture, ...]:
        """What the engine wrote in the exchanges of these captures, in their order."""
        return tuple(self.emitted[c.exchange] for c in captures if c.exchange in self.emitted)

    def forget(self, captures: Sequence[Capture]) -> None:
        """Drop the records of captures that are not kept."""
        for capture in captures:
            self.emitted.pop(capture.exchange, None)
