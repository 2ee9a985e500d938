"""Stamps as recorders make them: coarse, wrong, drifting, at taps that share no clock; and lags that grow."""

from __future__ import annotations

from harness.capture.model import Capture, Clock
from harness.tests.diagnose.unseen.calm import COARSE, ID, whole_seconds
from harness.tests.diagnose.unseen.delays import EVEN, LONG
from harness.tests.diagnose.unseen.kit import (
    Reads,
    Unseen,
    at,
    fault,
    fine,
    hop,
    on,
    tale,
    warn,
)  # fmt: skip


def grid(reads: Reads, step: float) -> Reads:
    return [(t // step * step, data) for t, data in reads]


def stopped(reads: Reads, end_ms: float) -> Capture:
    """The app of one exchange over two machines, closed by the user, on the app's own clock."""
    return hop(
        "app",
        reads,
        exchange="x7",
        sent_at="2026-02-01T10:00:00.0Z",
        clock=WEB,
        end="aborted",
        end_ms=end_ms,
        detail="stopped by the user: closed by us",
    )


SLOWED = [(t + 3 + 130 * i, data) for i, (t, data) in enumerate(EVEN[:23])]
LAGGING = [(t + 3 + 6_000 * i / len(LONG), data) for i, (t, data) in enumerate(LONG)]
GPU, WEB = Clock("gpu", "monotonic", 0.001), Clock("web", "monotonic", 0.001)

CASES: dict[str, Unseen] = {
    "whole-seconds-at-the-outer-only": fine(
        hop("engine", at(tale(50, ident=ID), gap=120)),
        hop("proxy", whole_seconds(on(at(tale(50, ident=ID), gap=120), 30)), head_ms=0.0, clock=COARSE),
    ),
    "whole-seconds-over-the-edge": fine(
        hop("engine", whole_seconds(at(tale(50, ident=ID), start=905, gap=120)), head_ms=0.0, clock=COARSE),
        hop("proxy", whole_seconds(on(at(tale(50, ident=ID), start=905, gap=120), 70)), head_ms=0.0, clock=COARSE),
    ),
    "whole-seconds-and-held-for-six": fault(
        "burst|not-streamed",
        "proxy",
        hop("engine", whole_seconds(at(tale(50, ident=ID), gap=120)), head_ms=0.0, clock=COARSE),
        hop("proxy", [(7_000.0, b"".join(d for _, d in at(tale(50, ident=ID), gap=120)))], head_ms=0.0, clock=COARSE),
    ),
    "whole-seconds-alone-two-of-them": fine(
        hop("engine", whole_seconds(at(tale(16, ident=ID), start=1_020, gap=95)), head_ms=0.0, clock=COARSE)
    ),
    "browser-stamps-of-100-ms": fine(
        hop("app", at(tale(90, ident=ID), gap=35)),
        hop(
            "network-path",
            grid(on(at(tale(90, ident=ID), gap=35), 12), 100),
            tap="arrive",
            clock=Clock("tab", "performance", 100.0, 0.0, 8.0),
        ),
    ),
    "engine-was-done-before-the-stop-clocks-wrong": fine(
        hop("engine", EVEN, exchange="x7", sent_at="2026-02-01T10:04:00.0Z", clock=GPU),
        stopped(SLOWED, 6_000.0),
    ),
    "heard-at-once-clocks-wrong-the-other-way": fine(
        hop(
            "engine",
            EVEN[:11],
            exchange="x7",
            sent_at="2026-02-01T10:04:00.0Z",
            clock=GPU,
            end="aborted",
            end_ms=1_190.0,
        ),
        stopped(on(EVEN[:11], 3), 1_185.0),
    ),
    "runs-on-clocks-wrong": fault(
        "not-cancelled",
        "app",
        hop("engine", LONG, exchange="x7", sent_at="2026-02-01T10:04:00.0Z", clock=GPU),
        stopped(on(LONG[:30], 3), 1_990.0),
    ),
    "runs-on-clocks-wrong-the-other-way": fault(
        "not-cancelled",
        "app",
        hop("engine", LONG, exchange="x7", sent_at="2026-02-01T09:56:00.0Z", clock=GPU),
        stopped(on(LONG[:30], 3), 1_990.0),
    ),
    "link-too-slow-for-the-words": warn(
        "stall|burst|first-byte", "network-path", hop("proxy", LONG), hop("network-path", LAGGING)
    ),
    "two-exchanges-the-second-slower": fine(
        hop("engine", at(tale(100, ident="chatcmpl-0123456789ab"), gap=60), exchange="p1"),
        hop("proxy", at(tale(100, ident="chatcmpl-ba9876543210"), gap=95), exchange="p2"),
    ),
}
