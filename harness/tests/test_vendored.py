"""Every third-party file in ``static/vendor`` is what its entry says it is."""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path

import pytest

VENDOR = Path(__file__).resolve().parents[2] / "static" / "vendor"
FILES = tomllib.loads((VENDOR / "VENDOR.toml").read_text())["file"]


@pytest.mark.parametrize("entry", FILES, ids=lambda entry: entry["file"])
def test_a_vendored_file_is_the_published_one(entry: dict[str, str]) -> None:
    assert hashlib.sha256((VENDOR / entry["file"]).read_bytes()).hexdigest() == entry["sha256"]
    assert entry["package"] and entry["version"] and entry["licence"]
    assert (VENDOR / entry["licence_file"]).stat().st_size > 0


def test_every_file_has_an_entry() -> None:
    named = {"VENDOR.toml"} | {entry[key] for entry in FILES for key in ("file", "licence_file")}
    assert {path.name for path in VENDOR.iterdir()} == named
