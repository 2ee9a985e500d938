"""Whatever a name stands for: it is read, or refused in one sentence, and nothing hangs."""

from __future__ import annotations

import gzip
import io
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from harness.errors import InputError
from harness.probe.pipe import read_pipe
from harness.probe.recording import STDIN, read_file, read_recording

ROOT = Path(__file__).resolve().parents[3]
CAPTURE = b'{"capture": 1, "hop": "app"}\n{"t": 1.5, "data": "data: 1\\n\\n"}\n'


def test_a_pipe_is_read_to_its_end(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    go_on = threading.Event()

    def write() -> None:
        with pipe.open("wb", buffering=0) as file:
            file.write(CAPTURE[:20])
            go_on.wait(5)
            file.write(CAPTURE[20:])

    threading.Timer(0.2, go_on.set).start()
    writer = threading.Thread(target=write)
    writer.start()
    (capture,) = read_recording(pipe)
    writer.join()
    assert capture.hop == "app" and capture.body == b"data: 1\n\n"


def test_a_pipe_without_a_writer_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    fd = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        with pytest.raises(InputError, match="f: nobody writes to this pipe"):
            read_pipe(fd, "f", 100, named=True, writer_s=0.2)
    finally:
        os.close(fd)


def test_a_writer_that_says_nothing_is_given_up() -> None:
    reads, writes = os.pipe()
    try:
        with pytest.raises(InputError, match=r"nothing came through this pipe for 0\.2 s"):
            read_pipe(reads, "f", 100, named=False, silence_s=0.2)
    finally:
        os.close(reads)
        os.close(writes)


def test_no_more_is_taken_than_the_limit() -> None:
    reads, writes = os.pipe()
    os.write(writes, b"x" * 300)
    try:
        assert len(read_pipe(reads, "f", 100, named=False)) == 101
    finally:
        os.close(reads)
        os.close(writes)


def test_what_is_no_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the path of a socket has to be short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("sock")
        with pytest.raises(InputError, match="it is a socket"):
            read_file(Path("sock"))
    (tmp_path / "loop").symlink_to("loop")
    big = tmp_path / "big"
    with big.open("wb") as file:
        file.truncate(2 * 1024**3)
    for path, expected in {
        "/dev/zero": "found a device", "/dev/null": "found a device", str(tmp_path): "found a folder",
        str(tmp_path / "loop"): "symbolic links", "/proc/self/mem": "cannot be read", "nul\0l": "cannot be read",
        str(big): "2,147,483,648 bytes", str(tmp_path / "none"): "no such file",
    }.items():  # fmt: skip
        with pytest.raises(InputError, match=expected):
            read_file(Path(path))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_refused(tmp_path: Path) -> None:
    (tmp_path / "f").touch(mode=0o000)
    with pytest.raises(InputError, match="Permission denied"):
        read_file(tmp_path / "f")


@pytest.mark.parametrize("data", [CAPTURE, gzip.compress(CAPTURE)], ids=["plain", "gzip"])
def test_a_minus_is_standard_input(data: bytes) -> None:
    command = [sys.executable, "manage.py", "convert", "gateway=-", "--to", "capture"]
    done = subprocess.run(command, input=data, capture_output=True, cwd=ROOT, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(b'{"capture": 1, "hop": "gateway"')


def test_standard_input_that_is_closed_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="standard input is closed"):
        read_recording(STDIN)
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    with pytest.raises(InputError, match="cannot be read"):
        read_recording(STDIN)
