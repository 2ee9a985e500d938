"""Token counts in columns are a list of rows to whoever reads them."""

from __future__ import annotations

from array import array

from harness.wire.usages import Usage, Usages


def some() -> Usages:
    usages = Usages()
    usages.append(3, 9, 2, 11, None)
    usages.extend(4, 2, (9, None, 0, None), {1: array("q", [5, 6, 7])})
    return usages


ROWS = [Usage(3, 9, 2, 11, None), Usage(4, 9, 5, 0, None), Usage(5, 9, 6, 0, None)]


def test_rows_come_back() -> None:
    usages = some()
    assert (list(usages), len(usages), usages[-1], usages[1:]) == (ROWS, 3, ROWS[2], ROWS[1:])
    assert usages == ROWS == list(reversed(list(reversed(usages))))
    assert usages != ROWS[:2]
    assert repr(usages) == repr(ROWS)


def test_what_is_no_count_is_none() -> None:
    usages = Usages()
    usages.append(0, "9", True, 2**70, 1.5)
    assert list(usages) == [Usage(0, None, None, None, None)]
    assert not Usages()
