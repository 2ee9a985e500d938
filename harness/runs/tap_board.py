"""A tap's notice board: a file in the data directory that says what the tap does, locked for as long as it lives.

A tap is a process of its own, and may be killed; the kernel frees its lock then, so that nobody takes it for alive.
"""

from __future__ import annotations

import fcntl
import logging
import os
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
from django.conf import settings

STALE = timedelta(hours=24)  # after which the board of a tap that has ended is taken down
UNSAID: dict[str, Any] = {
    "listen": "", "upstream": "", "hop": "", "directory": "", "exchanges": 0, "bad": 0, "bytes": 0, "kept": 0,
    "most": 1, "used_bytes": 0, "most_bytes": 1, "in_flight": [], "flying": 0, "rows": [],
}  # fmt: skip
log = logging.getLogger(__name__)
News = dict[str, Any]


class Board:
    """Written once a second by the tap that owns it. A disk that does not take it is told once, and costs the page."""

    def __init__(self, **known: Any) -> None:
        """``known``: what does not change (listen, upstream, hop, …)."""
        since = datetime.now(UTC)
        self.known = {"id": f"{since:%Y%m%d-%H%M%S}-{os.getpid()}", "pid": os.getpid(), "since": since.isoformat()}
        self.known |= known
        self._path = folder() / f"{self.known['id']}.json"
        self._lock: int | None = None
        self._faulty = False

    def write(self, news: News) -> None:
        """Put up what is new, in the place of what was there. Blocks for the disk."""
        data = orjson.dumps(self.known | news | {"now": datetime.now(UTC).isoformat()})
        try:
            if self._lock is None:
                folder().mkdir(mode=0o700, parents=True, exist_ok=True)
                sweep()
                self._lock = os.open(self._path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            part = self._path.with_suffix(".part")
            part.write_bytes(data)
            part.replace(self._path)
            self._faulty = False
        except OSError as error:
            if not self._faulty:
                log.warning("the page /taps/ does not hear of this tap: %s", error)
            self._faulty = True

    def close(self, news: News) -> None:
        """The last word: the tap has ended in good order."""
        self.write(news | {"ended": datetime.now(UTC).isoformat()})
        if self._lock is not None:
            os.close(self._lock)
            self._path.with_suffix(".lock").unlink(missing_ok=True)


def folder() -> Path:
    return Path(settings.DATA_DIR) / "taps"


def boards() -> list[News]:
    """Every board, the latest first; ``state``: ``listening``, ``ended``, or ``gone`` for a tap that died."""
    found = []
    for path in sorted(folder().glob("*.json"), reverse=True):
        with suppress(OSError, ValueError):
            news = orjson.loads(path.read_bytes())
            state = "listening" if _lives(path) else "ended" if news.get("ended") else "gone"
            found.append(UNSAID | news | {"state": state})
    return found


def sweep() -> None:
    """Take down the boards of taps that ended long ago."""
    old = (datetime.now(UTC) - STALE).timestamp()
    for path in folder().glob("*.*"):
        with suppress(OSError):
            if path.stat().st_mtime < old and not _lives(path):
                path.unlink(missing_ok=True)


def _lives(path: Path) -> bool:
    try:
        with path.with_suffix(".lock").open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False
