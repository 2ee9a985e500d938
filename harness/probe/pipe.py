"""Read a pipe, a socket or standard input to its end, without hanging where nobody writes."""

from __future__ import annotations

import os
import select
import time

from harness.errors import InputError

WRITER_S = 2.0
"""How long a named pipe may have no writer: a shell that starts both ends opens them within this."""
SILENCE_S = 120.0
"""How long a writer may say nothing: a model that thinks is slower than any disk."""
_PIECE = 1 << 20


def read_pipe(
    fd: int, name: str, limit: int, *, named: bool, writer_s: float = WRITER_S, silence_s: float = SILENCE_S
) -> bytes:
    """What is written until its end, at most one byte above ``limit``.

    ``named``: a FIFO that was opened non-blocking, which may have no writer yet. Raises InputError where nobody
    writes within the bounds.
    """
    data = bytearray()
    began = heard = time.monotonic()
    poll = select.poll()
    poll.register(fd, select.POLLIN | select.POLLHUP)
    while len(data) <= limit:
        ready = poll.poll(100)
        piece = _piece(fd, limit + 1 - len(data)) if ready or named else None
        now = time.monotonic()
        if piece:
            data += piece
            heard = now
        elif piece is None and now - heard > silence_s:
            raise InputError(f"nothing came through this pipe for {silence_s:g} s", name, "Name a file")
        elif piece == b"" and (ready or data):
            break
        elif piece == b"" and now - began > writer_s:
            raise InputError("nobody writes to this pipe", name, "Start what writes to it, or name a file")
    return bytes(data)


def _piece(fd: int, most: int) -> bytes | None:
    """What can be read now; empty at the end and where no writer ever was, None while a writer says nothing."""
    try:
        return os.read(fd, min(_PIECE, most))
    except BlockingIOError:
        return None
