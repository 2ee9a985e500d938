"""A fault that a rule can find: its code and its sentences; figures come from the evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.diagnose.answer import Finding
from harness.phrase import filled, plain_text, recorded

if TYPE_CHECKING:
    from harness.diagnose.view import View

KNOWN: dict[str, Fault] = {}


@dataclass(frozen=True, slots=True)
class Fault:
    """``code`` is ``symptom.detail``; the sentences are templates over the evidence (``{figure}``)."""

    code: str
    summary: str
    cause: str = ""
    fix: str = ""

    def __post_init__(self) -> None:
        KNOWN[self.code] = self

    def found(
        self,
        view: View,
        severity: str,
        *,
        inner: View | None = None,
        event: int | None = None,
        at_ms: float | None = None,
        words: Mapping[str, Any] | None = None,
        **figures: Any,
    ) -> Finding:
        """A finding at ``view``; ``inner`` names the hop it was held against.

        Figures go into the sentences and the evidence, ``words`` into the sentences alone. Phrases among either are
        said in the language of the sentence; the evidence keeps their English.
        """
        shown = {name: tidy(value) for name, value in figures.items() if value is not None}
        if "detail" in shown:
            shown["detail"] = recorded(shown["detail"])
        said = {**shown, "hop": view.hop, "hop_inner": inner.hop if inner else "", **(words or {})}
        if event is not None and at_ms is None and event < len(view.stream):
            at_ms = view.stream.times[event]
        return Finding(
            code=self.code,
            symptom=self.code.partition(".")[0],
            severity=severity,
            hop=view.hop,
            summary=filled(self.summary, said),
            evidence={name: plain_text(value) for name, value in shown.items()},
            between=(inner.hop, view.hop) if inner else None,
            event=event,
            at_ms=tidy(at_ms),
            cause=filled(self.cause, said) if self.cause else None,
            fix=filled(self.fix, said) if self.fix else None,
        )


def tidy(value: Any) -> Any:
    """Figures as a person prints them: floats to a tenth, whole ones without a point; no NaN in JSON."""
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            return None
        return int(value) if abs(value) >= 1000 or value == int(value) else round(value, 1 if abs(value) >= 1 else 3)
    return value
