"""Every case under every change that leaves its fault as it is; and healthy twins of those that compare two hops."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from harness.diagnose.run import diagnose
from harness.tests.diagnose import transforms
from harness.tests.diagnose.cases import Case, both, misses
from harness.tests.diagnose.transforms import Ladder

CHANGES: dict[str, Callable[[Ladder], Ladder]] = {
    "slower": transforms.retimed(1.25),
    "faster": transforms.retimed(0.8),
    "renamed": transforms.renamed,
    "relayed": transforms.relayed,
    "thickened": transforms.thickened,
    "rechunked": transforms.rechunked,
    "joined": transforms.joined,
    "reworded": transforms.reworded,
    "reserialised": transforms.reserialised,
    **transforms.LEGAL,
}


@pytest.mark.parametrize("case", both(), ids=lambda case: case.id)
@pytest.mark.parametrize("change", CHANGES)
def test_a_variant_is_judged_alike(change: str, case: Case) -> None:
    expect = dict(case.expect)
    if change == "renamed" and expect["hop"]:
        expect["hop"] = f"{expect['hop']}-of-blue"
    answer = diagnose(CHANGES[change](case.captures))
    assert not (miss := misses(expect, answer)), f"{case.title}: {miss}"
    if expect["severity"] == "warning":
        assert answer.verdict.healthy, f"{case.title}: {answer.verdict.summary}"


@pytest.mark.parametrize("case", [case for case in both() if len(case.captures) > 1], ids=lambda case: case.id)
def test_a_faithful_outer_hop_is_no_culprit(case: Case) -> None:
    """The healthy twin: the outer hop handed on what the inner one said, so nothing new may be found at it."""
    inner = case.captures[0]
    outer = transforms.faithful(inner, case.captures[-1].hop, 3)
    alone, pair = diagnose([inner]), diagnose([inner, outer])
    if inner.head is None:
        return
    assert {f.code for f in pair.findings if f.hop == outer.hop and f.severity != "info"} == set()
    assert pair.verdict.healthy in (alone.verdict.healthy, alone.verdict.healthy is None or alone.verdict.healthy)
