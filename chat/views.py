"""POST /chat/stream: check the request, open the upstream, and only then choose the status."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from time import perf_counter_ns
from typing import Any

from django.http import HttpRequest, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt

from chat.asked import Asked, Refused, read
from chat.recording import recorder_for
from chat.relay import Relay
from chat.upstream import first_bytes, refusal
from harness.capture.mask import mask_headers
from harness.capture.model import Headers, Request
from harness.errors import InputError, StreamscopeError, UnknownRoute
from harness.probe.clock import wall
from harness.probe.downstream import downstream_of
from harness.probe.exchange import Exchange
from harness.probe.recorder import Recorder
from harness.probe.request import api_hop, ask
from harness.routes.model import Hop, Route
from harness.runs.catalogue import afind

log = logging.getLogger(__name__)
PASSED = ("content-type", "content-encoding", "retry-after", "www-authenticate")
FRESH = {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"}


@csrf_exempt
async def stream(request: HttpRequest) -> HttpResponseBase:
    """The upstream's stream, or ``{"what","where","do"}`` with the status that says whose fault it is."""
    received = perf_counter_ns()
    try:
        asked = read(request)
        route = await afind(asked.route)
        hop = api_hop(route)
        recorder = recorder_for(asked.exchange, route, hop)
    except Refused as refused:
        return _refuse(refused.status, refused.error)
    except InputError as error:
        return _refuse(404 if isinstance(error, UnknownRoute) else 400, error)
    recorder.on_begin("write", received, wall(received), _browser(request, asked))
    return await _relayed(request, asked, route, hop, recorder)


async def _relayed(request: HttpRequest, asked: Asked, route: Route, hop: Hop, recorder: Recorder) -> HttpResponseBase:
    """Open the upstream; a cancellation on the way (the browser left) closes it and ends both taps."""
    wish = ask(route, hop, asked.messages, exchange_id=asked.exchange)
    exchange = Exchange(wish, hop, route.timeouts, recorder)
    relay = Relay(exchange, recorder, downstream_of(getattr(request, "scope", {})))
    try:
        await exchange.open()
        relay.first = await first_bytes(exchange)
    except BaseException:
        relay.close()
        raise
    refused = refusal(exchange, hop, relay.first)
    if refused is not None:
        status, error = refused
        log.info("exchange %s: %s", asked.exchange, error.what)
        response = _refuse(status, error)
        recorder.on_head("write", perf_counter_ns(), status, "1.1", tuple(_lower(response)))
        relay.refuse(error.what)
        return response
    assert exchange.head is not None
    headers = {name: value for name, value in exchange.raw_headers if name in PASSED} | FRESH
    answer = StreamingHttpResponse(relay, status=exchange.head.status, headers=headers)
    _told(answer)
    recorder.on_head("write", perf_counter_ns(), answer.status_code, "1.1", tuple(_lower(answer)))
    return answer


def _refuse(status: int, error: StreamscopeError) -> JsonResponse:
    response = JsonResponse(error.as_json(), status=status, headers={"Cache-Control": "no-store"})
    _told(response)
    if status == 405:
        response.headers["Allow"] = "POST"
    return response


def _told(response: HttpResponseBase) -> None:
    """Django would log each 5xx as an error of this server; these are the upstream's, and the browser is told."""
    response._has_been_logged = True  # type: ignore[attr-defined]


def _browser(request: HttpRequest, asked: Asked) -> Request:
    headers: Headers = mask_headers(tuple(request.headers.items()))
    body: dict[str, Any] = {"exchange": asked.exchange, "route": asked.route, "messages": asked.messages}
    return Request("POST", request.build_absolute_uri(), headers, body)


def _lower(response: HttpResponseBase) -> Iterator[tuple[str, str]]:
    return ((name.lower(), str(value)) for name, value in response.items())
