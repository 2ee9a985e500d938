"""content: the wire is fine, its content is not: thinking in the answer, an empty answer, two upstreams."""

from __future__ import annotations

import re
from collections.abc import Iterator

from harness.diagnose.answer import Finding
from harness.diagnose.fault import Fault
from harness.diagnose.pair import Pair
from harness.diagnose.thresholds import HOLD_HALF_MS, MIN_JUDGED
from harness.diagnose.view import View
from harness.phrase import phrase

THINK = Fault(
    "content.think-tags",
    "Thinking stands in the answer: {tag} in the content channel ({thought} characters), none in a reasoning channel.",
    "The hop does not split the model's thinking off (no reasoning parser, or one that misses tags split over chunks).",
    "Turn the reasoning parser on at this hop; readers may hide the tags as a stopgap.",
)
CALL_TEXT = Fault(
    "content.call-as-text",
    "A tool call stands in the answer as text: {tag}, and none came as tool_calls.",
    "The hop's tool parser is off, or is another model's.",
    "Turn on the tool parser of this model at this hop (vLLM: --enable-auto-tool-choice --tool-call-parser).",
)
TOKEN = Fault(
    "content.special-token",
    "A token of the model's chat template stands in the answer: {tag}.",
    "The engine does not stop at (or does not hide) it: a wrong template, stop tokens that are not set.",
    "Check the chat template and the stop tokens at this hop.",
)
EMPTY = Fault(
    "content.empty",
    "The answer is complete and empty: finish_reason {reason}, no text, no thinking, no tool call.",
    "The model ended at once, or the hop took all of its text out.",
    "Compare with a non-streamed run of the same prompt at this hop.",
)
SECOND = Fault(
    "content.second-upstream",
    "From event {event_no} on the frames bear another identity ({was} → {now}): a second upstream went on.",
    "A retry or fallback in the middle of the answer.",
    "Check that the text goes on without a seam; log retries at this hop.",
)
UNSAID = Fault(
    "content.no-answer",
    "The model thought ({thought} characters) and said nothing: finish_reason {reason}, no text, no tool call.",
    "The token limit went into thinking, or the parser took the answer for thinking.",
    "Raise the token limit; check the reasoning parser at this hop.",
)
FILTER = Fault(
    "content.filtered",
    "The answer ends with finish_reason {reason} after {chars} characters.",
    "A content filter stopped it.",
    "Check the filter's rules for this prompt.",
)
NO_USAGE = Fault(
    "content.no-usage",
    "usage was asked for (stream_options.include_usage) and did not come.",
    "The hop, or one behind it, drops the usage chunk (empty choices) or the option.",
    "Pass chunks with empty choices on; check that stream_options reaches the engine.",
)
REPLAY = Fault(
    "content.replay",
    "{hop} tells in {outer_ms} ms what {hop_inner} took {inner_ms} ms to make: a stored answer was played back.",
    "A cache in front (an allowed GET or POST, proxy_cache, Varnish) or a gateway's answer cache.",
    "Forbid caching of streams (Cache-Control: no-store) where answers must be fresh.",
)
USAGE = Fault(
    "content.usage",
    "usage counts {completion_tokens} completion tokens for {content_events} content events: {story}.",
    "{cause}",
    "Never count chunks as tokens; take usage from the engine.",
)
FILTERS = {"content_filter", "content-filter", "sensitive", "refusal", "safety", "recitation", "blocked"}
HIDDEN = 64  # tokens that no text shows: end marks, names and frames of tool calls
CALL_TAG = re.compile(
    r"^\s*(<tool_call>|<function=\w|<\|tool▁calls?▁begin\|>|<｜tool▁calls▁begin｜>|\[TOOL_CALLS\]|<\|python_tag\|>)"
)
TOKEN_TAG = re.compile(
    r"<\|(?:im_end|im_start|im_sep|eot_id|endoftext|end|end_of_text|eom_id|channel|return|observation|END_OF_TURN_TOKEN)\|>"
    r"|<(?:start|end)_of_turn>|<｜end▁of▁sentence｜>|^\s*<s>|<(?:bos|eos|pad|unk)>|<\|begin_of_text\|>|</tool_call>|(?:</s>|\[/INST\]|<\|(?:user|assistant)\|>)\s*$"
)
TAG = re.compile(
    r"<((?:mm:|seed:)?think|thinking|reasoning|thought)>|(\[THINK\])|(◁think▷)|(<\|START_THINKING\|>)", re.I
)
CLOSES = {"[THINK]": "[/THINK]", "◁think▷": "◁/think▷", "<|START_THINKING|>": "<|END_THINKING|>"}


def alone(view: View) -> Iterator[Finding]:
    if not view.streamed:
        return
    for key, text in view.texts.items():
        hit = TAG.search(text.text[:200]) if key.part == "content" else None
        if hit and (key.choice, "reasoning") not in view.texts:
            close = text.text.lower().find(CLOSES.get(hit.group(0), f"</{hit.group(1)}>").lower())
            thought = (close if close >= 0 else len(text.text)) - hit.end()
            yield THINK.found(
                view, "warning", event=text.event_at(hit.start()), tag=hit.group(0), thought=max(0, thought)
            )
    yield from _tags(view)
    reason = next(iter(view.finished.values()), None)
    named = any(channel.name for channel in view.stream.channels)
    if (
        view.text_complete
        and not view.content
        and not view.in_band
        and not named
        and reason not in (None, "abort", "error")
    ):
        yield EMPTY.found(view, "warning", event=view.stream.finishes[-1].event, reason=reason)
    parts = {key.part for key in view.texts}
    if view.text_complete and not view.in_band and parts == {"reasoning"} and not named and reason:
        thought = sum(len(text.text) for text in view.texts.values())
        yield UNSAID.found(view, "warning", event=view.content[-1], thought=thought, reason=reason)
    yield from _usage(view)
    options = view.asked.get("stream_options")
    asked = isinstance(options, dict) and options.get("include_usage") is True
    if asked and view.terminated and not view.stream.usages and not view.in_band:
        yield NO_USAGE.found(view, "warning", event=view.stream.terminators[0])
    reason = next((r for r in view.finished.values() if r.lower() in FILTERS), None)
    if reason:
        chars = sum(len(text.text) for text in view.texts.values())
        yield FILTER.found(view, "warning", chars=chars, reason=reason)
    yield from _second(view)


def between(pair: Pair) -> Iterator[Finding]:
    """A whole answer that is faster than the inner hop could make it."""
    inner, outer = pair.inner, pair.outer
    if pair.sameness == "same" or not outer.text_complete or len(pair.timed) < MIN_JUDGED or not outer.content_ms:
        return
    made, told = inner.content_ms[-1] - inner.content_ms[0], outer.content_ms[-1] - outer.content_ms[0]
    if made > HOLD_HALF_MS and outer.content_ms[-1] < 0.2 * inner.content_ms[-1] and told < 0.1 * made:
        yield REPLAY.found(outer, "warning", inner=inner, event=outer.content[0], inner_ms=made, outer_ms=told)


def _tags(view: View) -> Iterator[Finding]:
    """Marks of a model's own language that a parser further in should have taken out."""
    for key, text in view.texts.items():
        if key.part != "content":
            continue
        call, token = CALL_TAG.search(text.text), TOKEN_TAG.search(text.text)
        if call and not any(channel.name for channel in view.stream.channels):
            yield CALL_TEXT.found(view, "warning", event=text.event_at(call.start(1)), tag=call.group(1))
        if token:
            yield TOKEN.found(view, "warning", event=text.event_at(token.start()), tag=token.group(0))


def _usage(view: View) -> Iterator[Finding]:
    """Chunks are not tokens, but a chunk with text holds at least one, and a token is at least a byte."""
    made = max((usage.completion or 0 for usage in view.stream.usages), default=0)
    if all(key.part != "reasoning" for key in view.texts):  # hidden thinking is counted, and does not show
        made -= max((usage.reasoning or 0 for usage in view.stream.usages), default=0)
    if made <= 0 or not view.text_complete or not view.content or view.stream.wire == "fastgpt":
        return
    count, size = len(view.content), sum(len(text.text.encode("utf-8", "replace")) for text in view.texts.values())
    if abs(made - count) <= 1:
        return
    impossible = count > made + 1 or made > size + HIDDEN
    story = phrase("fewer tokens than pieces") if count > made else phrase("more tokens than pieces")
    cause = (
        phrase("Pieces were doubled or split, or the count is another answer's.")
        if count > made
        else phrase("Several tokens came in one piece, or pieces were lost before this tap.")
    )
    yield USAGE.found(
        view,
        "warning" if impossible else "info",
        event=view.stream.usages[-1].event,
        completion_tokens=made,
        content_events=count,
        text_bytes=size,
        words={"story": story, "cause": cause},
    )


def _second(view: View) -> Iterator[Finding]:
    rows = [row for row in view.stream.identities if row.id]
    ids = [row.id for i, row in enumerate(rows) if i == 0 or row.id != rows[i - 1].id]
    if len(ids) == 2 and len(view.choices) <= 1:
        change = next(row for row in rows if row.id == ids[1])
        spoken = [i for i in view.content if i < change.event]
        if len(spoken) >= 2 and any(i >= change.event for i in view.content):
            yield SECOND.found(
                view, "warning", event=change.event, was=ids[0], now=ids[1], words={"event_no": change.event}
            )
