"""nginx as a TCP proxy (``stream {}``): it sees no HTTP, and its one timer counts silence both ways."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.diagnose.answer import Finding
from harness.lint.duration import seconds
from harness.lint.hint import Spot, hint
from harness.phrase import phrase

Block = Sequence[Mapping[str, Any]]


def tcp_rule(parsed: Block, file: str, needed: float) -> Iterator[Finding]:
    """``proxy_timeout`` of each server that hands on, where shorter than ``needed`` seconds (default: 10 min)."""
    for outer in parsed:
        if outer["directive"] != "stream":
            continue
        block = outer.get("block", ())
        for server in block:
            inner = server.get("block", ()) if server["directive"] == "server" else ()
            timer = _last(inner, "proxy_timeout") or _last(block, "proxy_timeout")
            limit = seconds(timer["args"][0]) if timer and timer.get("args") else None
            if timer is None or limit is None or limit >= needed or not _last(inner, "proxy_pass"):
                continue
            spot = Spot(timer.get("file", file), timer["line"], "stream, server", "nginx")
            yield hint(
                "truncation.tcp-timeout", "warning", spot,
                phrase("after {limit} s of silence both ways, the connection is cut.", limit=f"{limit:g}"),
                phrase(
                    "proxy_timeout is shorter than the {needed} s that a route allows between two reads.",
                    needed=f"{needed:g}",
                ),
                phrase("proxy_timeout {seconds}s;", seconds=f"{max(needed, 600):g}"), limit_s=limit, needed_s=needed,
            )  # fmt: skip


def _last(block: Block, name: str) -> Mapping[str, Any] | None:
    return next((item for item in reversed(block) if item["directive"] == name), None)
