"""Open a recording on disk, whatever its format, within bounds: what `diagnose` and `convert` are given."""

from __future__ import annotations

import os.path
import stat
from pathlib import Path

from harness.capture.format import LIMIT, check_size
from harness.capture.model import Capture
from harness.capture.sniff import is_pcap, load_any, picked, stem
from harness.errors import InputError
from harness.probe.pcap import load_pcap


def read_recording(path: Path, hop: str = "", entry: int | None = None, limit: int = LIMIT) -> list[Capture]:
    """The captures in a capture file, curl trace, HAR or packet capture; told by content.

    ``hop`` wins over what the file names; ``entry`` picks one exchange of several (0-based). Raises InputError
    when there is no such file, CaptureError when it cannot be read or is longer than ``limit`` bytes.
    """
    data = read_file(path, limit)
    if not is_pcap(data):
        return load_any(data, str(path), hop, entry)
    return picked(load_pcap(path, hop or stem(str(path))), entry, str(path))


def split_hop(argument: str) -> tuple[str, Path]:
    """``[HOP=]FILE`` apart; a file whose own name holds ``=`` is taken as it is when it exists."""
    hop, equals, name = argument.partition("=")
    whole = Path(argument)
    if not equals or not hop or "/" in hop or os.path.lexists(whole):
        return "", whole
    return hop, Path(name)


def read_file(path: Path, limit: int = LIMIT) -> bytes:
    """A file's bytes, never more than ``limit``. Raises InputError or CaptureError with one clear sentence."""
    try:
        found = path.stat()
        if stat.S_ISDIR(found.st_mode):
            raise InputError("expected a file, found a folder", str(path), "Name the files in it")
        check_size(found.st_size, str(path), limit)
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except FileNotFoundError:
        raise InputError("there is no such file", str(path)) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(f"the file cannot be read: {reason}", str(path)) from None
    check_size(len(data), str(path), limit)
    return data
