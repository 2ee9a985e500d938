"""Open a recording on disk or on standard input, whatever its format, within bounds: for `diagnose` and `convert`."""

from __future__ import annotations

import errno
import os
import stat
import sys
from pathlib import Path
from tempfile import NamedTemporaryFile

from harness.capture.format import LIMIT, check_size
from harness.capture.model import Capture
from harness.capture.packed import unpacked
from harness.capture.sniff import is_pcap, load_any, picked, stem
from harness.errors import InputError
from harness.probe.pcap import load_pcap
from harness.probe.pipe import read_pipe

STDIN = Path("-")


def read_recording(path: Path, hop: str = "", entry: int | None = None, limit: int = LIMIT) -> list[Capture]:
    """The captures in a capture file, curl trace, HAR, saved body or packet capture; told by content.

    ``-`` is standard input. ``hop`` wins over what the file names; ``entry`` picks one exchange of several (0-based).
    Raises InputError when there is no such file, CaptureError when it cannot be read or is longer than ``limit`` bytes.
    """
    name = "stdin" if path == STDIN else str(path)
    data = unpacked(read_file(path, limit), name, limit)
    if not is_pcap(data):
        return load_any(data, name, hop, entry)
    with NamedTemporaryFile(suffix=".pcap") as plain:  # tshark reads files, and this may have been a pipe, or packed
        plain.write(data)
        plain.flush()
        return picked(load_pcap(Path(plain.name), hop or stem(name), name), entry, name)


def split_hop(argument: str) -> tuple[str, Path]:
    """``[HOP=]FILE`` apart; a file whose own name holds ``=`` is taken as it is when it exists."""
    hop, equals, name = argument.partition("=")
    whole = Path(argument)
    if not equals or not hop or "/" in hop or os.path.lexists(whole):
        return "", whole
    return hop, Path(name)


def read_file(path: Path, limit: int = LIMIT) -> bytes:
    """A file's bytes, never more than ``limit``. Raises InputError or CaptureError with one clear sentence."""
    name = "stdin" if path == STDIN else str(path)
    try:
        if path == STDIN:
            if sys.stdin is None:
                raise InputError("standard input is closed", "-", "Name a file, or pipe one into `-`")
            data = _read(sys.stdin.fileno(), name, limit, ours=False)
        else:
            # Not to wait for a pipe's other end, or a modem's carrier.
            fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            try:
                data = _read(fd, name, limit, ours=True)
            finally:
                os.close(fd)
    except FileNotFoundError:
        raise InputError("there is no such file", name) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        if isinstance(error, OSError) and error.errno == errno.ENXIO:
            reason = "it is a socket, or a device that is not there"
        raise InputError(f"the file cannot be read: {reason}", name) from None
    check_size(len(data), name, limit)
    return data


def _read(fd: int, name: str, limit: int, *, ours: bool) -> bytes:
    """What the open file holds. ``ours``: it was opened here, non-blocking."""
    found = os.fstat(fd)
    if stat.S_ISREG(found.st_mode):
        check_size(found.st_size, name, limit)
        with os.fdopen(os.dup(fd), "rb") as file:
            return file.read(limit + 1)
    if stat.S_ISFIFO(found.st_mode) or stat.S_ISSOCK(found.st_mode):
        return read_pipe(fd, name, limit, named=ours)
    if stat.S_ISDIR(found.st_mode):
        raise InputError("expected a file, found a folder", name, "Name the files in it")
    what = "a terminal" if os.isatty(fd) else "a device"
    raise InputError(f"expected a file, found {what}", name, "Name a file, or pipe one into `-`")
