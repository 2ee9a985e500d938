"""Whether an opened upstream is a stream that can be relayed, or which status and sentence the browser gets."""

from __future__ import annotations

from harness.capture.mask import mask_url
from harness.errors import StreamscopeError, Unreachable
from harness.probe.upstream import Exchange
from harness.routes.model import Hop

STREAMS = (
    "text/event-stream",
    "application/x-ndjson",
    "application/ndjson",
    "application/jsonl",
    "application/stream+json",
)
SSE_STARTS = (b"data", b"event", b"id:", b"retry", b":", b"\xef\xbb\xbf")
CONNECTING = ("connect", "tls handshake")  # ends of the connect timeout
KEPT = 1024 * 1024  # bytes of an answer that is no stream, read for the record


def _type(exchange: Exchange) -> str:
    head = exchange.head
    return head.get("content-type").partition(";")[0].strip().lower() if head else ""


async def first_bytes(exchange: Exchange) -> bytes:
    """What must be read before the status can be chosen: nothing of a declared stream, else the first read.

    A gateway that streams under the wrong content type still streams, and its page is no reason to hide that.
    """
    head = exchange.head
    if head is None or head.status != 200 or _type(exchange) in STREAMS:
        return b""
    first = await anext(exchange, b"")
    if _streams(exchange, first):
        return first
    size = len(first)
    async for data in exchange:
        size += len(data)
        if size > KEPT:
            break
    return first


def _streams(exchange: Exchange, first: bytes) -> bool:
    start = first.lstrip()
    if exchange.asked.wire == "ollama":
        return start.startswith(b'{"') and b'"done":false' in start.replace(b" ", b"")
    return start.startswith(SSE_STARTS)


def refusal(exchange: Exchange, hop: Hop, first: bytes) -> tuple[int, StreamscopeError] | None:
    """Status and sentence for the browser, None where the answer can be passed on as it is."""
    where = f"hop {hop.name}, {mask_url(exchange.asked.url)}"
    head, end = exchange.head, exchange.end
    if head is None:
        assert end is not None
        return _no_answer(end.kind, end.detail, where, exchange)
    if head.status >= 400 or (head.status == 200 and (_type(exchange) in STREAMS or _streams(exchange, first))):
        return None
    if 300 <= head.status < 400:
        return 502, Unreachable(
            f"the upstream redirects ({head.status} to {mask_url(head.get('location')) or 'nowhere'})",
            where,
            "Put the address that it redirects to into the route.",
        )
    shape = _type(exchange) or "no content type"
    return 502, Unreachable(
        f"the upstream answered with {shape} instead of a stream (status {head.status})",
        where,
        "Check that the URL is the API's and that streaming is switched on there.",
    )


def _no_answer(kind: str, detail: str, where: str, exchange: Exchange) -> tuple[int, StreamscopeError]:
    times = exchange.timeouts
    if kind == "timeout":
        seconds = {"read": times.read, **dict.fromkeys(CONNECTING, times.connect)}.get(detail, times.total)
        if detail == "tls handshake":
            do = "Write http:// in the route's URL if that port speaks plain HTTP, or raise the connect timeout."
            what = f"no TLS handshake within {seconds:g} s; is this port plain HTTP?"
            return 504, Unreachable(what, where, do)
        doing = "accepted no connection" if detail == "connect" else "sent no answer"
        return 504, Unreachable(
            f"the upstream {doing} within {seconds:g} s", where, "Check that it is up, or raise the route's timeouts."
        )
    if detail == "refused":
        return 502, Unreachable("the connection was refused", where, "Start the server there, or correct the URL.")
    if detail.startswith("dns"):
        return 502, Unreachable(f"the name cannot be resolved ({detail})", where, "Correct the host in the URL.")
    if detail.startswith("tls"):
        return 502, Unreachable(f"TLS failed ({detail})", where, "Set ca_file for a private CA, or correct the URL.")
    if detail.startswith(("not HTTP", "head too large")):
        return 502, Unreachable(f"the upstream sent no HTTP response ({detail})", where, "Correct scheme and port.")
    return 502, Unreachable(
        f"the upstream gave no answer ({detail or kind})", where, "Look into that server's own log."
    )
