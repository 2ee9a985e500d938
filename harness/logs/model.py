"""A log line, as far as it was understood."""

from __future__ import annotations

from dataclasses import dataclass, field

from harness.logs.moments import Moment


@dataclass(frozen=True, slots=True)
class Line:
    """``text`` is masked and without colours. ``byte``: where it begins in the file.

    ``moment`` None: the line bears no time. ``duration_s``: of the request that the line tells of, which then ended
    when it was written. ``fields``: what was read out of it, by the names of nginx where it has one for it.
    """

    byte: int
    text: str
    format: str = "text"
    moment: Moment | None = None
    level: str = ""
    duration_s: float | None = None
    fields: dict[str, str] = field(default_factory=dict)
