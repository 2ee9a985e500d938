"""Models of common readers of a stream, in our own words: what each would show for these reads.

A model takes the reads (bytes, one a socket read) and gives the text of the answer as its user would see it, and a
note when it would fail. They differ in how they cut the bytes: at blank lines, at lines (of the standard, or of a
language's own idea of a line), read by read; in what they take for an event; and in when they stop.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

SCANNER = 64 * 1024


class Seen(NamedTuple):
    """``text`` as shown (choice 0 unless the reader ignores the index); ``failure`` "" when it went well."""

    text: str
    failure: str = ""


Reader = Callable[[Sequence[bytes]], Seen]


class _Stop(Exception):
    """The reader ends here, for the reason given ("" for a normal end)."""


def _delta(data: str, *, every_choice: bool = False, stop_at_finish: bool = False, strict: bool = True) -> str:
    """The content of one event's data; raises _Stop where the reader ends."""
    if data.strip() == "[DONE]":
        raise _Stop("")
    try:
        event = json.loads(data)
    except ValueError as error:
        if strict:
            raise _Stop(f"JSON error: {error}") from error
        return ""
    if not isinstance(event, dict):
        return ""
    if event.get("error"):
        raise _Stop("error event")
    text = ""
    for choice in event.get("choices") or []:
        if not isinstance(choice, dict) or (not every_choice and choice.get("index", 0) != 0):
            continue
        if stop_at_finish and choice.get("finish_reason"):
            raise _Stop("")
        delta = choice.get("delta")
        piece = delta.get("content") if isinstance(delta, dict) else None
        text += piece if isinstance(piece, str) else ""
    return text


def _show(events: Iterable[str], **how: Any) -> Seen:
    text = ""
    try:
        for data in events:
            text += _delta(data, **how)
    except _Stop as stop:
        return Seen(text, str(stop))
    return Seen(text)


def _events(body: bytes, *, empty: bool = False) -> Iterator[str]:
    """Events as the standard dispatches them; ``empty`` also those without data, as some parsers do."""
    text = body.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    data: list[str] = []
    touched = False
    for line in text.split("\n")[:-1]:
        if not line:
            if data or (empty and touched):
                yield "\n".join(data)
            data, touched = [], False
            continue
        name, _, value = line.partition(":")
        if name == "data":
            data.append(value.removeprefix(" "))
        touched = touched or name in ("data", "id", "event")


def _data_lines(lines: Iterable[str]) -> Iterator[str]:
    return (line[6:] for line in lines if line.startswith("data: "))


def standard(reads: Sequence[bytes]) -> Seen:
    return _show(_events(b"".join(reads)))


def blank_lines(reads: Sequence[bytes]) -> Seen:
    """Collects text and splits at an empty line of two LFs; takes the first line with ``data:`` of each part."""
    parts = b"".join(reads).decode("utf-8", "replace").split("\n\n")[:-1]
    return _show((part[5:].strip() for part in parts if part.startswith("data:")), strict=True)


def unicode_lines(reads: Sequence[bytes]) -> Seen:
    """Python's ``splitlines``: lines end at U+2028, U+0085, form feeds too."""
    lines = b"".join(reads).decode("utf-8", "replace").splitlines()
    return _show((line[5:].strip() for line in lines if line.startswith("data:")), strict=True)


def read_by_read(reads: Sequence[bytes]) -> Seen:
    """Takes each read for whole lines and skips what does not parse."""
    lines = (line for read in reads for line in read.decode("utf-8", "replace").split("\n"))
    return _show((line[5:].strip() for line in lines if line.startswith("data:")), strict=False)


def decoded_by_read(reads: Sequence[bytes]) -> Seen:
    """Decodes each read on its own, then parses the joined text."""
    return _show(_events("".join(read.decode("utf-8", "replace") for read in reads).encode()))


def line_scanner(reads: Sequence[bytes]) -> Seen:
    """A 64 KiB line scanner that wants ``data: `` with its space; a longer line ends it without a word."""
    lines = []
    for line in b"".join(reads).split(b"\n"):
        if len(line) > SCANNER:
            break
        lines.append(line.decode("utf-8", "replace").rstrip("\r"))
    return _show(_data_lines(lines), strict=False)


def empty_events(reads: Sequence[bytes]) -> Seen:
    """Hands on events without data (a comment between blank lines while an id is set), and parses them as JSON."""
    text = b"".join(reads)
    return _show(_events(text, empty=b"\nid:" in text or text.startswith(b"id:")), strict=True)


def every_choice(reads: Sequence[bytes]) -> Seen:
    return _show(_events(b"".join(reads)), every_choice=True)


def until_finish(reads: Sequence[bytes]) -> Seen:
    return _show(_events(b"".join(reads)), stop_at_finish=True)


READERS: dict[str, Reader] = {
    "splits at blank lines (\\n\\n)": blank_lines,
    "splits lines as Python does (httpx iter_lines, requests)": unicode_lines,
    "parses read by read": read_by_read,
    "decodes read by read": decoded_by_read,
    "scans lines up to 64 KiB, wants 'data: ' (one-api)": line_scanner,
    "hands on events without data (some SDKs)": empty_events,
    "ignores the choice index": every_choice,
    "stops at finish_reason": until_finish,
}


def differences(reads: Sequence[bytes]) -> dict[str, dict[str, Any]]:
    """Readers that would show another text than the standard one: lost and added characters, and the failure."""
    truth = standard(reads)
    told: dict[str, dict[str, Any]] = {}
    for name, reader in READERS.items():
        seen = reader(reads)
        if seen.text != truth.text or bool(seen.failure) != bool(truth.failure):
            told[name] = {
                "shown_chars": len(seen.text),
                "true_chars": len(truth.text),
                "lost": max(0, len(truth.text) - len(seen.text)),
                "failure": seen.failure[:120],
            }
    return told
