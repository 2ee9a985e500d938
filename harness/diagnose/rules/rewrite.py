"""rewrite: the hop tells another text, or moves it between channels, or changes how the answer ends."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Any

from harness.diagnose.answer import Finding
from harness.diagnose.damage import Damage, by_words, clip, damages, everything, missing_channels
from harness.diagnose.fault import Fault
from harness.diagnose.pair import Pair
from harness.diagnose.rules.interleave import folded, foreign
from harness.phrase import phrase

TEXT = Fault(
    "rewrite.text",
    "{hop} tells another text than {hop_inner}: {changes} stretches, {chars} characters, first {first_piece}.",
    "The hop adds, replaces or filters text.",
    "Compare the hop's filters, guardrails and templates; if that is meant, nothing is to mend.",
)
ADDED = Fault(
    "rewrite.added",
    "{hop} adds {chars} characters {place} the text of {hop_inner}: {first_piece}.",
    "The hop puts a note of its own to the answer (a check, sources, a signature).",
    "If that is meant, nothing is to mend.",
)
BLANKS = Fault(
    "rewrite.whitespace",
    "{hop} changes blanks or line ends of the text ({changes} places); the words are the same.",
    "The hop trims or joins pieces.",
    "Pass pieces on unchanged: code and lists depend on their blanks.",
)
SAMPLED = Fault(
    "rewrite.sampled",
    "The texts of {hop_inner} and {hop} differ from character {first_at} on and do not fall into step again: "
    "two samples of one prompt.",
    "Two exchanges were compared, and the model was sampled twice.",
    "Compare one exchange at both hops (relay, inline tap, exchange id), or ask at temperature 0.",
)
MOVED = Fault(
    "rewrite.channel",
    "{hop} tells {channel} of {hop_inner} in another channel: the text is whole.",
    "The hop maps thinking into the answer, or the other way round.",
    "Check the reasoning setting of the hop and what its readers show.",
)
EXTRA = Fault(
    "rewrite.channel-added",
    "{hop} tells {chars} characters of {channel}, of which {hop_inner} has nothing: {first_piece}.",
    "The hop says in words what stands elsewhere in the stream (a tool call's arguments), or adds a text of its own.",
    "Compare the hop's parser of tool calls and thinking; if the text is meant, nothing is to mend.",
)
NORMAL = Fault(
    "rewrite.normalised",
    "{hop} spells {changes} places of the text by other code points (Unicode normalisation); it reads the same.",
    "The hop normalises text (NFC, NFD) when it writes it anew.",
    "Pass the text on as it came: code, names of files and searches compare code points.",
)
FINISH = Fault(
    "rewrite.finish",
    "{hop_inner} ends choice {choice} with {inner_reason}, {hop} with {outer_reason}.",
    "The hop makes up the finish reason.",
    "Pass the inner finish_reason on: clients tell a full answer from a cut one by it.",
)
SAME = {
    "end_turn": "stop",
    "eos": "stop",
    "eos_token": "stop",
    "stop_sequence": "stop",
    "completed": "stop",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "tool_use": "tool_calls",
    "function_call": "tool_calls",
}


def between(pair: Pair) -> Iterator[Finding]:
    woven = folded(pair)
    for damage in damages(pair):
        where = f"{damage.key.choice}/{damage.key.part}"
        at = pair.outer.texts[damage.key].event_at(damage.edits[0].b) if damage.edits else None
        if damage.kind == "sampled":
            yield SAMPLED.found(
                pair.outer, "info", inner=pair.inner, event=at, channel=where, first_at=damage.edits[0].b
            )
        elif damage.kind == "whitespace":
            yield BLANKS.found(
                pair.outer, "warning", inner=pair.inner, event=at, channel=where, changes=len(damage.edits) or 1
            )
        elif damage.kind == "rewrite" and not woven and not foreign(pair.outer):
            first = damage.edits[0]
            if spelt_alike(damage.alignment.inner, damage.alignment.outer):
                figures: dict[str, Any] = {"channel": where, "changes": len(damage.edits)}
                yield NORMAL.found(pair.outer, "warning", inner=pair.inner, event=at, **figures)
                continue
            place = _place(damage)
            if place:
                yield ADDED.found(
                    pair.outer,
                    "warning",
                    inner=pair.inner,
                    event=at,
                    channel=where,
                    chars=damage.chars(),
                    first_piece=damage.samples()[0],
                    words={"place": place},
                )
                continue
            piece = damage.alignment.outer[first.b : first.b_end] or damage.alignment.inner[first.a : first.a_end]
            yield TEXT.found(
                pair.outer,
                "warning" if pair.sameness == "different" and by_words(damage.alignment, damage.edits) else "error",
                inner=pair.inner,
                event=at,
                channel=where,
                changes=len(damage.edits),
                chars=damage.chars(),
                first_piece=clip(piece),
                exchange=pair.sameness,
                kept_share=damage.alignment.share(),
            )
    if pair.sameness == "different":
        return
    whole = everything(pair.outer)
    for key in missing_channels(pair):
        if pair.inner.texts[key].text.strip() in whole and not woven:
            yield MOVED.found(pair.outer, "warning", inner=pair.inner, channel=f"{key.choice}/{key.part}")
    yield from _added(pair)
    for choice, reason in pair.inner.finished.items():
        told = pair.outer.finished.get(choice)
        if (
            told
            and SAME.get(told, told) != SAME.get(reason, reason)
            and pair.outer.text_complete
            and not _tool_end(pair, choice)
        ):
            event = next(f.event for f in pair.outer.stream.finishes if f.choice == choice)
            yield FINISH.found(
                pair.outer,
                "warning",
                inner=pair.inner,
                event=event,
                choice=choice,
                inner_reason=reason,
                outer_reason=told,
            )


def _added(pair: Pair) -> Iterator[Finding]:
    """A channel of words that the inner hop, which is whole, does not have in any channel."""
    inner, outer = pair.inner, pair.outer
    if not inner.text_complete or inner.in_band or not inner.texts or not inner.streamed:
        return
    whole = everything(inner)
    choices = {key.choice for key in inner.texts}
    for key, text in outer.texts.items():
        words = key.part in ("content", "reasoning") and key.choice in choices and key not in inner.texts
        if words and text.text.strip() and text.text.strip() not in whole:
            told: dict[str, Any] = {
                "channel": f"{key.choice}/{key.part}",
                "chars": len(text.text),
                "first_piece": clip(text.text),
            }
            yield EXTRA.found(outer, "warning", inner=inner, event=text.events[0], **told)


def spelt_alike(a: str, b: str) -> bool:
    return unicodedata.normalize("NFC", a) == unicodedata.normalize("NFC", b)


def _place(damage: Damage) -> str:
    """``before`` or ``after`` when the whole inner text stands at the outer hop, with something at one end of it."""
    a, b = damage.alignment.inner, damage.alignment.outer
    if a and b.startswith(a):
        return phrase("after")
    return phrase("before") if a and b.endswith(a) else ""


def _tool_end(pair: Pair, choice: int) -> bool:
    """Ollama and the Responses API end tool calls as they end texts; who says ``tool_calls`` translates rightly."""
    ends = [SAME.get(view.finished[choice], view.finished[choice]) for view in (pair.inner, pair.outer)]
    plain = [view.stream.wire in ("ollama", "responses") for view in (pair.inner, pair.outer)]
    return any(one == "stop" and without for one, without in zip(ends, plain, strict=True)) and "tool_calls" in ends
