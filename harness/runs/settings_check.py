"""Ask every hop the same in several ways, and judge the ten settings that bite."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

import httpx

from harness.capture.model import Capture, End, Head, stamped
from harness.diagnose.answer import Answer, Finding, Verdict
from harness.probe.exchange import probe
from harness.probe.request import ask
from harness.routes.model import Hop, Route
from harness.runs.asked_twice import Seen, Setting
from harness.runs.biting import judged
from harness.runs.ladder import unreached
from harness.runs.result import Tell, outline
from harness.timeline.row import row
from harness.wire.decode import decode

PROMPT = "Count from 1 to 12 in words, one word a line."
PADDING = 6 * 1024  # bytes of one more header
PLAIN_S = 10.0  # what a request that is no chat may take


@dataclass(frozen=True, slots=True)
class HopSettings:
    hop: str
    settings: tuple[Setting, ...]

    def as_json(self) -> dict[str, Any]:
        return {"hop": self.hop, "settings": [setting.as_json() for setting in self.settings]}


async def check_settings(
    route: Route, *, prompt: str = PROMPT, tell: Tell | None = None
) -> tuple[Answer, list[HopSettings]]:
    """Every hop, innermost first: about eight short answers each. Nothing is sent but to the route's addresses."""
    say = tell or (lambda line: None)
    found: list[HopSettings] = []
    rows: list[dict[str, Any]] = []
    away: list[str] = []
    for hop in route.hops:
        first = await probe(route, hop, prompt=prompt, repeat=0)
        say(outline(first))
        rows.append(row(decode(first)))
        if unreached([first]):
            away.append(hop.name)
            continue
        seen = await look(route, hop, prompt, first)
        rows.append(row(decode(seen.second)))
        found.append(HopSettings(hop.name, tuple(judged(seen))))
    return _answer(rows, found, away), found


async def look(route: Route, hop: Hop, prompt: str, first: Capture) -> Seen:
    """The other ways of asking, after ``first``; the second alone, the rest at once."""
    second = await probe(route, hop, prompt=prompt, repeat=1)

    async def varied(headers: Mapping[str, str], **body: Any) -> Capture:
        other = replace(hop, headers={**hop.headers, **headers})
        return await probe(route, other, prompt=prompt, body_extra=body or None)

    openai = hop.wire == "openai"
    gzip, any_type, padded, two, reused, probes = await asyncio.gather(
        varied({"accept-encoding": "gzip"}),
        varied({"accept": "application/json"}),
        varied({"x-padding": "x" * PADDING}),
        varied({}, n=2) if openai else _none(),
        _reused(route, hop, prompt),
        _plain(route, hop, prompt),
    )
    return Seen(first, second, gzip, two, padded, any_type, reused, probes)


async def _none() -> None:
    return None


def _client(hop: Hop, seconds: float) -> httpx.AsyncClient:
    verify: Any = hop.ca_file or hop.verify
    return httpx.AsyncClient(trust_env=False, timeout=seconds, verify=verify, proxy=hop.proxy or None)


async def _plain(route: Route, hop: Hop, prompt: str) -> dict[str, int | None]:
    """Statuses of requests that are no chat."""
    parts = urlsplit(hop.url)
    said = [{"role": "user", "content": prompt}]
    wish = ask(route, hop, said, exchange_id="settings", stream=False)
    keyed = {name: value for name, value in wish.headers if name != "content-type"}
    async with _client(hop, PLAIN_S) as client:

        async def status(method: str, url: str, **more: Any) -> int | None:
            try:
                async with client.stream(method, url, **more) as answer:  # the body is nobody's business
                    return answer.status_code
            except (httpx.HTTPError, httpx.InvalidURL, ValueError):
                return None

        get = await status("GET", wish.url, headers=keyed)
        typed = {**keyed, "content-type": "text/plain"}
        plain = await status("POST", wish.url, headers=typed, json=wish.body)
        health = await status("GET", f"{parts.scheme}://{parts.netloc}/health") if hop.kind == "engine" else None
    return {"get": get, "text-plain": plain, "health": health}


async def _reused(route: Route, hop: Hop, prompt: str) -> tuple[Capture, ...]:
    """Two chats over one connection, each read to its end; one capture where the second needed a new connection."""
    said = [{"role": "user", "content": prompt}]
    found: list[Capture] = []
    async with _client(hop, route.timeouts.read) as client:
        used: list[Any] = []
        for number in range(2):
            wish = ask(route, hop, said, exchange_id=f"settings-{os.urandom(6).hex()}", probing=True)
            try:
                async with client.stream("POST", wish.url, headers=list(wish.headers), json=wish.body) as answer:
                    stream = answer.extensions.get("network_stream")
                    used.append(stream.get_extra_info("client_addr") if stream else None)
                    raw = [data async for data in answer.aiter_raw()]
            except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
                found.append(Capture(hop.name, hop.kind, end=End(0.0, "reset", type(error).__name__)))
                break
            if number and used[0] != used[1]:
                break
            body, times, ends = stamped((0.0, part) for part in raw)
            headers = tuple((name.lower(), value) for name, value in answer.headers.items())
            head = Head(0.0, answer.status_code, answer.http_version.removeprefix("HTTP/"), headers)
            end = End(0.0, "complete")
            found.append(Capture(hop.name, hop.kind, head=head, body=body, times=times, ends=ends, end=end))
    return tuple(found)


def _answer(rows: Sequence[dict[str, Any]], found: Sequence[HopSettings], away: Sequence[str]) -> Answer:
    """The innermost hop with a setting that hurts is the first bad one; what a hop inherits from inside is a fact."""
    findings: list[Finding] = []
    behind: set[tuple[str, str]] = set()
    for one in found:
        for setting in one.settings:
            if setting.state not in ("info", "warning", "error"):
                continue
            mark = (setting.name, setting.symptom)
            findings.append(_finding(one.hop, setting, inherited=mark in behind))
            behind.add(mark)
    order = {"error": 0, "warning": 1, "info": 2}
    findings.sort(key=lambda finding: order[finding.severity])
    errors = [finding for finding in findings if finding.severity == "error"]
    if errors:
        first = errors[0]
        verdict = Verdict(False, first.hop, first.symptom, "likely", first.summary)
    elif not found:
        why = f"Cannot tell: {', '.join(away)} could not be reached."
        verdict = Verdict(None, None, None, "cannot-tell", why, "a hop that answers")
    else:
        verdict = Verdict(True, None, None, "likely", "No setting that breaks a stream was found.")
    return Answer(tuple(rows), tuple(findings), verdict)


def _finding(hop: str, setting: Setting, *, inherited: bool) -> Finding:
    severity = "info" if inherited else setting.state
    evidence = dict(setting.evidence) | ({"inherited": True} if inherited else {})
    code = f"{setting.symptom}.setting-{setting.name.replace(' ', '-')}"
    return Finding(code, setting.symptom, severity, hop, f"{hop}: {setting.words}.", evidence, fix=setting.fix or None)
