"""rewrite: log probabilities that belong to the neighbour of the piece they stand beside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.diagnose.answer import Finding
from harness.diagnose.fault import Fault
from harness.diagnose.parsed import parsed
from harness.diagnose.thresholds import BURST_EVENTS, ODDS_SHARE
from harness.diagnose.view import View
from harness.phrase import phrase

SHIFTED = Fault(
    "rewrite.logprobs-shifted",
    "The log probabilities of {shifted} of {odds} pieces name the token of the piece {side} them.",
    "The hop pairs text and log probabilities from two queues, one of which runs ahead.",
    "Send the token's text and its log probability in one event; compare with a non-streamed run.",
)
LOOKED_AT = 400  # events: a shift shows in the first ones
Row = tuple[str, str]


def alone(view: View) -> Iterator[Finding]:
    if "logprob_tokens" not in view.stream.facts or view.stream.wire != "openai" or len(view.choices) > 1:
        return
    rows = [row for event in view.content[:LOOKED_AT] if (row := _row(parsed(view, event)))]
    if len(rows) < BURST_EVENTS or sum(token == text for text, token in rows) > (1 - ODDS_SHARE) * len(rows):
        return
    texts, tokens = [text for text, _ in rows], [token for _, token in rows]
    before = sum(map(str.__eq__, texts[:-1], tokens[1:]))
    after = sum(map(str.__eq__, texts[1:], tokens[:-1]))
    if max(before, after) > ODDS_SHARE * (len(rows) - 1):
        side = phrase("before") if before > after else phrase("after")
        shifted = max(before, after)
        words = {"side": side}
        yield SHIFTED.found(view, "warning", event=view.content[0], words=words, shifted=shifted, odds=len(rows))


def _row(value: dict[str, Any]) -> Row | None:
    """A piece of text and the tokens beside it."""
    try:
        choice = value["choices"][0]
        text, rows = choice["delta"]["content"], choice["logprobs"]["content"]
        return (text, "".join(row["token"] for row in rows)) if text and rows else None
    except (KeyError, TypeError, IndexError):
        return None
