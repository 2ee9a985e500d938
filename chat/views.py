"""POST /chat/stream: check the request, open the upstream, and only then choose the status."""

from __future__ import annotations

from time import perf_counter_ns
from typing import Any

from django.http import HttpRequest, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt

from chat.asked import Asked, Refused, read
from chat.relay import Relay
from chat.upstream import first_bytes, refusal
from harness.capture.mask import mask_headers
from harness.capture.model import Headers, Request
from harness.errors import InputError, StreamscopeError, UnknownRoute
from harness.probe.clock import wall
from harness.probe.downstream import downstream_of
from harness.probe.request import api_hop, ask
from harness.probe.upstream import Exchange
from harness.routes.model import Hop
from harness.runs.catalogue import afind
from harness.runs.live import open_recorder

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
        wish = ask(route, hop, asked.messages, exchange_id=asked.exchange)
        exchange = Exchange(wish, hop, route.timeouts)
        exchange.recorder = recorder = open_recorder(asked.exchange, route, hop)
    except Refused as refused:
        return _refuse(refused.status, refused.error)
    except InputError as error:
        return _refuse(404 if isinstance(error, UnknownRoute) else 400, error)
    recorder.on_begin("write", received, wall(received), _browser(request, asked))
    relay = Relay(exchange, downstream_of(getattr(request, "scope", {})))
    try:
        await exchange.open()
        relay.first = await first_bytes(exchange)
    except BaseException:  # the browser left meanwhile: close the upstream, end both taps
        relay.close()
        raise
    return _answer(exchange, hop, relay)


def _answer(exchange: Exchange, hop: Hop, relay: Relay) -> HttpResponseBase:
    """The opened upstream's answer, or our own in its place."""
    refused = refusal(exchange, hop, relay.first)
    if refused is not None:
        response = _refuse(*refused)
        _headed(exchange, response)
        relay.refuse(refused[1].what)
        return response
    assert exchange.head is not None
    headers = {name: value for name, value in exchange.raw_headers if name in PASSED} | FRESH
    answer = StreamingHttpResponse(relay, status=exchange.head.status, headers=headers)
    _told(answer)
    _headed(exchange, answer)
    return answer


def _headed(exchange: Exchange, response: HttpResponseBase) -> None:
    headers = tuple((name.lower(), str(value)) for name, value in response.items())
    exchange.recorder.on_head("write", perf_counter_ns(), response.status_code, "1.1", headers)


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
