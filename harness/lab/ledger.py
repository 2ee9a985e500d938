"""The ledger: every write of the lab, stamped, kept within a bound, found again by exchange key."""

from __future__ import annotations

import time
from array import array
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from harness.capture.model import Capture, End, Head, Headers, Request
from harness.probe.clock import host_clock, wall

now_ns = time.perf_counter_ns
BOUND = 64 * 1024 * 1024
OVERHEAD = 2048  # what a record costs beside its bytes
PER_WRITE = 64  # stamps, list entry, object header


class Record:
    """One exchange as the lab writes it. Times are ms since ``started`` (ns), when the request was received."""

    def __init__(
        self, key: str, hop: str, wire: str, request: Request, meta: Mapping[str, Any], started: int | None = None
    ) -> None:
        self.key, self.hop, self.wire, self.request = key, hop, wire, request
        self.meta: dict[str, Any] = dict(meta)
        self.started = now_ns() if started is None else started
        self.sent_at = wall(self.started)
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
        self.dropped = self._size = self._serial = 0
        self._records: OrderedDict[int, Record] = OrderedDict()
        self._costs: dict[int, int] = {}
        self._by_key: dict[tuple[str, str], list[Record]] = {}

    def open(self, record: Record) -> Record:
        self._serial += 1
        record.meta["number"] = self._serial
        self._records[self._serial] = record
        self._by_key.setdefault((record.key, record.hop), []).append(record)
        self.weigh(record)
        return record

    def weigh(self, record: Record) -> None:
        """Count what the record holds now (as it opens, and as it ends), and drop the oldest above the bound.

        A record that is dropped while it runs is only forgotten.
        """
        number = record.meta["number"]
        if number not in self._records:
            return
        self._size += record.cost - self._costs.get(number, 0)
        self._costs[number] = record.cost
        while self._size > self.bound and len(self._records) > 1:
            number, oldest = self._records.popitem(last=False)
            self._size -= self._costs.pop(number)
            self.dropped += 1
            rest = self._by_key[oldest.key, oldest.hop]
            rest.remove(oldest)
            if not rest:
                del self._by_key[oldest.key, oldest.hop]

    def find(self, key: str, hop: str = "engine") -> list[Record]:
        """Every record of that exchange at that hop, oldest first."""
        return list(self._by_key.get((key, hop), ()))

    def rows(self) -> list[dict[str, Any]]:
        """One row a record for the index page, newest first."""
        return [
            {
                "key": r.key, "hop": r.hop, "model": r.meta.get("model"), "writes": len(r.times), "bytes": r.size,
                "sent_at": r.sent_at, "end": r.ending.kind if r.ending else "open",
            }
            for r in reversed(self._records.values())
        ]  # fmt: skip
