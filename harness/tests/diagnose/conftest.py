"""What several tests of the diagnosis need."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture(scope="session")
def answer_schema() -> Callable[[Any], None]:
    """Checks an answer's JSON against the schema."""
    from json import loads
    from pathlib import Path

    from jsonschema import Draft202012Validator

    schema = loads((Path(__file__).parent / "answer.schema.json").read_text())
    return Draft202012Validator(schema).validate
