"""duplicate: the same pieces more than once: doubled events, snapshots instead of deltas, a second terminator."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import eq

from harness.diagnose.answer import Finding
from harness.diagnose.counts import counts
from harness.diagnose.damage import damages
from harness.diagnose.fault import Fault
from harness.diagnose.pair import Pair
from harness.diagnose.rules.interleave import merged
from harness.diagnose.view import View

PAIRS = Fault(
    "duplicate.adjacent",
    "{pairs} of {content_events} content events repeat the one before them byte for byte.",
    "Each piece is sent twice.",
    "Look for two writers of the same event (FastGPT: answer events in detail mode); de-duplicate by event kind.",
)
SNAPSHOT = Fault(
    "duplicate.snapshot",
    "{grown} of {content_events} pieces begin with all the text before: snapshots of the answer, not deltas.",
    "The hop sends the whole text so far in each delta; readers append it, so that the text repeats and bytes "
    "grow quadratically.",
    "Send the difference to the previous snapshot.",
)
ECHO = Fault(
    "duplicate.echo",
    "{hop} sends pieces of {hop_inner} more than once: {repeats} repeats, first {first_piece}.",
    "The hop writes pieces twice.",
    "Compare its event kinds; send each piece of the inner answer once.",
)
AGAIN = Fault(
    "duplicate.whole",
    "The last piece repeats the whole answer of {chars} characters that came piece by piece before it.",
    "The hop ends the stream with the full text in a delta; readers that append show the answer twice.",
    "Send what is new only; leave the full text to the non-streamed answer.",
)
DONE = Fault(
    "duplicate.terminator",
    "The terminator comes {times} times.",
    "A relay appends its own terminator to the one that it passes on.",
    "Append a terminator only when none was seen; readers should stop at the first.",
)


WHOLE_CHARS = 12  # shorter answers may be said twice


def alone(view: View) -> Iterator[Finding]:
    if view.snapshots:
        grown, total, first = view.snapshots
        yield SNAPSHOT.found(view, "error", event=first, grown=grown, content_events=total + 1)
    else:
        if merged(view) or not any(count.doubled for count in counts(view)):
            yield from _adjacent(view)
        yield from _again(view)
    if len(view.stream.terminators) > 1:
        second = view.stream.terminators[1]
        yield DONE.found(view, "warning", event=second, times=len(view.stream.terminators))


def between(pair: Pair) -> Iterator[Finding]:
    for damage in damages(pair):
        if damage.kind == "duplicate":
            first = pair.outer.texts[damage.key].event_at(damage.edits[0].b)
            yield ECHO.found(
                pair.outer,
                "error",
                inner=pair.inner,
                event=first,
                repeats=len(damage.edits),
                chars=damage.chars(),
                first_piece=damage.samples()[0],
                channel=f"{damage.key.choice}/{damage.key.part}",
                exchange=pair.sameness,
            )


def _again(view: View) -> Iterator[Finding]:
    """A last piece that equals all the text before it; a piece that a model repeats is short against the text."""
    for text in view.texts.values():
        size = text.ends[-2] if len(text.ends) > 4 else 0
        before, last = text.text[:size].strip(), text.text[size:].strip()
        if len(before) >= WHOLE_CHARS and before == last:
            yield AGAIN.found(view, "error", event=text.events[-1], chars=size)


def _adjacent(view: View) -> Iterator[Finding]:
    """Doubling makes every run of equal events even in length; a model that repeats itself makes odd ones too."""
    content = view.content
    if len(content) < 6:
        return
    starts, ends = view.stream.starts, view.stream.ends
    sizes = [ends[i] - starts[i] for i in content]
    if sum(map(eq, sizes, sizes[1:])) < 0.4 * len(content):  # told without looking at the bytes
        return
    runs = [len(list(run)) for _, run in groupby(content, view.stream.raw)]
    if len(runs) >= 3 and sum(length % 2 for length in runs) <= 0.1 * len(runs):
        pairs = sum(length // 2 for length in runs)
        yield PAIRS.found(view, "error", event=content[1], pairs=pairs, content_events=len(content))
