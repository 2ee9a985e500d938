"""rewrite.events: what a hop changed event by event while it kept the text: harmless, told as a fact."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from harness.diagnose.answer import Finding
from harness.diagnose.fault import Fault
from harness.diagnose.pair import Pair
from harness.diagnose.view import View
from harness.phrase import joined, phrase, term

EVENTS = Fault(
    "rewrite.events",
    "{hop} writes the events of {hop_inner} anew and keeps the text: {changes}.",
    "The gateway parses each chunk and builds its own.",
    "Nothing to mend, unless a reader needs what is gone.",
)
MERGE = 0.8  # of the inner pieces: fewer than this were merged


def between(pair: Pair) -> Iterator[Finding]:
    """Only where both hops are whole and every channel is equal: else the text is what matters."""
    inner, outer = pair.inner, pair.outer
    if (
        not (inner.streamed and outer.streamed and inner.content and outer.content)
        or inner.stream.body == outer.stream.body
    ):
        return
    if pair.sameness == "different":
        return  # two exchanges have two ids, and nothing follows from it
    if set(inner.texts) != set(outer.texts) or not all(found.equal for found in pair.alignments.values()):
        return
    told = _changes(inner, outer)
    if told:
        rows = [phrase("{change} {figure}", change=term(_words(name)), figure=_say(name, told[name])) for name in told]
        words = {"changes": joined("; ", rows)}
        yield EVENTS.found(outer, "info", inner=inner, event=outer.content[0], words=words, **told)


def _changes(inner: View, outer: View) -> dict[str, Any]:
    a, b = inner.stream, outer.stream
    told: dict[str, Any] = {}
    if len(outer.content) < MERGE * len(inner.content):
        told["pieces_merged"] = [len(inner.content), len(outer.content)]
    elif len(inner.content) < MERGE * len(outer.content):
        told["pieces_split"] = [len(inner.content), len(outer.content)]
    if len(a.comments) > len(b.comments):
        told["comments_dropped"] = len(a.comments) - len(b.comments)
    if len(a.names) > len(b.names):
        told["event_lines_dropped"] = len(a.names) - len(b.names)
    if a.wire != b.wire:
        told["dialect"] = [a.wire, b.wire]
        return told
    for name in ("id", "model", "fingerprint"):
        was, now = (next((getattr(row, name) for row in s.identities if getattr(row, name)), "") for s in (a, b))
        if was != now:
            told[f"{name}_{'changed' if now else 'blanked'}"] = [was, now]
    if a.usages and not b.usages:
        told["usage_dropped"] = len(a.usages)
    gone, new = _keys(inner) - _keys(outer), _keys(outer) - _keys(inner)
    if gone:
        told["fields_dropped"] = sorted(gone)
    if new:
        told["fields_added"] = sorted(new)
    return told


def _keys(view: View) -> set[str]:
    """Names of the fields of the first event with content, nested ones with dots."""
    raw = view.stream.raw(view.content[0])
    start = raw.find(b"{")
    try:
        event = json.loads(raw[start:]) if start >= 0 else {}
    except ValueError:
        return set()
    return set(_names(event, ""))


def _names(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield path + name
            yield from _names(inner, f"{path}{name}.")
    elif isinstance(value, list) and value:
        yield from _names(value[0], path)


def _words(name: str) -> str:
    return name.replace("_", " ")


def _say(name: str, value: Any) -> str:
    if name.startswith("fields"):
        return joined(", ", value)
    if isinstance(value, list):
        before, now = (item or phrase("nothing") for item in value)
        return phrase("{before} → {now}", before=before, now=now)
    return str(value)
