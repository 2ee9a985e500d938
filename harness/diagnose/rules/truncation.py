"""truncation: the answer ends before its end: cut in its framing, or a clean close with the text unfinished."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from harness.diagnose.answer import Finding
from harness.diagnose.cut import cut_figures, timer_fix, timer_words
from harness.diagnose.elsewhere import stands_elsewhere
from harness.diagnose.fault import Fault
from harness.diagnose.healed import heals
from harness.diagnose.pair import Pair
from harness.diagnose.rules import not_http
from harness.diagnose.rules.asked import SENTENCE_ENDS
from harness.diagnose.rules.malformed_ends import counts_on
from harness.diagnose.view import View
from harness.phrase import Phrase, phrase

LOOK = phrase("Look at this hop's log at that time; readers must check for finish_reason and the terminator.")

CUT = Fault(
    "truncation.cut",
    "The answer is cut after {events} events at {cut_ms} ms: the connection closed before the body was complete.",
    "The framing promised more and no terminator came; {timer_words}.",
    "{advice}",
)
EMPTY = Fault(
    "truncation.empty",
    "{status_words} and then nothing: the body ends after {cut_ms} ms with no event at all.",
    "The hop opened the stream before it knew that there was an answer, and closed it without telling why; "
    "{timer_words}.",
    "Pull the first chunk of the inner hop before sending headers, and pass its status or an error event on. {advice}",
)
NO_RESPONSE = Fault(
    "truncation.no-response",
    "The connection was closed after {cut_ms} ms without any response.",
    "The hop took the request and dropped it: a crash, a restart, a worker that was killed, a keep-alive race.",
    "Look at this hop's log at that time; ask again on a fresh connection.",
)
CLEAN = Fault(
    "truncation.clean-end",
    "The stream ends cleanly after {events} events with neither finish_reason nor terminator: the answer is cut.",
    "The transport reports success, the text is unfinished; {timer_words}.",
    "{advice}",
)
LENGTH = Fault(
    "truncation.content-length",
    "Content-Length {length} ends the body after {events} events, in the middle of the answer.",
    "A length that was computed for another (the first) body is sent with the stream; readers stop there.",
    "Remove Content-Length (and send chunked) when the answer is streamed.",
)
NO_TERMINATOR = Fault(
    "truncation.no-terminator",
    "finish_reason came, the terminator did not: the text is complete, the protocol is not.",
    "The sender closes without the stream's last record ({expected}).",
    "Send the terminator as the last event; readers that wait for it hang or report an error.",
)
FRAMING = Fault(
    "truncation.after-end",
    "The text is complete, but the connection broke ({end}) before the body's own end.",
    "The last chunk (or the rest of Content-Length) is missing; strict clients report a network error after a "
    "good answer.",
    "Close the body properly: send the last chunk after the terminator.",
)
ABORT = Fault(
    "truncation.abort",
    "The engine itself ended the answer with finish_reason {reason} after {chars} characters.",
    "The engine gave the request up: it was cancelled there, by this request or by one before it on the same "
    "slot or session.",
    "Look for an earlier, abandoned turn of the same session; free the engine's state before the next turn is sent.",
)
SILENT_CHOICE = Fault(
    "truncation.choice-unfinished",
    "Choice {choice} has text but no finish_reason, though the stream was terminated.",
    "The hop keeps one finish for all choices.",
    "Pass on one finish_reason for each choice.",
)
CUT_CHOICE = Fault(
    "truncation.choice-cut",
    "Choice {choice} stops after {chars} characters with neither finish_reason nor terminator, though the stream ends "
    "cleanly and another choice was finished.",
    "The hop (or what is behind it) ended the stream with the choice that was done first, or was cut and hid it.",
    "Go on until each choice has its finish_reason, then send the terminator.",
)
EARLY = Fault(
    "truncation.laundered",
    "{hop_inner} was cut in the middle, {hop} ends as if the answer were whole.",
    "A break of the inner hop is turned into a clean end, so that nobody behind can see it.",
    "Pass the break on: no last chunk, or an error event, when the inner hop ends without its terminator.",
)
TAIL = Fault(
    "truncation.tail",
    "The last {lost_chars} of {inner_chars} characters are missing at {hop}, which ends as if the answer were whole.",
    "The hop stops relaying before the inner answer ends, yet closes with a finish or a terminator.",
    "Look at what this hop does at that point: a limit on lines or time, a parse error that is swallowed, an "
    "early stop.",
)
MIDDLE = Fault(
    "loss.channel-end",
    "The last {lost_chars} of {inner_chars} characters of {channel} are missing at {hop}, which goes on with another "
    "channel.",
    "The hop stops passing this channel on before it ends (a state that it leaves too early).",
    "Compare the hop's handling of thinking and tool calls with a newer version; pass each piece on as it comes.",
)


class Unended(NamedTuple):
    choice: int
    text: str


def alone(view: View) -> Iterator[Finding]:
    stream = view.stream
    if not view.answered and view.end in ("truncated", "complete") and not not_http.told(view):
        yield NO_RESPONSE.found(view, "error", at_ms=view.end_ms, cut_ms=view.end_ms, detail=view.detail or None)
    if (
        not view.answered
        or view.refused
        or view.in_band
        or not (view.streamed or (len(stream) == 0 and stream.framing not in ("json", "text")))
    ):
        return
    if view.capture.body is None and len(view.capture.times):
        return  # stamps without the bytes that they are of: nothing tells what was in them
    if any(fault.code in ("coding", "line-limit") for fault in stream.faults) and not len(stream):
        return  # a coding that cannot be undone here, or a line without end: told as such, and not as nothing
    figures = cut_figures(view)
    words = {"timer_words": timer_words(figures), "advice": timer_fix(figures, LOOK)}
    last = len(stream) - 1 if len(stream) else None
    reason = next((r for r in view.finished.values() if r in ("abort", "aborted", "cancelled", "canceled")), None)
    if reason:
        yield ABORT.found(view, "error", event=last, reason=reason, chars=sum(len(c.text) for c in stream.channels))
        return
    if view.end == "truncated" and not view.text_complete:
        fault = CUT if len(stream) else EMPTY
        yield fault.found(
            view,
            "error",
            event=last,
            at_ms=view.end_ms,
            events=len(stream),
            status=view.status,
            detail=view.detail or None,
            words=words | {"status_words": _status(view)},
            **figures,
        )
    elif view.end in ("truncated", "reset") and view.text_complete:
        yield FRAMING.found(view, "warning", event=last, at_ms=view.end_ms, end=view.end, detail=view.detail or None)
    elif view.end == "complete" and not view.text_complete:
        length = view.header("content-length")
        if not len(stream) and not stream.tail:
            words["status_words"] = _status(view)
            yield EMPTY.found(view, "error", at_ms=view.end_ms, status=view.status, words=words, **figures)
        elif not view.terminated and not view.finished and not (stream.wire == "other" and len(stream)):
            fault = LENGTH if length.isdigit() and int(length) == len(view.capture.body or b"") else CLEAN
            yield fault.found(
                view,
                "error",
                event=last,
                at_ms=view.end_ms,
                events=len(stream),
                length=length or None,
                words=words,
                **figures,
            )
    cut = _cut_choice(view)
    if view.end == "complete" and cut:
        yield CUT_CHOICE.found(view, "error", event=last, at_ms=view.end_ms, choice=cut.choice, chars=len(cut.text))
    elif view.end == "complete" and view.finished and not view.terminated and len(stream):
        yield NO_TERMINATOR.found(view, "warning", event=last, words={"expected": _expected(stream.wire)})
    unfinished = view.choices - set(view.finished)
    if view.terminated and view.finished and unfinished and not counts_on(view):
        yield SILENT_CHOICE.found(view, "warning", event=last, choice=min(unfinished), finished=sorted(view.finished))


def _cut_choice(view: View) -> Unended | None:
    """A choice that was still speaking after the last finish of another, and was given no end of its own."""
    if view.terminated or not view.finished:
        return None
    done = max(finish.event for finish in view.stream.finishes)
    for key, text in view.texts.items():
        if key.choice not in view.finished and text.events[-1] > done:
            return Unended(key.choice, text.text)
    return None


def between(pair: Pair) -> Iterator[Finding]:
    """The outer hop says that the answer is whole while the inner one has more, or was cut."""
    inner, outer = pair.inner, pair.outer
    if not outer.streamed or not outer.content or outer.end not in ("complete", "open") or outer.in_band:
        return
    broken = inner.end in ("truncated", "reset") or (inner.end == "complete" and inner.streamed and len(inner.stream))
    if broken and not inner.text_complete and not inner.in_band and inner.content and pair.sameness != "different":
        if outer.end == "complete" and (outer.text_complete or inner.end != "complete") and not heals(pair):
            yield EARLY.found(
                outer,
                "error",
                inner=inner,
                event=len(outer.stream) - 1,
                inner_end=inner.end,
                finish=next(iter(outer.finished.values()), None),
                terminator=outer.terminated,
            )
        return
    if not outer.text_complete:
        return
    for key, alignment in pair.alignments.items():
        lost = len(alignment.inner) - len(alignment.outer)
        tail = alignment.inner[-lost:].strip() if lost > 0 else ""
        if tail and alignment.inner.startswith(alignment.outer) and not stands_elsewhere(pair, key, tail):
            limited = "length" in (outer.finished.get(key.choice), inner.finished.get(key.choice))
            ended = alignment.outer.rstrip()[-1:] in SENTENCE_ENDS  # another sample may well say a sentence less
            sampled = pair.sameness == "different" and (limited or ended)
            over = outer.texts[key].events[-1] < outer.content[-1]
            yield (MIDDLE if over else TAIL).found(
                outer,
                "warning" if sampled else "error",
                inner=inner,
                event=outer.texts[key].events[-1],
                lost_chars=lost,
                inner_chars=len(alignment.inner),
                channel=f"{key.choice}/{key.part}",
                finish=outer.finished.get(key.choice),
            )


def _status(view: View) -> Phrase:
    if view.status is None:
        return phrase("A response without a recorded head")
    return phrase("Status {status}", status=view.status)


def _expected(wire: str) -> str:
    return {"ollama": '"done": true', "responses": "response.completed", "anthropic": "message_stop"}.get(
        wire, "[DONE]"
    )
