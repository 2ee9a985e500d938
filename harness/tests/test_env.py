"""Environment readers: defaults, understood spellings, and all failures at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.env import Env, hide_userinfo, url_fault
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
