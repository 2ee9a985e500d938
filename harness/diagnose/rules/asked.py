"""content: the end of the answer: stop texts and a token limit that the request named, blanks without end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.diagnose.answer import Finding
from harness.diagnose.fault import Fault
from harness.diagnose.view import View
from harness.phrase import phrase

STOP_TEXT = Fault(
    "content.stop-text",
    "A stop text of the request stands in the answer, at character {at}: {stop}{more_words}.",
    "The hop does not look for stop texts, or does not cut them off (one that is split over tokens slips through).",
    "Pass stop on to the engine; check include_stop_str_in_output; cut the answer before the stop text.",
)
AT_LIMIT = Fault(
    "content.stop-at-limit",
    "The answer has all {limit} tokens that the request allows, and ends with finish_reason {reason}, in mid-sentence.",
    "The hop tells an answer that ran out of tokens as finished.",
    "Pass the engine's finish_reason (length) on: clients tell a full answer from a cut one by it.",
)
BLANKS = Fault(
    "content.blanks",
    "The answer runs on in blanks: its last {pieces} of {content_events} pieces hold nothing else ({blanks} "
    "characters), finish_reason {reason}.",
    "A grammar that allows blanks between tokens keeps the model from its end until the token limit (guided JSON).",
    "Forbid optional blanks in the grammar (vLLM: disable_any_whitespace); ask for JSON in the prompt too.",
)
BLANK_RUN = 20  # pieces: no layout has that many blank ones at its end
LIMITS = ("max_completion_tokens", "max_tokens", "max_output_tokens")
SENTENCE_ENDS = ".!?…。！？」』”\"')]}`>|*"
NATURAL = ("stop", "end_turn", "eos", "eos_token", "completed")


def alone(view: View) -> Iterator[Finding]:
    if not view.streamed or not view.text_complete or not view.content or view.in_band:
        return
    yield from _stop_text(view)
    yield from _at_limit(view)
    yield from _blanks(view)


def _stop_text(view: View) -> Iterator[Finding]:
    kept = view.asked.get("include_stop_str_in_output") is True
    for key, text in view.texts.items():
        if key.part != "content":
            continue
        for stop in _stops(view.asked):
            at = text.text.find(stop)
            rest = len(text.text) - at - len(stop)
            if at < 0 or (kept and not rest):
                continue
            more = phrase("; {rest} characters come after it", rest=rest) if rest else ""
            yield STOP_TEXT.found(
                view, "warning", event=text.event_at(at), at=at, stop=repr(stop)[:60], words={"more_words": more}
            )
            return


def _stops(asked: dict[str, Any]) -> list[str]:
    """The texts at which the answer should end, under the names of the four dialects."""
    options = asked.get("options")
    found = [asked.get("stop"), asked.get("stop_sequences"), options.get("stop") if isinstance(options, dict) else None]
    texts = [text for value in found for text in (value if isinstance(value, list) else [value])]
    return [text for text in texts if isinstance(text, str) and text.strip()]


def _blanks(view: View) -> Iterator[Finding]:
    for key, text in view.texts.items():
        size = len(text.text.rstrip())
        run = sum(1 for end in text.ends if end > size) - 1  # the piece that ends the text may have blanks after it
        if key.part == "content" and run >= BLANK_RUN and run >= 0.5 * len(text.ends):
            figures: dict[str, Any] = {"pieces": run, "content_events": len(text.ends), "blanks": len(text.text) - size}
            event = text.event_at(size)
            yield BLANKS.found(view, "warning", event=event, reason=view.finished.get(key.choice), **figures)


def _at_limit(view: View) -> Iterator[Finding]:
    limit = next((view.asked[name] for name in LIMITS if type(view.asked.get(name)) is int), 0)
    made = view.stream.usages[-1].completion if view.stream.usages else None
    reason = view.finished.get(0, "")
    text = view.stream.text().rstrip()
    if limit > 1 and made == limit and reason in NATURAL and text and text[-1] not in SENTENCE_ENDS:
        yield AT_LIMIT.found(view, "warning", event=view.content[-1], limit=limit, reason=reason)
