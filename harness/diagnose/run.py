"""Captures in, answer out: decode, judge each hop alone and against the one behind it, find the first bad hop."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from harness.capture.bundle import resolve_shared
from harness.capture.model import Capture
from harness.diagnose.answer import Answer, Finding, Verdict, worst_first
from harness.diagnose.attribute import attribute
from harness.diagnose.comparable import comparable, tells, timeless, untimed
from harness.diagnose.healed import healed
from harness.diagnose.pair import Pair, side_by_side
from harness.diagnose.rules import error, first_byte, readers, upstream
from harness.diagnose.rules.registry import ALONE, BETWEEN
from harness.diagnose.sane import sane
from harness.diagnose.verdict import judge, merge
from harness.diagnose.view import View
from harness.errors import InputError
from harness.phrase import Translate
from harness.timeline.row import row
from harness.wire.decode import decode


def diagnose(captures: Sequence[Capture], *, consumers: bool = False, translate: Translate | None = None) -> Answer:
    """The answer over captures, innermost first; repeats of a ladder are told apart by ``repeat``.

    ``consumers``: try every hop's bytes on the models of common readers, whole. ``translate`` puts the sentences'
    templates into another language (:meth:`Answer.told`); codes and figures stay. Pure: the same captures give the
    same answer. Raises InputError when there is nothing to judge.
    """
    if translate is not None:
        return diagnose(captures, consumers=consumers).told(translate)
    if not captures:
        raise InputError("nothing to diagnose", do="Name at least one capture file.")
    groups = _rounds(comparable(resolve_shared([sane(capture) for capture in captures])))
    rows: list[dict[str, Any]] = []
    findings: list[Finding] = []
    verdicts: list[Verdict] = []
    played_back = upstream.Repeats()
    for repeat, group in groups.items():
        views = [View(decode(capture), index) for index, capture in enumerate(group)]
        verdict, found = diagnose_views(views, consumers=consumers)
        rows += [row(view.stream) for view in views]
        found += [f for f in played_back.of(repeat, views) if all(tells(view.capture, f) for view in views)]
        findings += [replace(finding, repeat=repeat) for finding in found]
        verdicts.append(verdict)
    hops = [capture.hop for capture in max(groups.values(), key=len)]
    return Answer(tuple(rows), tuple(worst_first(findings)), merge(verdicts, hops))


def _rounds(captures: Sequence[Capture]) -> dict[int | None, list[Capture]]:
    """The captures by repeat. Hops that know no repeats (another recorder's) belong to the only one of the others."""
    numbers = {capture.repeat for capture in captures}
    untold = [capture.hop for capture in captures if capture.repeat is None]
    if len(numbers) == 2 and untold and not set(untold) & {c.hop for c in captures if c.repeat is not None}:
        return {max(number for number in numbers if number is not None): list(captures)}
    groups: dict[int | None, list[Capture]] = {}
    for capture in captures:
        groups.setdefault(capture.repeat, []).append(capture)
    return groups


def diagnose_views(views: Sequence[View], *, consumers: bool = False) -> tuple[Verdict, list[Finding]]:
    """Verdict and findings over one group of decoded captures, innermost first."""
    pairs = [_pair(views, index) for index in range(len(views))]
    answered = any(view.answered for view in views)
    alone = [[*error.unreachable(view, answered), *_all(ALONE, view, view)] for view in views]
    between: list[list[Finding]] = [_between(pair) if pair else [] for pair in pairs]
    for pair in filter(None, pairs):
        alone[pair.inner.index] += first_byte.given_up(pair)
    for view in views if consumers else views[-1:]:
        alone[view.index] += readers.readers(view, consumers)
    found = healed(views, pairs, attribute(views, pairs, alone, between))
    return judge(views, pairs, found), [finding for _, finding in found]


def _all(rules: Iterable[Any], subject: Any, judged: View) -> list[Finding]:
    found = [finding for rule in rules for finding in rule(subject) if tells(judged.capture, finding)]
    return [untimed(finding) for finding in found] if timeless(judged.capture) else found


def _between(pair: Pair) -> list[Finding]:
    return [finding for finding in _all(BETWEEN, pair, pair.outer) if tells(pair.inner.capture, finding)]


def _pair(views: Sequence[View], index: int) -> Pair | None:
    """The view with the nearest inner one that says something, of a pool of engines one that answered to the end; the
    innermost has none. Engines are a pool where a hop in front of them was seen; else one is held against the other."""
    outer = views[index]
    fronted = any(view.kind != "engine" for view in views[index:])
    behind = [v for v in reversed(views[:index]) if not v.unreached and not (fronted and side_by_side(v, outer))]
    pool = [view for view in behind if view is behind[0] or side_by_side(view, behind[0])]
    inner = next((view for view in pool if view.content and view.text_complete), behind[0] if behind else None)
    return Pair(inner, outer) if inner else None
