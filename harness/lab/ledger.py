"""The ledger: every write of the lab, stamped, kept within a bound, found again by exchange key."""

from __future__ import annotations

from array import array
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from harness.capture.model import Capture, End, Head, Headers, Request
from harness.lab.clock import host_clock, now_ns, wall_at

BOUND = 64 * 1024 * 1024
OVERHEAD = 2048  # what a record costs beside its bytes
PER_WRITE = 16


class Record:
    """One exchange as the lab writes it. Times are ms since ``started`` (ns), when the request was received."""

    def __init__(
        self, key: str, hop: str, wire: str, request: Request, meta: Mapping[str, Any], started: int | None = None
    ) -> None:
        self.key, self.hop, self.wire, self.request = key, hop, wire, request
        self.meta: dict[str, Any] = dict(meta)
        self.started = now_ns() if started is None else started
        self.sent_at = wall_at(self.started)
        self.response: Head | None = None
        self.ending: End | None = None
        self.parts: list[bytes] = []
        self.times, self.ends, self.size = array("d"), array("Q"), 0

    def now(self) -> float:
        return (now_ns() - self.started) / 1e6

    def head(self, status: int, headers: Headers, http: str = "1.1") -> None:
        self.response = Head(self.now(), status, http, tuple((k.lower(), v) for k, v in headers))

    def wrote(self, data: bytes) -> None:
        self.times.append(self.now())
        self.size += len(data)
        self.ends.append(self.size)
        self.parts.append(data)

    def ended(self, kind: str, detail: str = "") -> None:
        """Only the first end counts."""
        if self.ending is None:
            self.ending = End(self.now(), kind, detail)

    @property
    def cost(self) -> int:
        return OVERHEAD + self.size + PER_WRITE * len(self.times)

    def capture(self) -> Capture:
        """A snapshot; while the exchange still runs it has the end ``open``."""
        ending = self.ending or End(self.now(), "open", "still running")
        return Capture(
            hop=self.hop, kind=self.hop, tap="emit", wire=self.wire, exchange=self.key, request=self.request,
            sent_at=self.sent_at, clock=host_clock(), meta=dict(self.meta), head=self.response,
            body=b"".join(self.parts), times=self.times[:], ends=self.ends[:], end=ending,
        )  # fmt: skip


class Ledger:
    """Records by key, newest last; the oldest are dropped when the bound (bytes) is passed."""

    def __init__(self, bound: int = BOUND) -> None:
        self.bound = bound
        self._records: OrderedDict[int, Record] = OrderedDict()
        self._serial = 0
        self.dropped = 0

    def open(self, record: Record) -> Record:
        self._serial += 1
        record.meta["number"] = self._serial
        self._records[self._serial] = record
        self.trim()
        return record

    def trim(self) -> None:
        """Called as records open and end; a record that is dropped while it runs is only forgotten."""
        total = sum(r.cost for r in self._records.values())
        while total > self.bound and len(self._records) > 1:
            _, oldest = self._records.popitem(last=False)
            total -= oldest.cost
            self.dropped += 1

    def find(self, key: str, hop: str = "engine") -> list[Record]:
        """Every record of that exchange at that hop, oldest first."""
        return [r for r in self._records.values() if r.key == key and r.hop == hop]

    def rows(self) -> list[dict[str, Any]]:
        """One row a record for the index page, newest first."""
        return [
            {
                "key": r.key, "hop": r.hop, "model": r.meta.get("model"), "writes": len(r.times), "bytes": r.size,
                "sent_at": r.sent_at, "end": r.ending.kind if r.ending else "open",
            }
            for r in reversed(self._records.values())
        ]  # fmt: skip
