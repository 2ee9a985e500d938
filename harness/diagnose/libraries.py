"""Models of named libraries that read event streams, in our own words; tests run the real ones beside them.

Versions that they were held against: openai 3.57, httpx-sse 0.4.3, sseclient-py 1.9, aiohttp 3.14,
@microsoft/fetch-event-source 2.0.1. Each takes the reads (bytes, one a socket read).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.diagnose.shown import Seen, lines, show

LINE_LIMIT = 128 * 1024  # aiohttp: twice its read buffer


def openai_sdk(reads: Sequence[bytes]) -> Seen:
    """Takes a byte order mark for part of the first name; once an id came, every blank line is an event; a blank
    before ``[DONE]`` hides it."""
    events = _with_id(b"".join(reads), strict=True)
    return show(f"({data})" if data.strip() == "[DONE]" and data[0] != "[" else data for data in events)


def httpx_sse(reads: Sequence[bytes]) -> Seen:
    """As the SDK, but bytes that are no UTF-8 are replaced; the application parses each event's data as JSON."""
    return show(_with_id(b"".join(reads), strict=False))


def _with_id(body: bytes, *, strict: bool) -> Iterator[str]:
    data: list[str] = []
    event = ident = retry = ""
    for line in _strict(body) if strict else lines(body):
        if not line:
            if data or event or ident or retry:
                yield "\n".join(data)
            data, event, retry = [], "", ""
            continue
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            data.append(value)
        elif name == "event":
            event = value
        elif name == "id" and "\0" not in value:
            ident = value
        elif name == "retry" and value.strip().isdigit():
            retry = value


def _strict(body: bytes) -> Iterator[str]:
    """Lines, each decoded on its own; fails at the first that is no UTF-8."""
    for line in body.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")[:-1]:
        yield line.decode("utf-8")


def sseclient(reads: Sequence[bytes]) -> Seen:
    """Cuts at two equal line ends alone, and delivers the last event without its blank line too."""
    return show(_sseclient(reads))


def _sseclient(reads: Sequence[bytes]) -> Iterator[str]:
    for part in _parts(reads):
        data = ""
        for raw in part.splitlines():
            name, colon, value = raw.decode("utf-8").partition(":")
            if name == "data":
                data += (value.removeprefix(" ") if colon else "") + "\n"
        if data:
            yield data.removesuffix("\n")


def _parts(reads: Sequence[bytes]) -> Iterator[bytes]:
    part = b""
    for read in reads:
        for line in read.splitlines(keepends=True):
            part += line
            if part.endswith((b"\r\r", b"\n\n", b"\r\n\r\n")):
                yield part
                part = b""
    if part:
        yield part


def aiohttp_lines(reads: Sequence[bytes]) -> Seen:
    """``async for line in response.content``: lines end at LF alone, and one above 128 KiB raises an error."""
    return show(_lf_lines(reads))


def _lf_lines(reads: Sequence[bytes]) -> Iterator[str]:
    for raw in b"".join(reads).split(b"\n"):
        if len(raw) + 1 > LINE_LIMIT:
            yield "(line too long)"
        line = raw.decode("utf-8").strip()
        if line.startswith("data:"):
            yield line[5:].strip()


def fetch_event_source(reads: Sequence[bytes]) -> Seen:
    """Calls back at every blank line, with empty data where no data came; ``data`` without a colon is no field."""
    return show(_every_blank(b"".join(reads)))


def _every_blank(body: bytes) -> Iterator[str]:
    data = ""
    for line in lines(body):
        if not line:
            yield data
            data = ""
            continue
        name, colon, value = line.partition(":")
        if name.removeprefix("\ufeff") == "data" and colon:
            value = value.removeprefix(" ").removeprefix("\ufeff")
            data = f"{data}\n{value}" if data else value
