"""How long may the line be silent? The lab behind a route falls silent on request; each hop shows when it gives up.

No bisection is needed: a hop that cuts shows its timer by the moment of the cut. A stream that flows all the time
tells a limit on silence from a limit on the whole request.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any

from harness.capture.model import Capture
from harness.diagnose.answer import Answer, Finding, Verdict
from harness.diagnose.knowledge.products import product_of
from harness.diagnose.knowledge.timers import Timer, round_seconds, suspects
from harness.diagnose.run import diagnose
from harness.diagnose.view import View
from harness.phrase import Phrase, joined, phrase, say, term
from harness.probe.exchange import probe
from harness.routes.model import Hop, Route, Timeouts
from harness.runs.inventory import Row, inventory, known_rows, measured_row
from harness.runs.known_limits import KNOWN
from harness.runs.result import Tell, outline
from harness.wire.decode import decode

PLACES = {
    "before the first byte": "[[lab model=lab-steady events=4 rate=20 late-first-byte for={ms}ms]]",
    "in the middle": "[[lab model=lab-steady events=4 rate=20 stall at=2 for={ms}ms]]",
    "while it flows": "[[lab model=lab-steady events={events} rate={rate}]]",
}
RATE = 4  # events a second of the stream that flows
MARGIN = 30.0  # seconds that our own limits lie above the silence
PRODUCTS_BY_NAME = tuple(dict.fromkeys(known.product for known in KNOWN))
NEAR, NEAR_S = 0.15, 1.2  # two cuts that differ by less than this share of their time, or so many s, are one timer
TIMED_OUT = frozenset({408, 502, 503, 504, 522, 524})  # statuses by which a timer ends a wait for the head
AT_ONCE = 0.5  # seconds within which nobody waited for anything


@dataclass(frozen=True, slots=True)
class Limit:
    """What one hop allows at one place. ``seconds`` None: no cut within ``tried`` (or no word, see ``why``).

    ``counts``: ``idle``, ``total`` or ``head``. ``bound``: how exactly the cut is known, in seconds. ``product``: what
    the hop's response headers name.
    """

    hop: str
    place: str
    tried: float
    seconds: float | None
    bound: float | None
    counts: str | None
    looks_like: tuple[str, ...]
    known: bool
    why: str
    product: str = ""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        figures: dict[str, Any] = {"hop": self.hop, "place": term(self.place)}
        if self.seconds is None:
            return say("{hop}, {place}: {why}", **figures, why=self.why)
        figures |= {"seconds": f"{self.seconds:.1f}", "bound": f"{self.bound:.1f}", "counts": self.counts}
        cut = phrase("{hop}, {place}: cut after {seconds} ± {bound} s ({counts})", **figures)
        return (
            say("{cut}; looks like {timers}", cut=cut, timers=self.timers())
            if self.looks_like
            else say("{cut}", cut=cut)
        )

    def timers(self) -> Phrase:
        return joined(" or ", self.looks_like)


async def idle(route: Route, *, up_to: float = 65.0, tell: Tell | None = None) -> tuple[Answer, list[Limit]]:
    """Every hop at every place, all at once. Takes a little more than ``up_to`` seconds."""
    say = tell or (lambda line: None)
    own = Timeouts(route.timeouts.connect, up_to + MARGIN, up_to + 2 * MARGIN)
    patient = replace(route, timeouts=own)

    async def one(hop: Hop, place: str) -> Capture:
        words = {"ms": round(up_to * 1000), "events": max(4, round(up_to * RATE)), "rate": RATE}
        capture = await probe(patient, hop, prompt="count " + PLACES[place].format(**words))
        say(f"{place}, {outline(capture)}")
        return capture

    say(
        phrase(
            "{count} streams at once, silent for {seconds} s", count=len(route.hops) * len(PLACES), seconds=f"{up_to:g}"
        )
    )
    jobs = [(hop, place) for hop in route.hops for place in PLACES]
    captures = await asyncio.gather(*(one(hop, place) for hop, place in jobs))
    limits = _limits(jobs, captures, up_to)
    return _answer(captures, limits), limits


def _limits(jobs: Sequence[tuple[Hop, str]], captures: Sequence[Capture], up_to: float) -> list[Limit]:
    totals: dict[str, float] = {}
    for (hop, place), capture in zip(jobs, captures, strict=True):
        if place == "while it flows" and _cut(capture) and capture.end is not None:
            totals[hop.name] = capture.end.t / 1000
    return [
        replace(_limit(h, p, c, up_to, totals.get(h.name)), product=_product(c))
        for (h, p), c in zip(jobs, captures, strict=True)
    ]


def _product(capture: Capture) -> str:
    found = product_of(View(decode(capture), 0))
    return found.name if found else ""


def _cut(capture: Capture) -> bool:
    """Whether the answer did not come to its own end: neither terminator nor finish, or a refusal in their place."""
    if capture.end is None or capture.end.kind != "complete":
        return True
    stream = decode(capture)
    return not (stream.terminators or stream.finishes or (stream.framing == "json" and stream.facts.get("finish")))


def _limit(hop: Hop, place: str, capture: Capture, up_to: float, total: float | None) -> Limit:
    end, times = capture.end, capture.times
    if end is None or (capture.head is None and end.detail.startswith(("refused", "dns", "tls"))):
        return Limit(hop.name, place, up_to, None, None, None, (), False, phrase("not reached"))
    last = times[-1] if len(times) else 0.0
    status = capture.head.status if capture.head else 0
    if status >= 400 and (status not in TIMED_OUT or end.t < AT_ONCE * 1000):
        why = phrase("it answers {status}: is the lab behind this hop?", status=status)
        return Limit(hop.name, place, up_to, None, None, None, (), False, why)
    if not _cut(capture):
        edges = [0.0, *times]
        quiet = max(b - a for a, b in pairwise(edges)) / 1000
        if place == "while it flows" or quiet >= 0.9 * up_to:
            return Limit(
                hop.name,
                place,
                up_to,
                None,
                None,
                None,
                (),
                True,
                phrase("no cut within {seconds} s", seconds=f"{up_to:g}"),
            )
        why = phrase("the engine was silent for {seconds} s only: is the lab behind this hop?", seconds=f"{quiet:.1f}")
        return Limit(hop.name, place, up_to, None, None, None, (), False, why)
    whole = end.t / 1000
    silent = (end.t - last) / 1000 if place == "in the middle" else whole
    if (total is not None and abs(whole - total) <= max(NEAR * total, NEAR_S)) or place == "while it flows":
        counts, seconds = "total", whole
    else:
        counts, seconds = "idle", silent
    like = tuple(dict.fromkeys(_timer(t) for t in suspects(seconds * 1000, counts, hop.kind)))
    rounded = round_seconds(seconds * 1000)
    bound = abs(seconds - rounded) + 0.1 if rounded else 0.5
    told = f"status {status}, " if status >= 400 else ""
    return Limit(hop.name, place, up_to, seconds, bound, counts, like, True, f"{told}{end.kind}")


def _timer(timer: Timer) -> Phrase:
    return phrase("{product} ({setting})", product=term(timer.product), setting=term(timer.setting))


def _answer(captures: Sequence[Capture], limits: Sequence[Limit]) -> Answer:
    """Healthy when no hop cut; else the innermost hop that did. The rows are the captures' own."""
    rows = diagnose([replace(c, repeat=n % len(PLACES)) for n, c in enumerate(captures)]).captures
    findings = tuple(_finding(limit) for limit in limits if limit.seconds is not None)
    unknown = sorted({phrase("{hop}: {why}", hop=limit.hop, why=limit.why) for limit in limits if not limit.known})
    if findings:
        first = findings[0]
        return Answer(rows, findings, Verdict(False, first.hop, "truncation", "certain", first.summary))
    if unknown:
        needs = phrase(
            "the lab as the engine behind every hop: register it in the gateway as a model channel with an OpenAI base "
            "URL (that of `manage.py lab`, port 8100, path /v1, any key; from another machine, a reachable address), "
            "name a lab model such as lab-steady in the route, and run this again"
        )
        return Answer(
            rows,
            (),
            Verdict(
                None, None, None, "cannot-tell", phrase("Cannot tell: {reasons}.", reasons=joined("; ", unknown)), needs
            ),
        )
    seconds = limits[0].tried if limits else 0.0
    return Answer(
        rows,
        (),
        Verdict(True, None, None, "certain", phrase("No hop cuts within {seconds} s.", seconds=f"{seconds:g}")),
    )


def _finding(limit: Limit) -> Finding:
    silence = phrase("silence")
    what = {"idle": silence, "total": phrase("a request")}.get(limit.counts or "", silence)
    figures = {"what": what, "seconds": f"{limit.seconds:.1f}", "place": term(limit.place)}
    return Finding(
        f"truncation.{limit.counts}-limit",
        "truncation",
        "error",
        limit.hop,
        phrase("{hop} ends {what} of more than {seconds} s ({place}).", hop=limit.hop, **figures),
        {"place": limit.place, "seconds": limit.seconds, "bound_s": limit.bound, "ended": str(limit.why)},
        at_ms=(limit.seconds or 0.0) * 1000,
        cause=phrase("It looks like {timers}.", timers=limit.timers())
        if limit.looks_like
        else phrase("A timer of this hop."),
        fix=phrase("Raise it above the longest silence that the engine may have, or let the engine send heartbeats."),
    )


def limits_of(route: Route, limits: Sequence[Limit], configured: Sequence[Row] = ()) -> list[Row]:
    """The route's inventory: its own timeouts, what ``configured`` says, defaults of the products, what was measured.

    A hop's product is what its headers name and those of the hop behind it do not, else what its own name says.
    """
    behind, products = "", {}
    for hop in route.hops:
        named = next((limit.product for limit in limits if limit.hop == hop.name and limit.product), "")
        if named and named != behind:
            products[hop.name] = named
        else:
            said = hop.name.lower()
            told = next((p for p in PRODUCTS_BY_NAME if p.lower().replace(".", "") in said), "")
            products |= {hop.name: told} if told else {}
        behind = named
    rows = known_rows(products, {(row.hop, row.setting) for row in configured})
    cuts = [measured_row(x.hop, x.place, x.seconds, x.counts or "") for x in limits if x.seconds is not None]
    return inventory(route, [*configured, *rows, *cuts])
