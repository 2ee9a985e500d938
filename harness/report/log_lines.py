"""Lines of gateway logs beside an answer, as text for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from harness.logs.match import Excerpt, Shown
from harness.phrase import phrase, say, spoken, term, told
from harness.report.columns import fill, plain

HOW = {
    "id": phrase("found by id"),
    "duration": phrase("found by how long it took"),
    "time": phrase("found by time alone"),
}
NOT_FOUND = phrase("nothing found")
LONGEST = 400  # characters of a line on a terminal; the JSON has all that was kept


def as_text(found: Sequence[Excerpt], width: int = 80) -> str:
    """One block a log and exchange, ``»`` before lines that bear its id, ``≈`` before times of whole seconds, and what
    is known of a line under it. Exchanges of which a log says nothing are left out where it says something of others.
    """
    telling = {one.source for one in found if one.shown}
    shown = [one for one in found if one.shown or one.source not in telling]
    return "".join("\n" + "\n".join(_block(one, width)) + "\n" for one in shown)


def _when(shown: Shown) -> str:
    if shown.after_s is None:
        return "        –"
    coarse = shown.line.moment is None or shown.line.moment.precision >= 1
    return f"≈{shown.after_s:+.1f}".rjust(9) if coarse else f"{shown.after_s:+9.3f}"


def _block(one: Excerpt, width: int) -> list[str]:
    number = "" if one.exchange.repeat is None else f" #{one.exchange.repeat}"
    clock = phrase(", its clock {offset} s", offset=f"{one.offset_s:+.3f}") if one.offset_s else ""
    name = plain(one.source) + (f" ({one.format})" if one.format else "")
    how, hop = HOW.get(one.matched, NOT_FOUND), plain(one.exchange.hop) + number
    about = say("log {name}: {hop}, {how}{clock}", name=name, hop=hop, how=how, clock=clock)
    rows = fill(about, width)
    for shown in one.shown:
        when = _when(shown)
        text = plain(shown.line.text)
        text = text if len(text) <= LONGEST else text[:LONGEST] + "…"
        rows.append(f"{'»' if shown.by_id else ' '}{when} s  {text}")
        rows += fill(f"= {told(term(shown.means), spoken.get())}", width, " " * 13) if shown.means else []
    if one.left_out > 0:
        rows.append("  " + say("and {count} more lines of that time", count=one.left_out))
    if one.note:
        rows += fill(plain(told(term(one.note), spoken.get())), width, "  ")
    return rows
