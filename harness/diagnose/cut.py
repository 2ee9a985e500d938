"""What a cut looked like: did data flow up to it, or did silence come before; and which timer may have fired."""

from __future__ import annotations

from typing import Any

from harness.diagnose.knowledge.timers import round_seconds, suspects
from harness.diagnose.thresholds import FLOWING_GAPS
from harness.diagnose.view import View
from harness.phrase import Phrase, joined, phrase, term


def cut_figures(view: View) -> dict[str, Any]:
    """Evidence of a cut at the view's end: times in ms, ``timer_s`` in seconds."""
    end = view.end_ms
    last = _last_bytes_ms(view)
    silent = max(0.0, end - last)
    usual = view.median_gap or (max(view.gaps) if view.gaps else 0.0)
    flowing = bool(len(view.capture.times)) and silent <= max(500.0 if usual else 0.0, FLOWING_GAPS * usual, 50.0)
    if not view.answered:
        counts, value = "head", end
    else:
        counts, value = ("total", end) if flowing else ("idle", silent)
    seconds, names = round_seconds(value), suspects(value, counts, view.kind)
    if not names and counts == "idle":  # a limit on the whole exchange fires in a silence too
        total = suspects(end, "total", view.kind)
        if total and (not seconds or not len(view.capture.times)):
            counts, names, seconds = "total", total, round_seconds(end)
    return {
        "cut_ms": end,
        "silence_before_ms": silent,
        "usual_gap_ms": usual,
        "flowing": flowing,
        "timer": counts if seconds or names else None,
        "timer_s": seconds or (names[0].seconds if names else None),
        "suspects": [f"{timer.product}: {timer.setting}" for timer in names] or None,
    }


KINDS = {
    "total": phrase("a limit on the whole exchange"),
    "idle": phrase("an idle timer"),
    "head": phrase("a wait for the headers"),
}
KEEP_ALIVE = {
    "idle": phrase("Or send a comment line every 5 to 15 s from the start, so that the line is never silent."),
    "head": phrase("Or open the stream at once and send comment lines while the answer is prepared."),
    "total": phrase("Streams want an idle timer, not a limit on the whole answer."),
}
NAMED = 4  # products that a sentence can bear


def timer_words(figures: dict[str, Any]) -> Phrase:
    """A clause for the cause: which kind of timer fits, and who has one of that length."""
    flowing = figures.get("flowing")
    why = phrase("data flowed up to the cut") if flowing else phrase("silence came before the cut")
    if not figures.get("timer"):
        return phrase("{why}, and the time is no usual timer's", why=why) if figures.get("cut_ms", 0) >= 1000 else why
    owners = list(dict.fromkeys(name.partition(": ")[0] for name in figures.get("suspects") or []))[:NAMED]
    has = phrase(", as {owners} has", owners=joined(" or ", map(term, owners))) if owners else ""
    kind, seconds = KINDS[figures["timer"]], f"{figures['timer_s']:g}"
    return phrase(
        "{why}, and the time is round: {kind} of {seconds} s{has}", why=why, kind=kind, seconds=seconds, has=has
    )


def timer_fix(figures: dict[str, Any], otherwise: Phrase) -> Phrase:
    """What to change: the settings of the suspects, and keep-alives against idle timers."""
    if not figures.get("timer"):
        return otherwise
    rows = [name.partition(": ") for name in (figures.get("suspects") or [])[:NAMED]]
    names = joined("; ", [phrase("{product}: {setting}", product=term(a), setting=term(b)) for a, _, b in rows])
    raised = (
        phrase("Raise it ({names}).", names=names)
        if names
        else phrase("Find the setting of that length at this hop and raise it.")
    )
    return joined(" ", [raised, KEEP_ALIVE[figures["timer"]]])


def _last_bytes_ms(view: View) -> float:
    times = view.capture.times
    return max(times) if len(times) else 0.0
