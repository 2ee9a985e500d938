"""POST /chat/stamps: the stamp frames of a browser that has no socket, answered with the verdict."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

import orjson
from django.http import HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt

from chat.asked import Refused
from chat.frames import EXCHANGE, BadFrame, Begin, Command, command
from chat.session import Session
from harness.runs.browser import BrowserSide
from harness.runs.epoch import now_ms
from harness.runs.judge import judge_late, off_loop, resumed
from harness.runs.live import Live, running

PLACE = "POST /chat/stamps"
LIMIT = 32 * 1024 * 1024  # bytes: an hour of stamps
ANSWER = 5.0  # seconds that an answer waits for an exchange whose server side goes on
EXAMPLE = 'Send {"exchange": "…", "frames": […]} with the frames of the stamps socket.'


@csrf_exempt
async def stamps(request: HttpRequest) -> JsonResponse:
    """``{"type": "verdict", "exchange", "answer"}``; 202 while the exchange runs on, 404 for one that never ran."""
    try:
        exchange, commands = _read(request)
        live = running.get(exchange)
        if live is not None and live.recorder is not None and not live.closing:
            _tell(live.browser, commands)
            return await _verdict(live)
        if live is not None and live.closing:
            await live.settled.wait()
        began = any(isinstance(told, Begin) for told in commands)
        side = await off_loop(resumed, exchange, began)
        if side is None:
            raise Refused(404, "no exchange of this id has run here", PLACE, "Send the chat first.")
        _tell(side, commands)
        return _answer(exchange, await off_loop(judge_late, side))
    except Refused as refused:
        allow = {"Allow": "POST"} if refused.status == 405 else {}
        return JsonResponse(refused.error.as_json(), status=refused.status, headers=allow)


def _read(request: HttpRequest) -> tuple[str, list[Command]]:
    if request.method != "POST":
        raise Refused(405, f"{request.method} is not answered here", PLACE, "Send a POST.")
    if request.content_type != "application/json":
        what = f"the content type is {request.content_type or 'missing'}"
        raise Refused(415, what, PLACE, "Send application/json.")
    if len(request.body) > LIMIT:
        raise Refused(413, f"the request is larger than {LIMIT} bytes", PLACE, "Send fewer frames.")
    try:
        body = orjson.loads(request.body)
    except orjson.JSONDecodeError as error:
        raise Refused(400, f"the body is not JSON: {error}", PLACE, EXAMPLE) from None
    exchange = body.get("exchange") if isinstance(body, dict) else None
    frames = body.get("frames") if isinstance(body, dict) else None
    if not isinstance(exchange, str) or not EXCHANGE.fullmatch(exchange) or not isinstance(frames, list):
        raise Refused(400, "exchange or frames is missing or no such thing", PLACE, EXAMPLE)
    try:
        commands = [command(frame, exchange) for frame in frames]
    except BadFrame as error:
        raise Refused(400, error.what, PLACE, EXAMPLE) from None
    return exchange, [told for told in commands if getattr(told, "exchange", exchange) == exchange]


def _tell(side: BrowserSide, commands: list[Command]) -> None:
    name = side.clock.id if side.clock else f"browser-{uuid4().hex[:12]}"
    session = Session(lambda _: side, name)
    for told in commands:
        for answer in session.handle(told, now_ms()):
            if answer["type"] == "error":
                raise Refused(400, answer["what"], PLACE, EXAMPLE)


async def _verdict(live: Live) -> JsonResponse:
    """Wait for a running exchange's answer with all that was told."""
    live.told()
    try:
        await asyncio.wait_for(live.settled.wait(), ANSWER)
    except TimeoutError:
        return JsonResponse({"state": "running", "exchange": live.exchange}, status=202)
    if live.answer is None:
        raise Refused(500, "the exchange could not be stored", PLACE, "The server's log says why.")
    return _answer(live.exchange, live.answer)


def _answer(exchange: str, answer: dict[str, Any]) -> JsonResponse:
    return JsonResponse({"type": "verdict", "exchange": exchange, "answer": answer})
