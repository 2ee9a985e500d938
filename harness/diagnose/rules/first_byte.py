"""first-byte: the wait for the first content is too long, alone or against the inner hop."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.diagnose.answer import Finding
from harness.diagnose.fault import Fault
from harness.diagnose.lag import one_behind
from harness.diagnose.pair import Pair
from harness.diagnose.thresholds import (
    FIRST_BYTE_ADDED_MS,
    FIRST_BYTE_MS,
    FIRST_BYTE_PAIR_MS,
    FIRST_BYTE_PAIR_RATIO,
)
from harness.diagnose.view import View
from harness.phrase import phrase, recorded
from harness.wire.stream import Kind

HEAD_LATE = Fault(
    "first-byte.headers",
    "No content for {waited_ms} ms: the response headers were late too ({head_ms} ms).",
    "The hop does its waiting (queue, lock, model load, collecting the whole answer) before it opens the "
    "stream, so that no keep-alive can be sent.",
    "Open the stream first and send comments while waiting; allow a longer first-byte limit in front.",
)
NO_HEAD = Fault(
    "first-byte.no-headers",
    "No response header within {waited_ms} ms.",
    "The hop holds the request (model load, queue, lock) without answering; {detail}.",
    "Preload the model or shorten the queue; open the stream first and send comments while waiting; a longer "
    "first-byte limit in front.",
)
BODY_LATE = Fault(
    "first-byte.content",
    "No content for {waited_ms} ms (response headers after {head_ms} ms).",
    "The stream was opened at once; what is late is the first token (prefill, queue) or what holds it back.",
    "Compare with the hop behind; send a comment line every 5 to 15 s so that idle timers do not fire meanwhile.",
)
NOTHING = Fault(
    "first-byte.none",
    "Status {status}, and not one content event in {waited_ms} ms ({heartbeats} heartbeats).",
    "Heartbeats are not progress: the line is open, the answer does not come.",
    "Look at what this hop waits for: an inner answer that it collects, a request that it never let go of, a "
    "failure that it hides.",
)
ADDED = Fault(
    "first-byte.added",
    "The first content is {added_ms} ms later at {hop} ({waited_ms} ms) than at {hop_inner} ({inner_ms} ms).",
    "The hop adds this wait itself: it collects before it sends, or does work before it asks.",
    "Let it forward the first chunk as it comes; look at its own steps before the inner call.",
)
HIDDEN = Fault(
    "first-byte.held",
    "{hop_inner} delivers from {inner_ms} ms on; {hop} has delivered no content in {waited_ms} ms.",
    "The hop holds the inner answer back; heartbeats from it are not progress.",
    "Let it forward chunks as they come; bound and parse incrementally whatever it collects.",
)


def alone(view: View) -> Iterator[Finding]:
    if (
        view.refused
        or view.unreached
        or (view.in_band and not view.content)
        or (view.capture.head and not _could_stream(view))
    ):
        return
    waited = view.opening_ms()
    if waited <= FIRST_BYTE_MS:
        return
    if view.ttft_ms is None and view.end == "complete":
        return
    figures: dict[str, Any] = {
        "waited_ms": waited,
        "head_ms": view.head.t if view.head else None,
        "limit_ms": float(FIRST_BYTE_MS),
    }
    event = view.content[0] if view.content else None
    if not view.answered:
        detail = recorded(view.detail) or phrase("the connection stood")
        yield NO_HEAD.found(view, "error", at_ms=waited, words={"detail": detail}, **figures)
    elif view.ttft_ms is None:
        beats = len(view.stream.comments) + len(view.stream)
        yield NOTHING.found(view, "error", at_ms=waited, status=view.status, heartbeats=beats, **figures)
    else:
        late = view.head is not None and view.head.t > 0.5 * waited
        yield (HEAD_LATE if late else BODY_LATE).found(view, "error", event=event, **figures)


def given_up(pair: Pair) -> Iterator[Finding]:
    """Our relay's own limit ended the wait sooner than this rule would: whoever kept it waiting is to blame."""
    inner = pair.inner
    if not pair.our_limit or inner.content or inner.unreached or inner.opening_ms() > FIRST_BYTE_MS:
        return
    waited = inner.opening_ms()
    figures: dict[str, Any] = {"waited_ms": waited, "head_ms": inner.head.t if inner.head else None}
    if inner.answered:
        beats = len(inner.stream.comments) + len(inner.stream)
        yield NOTHING.found(inner, "error", at_ms=waited, status=inner.status, heartbeats=beats, **figures)
    else:
        detail = phrase("our limit: {limit}", limit=inner.detail)
        yield NO_HEAD.found(inner, "error", at_ms=waited, words={"detail": detail}, **figures)


def between(pair: Pair) -> Iterator[Finding]:
    inner, outer = pair.inner, pair.outer
    if inner.ttft_ms is None or outer.refused or (outer.in_band and not outer.content) or outer.unreached:
        return
    waited, base = outer.opening_ms(), max(inner.ttft_ms, _call_made(pair))
    if not added(waited, base, pair):
        return
    figures: dict[str, Any] = {
        "waited_ms": waited,
        "inner_ms": base,
        "added_ms": waited - base,
        "exchange": pair.sameness,
    }
    if outer.ttft_ms is None:
        ran_out = outer.end == "timeout" and outer.detail != "size"  # the inner hop had answered well within our limit
        if ran_out or (outer.end in ("open", "aborted") and waited > FIRST_BYTE_MS):
            yield HIDDEN.found(outer, "error", inner=inner, at_ms=waited, **figures)
        return
    if _later_question(pair) and waited <= FIRST_BYTE_MS:
        return
    if one_behind(pair) and waited <= FIRST_BYTE_MS:
        return  # the first piece waits for the second, as every piece does: told as such
    yield ADDED.found(outer, "error", inner=inner, event=outer.content[0], **figures)


def _later_question(pair: Pair) -> bool:
    """Whether the inner answer is a call, which the outer hop made itself: what it tells answers a later question."""
    called = any(channel.name for channel in pair.inner.stream.channels)
    return called and not pair.channels and bool(pair.outer.content)


def _call_made(pair: Pair) -> float:
    """When the inner hop had made the call that an Ollama opens with: its dialect has no pieces of calls."""
    if pair.outer.stream.wire != "ollama":
        return 0.0
    first = pair.outer.content[0] if pair.outer.content else None
    for key, text in pair.outer.texts.items():
        made = pair.inner.texts.get(key)
        if key.part.startswith("tool") and text.events == [first] and made:
            opening = [pair.inner.stream.kinds[event] for event in pair.inner.content if event <= made.events[-1]]
            return pair.inner.stream.times[made.events[-1]] if set(opening) == {Kind.TOOL} else 0.0
    return 0.0


def added(waited: float, base: float, pair: Pair) -> bool:
    """Whether the outer hop adds a wait of its own to the inner one's, both in ms to the first content."""
    least = max(FIRST_BYTE_ADDED_MS, pair.resolution_ms)
    return waited > max(FIRST_BYTE_PAIR_MS, FIRST_BYTE_PAIR_RATIO * base) and waited - base > least


def _could_stream(view: View) -> bool:
    return view.streamed or not len(view.stream)
