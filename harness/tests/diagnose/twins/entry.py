"""What the table says of one case."""

from __future__ import annotations

from dataclasses import dataclass

from harness.tests.diagnose.twins.heals import Heal, asis
from harness.tests.diagnose.twins.timing import Hurt


@dataclass(frozen=True, slots=True)
class Entry:
    """``hurt``: the case's fault, for a healthy case the nearest one (then with ``sick``: severity, symptoms ``a|b``
    and the place on the route). ``anew``: hops that write events in their own way, with the donor of whole ones.
    ``free``: the fault is bound to no dialect. ``counts``: it shows in numbers alone; ``wide``: in characters of
    several bytes alone. ``lives``: what a healthy ladder goes through as well."""

    heal: Heal = asis
    hurt: Hurt | None = None
    sick: tuple[str, str, int] | None = None
    anew: dict[int, str] | None = None
    free: bool = False
    counts: bool = False
    wide: bool = False
    pace: float = 1.0
    lives: Hurt | None = None
