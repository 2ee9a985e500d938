"""Recordings that were uploaded for a job: kept beside its lock until the job's own process has read them.

They are read there and not in the web's process, so that a large HAR does not disturb the streams that run through it.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from django.conf import settings

from harness.capture.bundle import resolve_shared
from harness.capture.model import Capture, kind_of
from harness.capture.sniff import load_any
from harness.errors import InputError, LimitExceeded

TOTAL = 32 * 1024 * 1024
"""Bytes of all recordings of one upload."""
MOST = 32  # files of one upload
QUICK = 512 * 1024  # a file up to this size is read at once (50 ms), so that what is wrong with it is told on the spot


@dataclass(frozen=True, slots=True)
class Recording:
    """An uploaded file. ``hop`` is what its hop is to be called; "" takes what the file says."""

    name: str
    data: bytes
    hop: str = ""


def check(recordings: Sequence[Recording]) -> None:
    """Refuse what is too much, empty or, as far as that shows at once, no recording. LimitExceeded, CaptureError."""
    total = sum(len(recording.data) for recording in recordings)
    check_total(total)
    if len(recordings) > MOST:
        raise LimitExceeded(f"{len(recordings)} files are too many at once", "upload", f"Choose at most {MOST}.")
    for recording in recordings:
        if len(recording.data) <= QUICK:
            load_any(recording.data, recording.name, recording.hop)


def check_total(size: int, beside: int = 0) -> None:
    """Refuse more than :data:`TOTAL` bytes, and ``beside`` for what comes with them. LimitExceeded."""
    if size > TOTAL + beside:
        what = f"the recordings have {size:,} bytes, more than the {TOTAL // 1024**2} MiB that are taken at once"
        raise LimitExceeded(what, "upload", "Record a shorter stream, or use `manage.py diagnose FILE…` instead.")


def keep(run_id: str, recordings: Sequence[Recording]) -> list[dict[str, str]]:
    """Write them for the job; gives what its ``spec["files"]`` is to say. InputError where they cannot be written."""
    if not recordings:
        return []
    folder = folder_of(run_id)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for number, recording in enumerate(recordings):
            (folder / str(number)).write_bytes(recording.data)
    except OSError as error:
        drop(run_id)
        raise InputError(f"the upload cannot be kept: {error.strerror}", str(folder), "Make room there.") from None
    return [{"name": recording.name, "hop": recording.hop} for recording in recordings]


def read(run_id: str, files: Sequence[Mapping[str, Any]]) -> list[Capture]:
    """The captures of a job's recordings, in their order. CaptureError for one that is none, InputError if gone."""
    captures: list[Capture] = []
    for number, file in enumerate(files):
        try:
            data = (folder_of(run_id) / str(number)).read_bytes()
        except OSError:
            raise InputError("the uploaded file is gone", str(file["name"]), "Upload it again.") from None
        captures += load_any(data, str(file["name"]), str(file["hop"]))
    return resolve_shared(captures)


def drop(run_id: str) -> None:
    """Remove what was kept for a job."""
    shutil.rmtree(folder_of(run_id), ignore_errors=True)


def folder_of(run_id: str) -> Path:
    return Path(settings.DATA_DIR) / "jobs" / run_id


def by_hop(captures: Sequence[Capture]) -> dict[str, list[Capture]]:
    """Captures by their hop's name, each hop's in their order."""
    found: dict[str, list[Capture]] = {}
    for capture in captures:
        found.setdefault(capture.hop, []).append(capture)
    return found


def brought_in(base: Sequence[Capture], new: Sequence[Capture], hops: Sequence[Sequence[str]]) -> list[Capture]:
    """A run's captures with recordings in the place of those hops' own. ``hops``: [name, kind], innermost first.

    The n-th recording of a hop belongs to the n-th repeat; hops that the route does not know go last.
    """
    order = {str(name): place for place, (name, _) in enumerate(hops)}
    kinds = {str(name): str(kind) for name, kind in hops}
    repeats = sorted({capture.repeat for capture in base}, key=lambda repeat: repeat or 0) or [None]
    brought = []
    for hop, captures in by_hop(new).items():
        for repeat, capture in zip(repeats, captures, strict=False):
            brought.append(replace(capture, kind=kinds.get(hop) or kind_of(hop), repeat=repeat))
    replaced = {capture.hop for capture in brought}
    kept = [capture for capture in base if capture.hop not in replaced]
    return sorted([*kept, *brought], key=lambda c: (c.repeat or 0, order.get(c.hop, len(order))))


def inside_out(captures: Sequence[Capture]) -> list[Capture]:
    """Captures innermost first where every one names the kind of its hop; else in the order in which they came."""
    ranks = {kind: rank for rank, kind in enumerate(("engine", "gateway", "app", "proxy", "network-path", "browser"))}
    if any(capture.kind not in ranks for capture in captures):
        return list(captures)
    taps = {"emit": 0, "read": 1, "write": 2, "arrive": 3, "paint": 4}
    return sorted(captures, key=lambda c: (c.repeat or 0, ranks[c.kind], taps.get(c.tap, 1)))
