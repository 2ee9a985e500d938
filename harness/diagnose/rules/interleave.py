"""interleave: pieces of several answers in one: foreign ids, choices or tool calls under one index."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from harness.diagnose.answer import Finding
from harness.diagnose.counts import counts
from harness.diagnose.damage import damages
from harness.diagnose.fault import Fault
from harness.diagnose.pair import Pair
from harness.diagnose.view import View
from harness.phrase import phrase
from harness.wire.stream import ChannelKey

FOREIGN = Fault(
    "interleave.foreign",
    "Events of {ids} take turns in one response ({switches} switches): another answer is mixed in.",
    "Two answers are written to one client: a response that is looked up by session or reused, not by request.",
    "Route by request id and close the old turn before the new one. What leaks here is somebody else's text.",
)
TOOLS = Fault(
    "interleave.tool-index",
    "Several tool calls share one index: {detail}.",
    "The hop numbers every call 0; readers join the arguments of different calls.",
    "Keep one running index a stream, and pass the inner hop's on.",
)
MIXED = Fault(
    "interleave.mixed",
    "All of {hop_inner}'s text stands at {hop}, with other text in between at {stretches} places, first {first_piece}.",
    "Another answer is written into this one.",
    "Route by request id and close the old turn before the new one. What leaks here is somebody else's text.",
)
MERGED = Fault(
    "interleave.index-lost",
    "{answers} answers come under one index (choice {choice}): they are opened or finished side by side{asked_words}.",
    "A hop loses the index of the choices, so that the text is a weave of several answers.",
    "Copy the inner index into every chunk.",
)
CHOICES = Fault(
    "interleave.choices",
    "{hop_inner} sends {inner_channels} channels apart, {hop} folds them into {outer_channels}: the text is a "
    "weave of {folded}.",
    "The relay loses the index when it writes the chunk anew.",
    "Copy the inner index into every chunk.",
)


def alone(view: View) -> Iterator[Finding]:
    runs = foreign(view)
    if runs:
        yield FOREIGN.found(
            view,
            "error",
            event=runs[1][0],
            ids=sorted({name for _, name in runs})[:10],
            switches=len(runs) - 1,
            finishes=len(view.stream.finishes),
        )
    answers = merged(view)
    if answers:
        asked = view.asked.get("n")
        words = {"asked_words": phrase(", and n was {asked}", asked=asked) if asked else ""}
        yield MERGED.found(view, "error", event=view.content[0], answers=answers, choice=min(view.choices), words=words)
    for fault in view.stream.faults:
        if fault.code == "tool-index":
            yield TOOLS.found(view, "error", event=fault.event, detail=fault.detail)
            break


def merged(view: View) -> int:
    """How many answers one choice holds: it is opened and finished that often, or n says so; 0 when it is one."""
    if len(view.choices) != 1 or foreign(view):
        return 0
    doubled = [count for count in counts(view) if len(count.doubled) >= 0.9 * len(set(count.values))]
    if doubled and doubled[0].strands > 1:
        return doubled[0].strands
    ends = [finish.event for finish in view.stream.finishes]
    if len(ends) < 2 or any(event < view.content[-1] for event in ends):
        return 0
    return len(ends) if doubled or view.asked.get("n") == len(ends) else 0


def foreign(view: View) -> list[tuple[int, str]]:
    """Runs of (event, id) when ids of several answers take turns in one choice; else nothing.

    An id that bears no word (beats, meters) is no answer's.
    """
    order, content, stop = [], view.content, len(view.stream)
    for row in reversed(view.stream.identities):
        if row.id and bisect_left(content, stop) > bisect_left(content, row.event):
            order.append((row.event, row.id))
        stop = row.event
    order.reverse()
    runs = [pair for i, pair in enumerate(order) if i == 0 or pair[1] != order[i - 1][1]]
    return runs if len({name for _, name in runs}) < len(runs) and _one_choice(view) else []


def _one_choice(view: View) -> bool:
    """Ids that differ by choice (some servers give each choice its own) are no foreign answers."""
    return len(view.choices) <= 1 or len({row.id for row in view.stream.identities if row.id}) > len(view.choices)


def mixed(pair: Pair) -> Iterator[Finding]:
    """Another answer's text between the pieces of this one, where no id tells it."""
    if foreign(pair.outer) or folded(pair):
        return
    for damage in damages(pair):
        if damage.kind == "interleave":
            first = damage.edits[0]
            event = pair.outer.texts[damage.key].event_at(first.b)
            yield MIXED.found(
                pair.outer,
                "error",
                inner=pair.inner,
                event=event,
                stretches=len(damage.edits),
                chars=damage.chars(),
                first_piece=damage.samples()[0],
            )


def between(pair: Pair) -> Iterator[Finding]:
    """Several inner channels whose text stands woven into one outer channel."""
    inner, outer = pair.inner.texts, pair.outer.texts
    for part in ("choice", "tool"):
        groups: dict[object, tuple[list[ChannelKey], list[ChannelKey]]] = {}
        for side, texts in enumerate((inner, outer)):
            for key in texts:
                if part == "choice" and not key.part.startswith("tool"):
                    groups.setdefault(key.part, ([], []))[side].append(key)
                elif part == "tool" and key.part.startswith("tool"):
                    groups.setdefault(key.choice, ([], []))[side].append(key)
        for a_keys, b_keys in groups.values():
            if len(a_keys) > len(b_keys) >= 1:
                a = [inner[key].text for key in a_keys]
                wide = max(b_keys, key=lambda key: len(outer[key].text))
                text = outer[wide].text
                if len(text) > 1.2 * max(map(len, a)) and _weave(a, text):
                    yield CHOICES.found(
                        pair.outer,
                        "error",
                        inner=pair.inner,
                        event=_first_foreign(pair, a_keys, wide),
                        inner_channels=len(a_keys),
                        outer_channels=len(b_keys),
                        folded=[f"{key.choice}/{key.part}" for key in a_keys],
                    )


def folded(pair: Pair) -> bool:
    return next(between(pair), None) is not None


def _weave(parts: list[str], text: str) -> bool:
    """Whether the text has every part as a subsequence, and about as many characters as all of them."""
    if abs(len(text) - sum(map(len, parts))) > 0.1 * len(text):
        return False
    return all(_inside(part, text) for part in parts if part)


def _inside(part: str, text: str) -> bool:
    rest = iter(text)
    return all(char in rest for char in part)


def _first_foreign(pair: Pair, keys: list[ChannelKey], wide: ChannelKey) -> int:
    """The outer event that carries the first character which is not the first inner channel's."""
    own = min(keys, key=lambda key: pair.inner.texts[key].events[0])
    told, text = pair.outer.texts[wide], pair.inner.texts[own].text
    at = next((i for i, (a, b) in enumerate(zip(text, told.text, strict=False)) if a != b), len(text))
    return told.event_at(at)
