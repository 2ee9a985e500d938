"""No rule is forgotten, and none speaks of a symptom that nobody knows."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.diagnose.answer import SYMPTOMS
from harness.diagnose.fault import KNOWN
from harness.diagnose.rules import registry

RULES = Path(registry.__file__).parent
# Not rules of a stream by itself: asked for by name (`--consumers`).
ASKED_FOR = {"readers"}


def test_every_rule_module_is_registered() -> None:
    there = {path.stem for path in RULES.glob("[a-z]*.py")} - {"registry"} - ASKED_FOR
    named = {rule.__module__.rpartition(".")[2] for rule in (*registry.ALONE, *registry.BETWEEN)}
    assert named == there


@pytest.mark.parametrize("code", sorted(KNOWN))
def test_a_code_begins_with_a_symptom_of_the_closed_list(code: str) -> None:
    symptom, dot, detail = code.partition(".")
    assert symptom in SYMPTOMS and dot and detail
