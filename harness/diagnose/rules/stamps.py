"""malformed: the recording itself is odd, for its stamps run backwards. Nothing about the hop; no fault."""

from __future__ import annotations

from collections.abc import Iterator

from harness.diagnose.answer import Finding
from harness.diagnose.fault import Fault
from harness.diagnose.sane import STEPPED
from harness.diagnose.view import View

BACK = Fault(
    "malformed.stamps",
    "The stamps of this recording run backwards {count} times, most at read {read}: by {most_ms} ms.",
    "The recorder's clock was set while it recorded (NTP, suspend), or the file was put together or edited. Times are "
    "judged as if the clock had stood still there.",
    "Where a delay is in question, record again with a monotonic clock.",
)


def alone(view: View) -> Iterator[Finding]:
    note = view.capture.meta.get(STEPPED)
    if isinstance(note, dict) and note.keys() >= {"count", "most_ms", "read"}:
        yield BACK.found(view, "info", **{key: note[key] for key in ("count", "most_ms", "read")})
