"""README's command table names every command that there is, once, and its pictures exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
# Not typed by people: the child process of a page, and a refusal.
INNER = {"job", "runserver"}


def test_every_command_is_in_the_table_and_every_row_is_a_command() -> None:
    rows = re.findall(r"^\| `([a-z]+)[ `]", README, re.M)
    there = {path.stem for path in (ROOT / "harness" / "management" / "commands").glob("[a-z]*.py")}
    assert sorted(rows) == sorted(there - INNER)


def test_what_it_links_to_is_there() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert links and not [link for link in links if not (ROOT / link).is_file()]
