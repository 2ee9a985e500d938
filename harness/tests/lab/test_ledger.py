"""The ledger keeps within its bound."""

from __future__ import annotations

from harness.capture.model import Request
from harness.lab.ledger import Ledger, Record


def record(key: str, size: int = 0) -> Record:
    made = Record(key, "engine", "openai", Request(), {})
    if size:
        made.wrote(b"x" * size)
    return made


def test_the_oldest_records_are_dropped_when_the_bound_is_passed() -> None:
    ledger = Ledger(bound=100_000)
    for number in range(50):
        ledger.open(record(f"k{number}", 10_000))
    kept = [row["key"] for row in ledger.rows()]
    assert kept[0] == "k49" and "k0" not in kept
    assert len(kept) <= 9 and ledger.dropped == 50 - len(kept)
    assert ledger.find("k0") == [] and ledger.find("k49") != []


def test_a_record_that_grows_is_weighed_again_when_it_ends() -> None:
    ledger = Ledger(bound=100_000)
    old, new = ledger.open(record("old")), ledger.open(record("new"))
    new.wrote(b"x" * 99_000)
    ledger.weigh(new)
    assert ledger.find("old") == [] and ledger.find("new") == [new]
    ledger.weigh(old)  # forgotten: no harm
    assert ledger.dropped == 1


def test_records_of_one_key_are_kept_in_order_and_numbered() -> None:
    ledger = Ledger()
    first, second = ledger.open(record("k")), ledger.open(record("k"))
    assert ledger.find("k") == [first, second]
    assert (first.meta["number"], second.meta["number"]) == (1, 2)


def test_only_the_first_end_counts_and_an_open_record_says_so() -> None:
    made = record("k", 3)
    snapshot = made.capture()
    assert snapshot.end is not None and snapshot.end.kind == "open"
    made.ended("aborted", "the client closed")
    made.ended("complete")
    assert made.capture().end is not None and made.capture().end.kind == "aborted"  # type: ignore[union-attr]
