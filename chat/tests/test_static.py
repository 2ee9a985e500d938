"""Rules that the page's own scripts and the vendored files keep."""

from __future__ import annotations

import hashlib
import re
import tomllib
from pathlib import Path

import pytest
from django.conf import settings

STATIC = Path(settings.BASE_DIR) / "static"
SCRIPTS = sorted((STATIC / "chat").glob("*.js"))
ENTRIES = {"main.js", "run.js", "worker.js", "theme.js"}  # they are run, not imported
VENDORED = tomllib.loads((STATIC / "vendor" / "VENDOR.toml").read_text())["file"]


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_a_module_is_checked_documented_and_has_one_export(path: Path) -> None:
    source = path.read_text()
    assert source.startswith("// @ts-check\n/** ")
    assert len(re.findall(r"^export ", source, re.M)) == (0 if path.name in ENTRIES else 1)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_no_script_writes_markup_or_evaluates_text(path: Path) -> None:
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function", path.read_text()
    )


@pytest.mark.parametrize("entry", VENDORED, ids=lambda entry: entry["file"])
def test_a_vendored_file_is_the_one_that_was_published(entry: dict[str, str]) -> None:
    folder = STATIC / "vendor"
    assert hashlib.sha256((folder / entry["file"]).read_bytes()).hexdigest() == entry["sha256"]
    assert (folder / entry["licence_file"]).is_file()
    assert {"package", "version", "licence"} <= set(entry)


def test_every_vendored_file_is_listed() -> None:
    named = {entry[key] for entry in VENDORED for key in ("file", "licence_file")} | {"VENDOR.toml"}
    assert {path.name for path in (STATIC / "vendor").iterdir()} == named
