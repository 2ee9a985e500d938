"""``routes`` as typed: load, dump, list and check, from a fresh checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.routes.toml import parse

ROOT = Path(__file__).resolve().parents[3]
TEXT = """
[[route]]
name = "mine"
model = "m"
  [[route.hop]]
  name = "vllm"
  url = "http://127.0.0.1:1/v1"
  api_key_env = "MINE_KEY"
"""


class Checkout:
    """Commands against one data directory that does not exist at first."""

    def __init__(self, folder: Path) -> None:
        self.data = folder / "var"
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("HARNESS_")}
        self.env |= {"HARNESS_DATA_DIR": str(self.data), "MINE_KEY": "sk-very-secret"}

    def __call__(self, *args: str, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "manage.py", "routes", *args]
        return subprocess.run(
            command, cwd=ROOT, env=self.env | env, input=stdin, capture_output=True, text=True, timeout=60
        )


@pytest.fixture
def routes(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_reading_makes_no_database(routes: Checkout) -> None:
    assert routes("dump").stdout == ""
    listed = json.loads(routes("list", "--format", "json").stdout)["routes"]
    assert listed[0]["name"] == "lab-steady" and listed[0]["origin"] == "lab"
    assert not routes.data.exists()


def test_what_is_loaded_is_dumped_listed_and_shadowed_by_the_environment(routes: Checkout) -> None:
    loaded = routes("load", "-", stdin=TEXT)
    assert (loaded.returncode, loaded.stdout) == (0, "Loaded 1: mine\n")
    dumped = routes("dump")
    assert parse(dumped.stdout) == parse(TEXT)
    listed = routes("list", "--format", "json").stdout
    first = json.loads(listed)["routes"][0]
    assert (first["name"], first["hop"][0]["key"]) == ("mine", "set")
    assert "sk-very-secret" not in dumped.stdout + listed + routes("list").stdout
    renamed = routes("load", "-", stdin=TEXT.replace("mine", "gateway"), HARNESS_GATEWAY_URL="http://gw/v1")
    assert "the route of that name from the env is used instead" in renamed.stderr


def test_a_bad_file_changes_nothing(routes: Checkout, tmp_path: Path) -> None:
    routes("load", "-", stdin=TEXT)
    bad = routes("load", "-", stdin=TEXT.replace('"m"', '"m2"') + TEXT)
    assert bad.returncode == 2 and bad.stderr == (
        'Error: standard input: two routes are named "mine". Give each route its own name.\n'
    )
    huge = tmp_path / "huge.toml"
    with huge.open("wb") as file:
        file.truncate(2 * 1024**3)
    assert "2,147,483,648 bytes, more than the 8 MiB" in routes("load", str(huge)).stderr
    empty = routes("load", "-")
    assert empty.returncode == 2 and "no [[route]] in it" in empty.stderr
    assert parse(routes("dump").stdout) == parse(TEXT)


def test_check_exits_2_when_nothing_is_reached(routes: Checkout) -> None:
    routes("load", "-", stdin=TEXT)
    done = routes("check", "--format", "json")
    (check,) = json.loads(done.stdout)["checks"]
    assert done.returncode == 2
    assert (check["route"], check["hop"], check["reachable"]) == ("mine", "vllm", False)
