"""duplicate: one tool call told as several, which a client then makes several times."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from harness.diagnose.answer import Finding
from harness.diagnose.fault import Fault
from harness.diagnose.pair import Pair
from harness.diagnose.view import View

SAME_ID = Fault(
    "duplicate.call-id",
    "The call {ident} of {tool} stands {times} times in the answer, under different indices.",
    "A retry or a second parser told the same call anew; clients make it as often as it is told.",
    "Tell each call once, under one index; let clients tell calls apart by id.",
)
AGAIN = Fault(
    "duplicate.call",
    "{hop} tells the call of {tool} {told} times, with the same arguments; {hop_inner} makes it {made} times.",
    "The hop asked again although the call was there, or tells it once in pieces and once whole.",
    "Tell each call once; a call that came is the end of the turn.",
)

Call = tuple[str, str]


def alone(view: View) -> Iterator[Finding]:
    calls = [
        (c.key.choice, c.id, c.name, _plain(c.text))
        for c in view.stream.channels
        if c.name and c.id not in ("", c.name)
    ]
    for (_, ident, name, _), times in Counter(calls).items():
        if times > 1:
            yield SAME_ID.found(view, "error", event=_last(view), ident=ident, tool=name, times=times)
            return


def between(pair: Pair) -> Iterator[Finding]:
    if pair.sameness == "different" or not pair.inner.text_complete:
        return
    made, told = (_calls(view) for view in (pair.inner, pair.outer))
    for call, times in told.items():
        if 0 < made[call] < times:
            figures: dict[str, Any] = {"tool": call[0], "told": times, "made": made[call]}
            yield AGAIN.found(pair.outer, "error", inner=pair.inner, event=_last(pair.outer), **figures)


def _calls(view: View) -> Counter[Call]:
    return Counter((c.name, _plain(c.text)) for c in view.stream.channels if c.name)


def _plain(arguments: str) -> str:
    try:
        return json.dumps(json.loads(arguments or "{}"), sort_keys=True)
    except ValueError:
        return arguments


def _last(view: View) -> int | None:
    return view.content[-1] if view.content else None
