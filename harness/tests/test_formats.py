"""docs/formats.md names every word that captures and answers are made of, and its example can be read."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from harness.capture.format import loads
from harness.capture.model import ENDS, KINDS, TAPS, WIRES
from harness.diagnose.answer import SEVERITIES

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
SCHEMA = json.loads((ROOT / "harness/tests/diagnose/answer.schema.json").read_text(encoding="utf-8"))


def keys(schema: object) -> set[str]:
    """Every property that a schema names, at any depth."""
    if isinstance(schema, list):
        return set().union(*map(keys, schema))
    if not isinstance(schema, dict):
        return set()
    named = schema.get("properties", {})
    return set(named).union(*map(keys, schema.values()))


@pytest.mark.parametrize("word", [*KINDS, *TAPS, *WIRES, *ENDS, *SEVERITIES, *sorted(keys(SCHEMA))])
def test_every_word_is_there(word: str) -> None:
    assert re.search(rf'[`"]{re.escape(word)}[`"]', TEXT)


def test_the_example_is_a_capture_file() -> None:
    example = re.search(r"```\n(\{\"capture\".*?)```", TEXT, re.S)
    assert example is not None
    lines = re.sub(r",\n ", ", ", example[1]).replace("{…}", "{}")
    capture = loads(lines.replace("data: {}", "data: 1").encode())
    assert (capture.hop, capture.tap, list(capture.times)) == ("gateway", "read", [15.2])
    assert capture.end is not None and capture.end.kind == "complete"
