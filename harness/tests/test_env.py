"""Environment readers: defaults, understood spellings, and all failures at once."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from harness.env import NAMES, Env, hide_userinfo, mistyped, url_fault
from harness.errors import InputError


def test_an_unset_or_blank_variable_gives_its_default() -> None:
    env = Env({"B": "  "})
    assert (env.text("A", "x"), env.whole("B", 3), env.flag("B", True), env.seconds("A", 2.5)) == ("x", 3, True, 2.5)
    assert env.url("A") == "" and env.names("B") == [] and env.path("A", Path("/d")) == Path("/d")
    env.check()


@pytest.mark.parametrize(
    ("reader", "raw", "value"),
    [
        ("flag", "YES", True),
        ("flag", "0", False),
        ("whole", "12", 12),
        ("seconds", "120s", 120.0),
        ("seconds", "0.5", 0.5),
        ("url", "http://gw:3000/v1/", "http://gw:3000/v1"),
        ("url", "https://[::1]:8443", "https://[::1]:8443"),
        ("names", "a, b,,c ", ["a", "b", "c"]),
    ],
)
def test_usual_spellings_are_understood(reader: str, raw: str, value: Any) -> None:
    env = Env({"X": raw})
    default = {"flag": False, "whole": 0, "seconds": 1.0}.get(reader, "")
    assert getattr(env, reader)("X", default) == value
    env.check()


@pytest.mark.parametrize(
    ("reader", "raw"),
    [
        ("flag", "maybe"),
        ("whole", "-1"),
        ("whole", "1.5"),
        ("port", "0"),
        ("port", "65536"),
        ("seconds", "0"),
        ("seconds", "nan"),
        ("seconds", "inf"),
        ("url", "gw:3000"),
        ("url", "ftp://gw"),
        ("url", "http://"),
        ("url", "http://gw:99999"),
        ("url", "http://a b"),
    ],
)
def test_nonsense_is_refused_with_variable_and_value(reader: str, raw: str) -> None:
    env = Env({"X": raw})
    getattr(env, reader)("X", {"url": ""}.get(reader, 7))
    with pytest.raises(InputError, match="X=") as caught:
        env.check()
    assert raw in str(caught.value)


def test_all_faults_are_told_at_once() -> None:
    env = Env({"A": "x", "B": "y", "C": "red"})
    env.whole("A", 1)
    env.flag("B")
    env.choice("C", "blue", ("blue", "green"))
    with pytest.raises(InputError, match=r"A='x'.*B='y'.*C='red' is not one of blue, green"):
        env.check()


def test_a_password_in_a_url_is_refused_and_not_repeated() -> None:
    env = Env({"X": "http://me:s3cret@gw/v1"})
    assert env.url("X") == ""
    with pytest.raises(InputError) as caught:
        env.check()
    assert "s3cret" not in str(caught.value)


def test_userinfo_is_hidden_and_nothing_else() -> None:
    assert hide_userinfo("http://a:b@h:1/p@q") == "http://…@h:1/p@q"
    assert hide_userinfo("http://h/p@q") == "http://h/p@q"
    assert not url_fault("http://h") and url_fault("h")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("HARNESS_GATWAY_URL", "HARNESS_GATEWAY_URL"),
        ("HARNESS_GATEWAY", "HARNESS_GATEWAY_URL"),
        ("HARNESS_GATEWAY_API_KEY", "HARNESS_GATEWAY_KEY"),
        ("HARNESS_MODEL_NAME", "HARNESS_MODEL"),
        ("HARNESS_DATADIR", "HARNESS_DATA_DIR"),
        ("HARNESS_PORT", "PORT"),
        ("harness_model", "HARNESS_MODEL"),
    ],
)
def test_a_mistyped_name_is_told_with_the_one_that_was_meant(name: str, meant: str) -> None:
    (told,) = mistyped([name, "PATH", "HARNESS_MODEL"])
    assert name in told and f"was {meant} meant" in told


@pytest.mark.parametrize(
    "name",
    ["HARNESS_ACCOUNT_ID", "HARNESS_BUILD_ID", "HARNESS_ORG_ID", "HARNESS_PROJECT_ID", "HARNESS_STAGE_ID",
     "HARNESS_GATEWAY2_KEY", "HARNESS_QWEN_KEY", "HARNESS_DELEGATE_TOKEN", "MODEL", "GATEWAY_URL", *NAMES],
)  # fmt: skip
def test_names_of_other_products_and_keys_of_routes_are_left_alone(name: str) -> None:
    assert mistyped([name]) == []


def test_the_names_are_those_of_the_readme() -> None:
    readme = (Path(__file__).resolve().parents[2] / "README.md").read_text()
    listed = re.findall(r"^\| `(PORT|LAB_PORT|HARNESS_\w+)` \|", readme, re.M)
    assert sorted(listed) == sorted(NAMES)


def test_a_command_warns_once_on_stderr_and_stdout_stays_json(tmp_path: Path) -> None:
    env = {**os.environ, "HARNESS_MODLE": "m", "HARNESS_DATA_DIR": str(tmp_path)}
    env.pop("STREAMSCOPE_WARNED", None)
    root = Path(__file__).resolve().parents[2]
    (tmp_path / "nginx.conf").write_text("http { server { location / { root x; } } }")
    command = [sys.executable, "manage.py", "lint", str(tmp_path / "nginx.conf"), "--format", "json"]
    done = subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0 and json.loads(done.stdout)["schema"] == 1
    assert done.stderr.count("HARNESS_MODLE") == 1 and "was HARNESS_MODEL meant" in done.stderr
