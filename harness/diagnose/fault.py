"""A fault that a rule can find: its code and its sentences; figures come from the evidence."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.diagnose.answer import Finding

if TYPE_CHECKING:
    from harness.diagnose.view import View

KNOWN: dict[str, Fault] = {}
TIME = re.compile(r"\{(\w+)\} ms\b")
PLURAL = re.compile(
    r"\{(\w+)\}((?: \w+)? (?:event|character|heartbeat|piece|line|place|token|repeat|switch|id|time|tap)(?:e?s))\b"
)
spoken: ContextVar[Callable[[str], str]] = ContextVar("spoken", default=str)
"""How a template is put into the language that is asked for; English as it stands."""


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

        Figures go into the sentences and the evidence, ``words`` into the sentences alone.
        """
        evidence = {name: tidy(value) for name, value in figures.items() if value is not None}
        said = {**evidence, "hop": view.hop, "hop_inner": inner.hop if inner else "", **(words or {})}
        translate = spoken.get()

        def say(template: str) -> str:
            """In the language asked for; gettext would answer an empty text with its catalogue's header."""
            return fill(translate(template), said) if template else ""

        if event is not None and at_ms is None and event < len(view.stream):
            at_ms = view.stream.times[event]
        return Finding(
            code=self.code,
            symptom=self.code.partition(".")[0],
            severity=severity,
            hop=view.hop,
            summary=say(self.summary),
            evidence=evidence,
            between=(inner.hop, view.hop) if inner else None,
            event=event,
            at_ms=tidy(at_ms),
            cause=say(self.cause) or None,
            fix=say(self.fix) or None,
        )


class _Figures(dict[str, Any]):
    def __missing__(self, name: str) -> str:
        return "(none)"


def fill(template: str, evidence: Mapping[str, Any]) -> str:
    """The sentence with its figures; lists read as ``a, b, c``.

    ``{figure} ms`` of a second or more reads as seconds with three digits (``3.01 s``), one ``{figure} events`` as
    ``1 event``.
    """
    shown = {
        name: ", ".join(map(str, value[:6])) + (", …" if len(value) > 6 else "") if isinstance(value, list) else value
        for name, value in evidence.items()
    }
    template = TIME.sub(lambda hit: lasting(evidence[hit[1]]) if _long(evidence.get(hit[1])) else hit[0], template)
    template = PLURAL.sub(lambda hit: _counted(hit) if evidence.get(hit[1]) == 1 else hit[0], template)
    return template.format_map(_Figures(shown))


def _counted(hit: re.Match[str]) -> str:
    return f"{{{hit[1]}}}{hit[2].removesuffix('es') if hit[2].endswith('ches') else hit[2].removesuffix('s')}"


def _long(value: Any) -> bool:
    return isinstance(value, int | float) and abs(value) >= 1000


def lasting(ms: float) -> str:
    """A time of a second or more as a person says it: ``3.01 s``, ``61.2 s``, ``301 s``."""
    seconds = ms / 1000
    digits = 2 if abs(seconds) < 10 else 1 if abs(seconds) < 100 else 0
    return f"{seconds:.{digits}f} s"


def tidy(value: Any) -> Any:
    """Figures as a person prints them: floats to a tenth, whole ones without a point; no NaN in JSON."""
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            return None
        return int(value) if abs(value) >= 1000 or value == int(value) else round(value, 1 if abs(value) >= 1 else 3)
    return value
