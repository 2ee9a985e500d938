"""Adopt spools whose owner died: what it had recorded becomes a run, and what had not ended is ``interrupted``."""

from __future__ import annotations

import fcntl
import logging
import os
import threading
import time
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, connections

from harness.errors import StreamscopeError
from harness.models import Run
from harness.runs.jobs import close_abandoned
from harness.runs.judge import judge
from harness.runs.records import Spooled, decode, gather
from harness.runs.spool import SUFFIX

STALE = 60.0  # seconds after which a half-made spool is a leftover
log = logging.getLogger(__name__)


def adopt(directory: Path | None = None) -> list[str]:
    """Store every orphaned spool and remove it; gives the run ids. Blocking: call it off the event loop.

    A spool is an orphan when its lock can be had: the kernel frees it when its owner ends, however it ends. One that
    cannot be read is set aside with the suffix ``.bad``; one that the database refuses stays for the next start.
    """
    directory = directory or Path(settings.DATA_DIR) / "spool"
    adopted = []
    for path in sorted(directory.glob("*" + SUFFIX)):
        run_id = _adopt(path)
        if run_id:
            adopted.append(run_id)
    for part in directory.glob("*.part"):
        if time.time() - part.stat().st_mtime > STALE:
            part.unlink(missing_ok=True)
    return adopted


def orphans(directory: Path | None = None) -> int:
    """How many spools lie there, most likely for want of their owner."""
    return sum(1 for _ in (directory or Path(settings.DATA_DIR) / "spool").glob("*" + SUFFIX))


def _adopt(path: Path) -> str:
    try:
        file = os.open(path, os.O_RDWR)
    except FileNotFoundError:  # its owner has just stored it
        return ""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not path.exists():
            return ""
        return _store(path)
    except BlockingIOError:
        return ""
    finally:
        os.close(file)


def _store(path: Path) -> str:
    try:
        spooled = gather(decode(path.read_bytes()))
        if spooled.run:
            _judge(spooled)
    except (StreamscopeError, KeyError, ValueError) as error:
        log.warning("%s: cannot be adopted, set aside: %s", path, error)
        path.rename(path.with_suffix(".bad"))
        return ""
    except DatabaseError as error:
        log.warning("%s: stays, the database does not take it: %s", path, error)
        return ""
    path.unlink()
    return str(spooled.run.get("id", ""))


def _judge(spooled: Spooled) -> None:
    """The spool holds at least what was stored of its run; only a later run of the same id is left alone."""
    run = spooled.run
    started = datetime.fromisoformat(run["started"])
    if not Run.objects.filter(pk=run["id"], started__gt=started).exists():
        interrupted = any(capture.end and capture.end.detail == "interrupted" for capture in spooled.captures)
        judge(run, spooled.captures, Run.State.INTERRUPTED if interrupted else Run.State.DONE)


def adopt_in_background() -> None:
    """Adopt, and close abandoned jobs, in a thread, so that a server starts at once; failures go to the log."""

    def work() -> None:
        try:
            adopt()
            close_abandoned()
        except Exception:  # the seam of a thread: whatever a leftover holds, the server has started and goes on
            log.exception("spools could not be adopted; the next start tries again")
        finally:
            connections.close_all()

    threading.Thread(target=work, name="adopt", daemon=True).start()
