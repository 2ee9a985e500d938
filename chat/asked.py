"""What a chat request may look like: ``{"exchange", "route", "messages"}`` as ``application/json``, at most 2 MB."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import orjson
from django.http import HttpRequest

from harness.errors import InputError

LIMIT = 2 * 1024 * 1024  # bytes
_EXCHANGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_EXAMPLE = 'Send {"exchange": "…", "route": "…", "messages": [{"role": "user", "content": "…"}]}.'


class Refused(Exception):
    """A request that is answered with ``status`` and the error's three parts."""

    def __init__(self, status: int, what: str, where: str = "POST /chat/stream", do: str = "") -> None:
        self.status = status
        self.error = InputError(what, where, do)
        super().__init__(what)


@dataclass(frozen=True, slots=True)
class Asked:
    exchange: str
    route: str
    messages: list[dict[str, Any]]


def read(request: HttpRequest) -> Asked:
    """The request's wish. Raises :class:`Refused` (400, 405, 413, 415)."""
    if request.method != "POST":
        raise Refused(405, f"{request.method} is not answered here", do="Send a POST.")
    if request.content_type != "application/json":
        raise Refused(415, f"the content type is {request.content_type or 'missing'}", do="Send application/json.")
    try:
        length = int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        length = 0
    if length > LIMIT or len(request.body) > LIMIT:
        raise Refused(413, f"the request is larger than {LIMIT} bytes", do="Shorten the prompt or the history.")
    try:
        body = orjson.loads(request.body)
    except orjson.JSONDecodeError as error:
        what = f"the body is not JSON: {error}" if request.body else "the body is empty"
        raise Refused(400, what, do=_EXAMPLE) from None
    if not isinstance(body, dict):
        raise Refused(400, "the body is not a JSON object", do=_EXAMPLE)
    return Asked(_exchange(body.get("exchange")), _route(body.get("route")), _messages(body.get("messages")))


def _exchange(value: Any) -> str:
    if value is None or value == "":
        return uuid4().hex
    if not isinstance(value, str) or not _EXCHANGE.fullmatch(value):
        raise Refused(400, "exchange is not an id", do="Use up to 100 letters, digits, dots, dashes and underscores.")
    return value


def _route(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise Refused(400, "route is missing", do=_EXAMPLE)
    return value.strip()


def _messages(value: Any) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not value:
        raise Refused(400, "messages is missing or empty", do=_EXAMPLE)
    for number, message in enumerate(value):
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            raise Refused(400, f"message {number} is not an object with a role", do=_EXAMPLE)
    last = value[-1].get("content")
    if not last or (isinstance(last, str) and not last.strip()):
        raise Refused(400, "the prompt is empty", do="Write something before you send.")
    return value
