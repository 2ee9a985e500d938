"""Ask one hop the same in several ways: headers, bodies, connections, and requests that are no chat."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import httpx

from harness.capture.model import Capture
from harness.probe.exchange import probe
from harness.probe.kept import KeptConnection
from harness.probe.request import ask
from harness.probe.transport import plain_client
from harness.routes.model import Hop, Route
from harness.runs.asked_twice import Kept, Seen, Setting

PADDING = 6 * 1024  # bytes of one more header
IDLE_S = 6.0  # seconds that a kept connection rests: past the 5 s after which many servers close one
PLAIN_S = 10.0  # what a request that is no chat may take


async def look(route: Route, hop: Hop, prompt: str, first: Capture) -> Seen:
    """The other ways of asking, after ``first``. The second is alone, and so are two over one connection, since their
    times are compared; the rest come at once, while that connection rests."""
    second = await probe(route, hop, prompt=prompt, repeat=1)
    rest = asyncio.Event()

    async def varied(headers: Mapping[str, str], **body: Any) -> Capture:
        other = replace(hop, headers={**hop.headers, **headers})
        return await probe(route, other, prompt=prompt, body_extra=body or None)

    async def meanwhile() -> Any:
        await rest.wait()
        return await asyncio.gather(
            varied({"accept-encoding": "gzip"}),
            varied({}, n=2) if hop.wire == "openai" else _none(),
            varied({"x-padding": "x" * PADDING}),
            varied({"accept": "application/json"}),
            _http2(route, hop, prompt),
            _plain(route, hop, prompt),
        )

    kept, (gzip, two, padded, any_type, http2, probes) = await asyncio.gather(
        _kept(route, hop, prompt, rest), meanwhile()
    )
    return Seen(first, second, gzip, two, padded, any_type, kept, http2, probes)


async def _none() -> None:
    return None


async def _plain(route: Route, hop: Hop, prompt: str) -> dict[str, int | None]:
    """Statuses of requests that are no chat."""
    parts = urlsplit(hop.url)
    said = [{"role": "user", "content": prompt}]
    wish = ask(route, hop, said, exchange_id="settings", stream=False)
    keyed = {name: value for name, value in wish.headers if name != "content-type"}
    async with plain_client(hop, PLAIN_S) as client:

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


async def _kept(route: Route, hop: Hop, prompt: str, rest: asyncio.Event) -> Kept:
    """Three chats over one connection: at once, and after a rest. ``rest`` is set when the second has ended."""
    said = [{"role": "user", "content": prompt}]
    captures: list[Capture] = []
    same: list[bool] = []
    closed = None
    try:
        async with KeptConnection(route, hop) as kept:
            for number in range(3):
                if number == 2:
                    rest.set()
                    closed = await kept.quiet(IDLE_S)
                    if closed is not None:
                        break
                captures.append(await kept.chat(said))
                same.append(kept.opened == 1)
                if not (same[-1] and captures[-1].end and captures[-1].end.kind == "complete"):
                    break
    finally:
        rest.set()
    return Kept(tuple(captures), tuple(same), IDLE_S, closed)


async def _http2(route: Route, hop: Hop, prompt: str) -> Capture | None:
    """One chat over HTTP/2; None behind a forward proxy, which speaks HTTP/1.1 itself."""
    if hop.proxy:
        return None
    async with KeptConnection(route, hop, http2=True) as once:
        return await once.chat([{"role": "user", "content": prompt}])


async def speaks_http2_only(route: Route, hop: Hop, prompt: str, first: Capture) -> Setting | None:
    """Whether what answers HTTP/1.1 with frames, or hangs up, answers HTTP/2: there are listeners that know nothing
    else in the clear."""
    if first.end is None or not first.end.detail.startswith(("not HTTP", "closed before", "reset before")):
        return None
    seen = await _http2(route, hop, prompt)
    if seen is None or seen.head is None or not seen.head.http.startswith("2"):
        return None
    words = "it speaks HTTP/2 only, in the clear; whoever asks over HTTP/1.1 gets no answer"
    fix = "nginx: no http2 on a listen without ssl before 1.25.1; from then on `http2 on;` serves both."
    return Setting("http", "error", words, "error", {"http2": True, "status": seen.head.status}, fix)
