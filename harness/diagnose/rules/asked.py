"""content: the answer against what was asked for: stop texts, a token limit, JSON, choices, log probabilities."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from harness.diagnose.answer import Finding
from harness.diagnose.fault import Fault
from harness.diagnose.meant import last_said
from harness.diagnose.rules.interleave import merged
from harness.diagnose.view import View
from harness.phrase import phrase
from harness.wire.payload import reason as why

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
BROKEN_JSON = Fault(
    "malformed.json-answer",
    "JSON was asked for; the answer calls itself finished ({reason}) and breaks off: {detail}.",
    "The end of the answer was lost in the hop, or an answer that ran out of tokens is told as finished.",
    "Compare with a non-streamed run of the same prompt at this hop; raise the token limit.",
)
NO_JSON = Fault(
    "content.not-json",
    "JSON was asked for, and the answer is none: {detail}.",
    "The hop does not know (or drops) the option, or puts a Markdown fence around the JSON.",
    "Check that response_format reaches the engine, and that its grammar backend is on.",
)
CHOICES = Fault(
    "content.fewer-choices",
    "{wanted} choices were asked for (n), {came} came.",
    "The hop does not know n, or passes the first choice on only.",
    "Ask once for each choice, or take a hop that knows n.",
)
NO_ODDS = Fault(
    "content.no-logprobs",
    "Log probabilities were asked for, and none came with {content_events} content events.",
    "The hop drops the option, or the field when it writes chunks anew.",
    "Check that logprobs reaches the engine; pass choices[].logprobs on.",
)
ECHO = Fault(
    "content.echo",
    "The answer begins with the prompt's own {chars} characters.",
    "The engine returns the prompt with the answer (echo, return_full_text), or the chat template ends wrongly.",
    "Turn the echo off; check the template's generation prompt.",
)
LIMITS = ("max_completion_tokens", "max_tokens", "max_output_tokens")
SENTENCE_ENDS = ".!?…。！？」』”\"')]}`>|*"
NATURAL = ("stop", "end_turn", "eos", "eos_token", "completed")
CLOSED_BY = {"{": "}", "[": "]"}
TOKEN_CHARS = 6  # of a word like false that was begun
ECHO_CHARS = 20  # shorter prompts are repeated by answers in passing


def alone(view: View) -> Iterator[Finding]:
    if not view.streamed or not view.text_complete or not view.content or view.in_band:
        return
    yield from _stop_text(view)
    yield from _at_limit(view)
    yield from _json(view)
    yield from _counted(view)
    yield from _echo(view)


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


def _at_limit(view: View) -> Iterator[Finding]:
    limit = next((view.asked[name] for name in LIMITS if type(view.asked.get(name)) is int), 0)
    made = view.stream.usages[-1].completion if view.stream.usages else None
    reason = view.finished.get(0, "")
    text = view.stream.text().rstrip()
    if limit > 1 and made == limit and reason in NATURAL and text and text[-1] not in SENTENCE_ENDS:
        yield AT_LIMIT.found(view, "warning", event=view.content[-1], limit=limit, reason=reason)


def _json(view: View) -> Iterator[Finding]:
    """One JSON value as the whole answer, where the engine itself says that it is done."""
    said, reason = view.stream.text().strip(), view.finished.get(0, "")
    text = last_said(view.asked, "assistant").lstrip() + said  # the client may have begun it
    called = any(channel.name for channel in view.stream.channels)
    if not _wants_json(view.asked) or reason not in NATURAL or not said or called or text.startswith("<"):
        return
    try:
        json.loads(text)
    except ValueError as error:
        stopped = _stops(view.asked) or view.asked.get("stop_token_ids")
        cut = text[0] in CLOSED_BY and text[-1] != CLOSED_BY[text[0]] and _runs_out(text) and not stopped
        fault, severity = (BROKEN_JSON, "error") if cut else (NO_JSON, "warning")
        yield fault.found(view, severity, event=view.content[-1], reason=reason if cut else None, detail=why(error))


def _runs_out(text: str) -> bool:
    """Whether the JSON value lacks its end, and no more than that."""
    try:
        json.JSONDecoder().raw_decode(text)
    except json.JSONDecodeError as error:
        return error.msg.startswith("Unterminated") or len(text) - error.pos < TOKEN_CHARS
    return False


def _wants_json(asked: dict[str, Any]) -> bool:
    told = [asked.get("response_format")]
    if isinstance(asked.get("text"), dict):
        told.append(asked["text"].get("format"))
    kinds = {form.get("type") for form in told if isinstance(form, dict)}
    ollama = asked.get("format") == "json" or isinstance(asked.get("format"), dict)
    return bool(kinds & {"json_object", "json_schema"}) or ollama or bool(asked.get("guided_json"))


def _counted(view: View) -> Iterator[Finding]:
    wanted = view.asked.get("n")
    if type(wanted) is int and wanted > len(view.choices) and not merged(view):
        yield CHOICES.found(view, "warning", event=view.content[0], wanted=wanted, came=len(view.choices))
    spoken = [event for key, text in view.texts.items() if key.part == "content" for event in text.events]
    odds = view.asked.get("logprobs")
    asked = odds is True or (type(odds) is int and odds > 0)
    if asked and spoken and view.stream.wire == "openai" and "logprob_tokens" not in view.stream.facts:
        yield NO_ODDS.found(view, "warning", event=spoken[0], content_events=len(spoken))


def _echo(view: View) -> Iterator[Finding]:
    prompt, text = last_said(view.asked, "user").strip(), view.stream.text().lstrip()
    if len(prompt) >= ECHO_CHARS and text.startswith(prompt) and not view.asked.get("echo"):
        yield ECHO.found(view, "warning", event=view.content[0], chars=len(prompt))
