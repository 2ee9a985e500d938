"""An exchange's spool: an append-only file that takes body and stamps of all its taps while it runs.

Recording is an append in memory. One thread flushes every open spool each half second, so that a process that is
killed loses less than the last second: what was written lives on in the page cache. There is no fsync, so a crash
of the machine may lose more. The owner holds a lock on the file; a spool that can be locked has lost its owner and
is adopted (:mod:`harness.runs.adopt`).
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import logging
import os
import threading
from collections import deque
from pathlib import Path
from uuid import uuid4

from harness.capture.model import Capture, End, Head
from harness.errors import CaptureError
from harness.runs.records import MAGIC, Mark, Record, Spooled, decode, encode, gather
from harness.runs.rows import Row, frame_of

PERIOD = 0.5  # seconds between two flushes
SUFFIX = ".spool"
log = logging.getLogger(__name__)


class Spool:
    """One exchange's records. The appending methods are for one thread (the event loop) and never touch the disk;
    :meth:`flush`, :meth:`read` and :meth:`discard` do, and are called off the loop.

    A disk that is full or read-only costs nothing but safety: the records stay in memory until it takes them.
    """

    def __init__(self, directory: Path, run: Row) -> None:
        """``run``: id, kind, route, started (ISO 8601) of what this exchange belongs to."""
        self.path = directory / (uuid4().hex + SUFFIX)
        self._queue: deque[Record] = deque([(Mark.RUN, 0, 0.0, run)])
        self._unwritten = bytearray(MAGIC)
        self._written = 0
        self._file: int | None = None
        self._discarded = False
        self._faulty = False
        self._lock = threading.Lock()
        flusher.add(self)

    def open(self, tap: int, capture: Capture) -> None:
        """What tap number ``tap`` is: hop, kind, request, clock, …; once more replaces the first."""
        self._queue.append((Mark.OPEN, tap, 0.0, capture))

    def head(self, tap: int, head: Head) -> None:
        self._queue.append((Mark.HEAD, tap, head.t, head))

    def data(self, tap: int, t: float, data: bytes) -> None:
        self._queue.append((Mark.DATA, tap, t, data))

    def upto(self, tap: int, t: float, offset: int) -> None:
        self._queue.append((Mark.UPTO, tap, t, offset))

    def end(self, tap: int, end: End) -> None:
        self._queue.append((Mark.END, tap, end.t, end))

    def flush(self) -> None:
        """Bring the queue to the disk."""
        with self._lock:
            self._flush()

    def read(self) -> Spooled:
        """Everything recorded so far."""
        with self._lock:
            self._flush()
            written = self.path.read_bytes()[: self._written] if self._written else b""
            return gather(decode(written + bytes(self._unwritten)))

    def discard(self) -> None:
        """Forget the spool: its exchange is stored, or nobody wants it."""
        flusher.remove(self)
        with self._lock:
            self._discarded = True
            self._queue.clear()
            if self._file is not None:
                self.path.unlink(missing_ok=True)
                os.close(self._file)
                self._file = None

    def _flush(self) -> None:
        while self._queue:
            record = self._queue.popleft()
            try:
                self._unwritten += encode(_row(record))
            except (CaptureError, ValueError) as error:
                log.warning("a %s record is left out: %s", record[0].name, error)
        if not self._unwritten or self._discarded:
            return
        try:
            if self._file is None:
                self._file = _create(self.path)
            while self._unwritten:
                count = os.pwrite(self._file, self._unwritten, self._written)
                self._written += count
                del self._unwritten[:count]
            self._faulty = False
        except OSError as error:
            if not self._faulty:
                log.warning("%s: cannot spool, keeping the recording in memory: %s", self.path.parent, error)
            self._faulty = True


def _create(path: Path) -> int:
    """The file, locked before it bears the name by which a spool is found."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    file = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        part.rename(path)
    except OSError:
        os.close(file)
        part.unlink(missing_ok=True)
        raise
    return file


def _row(record: Record) -> Record:
    """A record as it is written: the model's objects turned to rows, here rather than on the event loop."""
    mark, tap, t, content = record
    if mark is Mark.OPEN:
        return mark, tap, t, frame_of(content).opening
    if mark in (Mark.HEAD, Mark.END):
        frame = frame_of(Capture("-", **{mark.name.lower(): content}))
        return mark, tap, t, frame.head if mark is Mark.HEAD else frame.end
    return record


class Flusher:
    """The thread that flushes all open spools; it starts with the first and sleeps while there is none."""

    def __init__(self) -> None:
        self._spools: set[Spool] = set()
        self._lock = threading.Lock()
        self._some = threading.Event()
        self._thread: threading.Thread | None = None

    def add(self, spool: Spool) -> None:
        with self._lock:
            self._spools.add(spool)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="spool-flusher", daemon=True)
                self._thread.start()
        self._some.set()

    def remove(self, spool: Spool) -> None:
        with self._lock:
            self._spools.discard(spool)
            if not self._spools:
                self._some.clear()

    def flush(self) -> None:
        with self._lock:
            spools = list(self._spools)
        for spool in spools:
            try:
                spool.flush()
            except Exception:  # one exchange's defect must not end the thread that keeps all others
                log.exception("%s: cannot be recorded", spool.path.name)
                self.remove(spool)

    def _run(self) -> None:
        pause = threading.Event()
        while True:
            self._some.wait()
            pause.wait(PERIOD)
            self.flush()


flusher = Flusher()


@atexit.register
def _flush_last() -> None:
    """A process that ends in good order leaves everything behind for the next one to adopt."""
    with contextlib.suppress(Exception):
        flusher.flush()
