"""README's table of environment variables and the code say the same."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from harness import settings
from harness.env import Env
from harness.routes import env as route_env

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| `([A-Z][A-Z_]+)` \| (?:`([^`]*)`|–) \|", re.M)
# Read outside the two readers: before settings exist, and by the browser tests.
ELSEWHERE = {"HARNESS_TRACEBACK": "", "HARNESS_CHROMIUM": "auto"}


def told() -> dict[str, str]:
    return dict(ROW.findall((ROOT / "README.md").read_text()))


def read() -> dict[str, str]:
    seen: list[Env] = []

    class Spy(Env):
        def __init__(self, values: object) -> None:
            super().__init__({})
            seen.append(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(route_env, "Env", Spy)
        route_env.env_routes({})
    both = settings.env.defaults | seen[0].defaults
    return {name: shown(default) for name, default in both.items()} | ELSEWHERE


def shown(default: object) -> str:
    if isinstance(default, bool):
        return "1" if default else "0"
    if isinstance(default, Path):
        return f"{default.relative_to(ROOT)}/"
    return str(default)


def test_readme_lists_every_variable_with_its_default() -> None:
    assert told() == read()


def test_no_code_reads_a_variable_past_the_readers() -> None:
    named = set()
    for room in ("harness", "chat", "e2e"):
        for path in (ROOT / room).rglob("*.py"):
            if "tests" not in path.parts:
                named |= set(re.findall(r"[\"'](HARNESS_[A-Z_]+|PORT|LAB_PORT)[\"']", path.read_text()))
    assert named - {"HARNESS_GATEWAY", "HARNESS_BACKEND"} <= set(read())


def test_all_wrong_variables_are_told_in_one_sentence() -> None:
    wrong = {"PORT": "eighty", "HARNESS_DEBUG": "maybe", "LAB_PORT": "70000"}
    done = subprocess.run(
        [sys.executable, "manage.py", "diagnose", "x"], cwd=ROOT, env=os.environ | wrong, capture_output=True, text=True
    )
    assert done.returncode == 2 and not done.stdout
    assert done.stderr.count("\n") == 1
    assert all(f"{name}='{value}'" in done.stderr for name, value in wrong.items())
