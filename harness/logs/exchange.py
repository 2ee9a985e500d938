"""What of a capture can be found again in somebody else's log: its ids, its path, and when things happened."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from harness.capture.model import Capture
from harness.diagnose.answer import Finding

# Response headers in which gateways tell the id under which they log.
ID_HEADERS = frozenset({
    "x-exchange-id", "x-request-id", "request-id", "x-oneapi-request-id", "x-litellm-call-id", "x-trace-id",
    "x-correlation-id", "apim-request-id",
})  # fmt: skip
_BODY_ID = re.compile(rb'"id"\s*:\s*"([\w\-]{10,80})"')
SHORTEST = 8  # characters of an id that is not found by chance


@dataclass(frozen=True, slots=True)
class Exchange:
    """Epoch seconds on our clock. ``moments``: request, response head, faults, end."""

    hop: str
    repeat: int | None
    key: str
    ids: frozenset[str]
    path: str
    begin: float
    end: float
    moments: tuple[float, ...] = ()

    def is_named_in(self, text: str) -> bool:
        return any(key in text for key in self.ids)


def exchange_of(capture: Capture, findings: Sequence[Finding] = ()) -> Exchange | None:
    """None for a capture that does not say when it was made."""
    try:
        begin = datetime.fromisoformat(capture.sent_at).timestamp()
    except ValueError:
        return None
    begin += capture.clock.offset_ms / 1e3 if capture.clock else 0.0
    last = [capture.end.t if capture.end else 0.0, capture.head.t if capture.head else 0.0, *capture.times[-1:]]
    faults = [
        finding.at_ms
        for finding in findings
        if finding.at_ms is not None and (finding.hop, finding.repeat) == (capture.hop, capture.repeat)
    ]
    marks = [0.0, *([capture.head.t] if capture.head else []), *faults, max(last)]
    path = urlsplit(capture.request.url).path if capture.request else ""
    return Exchange(
        capture.hop,
        capture.repeat,
        capture.exchange,
        frozenset(ids_of(capture)),
        path,
        begin,
        begin + max(last) / 1e3,
        tuple(begin + mark / 1e3 for mark in marks),
    )


def ids_of(capture: Capture) -> set[str]:
    """The exchange id, those that the response's headers tell, and the one that its first chunk bears."""
    headers = capture.head.headers if capture.head else ()
    sent = capture.request.headers if capture.request else ()
    ids = {capture.exchange, *(value for name, value in (*headers, *sent) if name in ID_HEADERS)}
    first = _BODY_ID.search((capture.body or b"")[:8192])
    ids |= {first[1].decode()} if first else set()
    return {key for key in ids if len(key) >= SHORTEST}
