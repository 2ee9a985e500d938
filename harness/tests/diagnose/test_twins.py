"""Each recorded case has variants of its fault, which are found, and a healthy twin, which stays clean.

The twin is the case's own traffic with only the fault taken away; a variant is that twin with other words, pace, size
and (where the fault is bound to none) dialect, hurt again at another place. Healthy cases have healthy variants and
the nearest real fault as a sick twin.
"""

from __future__ import annotations

import json

import pytest

from harness.capture.model import Capture
from harness.diagnose.run import diagnose
from harness.tests.diagnose.cases import HERE, both, misses
from harness.tests.diagnose.transforms import LEGAL
from harness.tests.diagnose.twins.entries import ENTRIES
from harness.tests.diagnose.twins.heals import case_of
from harness.tests.diagnose.twins.table import captures, expected, shown
from harness.wire.decode import decode

NUMBERS = (0, 1, 2)
CASES = pytest.mark.parametrize("ident", ENTRIES)
EACH = pytest.mark.parametrize("number", NUMBERS, ids=("own", "first", "second"))
FRAMING = {"content-length", "content-encoding", "transfer-encoding", "content-type", "vary"}


def text(capture: Capture) -> str:
    return "".join(channel.text for channel in decode(capture).channels)


def test_the_table_covers_every_case_of_both_folders() -> None:
    ids = {row["id"] for folder in ("field", "real") for row in json.loads((HERE / folder / "cases.json").read_text())}
    assert set(ENTRIES) == ids and len(ids) == 133
    assert all(entry.hurt for entry in ENTRIES.values())
    for case in both():
        assert (case.expect["severity"] == "none") == (ENTRIES[case.id].sick is not None), case.id


@EACH
@CASES
def test_a_healthy_twin_stays_clean(ident: str, number: int) -> None:
    ladder = captures(ident, "twin", number)
    answer = diagnose(ladder)
    faults = [(f.severity, f.code, f.hop) for f in answer.findings if f.severity == "error"]
    assert answer.verdict.healthy is True and not faults, f"{faults} {answer.verdict.summary}\n{shown(ladder)}"
    wanted = expected(case_of(ident), ENTRIES[ident])
    again = [f.code for f in answer.findings if f.severity == "warning" and f.symptom in wanted["symptoms"]]
    own = {f.code for f in diagnose(case_of(ident).captures).findings} if ENTRIES[ident].sick else set()
    assert not set(again) - own, f"the fault is gone, yet {again}\n{shown(ladder)}"


@EACH
@CASES
def test_a_variant_of_the_fault_is_found(ident: str, number: int) -> None:
    ladder = captures(ident, "sick", number)
    wanted = expected(case_of(ident), ENTRIES[ident])
    answer = diagnose(ladder)
    assert not (miss := misses(wanted, answer)), f"{miss}\n{shown(ladder)}"
    assert wanted["severity"] == "error" or answer.verdict.healthy, answer.verdict.summary


@CASES
@pytest.mark.parametrize("oddities", [("crlf", "numbered", "marked"), ("unspaced", "pinged")], ids="-".join)
def test_what_the_standard_allows_changes_neither(oddities: tuple[str, ...], ident: str) -> None:
    """CRLF, comments, ids and the like over the first variation: the twin stays clean, the fault is found."""
    clean, hurt = captures(ident, "twin", 1), captures(ident, "sick", 1)
    for oddity in oddities:
        clean, hurt = LEGAL[oddity](clean), LEGAL[oddity](hurt)
    answer = diagnose(clean)
    assert answer.verdict.healthy is True, answer.verdict.summary
    answer = diagnose(hurt)
    assert not (miss := misses(expected(case_of(ident), ENTRIES[ident]), answer)), miss


@CASES
def test_a_twin_keeps_hops_requests_headers_and_words_of_its_case(ident: str) -> None:
    case, ladder = case_of(ident), captures(ident, "twin", 0)
    for was, now in zip(case.captures, ladder, strict=True):
        assert (now.hop, now.kind, now.tap, now.exchange, now.clock) == (
            was.hop,
            was.kind,
            was.tap,
            was.exchange,
            was.clock,
        )
        assert was.request and now.request and was.request.body == now.request.body
        if was.head and was.head.status == 200:
            kept = {row for row in was.head.headers if row[0] not in FRAMING}
            assert now.head and kept <= set(now.head.headers)
    was, now = decode(case.captures[0]), decode(ladder[0])
    own = {was.raw(event) for event in was.content()}
    if own:
        same = {now.raw(event) for event in now.content()}
        least = 0.2 if ENTRIES[ident].lives else 0.5
        assert len(own & same) >= least * len(own) or len(own) == 1 or ident in RESPELT, (len(own & same), len(own))


RESPELT = {"F87", "F117"}  # the fault is in every event


@CASES
def test_variants_differ_in_words_size_pace_and_dialect(ident: str) -> None:
    which = "twin" if ENTRIES[ident].sick else "sick"
    ladders = [captures(ident, "twin", number) for number in NUMBERS]
    own, first, second = (decode(ladder[0]) for ladder in ladders)
    assert len({text(ladder[0]) for ladder in ladders}) == 3
    assert len(first.content()) > len(own.content()) or ident in CALLS
    assert own.times[-1] != first.times[-1] != second.times[-1]
    if ENTRIES[ident].free:
        assert second.wire != own.wire
    told = {tuple((c.body, c.end.kind, c.end.t) for c in captures(ident, which, number)) for number in NUMBERS}
    assert len(told) == 3


CALLS = {"F70", "F119"}  # a call whose arguments come whole is not longer in another telling
