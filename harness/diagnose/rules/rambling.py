"""content: text that runs on without saying more: blanks, loops, words without blanks, a thought that is said again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.diagnose.answer import Finding
from harness.diagnose.fault import Fault
from harness.diagnose.view import Text, View
from harness.wire.stream import ChannelKey

BLANKS = Fault(
    "content.blanks",
    "The answer runs on in blanks: its last {pieces} of {content_events} pieces hold nothing else ({blanks} "
    "characters), finish_reason {reason}.",
    "A grammar that allows blanks between tokens keeps the model from its end until the token limit (guided JSON).",
    "Forbid optional blanks in the grammar (vLLM: disable_any_whitespace); ask for JSON in the prompt too.",
)
LOOP = Fault(
    "content.loop",
    "The answer says {unit} again and again to its end ({times} times, {chars} of {all_chars} characters), and stops "
    "at the token limit.",
    "The model fell into a loop: sampling without penalty, a wrong template, a broken quantisation or cache.",
    "Compare with the same prompt on a reference engine; check template, sampling and quantisation.",
)
GLUED = Fault(
    "content.no-blanks",
    "{pieces} words stand without one blank between them: {sample}.",
    "Each token was decoded on its own, so that the blank before it was lost (SentencePiece), or a hop strips pieces.",
    "Decode incrementally over the whole answer; pass pieces on with their blanks.",
)
AGAIN = Fault(
    "content.thought-again",
    "The answer begins with all {thought} characters of its own thinking.",
    "The hop tells the thinking in both channels.",
    "Tell each piece in one channel; check the reasoning parser at this hop.",
)
BLANK_RUN = 20  # pieces: no layout has that many blank ones at its end
LOOPS = 10  # times: a refrain is shorter
LOOP_CHARS = 6  # of what is repeated: shorter units are rules and laughter
LONGEST = 300  # characters of a unit that is looked for
WORDS = 12  # pieces that are each a word: compounds are shorter
THOUGHT_CHARS = 40
RAN_OUT = ("length", "max_tokens", "max_output_tokens", "repetition", "incomplete")


def alone(view: View) -> Iterator[Finding]:
    if not view.streamed or not view.text_complete or view.in_band:
        return
    for key, text in view.texts.items():
        if key.part != "content":
            continue
        reason = view.finished.get(key.choice)
        yield from _blanks(view, text, reason)
        if reason in RAN_OUT:
            yield from _loop(view, text)
        yield from _glued(view, text)
        thought = view.texts.get(ChannelKey(key.choice, "reasoning"))
        said = thought.text.strip() if thought else ""
        if len(said) >= THOUGHT_CHARS and text.text.lstrip().startswith(said):
            yield AGAIN.found(view, "warning", event=text.events[0], thought=len(said))


def _blanks(view: View, text: Text, reason: str | None) -> Iterator[Finding]:
    size = len(text.text.rstrip())
    run = sum(1 for end in text.ends if end > size) - 1  # the piece that ends the text may have blanks after it
    if run >= BLANK_RUN and run >= 0.5 * len(text.ends):
        figures: dict[str, Any] = {"pieces": run, "content_events": len(text.ends), "blanks": len(text.text) - size}
        yield BLANKS.found(view, "warning", event=text.event_at(size), reason=reason, **figures)


def _loop(view: View, text: Text) -> Iterator[Finding]:
    whole = text.text
    for size in range(LOOP_CHARS, min(LONGEST, len(whole) // LOOPS) + 1):
        unit = whole[-size:]
        if unit.strip() and whole.endswith(unit * LOOPS):
            times = LOOPS
            while whole.endswith(unit * (times + 1)):
                times += 1
            chars = times * size
            if chars >= 0.5 * len(whole):
                event = text.event_at(len(whole) - chars)
                shown = repr(unit.strip()[:40])
                yield LOOP.found(
                    view, "warning", event=event, unit=shown, times=times, chars=chars, all_chars=len(whole)
                )
            return


def _glued(view: View, text: Text) -> Iterator[Finding]:
    whole = text.text
    if any(char.isspace() for char in whole) or not whole.isascii():
        return
    pieces = text.pieces()
    words = [p for p in pieces if p.isalpha() and len(p) > 1 and p[1:].islower() and set(p.lower()) & set("aeiouy")]
    if len(words) >= WORDS and len(words) >= 0.8 * len(pieces):
        yield GLUED.found(view, "warning", event=text.events[1], pieces=len(pieces), sample=repr(whole[:30]))
