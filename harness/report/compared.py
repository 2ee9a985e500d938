"""A comparison as text: the texts' matrix, where they leave the reference, and the headers that differ."""

from __future__ import annotations

from harness.report.columns import plain
from harness.runs.compare import Comparison

TOLD = {
    "reorder": "its pieces stand in another order",
    "loss": "pieces are missing",
    "duplicate": "pieces stand twice",
    "mixture": "pieces of another answer stand in it",
    "sampling": "another sample, no damage of the line",
    "truncation": "it stops early",
    "rewrite": "it was rewritten",
}


def lines(found: Comparison) -> list[str]:
    ways = list(dict.fromkeys(text.way for text in found.texts))
    width = max(map(len, ways), default=0)
    out = ["Equal letters are equal texts; ! marks one that is not its own whole answer."]
    for way in ways:
        row = " ".join(t.letter + ("!" if t.matches is False else " ") for t in found.texts if t.way == way)
        out.append(f"  {way:{width}}  {row}".rstrip())
    if found.sampled:
        out.append(f"{', '.join(found.sampled)} differs from itself: sampling, not the line, may explain the rest.")
    for text in found.texts:
        gap = text.difference
        if gap is not None:
            place = "at its end" if gap.event is None else f"event {gap.event}, byte {gap.byte}, {gap.at_ms:.0f} ms"
            why = f"; {TOLD[text.told]}" if text.told in TOLD else ""
            out.append(
                f"  {text.way} #{text.repeat} from character {gap.char} ({place}): {gap.here!r} for {gap.there!r}{why}"
            )
    if found.whole_equal is False:
        out.append("  the two whole answers (not streamed) differ too")
    for name, values in found.headers.items():
        told = ", ".join(f"{way}: {value or '(missing)'}" for way, value in values.items())
        out.append(f"  header {name}: {told}")
    out += [f"  field {plain(str(row))}" for row in found.fields]
    return out
