"""Two ways to one model: the same request to both, several times in turn, each against one whole answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from harness.capture.model import Capture
from harness.diagnose.answer import Answer
from harness.diagnose.run import diagnose
from harness.phrase import phrase
from harness.probe.exchange import probe
from harness.routes.model import Route
from harness.runs.fields import Rewrite, rewritten
from harness.runs.heads import differing
from harness.runs.ladder import PROMPT
from harness.runs.result import Tell, outline
from harness.runs.unlike import unlike
from harness.wire.decode import decode
from harness.wire.stream import Stream

SEED = {"seed": 1}


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a streamed text leaves the one it is held against: ``char`` into the text, ``event`` and ``byte`` into
    the capture (to find it in a log), ``at_ms`` since the request; None at the end of the stream."""

    char: int
    event: int | None
    byte: int | None
    at_ms: float | None
    here: str
    there: str


@dataclass(frozen=True, slots=True)
class Text:
    """One streamed answer: ``letter`` is the same for equal texts; ``difference`` is against the way's reference, and
    ``told`` what kind of difference it is (:func:`harness.runs.unlike.unlike`; None without a reference)."""

    way: str
    repeat: int
    chars: int
    letter: str
    matches: bool | None
    difference: Difference | None
    told: str | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """``sampled``: a way differs from itself, so that texts cannot be held against each other.

    ``fields``: what the outer way does to the inner one's. ``whole_equal``: whether the two whole answers are.
    """

    texts: tuple[Text, ...]
    sampled: tuple[str, ...]
    equal: bool
    headers: dict[str, dict[str, str]]
    answer: Answer
    captures: tuple[Capture, ...]
    fields: tuple[Rewrite, ...] = ()
    whole_equal: bool | None = None

    def as_json(self) -> dict[str, Any]:
        own: dict[str, Any] = {
            "texts": [asdict(t) for t in self.texts],
            "sampled": list(self.sampled),
            "equal": self.equal,
        }
        own |= {"headers": self.headers, "fields": [row.as_json() for row in self.fields]}
        return self.answer.as_json() | {"comparison": own | {"whole_equal": self.whole_equal}}


async def compare(
    first: Route, second: Route, *, prompt: str = PROMPT, repeat: int = 5, tell: Tell | None = None
) -> Comparison:
    """``first`` counts as the inner side (direct), ``second`` as the outer (through the gateway)."""
    say = tell or (lambda line: None)
    names = _names(first, second)
    ways = list(zip(names, (first, second), strict=True))
    whole: dict[str, str | None] = {}
    for name, route in ways:
        reference = await probe(route, route.outermost, prompt=prompt, stream=False, body_extra=SEED)
        whole[name] = decode(reference).text() or None
        say(f"{name}, not streamed: {outline(reference)}, {len(whole[name] or '')} characters")
    captures: list[Capture] = []
    for number in range(repeat):
        for name, route in ways:
            seen = await probe(route, route.outermost, prompt=prompt, body_extra=SEED, repeat=number)
            captures.append(replace(seen, hop=name))
            say(phrase("round {number}: {summary}", number=number + 1, summary=outline(captures[-1])))
    streams = [decode(capture) for capture in captures]
    texts = _texts(streams, whole)
    sampled = tuple(name for name in names if len({t.letter for t in texts if t.way == name}) > 1)
    said = {stream.text() for stream in streams}
    texts = [_told(t, stream, whole, said, t.way in sampled) for t, stream in zip(texts, streams, strict=True)]
    sides = [[stream for stream in streams if stream.capture.hop == name] for name in names]
    references = [whole[name] for name in names]
    whole_equal = None if None in references else references[0] == references[1]
    equal = len({text.letter for text in texts}) == 1
    judged = captures if repeat > 1 else [replace(capture, repeat=None) for capture in captures]
    return Comparison(
        tuple(texts),
        sampled,
        equal,
        differing(captures),
        diagnose(judged),
        tuple(judged),
        tuple(rewritten(*sides)),
        whole_equal,
    )


def _told(text: Text, stream: Stream, whole: Mapping[str, str | None], said: set[str], samples: bool) -> Text:
    reference = whole[text.way]
    if reference is None:
        return text
    # A text that another exchange has whole is that exchange's sample; pieces of it in this one are a mixture.
    kind = unlike(stream.text(), reference, sorted(said - {stream.text()}), samples=samples)
    return replace(text, told=kind)


def _names(first: Route, second: Route) -> tuple[str, str]:
    """What the two ways are called: their outermost hops, or the routes where those are alike."""
    a, b = first.outermost.name, second.outermost.name
    if a != b:
        return a, b
    return (first.name, second.name) if first.name != second.name else (f"{a}-1", f"{a}-2")


def _texts(streams: Sequence[Stream], whole: Mapping[str, str | None]) -> list[Text]:
    letters: dict[str, str] = {}
    found = []
    for stream in streams:
        text, name = stream.text(), stream.capture.hop
        letter = letters.setdefault(text, _letter(len(letters)))
        reference = whole[name]
        unlike = None if reference is None or text == reference else difference(stream, reference)
        same = None if reference is None else unlike is None
        found.append(Text(name, stream.capture.repeat or 0, len(text), letter, same, unlike))
    return found


def _letter(number: int) -> str:
    return chr(ord("a") + number) if number < 26 else f"t{number}"


def difference(stream: Stream, reference: str) -> Difference:
    """Where the stream's content leaves ``reference``, with the event that brought the first other character."""
    text = stream.text()
    unlike = (i for i, (a, b) in enumerate(zip(text, reference, strict=False)) if a != b)
    at = next(unlike, min(len(text), len(reference)))
    event = None
    pieces = stream.pieces
    for i in range(len(pieces)):
        key = stream.channels[pieces.channel[i]].key
        if key == (0, "content") and pieces.offset[i] <= at < pieces.offset[i] + pieces.length[i]:
            event = pieces.event[i]
            break
    where = (None, None) if event is None else (int(stream.starts[event]), float(stream.times[event]))
    return Difference(at, event, where[0], where[1], text[at : at + 40], reference[at : at + 40])
