"""``up`` as a user has it: it serves, one Ctrl-C ends everything, and every port is free afterwards."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest

from harness.capture.model import Capture
from harness.runs.spool import Spool

ROOT = Path(__file__).resolve().parents[3]


def free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


@contextmanager
def up(data: Path, web: int, lab: int, **env: str) -> Iterator[subprocess.Popen[str]]:
    variables = {"PORT": str(web), "LAB_PORT": str(lab), "HARNESS_DATA_DIR": str(data), "PYTHONUNBUFFERED": "1"}
    child = subprocess.Popen(
        [sys.executable, "manage.py", "up"],
        cwd=ROOT, env=os.environ | variables | env, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        yield child
    finally:
        child.kill()
        child.communicate()


def wait_until_ready(child: subprocess.Popen[str]) -> None:
    assert child.stdout
    for line in child.stdout:
        if "Ctrl-C stops everything" in line:
            return
    assert child.stderr
    pytest.fail(f"up ended with {child.wait()}: {child.stderr.read()}")


def children_of(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(word) for word in text.split()]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_and_one_signal_ends_it_and_frees_its_ports(number: signal.Signals, tmp_path: Path) -> None:
    web, lab = free_ports(2)
    with up(tmp_path / "var", web, lab) as child:
        wait_until_ready(child)
        with urllib.request.urlopen(f"http://127.0.0.1:{web}/healthz") as response:
            assert response.status == 200
        assert not is_free(lab)
        child.send_signal(number)
        out, err = child.communicate(timeout=20)
    assert child.returncode == 0 and "Traceback" not in out + err
    assert is_free(web) and is_free(lab)
    assert (tmp_path / "var" / "secret.key").stat().st_mode & 0o077 == 0


def test_a_chat_that_runs_at_the_end_is_left_in_good_order_and_kept(tmp_path: Path) -> None:
    web, lab = free_ports(2)
    asked = {"exchange": "running-at-the-end", "route": "lab-steady", "messages": [{"role": "user", "content": "x"}]}
    with up(tmp_path / "var", web, lab) as child:
        wait_until_ready(child)
        request = urllib.request.Request(
            f"http://127.0.0.1:{web}/chat/stream", json.dumps(asked).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request) as answer:
            assert b"data" in answer.readline()
            child.send_signal(signal.SIGINT)
            out, err = child.communicate(timeout=20)
    assert child.returncode == 0 and "Traceback" not in out + err and "destroyed" not in out + err
    with closing(sqlite3.connect(tmp_path / "var" / "streamscope.sqlite3")) as database:
        state, answer_json = database.execute("SELECT state, answer FROM harness_run").fetchone()
    assert state == "done"
    answered = json.loads(answer_json)
    assert answered["verdict"]["healthy"] is True
    assert {capture["outcome"] for capture in answered["captures"]} == {"aborted"}


def test_ports_are_freed_even_when_it_is_killed(tmp_path: Path) -> None:
    web, lab = free_ports(2)
    with up(tmp_path / "var", web, lab) as child:
        wait_until_ready(child)
        gone = [os.pidfd_open(pid) for pid in children_of(child.pid)]
        child.kill()
        child.wait()
        for descriptor in gone:
            assert wait_gone(descriptor)
    assert is_free(web) and is_free(lab)


def wait_gone(descriptor: int) -> bool:
    """Whether the process of a pidfd has ended; waits for it."""
    try:
        return bool(select.select([descriptor], [], [], 20)[0])
    finally:
        os.close(descriptor)


def test_a_child_that_dies_is_named_and_takes_the_others_along(tmp_path: Path) -> None:
    web, lab = free_ports(2)
    with up(tmp_path / "var", web, lab) as child:
        wait_until_ready(child)
        os.kill(children_of(child.pid)[0], signal.SIGKILL)
        _, err = child.communicate(timeout=20)
    assert child.returncode == 2
    assert f"http://127.0.0.1:{web}: the web was killed by SIGKILL" in err
    assert is_free(web) and is_free(lab)


@pytest.mark.parametrize("variable", ["PORT", "LAB_PORT"])
def test_a_taken_port_is_one_clear_line_and_exit_2(variable: str, tmp_path: Path) -> None:
    web, lab = free_ports(2)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", {"PORT": web, "LAB_PORT": lab}[variable]))
        taken.listen()
        with up(tmp_path / "var", web, lab) as child:
            out, err = child.communicate(timeout=30)
    assert (child.returncode, out) == (2, "")
    assert err.count("\n") == 1 and f"the port is taken. Stop what listens there, or set {variable}" in err
    assert not (tmp_path / "var").exists()


def test_the_same_port_twice_and_a_wrong_route_are_told_before_anything_starts(tmp_path: Path) -> None:
    (port,) = free_ports(1)
    with up(tmp_path / "var", port, port) as child:
        _, err = child.communicate(timeout=30)
    assert child.returncode == 2 and f"PORT and LAB_PORT are both {port}" in err
    with up(tmp_path / "var", *free_ports(2), HARNESS_GATEWAY_URL="gw:3000") as child:
        _, err = child.communicate(timeout=30)
    assert child.returncode == 2 and "HARNESS_GATEWAY_URL='gw:3000' is not a URL" in err


@pytest.mark.parametrize(
    ("variable", "value", "sentence"),
    [
        (
            "HARNESS_BIND",
            "192.0.2.7",
            "cannot listen: Cannot assign requested address. Check HARNESS_BIND, the address,",
        ),
        (
            "HARNESS_DATA_DIR",
            "/dev/null",
            "/dev/null: cannot use the data directory: it is a file. Set HARNESS_DATA_DIR",
        ),
        ("HARNESS_DATA_DIR", "/dev/null/x", "cannot use the data directory: Not a directory. Set HARNESS_DATA_DIR"),
    ],
)
def test_what_cannot_be_used_is_told_with_the_variable_to_set(
    variable: str, value: str, sentence: str, tmp_path: Path
) -> None:
    web, lab = free_ports(2)
    with up(tmp_path / "var", web, lab, **{variable: value}) as child:
        _, err = child.communicate(timeout=20)
    assert child.returncode == 2 and sentence in err and "Traceback" not in err


def test_the_data_directory_is_its_owners_and_what_was_left_is_told_and_adopted(tmp_path: Path) -> None:
    web, lab = free_ports(2)
    data = tmp_path / "var"
    spool = Spool(
        data / "spool", {"id": "left-behind", "kind": "chat", "route": "r", "started": "2026-01-02T03:04:05Z"}
    )
    spool.open(0, Capture("engine"))
    spool.flush()
    orphan = next((data / "spool").iterdir()).read_bytes()
    spool.discard()
    shutil.rmtree(data)
    with up(data, web, lab) as child:
        wait_until_ready(child)
    assert data.stat().st_mode & 0o077 == 0
    (data / "spool").mkdir(exist_ok=True)
    (data / "spool" / "0.spool").write_bytes(orphan)
    with up(data, web, lab) as child:
        wait_until_ready(child)
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=20)
    assert "Judging what was running when the app was killed: 1 recordings" in err
    assert not list((data / "spool").iterdir())
