"""The shape of the table: settings of real parts, and rows that say what is measured when something happens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from e2e.parts.part import Part

HEALTHY, RESET, CLOSE, EARLY, STALL, LEAVES = "healthy", "reset", "closes", "ends early", "stalls", "client leaves"
MARKERS: Mapping[str, str] = {
    HEALTHY: "",
    RESET: "reset at=20",
    CLOSE: "truncate at=20",
    EARLY: "early-end at=20",
    STALL: "stall at=20 for=2500ms",
    LEAVES: "",
}
"""What the upstream is told to do, as the lab's marker words."""


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """A part with a configuration; ``inner``: another one between it and the engine. ``part`` None: the engine alone.

    ``matrix``: only in the whole matrix, not in the quick selection. ``warm``: ask once before measuring.
    ``at_once``: how many rows side by side. ``knobs``: the lab's pace, as marker words.
    """

    name: str
    part: Part | None
    options: str = ""
    extra: str = ""
    inner: Setting | None = None
    matrix: bool = True
    warm: bool = False
    at_once: int = 8
    knobs: str = "events=40 rate=50"

    @property
    def chain(self) -> tuple[Setting, ...]:
        """The parts from the engine outwards."""
        if self.part is None:
            return ()
        return (*(self.inner.chain if self.inner else ()), self)


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """``symptom`` "" means healthy, else it shows first at ``hop`` (``engine`` or ``part``: the outermost one).

    ``alone``: the symptom that the part's output alone shows, None where that is not the point. ``laundered``: the
    part ends a broken answer as if it were whole. ``warning``: the code of one that must be found. ``fact``: what
    measuring showed. ``again``: asked once before. ``knobs`` where not the setting's. ``clumped``: pieces are held
    here, which may be found besides.
    """

    setting: Setting
    upstream: str = HEALTHY
    symptom: str = ""
    hop: str = ""
    alone: str | None = None
    laundered: bool = False
    model: str = "lab-steady"
    knobs: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    warning: str = ""
    fact: str = ""
    again: bool = False
    clumped: bool = False
    matrix: bool = False

    @property
    def whole_matrix(self) -> bool:
        return self.matrix or self.setting.matrix

    @property
    def parts(self) -> tuple[Part, ...]:
        return tuple(setting.part for setting in self.setting.chain if setting.part)

    @property
    def title(self) -> str:
        asked = " gzip" if self.headers else ""
        model = "" if self.model == "lab-steady" else f" {self.model}"
        name = self.setting.part.name if self.setting.part else "engine"
        return f"{name}: {self.setting.name}{model}{asked}, {self.upstream}"
