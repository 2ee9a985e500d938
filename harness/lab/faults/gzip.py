"""The body is compressed, flushed at each event."""

from __future__ import annotations

import zlib
from dataclasses import replace

from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("gzip", "")
def gzip(plan: Plan, p: Params) -> Plan:
    """gzip with a sync flush after every write: legal where the client asked for it, and still a stream."""
    packer = zlib.compressobj(6, zlib.DEFLATED, 31)
    rows = []
    for e in plan.emissions:
        rows.append(replace(e, data=packer.compress(plan.encode(e)) + packer.flush(zlib.Z_SYNC_FLUSH)))
    if rows:
        rows.append(replace(rows[-1], kind="raw", data=packer.flush()))
    return plan.with_emissions(rows, headers=(*plan.headers, ("content-encoding", "gzip")))
