"""Is each hop of a route reachable, does it take our key, does it know the model, does it stream at all."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from harness.capture.model import Capture
from harness.probe.exchange import probe
from harness.routes.model import Hop, Route
from harness.wire.decode import decode
from harness.wire.stream import Stream

TOTAL_S = 30.0  # a check must not take as long as an answer may
READS = 12  # enough to see text arrive; then we leave, so that the engine need not finish
PROMPT = "Count from one to ten in words."


@dataclass(frozen=True, slots=True)
class HopCheck:
    """Answers of one hop: None where an earlier "no" keeps the question open. ``detail`` says why, in words."""

    route: str
    hop: str
    url: str
    reachable: bool
    auth: bool | None = None
    model: bool | None = None
    streams: bool | None = None
    status: int | None = None
    detail: str = ""

    @property
    def good(self) -> bool:
        return bool(self.reachable and self.auth and self.model and self.streams)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


async def check(route: Route, environment: Mapping[str, str] = os.environ) -> list[HopCheck]:
    """One short exchange with every hop, innermost first."""
    times = replace(route.timeouts, total=min(route.timeouts.total, TOTAL_S))
    hurried = replace(route, timeouts=times)
    return [await _check_hop(hurried, hop, environment) for hop in route.hops]


async def _check_hop(route: Route, hop: Hop, environment: Mapping[str, str]) -> HopCheck:
    capture = await probe(route, hop, prompt=PROMPT, client_leaves_after=READS)
    missing = hop.api_key_env if hop.api_key_env and not environment.get(hop.api_key_env) else ""
    return judged(route, hop, capture, missing)


def judged(route: Route, hop: Hop, capture: Capture, missing_key: str = "") -> HopCheck:
    """What a capture of a short exchange says; ``missing_key`` names a key variable that is not set."""
    result = HopCheck(route.name, hop.name, hop.endpoint(), reachable=capture.head is not None)
    if capture.head is None:
        end = capture.end
        return replace(result, detail=f"not reached: {(end.detail or end.kind) if end else 'no answer'}")
    status = capture.head.status
    result = replace(result, status=status)
    stream = decode(capture)
    said = _said(capture, stream)
    if status in (401, 403, 407):
        key = f"{missing_key} is not set" if missing_key else f"the key in {hop.api_key_env}" if hop.api_key_env else ""
        why = key or "no key is sent: name its variable in api_key_env"
        return replace(result, auth=False, detail=f"{status}, {why}{said}")
    if status >= 400:
        about_model = status in (400, 404, 422) and "model" in said.lower()
        model = False if about_model else None
        return replace(result, auth=True, model=model, detail=f"{status} for {hop.endpoint()}{said}")
    if stream.errors and not stream.content():
        return replace(result, auth=True, streams=False, detail=f"an error inside the stream{said}")
    streams = bool(stream.content()) and stream.framing in ("sse", "ndjson")
    kind = capture.head.get("content-type", "no content type")
    detail = "" if streams else f"{status}, but no streamed text came ({kind})"
    return replace(result, auth=True, model=True, streams=streams, detail=detail)


def _said(capture: Capture, stream: Stream) -> str:
    """The upstream's own words, shortened."""
    text = stream.errors[0].message if stream.errors else _message((capture.body or b"")[:4000])
    text = " ".join(text.split())
    return f": {text[:160]}" if text else ""


def _message(body: bytes) -> str:
    """``error.message`` of a JSON refusal, else the text as it is."""
    text = body.decode("utf-8", "replace")
    try:
        error = json.loads(text)["error"]
        return str(error["message"] if isinstance(error, dict) else error)
    except (ValueError, KeyError, TypeError):
        return text
