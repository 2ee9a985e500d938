"""loss: an inner hop speaks a dialect of its own, and the one in front tells a whole answer without a word of it."""

from __future__ import annotations

from collections.abc import Iterator

from harness.diagnose.answer import Finding
from harness.diagnose.fault import Fault
from harness.diagnose.pair import Pair
from harness.diagnose.parsed import parsed
from harness.diagnose.thresholds import MIN_JUDGED
from harness.wire.stream import Kind

UNREAD = Fault(
    "loss.unread",
    "{hop_inner} tells {pieces} pieces of text under {field}, in a dialect of its own; {hop} ends an answer that is "
    "empty.",
    "The hop does not know these events, skips them, and makes up a good end.",
    "Teach the hop this kind of event (an agent's answer often comes under another name than a chat's).",
)
FIELDS = ("answer", "text", "content", "delta", "token", "output", "response", "generated_text")
"""Where the events of Dify, Coze, Cohere, TGI and their like keep a piece of the answer."""


def between(pair: Pair) -> Iterator[Finding]:
    inner, outer = pair.inner, pair.outer
    named = any(channel.name for channel in outer.stream.channels)
    empty = outer.streamed and outer.text_complete and not outer.content and not outer.clear_refusal and not named
    if not empty or inner.content or inner.in_band or not inner.streamed or outer.ours_to_close:
        return
    told = [value for i, kind in enumerate(inner.stream.kinds) if kind == Kind.UNKNOWN and (value := parsed(inner, i))]
    for field in FIELDS:
        pieces = sum(1 for value in told if isinstance(text := value.get(field), str) and text.strip())
        if pieces >= MIN_JUDGED:
            event = len(outer.stream) - 1
            yield UNREAD.found(outer, "error", inner=inner, event=event, pieces=pieces, field=field)
            return
