"""The table of limits: each has a unit and a reason, and each is used."""

from __future__ import annotations

from pathlib import Path

from harness.diagnose import thresholds

HERE = Path(thresholds.__file__).parent


def test_each_limit_has_a_unit_and_a_reason() -> None:
    rows = thresholds.table()
    assert len(rows) > 20
    assert all(unit and len(why.split()) > 5 for _, _, unit, why in rows)


def test_no_limit_is_unused() -> None:
    code = "".join(path.read_text() for path in HERE.rglob("*.py") if path.name != "thresholds.py")
    assert [name for name, *_ in thresholds.table() if name not in code] == []
