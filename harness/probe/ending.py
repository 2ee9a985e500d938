"""How an exchange ended, told from the connection's own facts first and from the error's words last."""

from __future__ import annotations

import re
import socket as sockets
import ssl
from collections.abc import Iterator

import httpcore
import httpx

from harness.probe.backend import StampedSocket
from harness.probe.framing import FramingError

SHOWN = 16  # bytes of what is no HTTP
HEAD_KIB = 100  # of a response's head: httpcore's limit
TIERS = ("connect", "read", "total", "size")  # our own limits


def judged(
    error: Exception | None, socket: StampedSocket | None, *, headed: bool, received: bytes = b""
) -> tuple[str, str]:
    """(kind, detail) of the end: kind as in docs/formats.md. ``socket`` None: no connection was made.

    ``received``: what came of a head.
    """
    if error is None:
        return "complete", ""
    if isinstance(error, httpx.LocalProtocolError):  # its words quote the header, which may be the key
        return "reset", "not sent: the address or a header (a key?) holds characters that HTTP does not allow"
    if socket is None:
        if isinstance(error, httpx.TimeoutException):
            return "timeout", "total" if str(error) == "total" else "connect"
        return "reset", unreached(error)
    if socket.why in TIERS:
        return "timeout", socket.why
    if isinstance(error, httpx.ConnectTimeout):  # the connection stands, what goes over it does not
        return "timeout", "tls handshake" if "TLS" in str(error) else "connect"
    if isinstance(error, httpx.TimeoutException):
        return "timeout", "read"
    if socket.why:
        return "aborted", socket.why
    if isinstance(error, httpx.ConnectError | httpx.ProxyError):
        return "reset", unreached(error)
    if not headed and received and not b"HTTP/".startswith(received[:5]):
        return "truncated", f"not HTTP: it begins with {_shown(received[:SHOWN])}"
    if _unreadable(error):  # also where the peer hung up right after it
        return "truncated", _no_http(error)
    if socket.lost is not None:
        return "reset", "" if headed else "reset before the head"
    if socket.eof:
        return "truncated", "" if headed else "closed before the head"
    return "truncated", _no_http(error)


def _shown(start: bytes) -> str:
    """Text in quotes, other bytes in hexadecimal."""
    text = start.decode("latin-1").rstrip()
    return f'"{text}"' if text.isprintable() and text.isascii() else start.hex(" ")


def _no_http(error: Exception) -> str:
    text = str(error)
    if "buffer too long" in text:  # h11's, of a head that does not end
        return f"head too large: more than the {HEAD_KIB} KiB that are read"
    return "not HTTP: " + re.sub(r"bytearray\((.*)\)", r"\1", text)


def _unreadable(error: Exception) -> bool:
    """Whether bytes came that are not what HTTP has there. (Mere hang-ups are worded as such errors, too.)"""
    if isinstance(error, httpx.RemoteProtocolError):
        return not any(words in str(error) for words in ("disconnected", "closed connection"))
    return isinstance(error, FramingError)


def unreached(error: BaseException) -> str:
    """Why no connection was made: ``refused``, ``dns``, ``tls``, or the system's words, each with the error's text."""
    for cause in _causes(error):
        if isinstance(cause, ConnectionRefusedError):
            return "refused"
        if isinstance(cause, sockets.gaierror):
            return f"dns: {cause.strerror or cause}"
        if isinstance(cause, ssl.SSLError):
            return f"tls: {cause.reason or cause}"
    text = str(error)
    if "Connect call failed" in text:  # several addresses were tried, all refused or unreachable
        return "refused" if "Errno 111" in text else text
    return text or type(error).__name__


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


MAPPED = (httpx.HTTPError, httpx.InvalidURL, httpcore.ProtocolError, ValueError, OSError)
