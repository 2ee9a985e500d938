"""How many runs are kept: the oldest go when a new one is stored, unless they are pinned or still run."""

from __future__ import annotations

import logging

from django.conf import settings
from django.db import DatabaseError

from harness.models import Run

AT_ONCE = 50  # runs deleted in one transaction, so that no other writer waits long
log = logging.getLogger(__name__)


def prune(keep: int | None = None) -> int:
    """Delete the oldest runs beyond ``keep`` (default ``HARNESS_KEEP_RUNS``; 0 keeps all); how many went. Blocking.

    Pinned and running ones neither go nor count. A database that refuses is told to the log: the next run tries again.
    """
    keep = settings.KEEP_RUNS if keep is None else keep
    if keep <= 0:
        return 0
    gone = 0
    try:
        runs = Run.objects.filter(pinned=False).exclude(state=Run.State.RUNNING)
        surplus = list(runs.order_by("-started", "-id").values_list("pk", flat=True)[keep:])
        for at in range(0, len(surplus), AT_ONCE):
            batch = surplus[at : at + AT_ONCE]
            Run.objects.filter(pk__in=batch, pinned=False).delete()
            gone += len(batch)
    except DatabaseError as error:
        log.warning("old runs stay for now, the database does not let them go: %s", error)
    return gone


def pin(run_id: str, pinned: bool) -> bool:
    """Keep a run for good, or no longer; False if there is no such run."""
    return Run.objects.filter(pk=run_id).update(pinned=pinned) > 0
