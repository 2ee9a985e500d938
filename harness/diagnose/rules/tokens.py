"""loss, reorder, duplicate by the engine's own token counts: continuous usage and token ids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.diagnose.answer import Finding
from harness.diagnose.counts import counts
from harness.diagnose.fault import Fault
from harness.diagnose.tokens import proofs
from harness.diagnose.view import View
from harness.phrase import phrase

MERGING = phrase("a sender that puts several tokens into one piece")

LOSS = Fault(
    "loss.tokens",
    "The engine's own count has {tokens_missing} tokens more than the pieces hold, first before event {event_no}.",
    "Events were dropped between the engine's counter and this tap: {held_words}.",
    "Capture the hop behind: the first one whose count fits its pieces is not the culprit, the next is.",
)
REORDER = Fault(
    "reorder.tokens",
    "The engine's token count runs backwards at {decreases} events, first at event {event_no}.",
    "The count only grows where it is made: pieces overtook each other at this hop or behind it.",
    "Send the pieces of one answer from one task, awaiting each; add sequence numbers.",
)
DUPLICATE = Fault(
    "duplicate.tokens",
    "{repeats} pieces come again while the engine's token count stands still, first at event {event_no}.",
    "An event was sent twice, by this hop or one behind it: the engine made it once.",
    "Send each event once; after a retry go on from the last event that was passed on.",
)
FAULTS = {"loss": LOSS, "reorder": REORDER, "duplicate": DUPLICATE}


def alone(view: View) -> Iterator[Finding]:
    """What the token counts prove and no other count of the stream has told already."""
    told = set()
    for count in counts(view):
        told |= {"loss"} if count.missing else set()
        told |= {"duplicate"} if count.doubled else set()
        told |= {"reorder"} if count.swapped else set()
    for proof in proofs(view):
        if proof.symptom not in told:
            yield FAULTS[proof.symptom].found(
                view,
                "warning" if proof.weak else "error",
                event=proof.events[0],
                words={"event_no": proof.events[0], "held_words": _held(proof.figures)},
                events=proof.events[:20],
                alternative=None if proof.sure else MERGING,
                **proof.figures,
            )


def _held(figures: Mapping[str, Any]) -> str:
    """What the count was held against, as a clause of the cause."""
    if figures.get("held_against") == "token ids":
        return phrase("the pieces bear the ids (or log probabilities) of their tokens, and some are not there")
    return phrase("elsewhere each piece holds as many tokens as the count grows, and this one is too short for more")
