"""A comparison as text: the texts' matrix, where they leave the reference, and the headers that differ."""

from __future__ import annotations

from harness.phrase import joined, phrase, say
from harness.report.columns import plain
from harness.runs.compare import Comparison, Difference, Text

TOLD = {
    "reorder": phrase("its pieces stand in another order"),
    "loss": phrase("pieces are missing"),
    "duplicate": phrase("pieces stand twice"),
    "mixture": phrase("pieces of another answer stand in it"),
    "sampling": phrase("another sample, no damage of the line"),
    "truncation": phrase("it stops early"),
    "rewrite": phrase("it was rewritten"),
}


def lines(found: Comparison) -> list[str]:
    ways = list(dict.fromkeys(text.way for text in found.texts))
    width = max(map(len, ways), default=0)
    out = [say("Equal letters are equal texts; ! marks one that is not its own whole answer.")]
    for way in ways:
        row = " ".join(t.letter + ("!" if t.matches is False else " ") for t in found.texts if t.way == way)
        out.append(f"  {way:{width}}  {row}".rstrip())
    if found.sampled:
        ways_said = joined(", ", found.sampled)
        out.append(say("{ways} differs from itself: sampling, not the line, may explain the rest.", ways=ways_said))
    for text in found.texts:
        gap = text.difference
        if gap is not None:
            out.append("  " + _left(text, gap))
    if found.whole_equal is False:
        out.append("  " + say("the two whole answers (not streamed) differ too"))
    for name, values in found.headers.items():
        told = joined(", ", [f"{way}: {value or say('(missing)')}" for way, value in values.items()])
        out.append("  " + say("header {name}: {told}", name=name, told=told))
    out += ["  " + say("field {change}", change=plain(str(row))) for row in found.fields]
    return out


def _left(text: Text, gap: Difference) -> str:
    """Where a text leaves its reference, and what that looks like."""
    at_end = phrase("at its end")
    figures = {"event": gap.event, "byte": gap.byte, "at_ms": round(gap.at_ms or 0.0)}
    place = at_end if gap.event is None else phrase("event {event}, byte {byte}, {at_ms} ms", **figures)
    said = {"way": text.way, "repeat": text.repeat, "char": gap.char, "place": place}
    said |= {"here": repr(gap.here), "there": repr(gap.there)}
    if text.told in TOLD:
        why = TOLD[text.told]
        return say("{way} #{repeat} from character {char} ({place}): {here} for {there}; {why}", **said, why=why)
    return say("{way} #{repeat} from character {char} ({place}): {here} for {there}", **said)
