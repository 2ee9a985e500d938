"""loss: text that the inner hop sent, or that the stream counts, is not there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from harness.diagnose.answer import Finding
from harness.diagnose.counts import MODEL, promised
from harness.diagnose.damage import Damage, damages, everything, missing_channels
from harness.diagnose.fault import Fault
from harness.diagnose.numerals import numbers
from harness.diagnose.pair import Pair
from harness.diagnose.thresholds import COUNT_SHARE
from harness.diagnose.view import View
from harness.phrase import phrase
from harness.wire.stream import ChannelKey, Kind

TEXT = Fault(
    "loss.text",
    "{lost_chars} characters of {hop_inner} are missing at {hop}, first {first_piece} (event {inner_event} there).",
    "{cause}",
    "Keep the unfinished rest of each read for the next one; do not skip what does not fit the expected shape.",
)
CHANNEL = Fault(
    "loss.channel",
    "{hop} drops a whole channel of {hop_inner}: {channel}, {lost_chars} characters.",
    "The hop does not know this field (reasoning under another name, a second choice, a tool call) and leaves it out.",
    "Map the field at this hop (reasoning / reasoning_content), or take a version that passes it on.",
)
USAGE = Fault(
    "loss.usage",
    "usage counts {completion_tokens} completion tokens, but not one character of text, thinking or tool call came.",
    "Tokens were made and lost between the sampler and the stream (parser, decoder, filter).",
    "Compare with a non-streamed run of the same prompt at this hop.",
)
CALL = Fault(
    "loss.call",
    "The answer ends with {reason}, and not one tool call came.",
    "The hop saw a call (or was told of one) and left it out of the stream.",
    "Compare with a non-streamed run at this hop; check its tool parser.",
)
CALLS = Fault(
    "loss.calls",
    "{hop} drops tool calls of {hop_inner}: {calls}.",
    "The hop does not pass tool_calls deltas on.",
    "Take a version that passes tool calls on, or ask without streaming.",
)
ARGUMENTS = Fault(
    "loss.arguments",
    "The call of {tool} has {lost_chars} characters of arguments at {hop_inner}, and {told} at {hop}.",
    "The hop tells the call and leaves out what comes after its name.",
    "Pass every piece of the arguments on; a call is whole only at its finish.",
)
SHORT = Fault(
    "loss.unfinished-count",
    "Asked to count to {asked_to}, the stream counts to {counted_to} and calls itself finished.",
    "The end was lost, or the model stopped early.",
    "Compare with a non-streamed run of the same prompt.",
)

EMPTY = ("{}", "null")  # a call without arguments, in either spelling


def alone(view: View) -> Iterator[Finding]:
    made = max((u.completion or 0 for u in view.stream.usages), default=0)
    thought = max((u.reasoning or 0 for u in view.stream.usages), default=0)
    read = Kind.UNKNOWN not in view.stream.kinds  # text in a shape that no dialect knows is not lost
    silent = view.streamed and view.text_complete and not view.content and not view.in_band and read
    if made - thought > 2 and silent and "abort" not in view.finished.values():
        yield USAGE.found(view, "error", event=view.stream.usages[-1].event, completion_tokens=made)
    yield from _short(view)
    yield from _call(view)


def _short(view: View) -> Iterator[Finding]:
    asked = promised(view)
    if not asked or not view.text_complete or view.in_band or "length" in view.finished.values():
        return
    told = [found.value for found in numbers(view.stream.text(), COUNT_SHARE, 3)]
    if len(told) >= 3 and told[0] == asked[0] and max(told) < asked[1]:
        severity = "warning" if view.finished else "error"  # without a finish_reason nobody says that it is all
        yield SHORT.found(
            view, severity, event=view.content[-1], asked_to=asked[1], counted_to=max(told), alternative=MODEL
        )


def _call(view: View) -> Iterator[Finding]:
    reason = next((r for r in view.finished.values() if r in ("tool_calls", "function_call", "tool_use")), None)
    calls = any(channel.name or channel.key.part.startswith("tool") for channel in view.stream.channels)
    if reason and not calls and view.streamed and not view.in_band:
        yield CALL.found(view, "error", event=view.stream.finishes[-1].event, reason=reason)


def between(pair: Pair) -> Iterator[Finding]:
    for damage in damages(pair):
        if damage.kind == "loss":
            yield _text(pair, damage)
    yield from _bare(pair)
    whole = everything(pair.outer)
    for key in missing_channels(pair):
        if pair.sameness == "different" and key.part != "reasoning" and not _emptied(pair, key):
            continue
        text = pair.inner.texts[key].text
        if text.strip() in whole or (
            key.choice not in pair.outer.choices and len(pair.outer.texts) < len(pair.inner.texts) and _woven(pair)
        ):
            continue
        if key.part.startswith("tool") and _woven(pair):
            continue
        if any(fault.detail.startswith(f"{key.part} is ") for fault in pair.outer.stream.faults):
            continue  # it is there, in a shape that the dialect does not have: told as malformed
        yield CHANNEL.found(
            pair.outer,
            "error",
            inner=pair.inner,
            event=pair.outer.content[-1] if pair.outer.content else None,
            channel=f"{key.choice}/{key.part}",
            lost_chars=len(text),
        )
    yield from _calls(pair)


def _calls(pair: Pair) -> Iterator[Finding]:
    """Calls without arguments have no text: they are told by their names."""
    inner, outer = (
        Counter(c.name for c in view.stream.channels if c.name and not c.text.strip())
        for view in (pair.inner, pair.outer)
    )
    named = any(channel.name for channel in pair.outer.stream.channels)
    whole = pair.outer.streamed and pair.outer.text_complete and not pair.outer.in_band
    if inner - outer and not named and whole and pair.sameness != "different":
        event = len(pair.outer.stream) - 1
        yield CALLS.found(pair.outer, "error", inner=pair.inner, event=event, calls=sorted(inner - outer))


def _bare(pair: Pair) -> Iterator[Finding]:
    """Calls whose arguments became an empty object."""
    lost = {damage.key for damage in damages(pair) if damage.kind == "loss"}
    for key in pair.channels:
        made, told = pair.inner.texts[key].text.strip(), pair.outer.texts[key].text.strip()
        if key.part.startswith("tool") and key not in lost and told == "{}" and made.replace(" ", "") not in EMPTY:
            name = next((c.name for c in pair.inner.stream.channels if c.key == key), "")
            event = pair.outer.texts[key].events[0]
            figures: dict[str, Any] = {"tool": name or key.part, "lost_chars": len(made), "told": told}
            yield ARGUMENTS.found(pair.outer, "error", inner=pair.inner, event=event, **figures)


def _emptied(pair: Pair, key: ChannelKey) -> bool:
    """The same call, without its arguments: no other sample of the model's, which would have some too."""
    names = [{c.key: c.name for c in view.stream.channels} for view in (pair.inner, pair.outer)]
    return key.part.startswith("tool") and bool(names[0].get(key)) and names[0][key] == names[1].get(key)


def _text(pair: Pair, damage: Damage) -> Finding:
    a, b = pair.inner.texts[damage.key], pair.outer.texts[damage.key]
    first = damage.edits[0]
    figures: dict[str, Any] = _pinned(pair, damage)
    if figures.get("at_read_boundary"):
        cause = phrase(
            "Every lost event of {hop_inner} lay across two reads: the hop parses read by read and drops the rest.",
            hop_inner=pair.inner.hop,
        )
    elif figures.get("over_64k"):
        cause = phrase("The lost lines are longer than 64 KiB: the hop's scanner gives up on them.")
    else:
        cause = phrase("{hop} leaves these pieces out when it writes the stream anew.", hop=pair.outer.hop)
    return TEXT.found(
        pair.outer,
        "error",
        inner=pair.inner,
        event=b.event_at(first.b),
        lost_chars=damage.chars(),
        stretches=len(damage.edits),
        first_piece=damage.samples()[0],
        inner_event=a.event_at(first.a),
        channel=f"{damage.key.choice}/{damage.key.part}",
        exchange=pair.sameness,
        words={"cause": cause},
        **figures,
    )


def _pinned(pair: Pair, damage: Damage) -> dict[str, Any]:
    """Whether the lost events have a common trait at the inner hop: across two reads, or longer than a line limit."""
    view, text = pair.inner, pair.inner.texts[damage.key]
    lost = {text.event_at(offset) for e in damage.edits for offset in range(e.a, max(e.a_end, e.a + 1))[:50]}
    split = {e for e in text.events if _across(view, e)}
    long = {e for e in lost if view.stream.ends[e] - view.stream.starts[e] > 65536}
    rest = [e for e in text.events if e not in lost]
    return {
        "at_read_boundary": (bool(lost) and lost <= split and sum(1 for e in rest if e in split) <= 0.5 * len(rest))
        or None,
        "over_64k": (bool(lost) and lost == long) or None,
    }


def _across(view: View, event: int) -> bool:
    reads = view.stream.read_ends
    first = view.stream.starts[event]
    last = view.stream.reads[event]
    return bool(last) and last - 1 < len(reads) and reads[last - 1] > first


def _woven(pair: Pair) -> bool:
    """Whether the outer hop has as much text as the inner one, only in fewer channels."""
    return len(everything(pair.outer)) >= len(everything(pair.inner))
