"""What a reader shows of a stream: the text of chat chunks out of the data of events. The core of all reader models."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple


class Seen(NamedTuple):
    """``text`` as shown (choice 0 unless the reader ignores the index); ``failure`` "" when it went well."""

    text: str
    failure: str = ""


class Stopped(Exception):
    """The reader ends here, for the reason given ("" for a normal end)."""


def delta(
    data: str,
    *,
    every_choice: bool = False,
    stop_at_finish: bool = False,
    strict: bool = True,
    past_done: bool = False,
) -> str:
    """The content of one event's data; raises Stopped where the reader ends."""
    if data.strip() == "[DONE]":
        if past_done:
            return ""
        raise Stopped("")
    try:
        event = json.loads(data)
    except ValueError as error:
        if strict:
            raise Stopped(f"JSON error: {error}") from error
        return ""
    if not isinstance(event, dict):
        return ""
    if event.get("error"):
        raise Stopped("error event")
    text = ""
    choices = event.get("choices")
    for choice in choices if isinstance(choices, list) else []:
        if not isinstance(choice, dict) or (not every_choice and choice.get("index", 0) != 0):
            continue
        if stop_at_finish and choice.get("finish_reason"):
            raise Stopped("")
        inner = choice.get("delta")
        piece = inner.get("content") if isinstance(inner, dict) else None
        text += piece if isinstance(piece, str) else ""
    return text


def show(events: Iterable[str], **how: Any) -> Seen:
    """The text of these events' data, to the end or to where the reader fails."""
    text = ""
    try:
        for data in events:
            text += delta(data, **how)
    except Stopped as stop:
        return Seen(text, str(stop))
    except UnicodeDecodeError as error:
        return Seen(text, f"UTF-8 error: {error.reason}")
    return Seen(text)


def lines(body: bytes) -> Iterator[str]:
    """Whole lines as the standard ends them (LF, CR, CRLF); what follows the last end is left out."""
    text = body.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return iter(text.split("\n")[:-1])


def dispatched(body: bytes) -> Iterator[str]:
    """The data of events as the standard dispatches them."""
    data: list[str] = []
    for line in lines(body.removeprefix(b"\xef\xbb\xbf")):
        if not line:
            if data:
                yield "\n".join(data)
            data = []
            continue
        name, _, value = line.partition(":")
        if name == "data":
            data.append(value.removeprefix(" "))
