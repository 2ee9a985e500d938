"""The synthesiser: (scenario, seed) → captures at every hop, without sockets or clocks.

It uses the plans, faults and gateways that the socket server executes, in virtual time. :func:`chat` gives the
taps of one exchange (emit, read, write, arrive, paint), :func:`ladder` one read a hop, each of an exchange of its
own. Any hop may be given a gateway or faults, so every fault can be planted at every layer.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from harness.capture.model import Capture, Clock, End, Head, Request, stamped
from harness.errors import InputError
from harness.lab import source
from harness.lab.ask import Ask, read_ask
from harness.lab.engine.profile import presets
from harness.lab.engine.virtual import token_times
from harness.lab.gateways.registry import gateways, open_gateway
from harness.lab.gateways.virtual import COALESCE, through
from harness.lab.markers import Call
from harness.lab.paint import painted
from harness.lab.plan import Plan
from harness.lab.reading import reread
from harness.lab.registry import apply
from harness.lab.scenarios import Scenario, built_in
from harness.lab.stepped import retimed

SENT_AT = "2026-01-01T00:00:00.000000Z"
SERVER = Clock("synthetic-server", "monotonic", 0.000001)
BROWSER = Clock("synthetic-browser", "performance", 0.005, 0.0, 0.4)
CANNOT_TELL = "browser-cannot-tell"
GIVE_UP = 120_000.0  # ms of silence after which a reader of ours leaves
TAP_OF_KIND = {"app": "write", "proxy": "arrive", "network-path": "arrive", "browser": "paint"}


@dataclass(frozen=True, slots=True)
class Place:
    """One hop of the synthetic way. ``gateway``: a lab gateway it behaves as; ``faults``: planted in its output;
    ``latency`` and ``jitter`` ms of the line to the next hop."""

    name: str
    kind: str
    gateway: str = ""
    faults: tuple[Call, ...] = ()
    latency: float = 0.4
    jitter: float = 0.4


def way(*names: str) -> tuple[Place, ...]:
    """Places by name, kinds told by the names: ``way("engine", "gateway", "app", "proxy", "browser")``."""
    return tuple(Place(name, name.rpartition("-")[0] if name[-1:].isdigit() else name) for name in names)


def chat(
    scenario: Scenario | str, seed: int = 0, places: Sequence[Place] = way("engine", "gateway", "app", "browser"),
    *, emit: bool = True, prompt: str = "Count.", **body: Any,
) -> list[Capture]:  # fmt: skip
    """The taps of one exchange, innermost first. Places of kind gateway show in the app's ``read`` of the outermost
    of them; without one the app reads the engine."""
    ask = _ask(scenario, seed, prompt, body)
    plans = _flow(scenario, seed, places, ask)
    outermost = max((i for i, p in enumerate(places) if p.kind in ("engine", "gateway")), default=0)
    plans = [_left(plan, plans[index + 1 :]) for index, plan in enumerate(plans)]
    wire = "openai"
    found = []
    for index, (place, plan) in enumerate(zip(places, plans, strict=True)):
        wire = gateways()[place.gateway.partition(",")[0]].wire if place.gateway else wire
        if index == 0 and emit:
            found.append(_capture(place, plan, ask, "emit", wire, lag=0.0))
        if index == outermost:
            found.append(_capture(place, plan, ask, "read", wire))
        elif place.kind in TAP_OF_KIND:
            found.append(_capture(place, plan, ask, TAP_OF_KIND[place.kind], wire))
    return found


def ladder(
    scenario: Scenario | str, seed: int = 0, places: Sequence[Place] = way("engine", "gateway"),
    *, repeats: int = 1, prompt: str = "Count.", **body: Any,
) -> list[Capture]:  # fmt: skip
    """One read a hop and repeat, in turn (A B A B …), each of its own exchange."""
    found = []
    for repeat in range(repeats):
        for index, place in enumerate(places):
            salt = seed * 1000 + repeat * 50 + index
            ask = replace(_ask(scenario, seed, prompt, body), key=f"synthetic-{salt}")
            plan = _flow(scenario, salt, places[: index + 1], ask)[-1]
            wire = gateways()[place.gateway.partition(",")[0]].wire if place.gateway else "openai"
            capture = _capture(place, plan, ask, "read", wire)
            found.append(replace(capture, repeat=repeat) if repeats > 1 else capture)
    return found


def _ask(scenario: Scenario | str, seed: int, prompt: str, body: dict[str, Any]) -> Ask:
    name = scenario if isinstance(scenario, str) else scenario.name
    asked = {"model": name, "messages": [{"role": "user", "content": prompt}], "stream": True, "seed": seed, **body}
    return read_ask("chat", asked, {"x-exchange-id": f"synthetic-{seed}"})


def _flow(scenario: Scenario | str, salt: int, places: Sequence[Place], ask: Ask) -> list[Plan]:
    """The plan of each hop's output; times are ms since the engine got the request."""
    if isinstance(scenario, str):
        if scenario not in built_in():
            raise InputError(f"there is no scenario {scenario!r}", "lab")
        scenario = built_in()[scenario]
    scenario = scenario.marked(ask.marked)
    made = source.healthy(ask, scenario, pace_seed=f"{salt}", paced=not scenario.engine)
    plan = apply(made.plan, (*scenario.faults, *places[0].faults), seed=f"{ask.seed}:{ask.prompt}")
    if scenario.engine:
        profile = presets()[scenario.engine]
        plan = retimed(plan, token_times(profile, made.prompt, made.tokens, seed=f"{salt}", load=scenario.load))
    plans = [plan]
    for inner, place in pairwise(places):
        plan = _line(plan, inner, random.Random(f"{salt}:line:{inner.name}"))
        if place.gateway:
            gateway = open_gateway(place.gateway, str(salt))
            if ask.stream and gateway.ask(ask.body).get("stream") is False:
                plan = _flow(scenario, salt, places[: len(plans)], replace(ask, stream=False))[-1]
            plan = through(gateway, plan, dict(ask.body))
        if place.kind == "browser":
            plan = painted(plan, random.Random(f"{salt}:paint"))
        if place.faults:
            plan = apply(reread(plan), place.faults, seed=f"{salt}:{place.name}")
        plans.append(plan)
    return plans


def _left(plan: Plan, outer: Sequence[Plan]) -> Plan:
    """The plan as it goes when a hop in front breaks off before the end: its reader leaves, it is aborted."""
    broken = min((p.end_at for p in outer if p.end in ("cut", "reset")), default=None)
    if broken is None or plan.end in ("cut", "reset") or (broken >= plan.end_at and plan.end != "hang"):
        return plan
    return replace(plan, emissions=tuple(e for e in plan.emissions if e.at <= broken), end="left", end_at=broken)


def _line(plan: Plan, place: Place, rng: random.Random) -> Plan:
    """The same writes after one line: each a little later, never overtaking; a reset is handed on as a cut."""
    rows, latest, before = [], 0.0, -1.0
    for e in plan.emissions:
        if e.at - before >= COALESCE:  # one segment has one delay
            latest = max(latest, e.at + place.latency + rng.random() * place.jitter)
        before = e.at
        rows.append(replace(e, at=latest))
    head = None if plan.head_at is None else plan.head_at + place.latency
    end_at = max(latest, plan.end_at + place.latency)
    end = "cut" if plan.end == "reset" else plan.end
    return replace(plan, emissions=tuple(rows), head_at=head, end_at=end_at, end=end)


def _capture(place: Place, plan: Plan, ask: Ask, tap: str, wire: str, lag: float = 1.0) -> Capture:
    """What the tap at the output of ``place`` stamps; ``lag`` ms between the tap's begin and the engine's."""
    browser = place.kind in ("browser", "proxy", "network-path")
    reads: list[tuple[float, bytes]] = []
    if plan.head_at is not None:
        for e in plan.emissions:
            data, t = plan.encode(e), e.at + lag
            if tap != "emit" and reads and t - reads[-1][0] < COALESCE:
                reads[-1] = (reads[-1][0], reads[-1][1] + data)
            elif data:
                reads.append((max(t, reads[-1][0] if reads else t), data))
    broken = False
    if browser and any(name == "content-encoding" for name, _ in plan.headers):
        reads, broken = _unpacked(reads)
    body, times, ends = stamped(reads)
    head = None if plan.head_at is None else Head(plan.head_at + lag, plan.status, "1.1", _headers(plan))
    end = _end(plan, tap, lag, times[-1] if times else 0.0)
    return Capture(
        hop=place.name, kind=place.kind, tap=tap, wire=wire, exchange=ask.key,
        request=Request("POST", f"http://{place.name}/v1/chat/completions", (), dict(ask.body)),
        sent_at=SENT_AT, clock=BROWSER if browser else SERVER, head=head, body=body, times=times, ends=ends,
        content_decoded=browser, end=replace(end, kind="truncated", detail=CANNOT_TELL) if broken else end,
    )  # fmt: skip


def _unpacked(reads: Sequence[tuple[float, bytes]]) -> tuple[list[tuple[float, bytes]], bool]:
    """The reads as a browser hands them over, gzip undone; and whether that failed."""
    packer, rows = zlib.decompressobj(31), []
    try:
        for t, data in reads:
            rows.append((t, packer.decompress(data)))
    except zlib.error:
        return [row for row in rows if row[1]], True
    return [row for row in rows if row[1]], False


def _end(plan: Plan, tap: str, lag: float, last: float) -> End:
    t = max(plan.end_at + lag, last)
    if plan.end == "hang":  # the app's reader gives up, and hands its end on as a cut
        kinds = {"emit": ("aborted", "the client closed"), "read": ("timeout", f"no read for {GIVE_UP / 1000:.0f} s")}
        return End(t + GIVE_UP, *kinds.get(tap, ("truncated", "" if tap == "write" else CANNOT_TELL)))
    if plan.end == "left":
        return End(t, "aborted", "the hop in front closed")
    if plan.end == "complete" or (plan.end == "cut" and plan.transfer == "close"):
        return End(t, "complete")
    if tap in ("arrive", "paint"):
        return End(t, "truncated", CANNOT_TELL)
    return End(t, "reset" if plan.end == "reset" else "truncated")


def _headers(plan: Plan) -> tuple[tuple[str, str], ...]:
    rows = plan.headers
    if plan.transfer in ("chunked", "both"):
        rows = (*rows, ("transfer-encoding", "chunked"))
    if plan.transfer in ("length", "both"):
        rows = (*rows, ("content-length", str(len(plan.body()) if plan.declared is None else plan.declared)))
    return rows
