"""What curl says about how a transfer ended."""

from __future__ import annotations

import re

# (pattern, end, detail or "" for curl's own words). The first that matches decides; sources: curl 7.88 as run, and
# the messages of lib/transfer.c, lib/http2.c and lib/vtls/ up to 8.x.
_ENDS = [
    (r"Operation timed out after|Operation too slow|Connection time-?out|SSL connection timeout", "timeout"),
    (r"Resolving timed out|Connection timed out|Timeout waiting for", "timeout"),
    (r"Failure writing output|Failed writing (?:body|data|received)|client returned ERROR|write function", "aborted"),
    (r"transfer closed with|end of response with \d+ bytes missing|Empty reply from server", "truncated"),
    (r"unexpected eof|server closed abruptly|The TLS connection was non-properly terminated", "truncated"),
    (r"before end of the underlying|Connection closed abruptly|Malformed encoding found in chunked", "truncated"),
    (r"chunk hex-length|Illegal or missing hexadecimal", "truncated"),
    (r"was not closed cleanly: (?:NO_ERROR|CANCEL)|was not closed cleanly: \S+ \(err \d+\)", "reset"),
    (r"stream \d+ (?:was )?reset|RST_STREAM|GOAWAY", "reset"),
    (r"Connection (?:was )?reset|reset by peer|Broken pipe|Connection aborted|Recv failure|Send failure", "reset"),
    (r"(?:SSL|OpenSSL|GnuTLS|schannel).*(?:read|recv|error)", "reset"),
]
_KNOWN = [(re.compile(pattern, re.I), kind) for pattern, kind in _ENDS]
_UNREACHED = re.compile(
    r"Could not resolve (?:host|proxy)|Failed to connect|Couldn't connect|Connection refused|No route to host|"
    r"Network is unreachable|certificate problem|SSL: |certificate verif(?:y|ication) failed|SSL_connect|"
    r"TLS connect error|wrong version number|alert handshake|CONNECT tunnel failed|Received HTTP code \d+ from proxy|"
    r"Can't complete SOCKS",
    re.I,
)
_CLOSED = re.compile(r"Connection #\d+ .*left intact|[Cc]losing connection|shutting down connection", re.I)
# Lines that look like trouble and are none; a word in brackets before it is curl's own workings (--trace-config).
_NOISE = re.compile(
    r"^\[[A-Z0-9/_-]+\] |"
    r"SSL certificate verify (?:result|ok)|Server certificate|certificate level|SSL connection using|CAfile|CApath|"
    r"TLSv1\.\d|h2h3 \[|\[HTTP/2\]|ALPN|subject|issuer|Trying|Connected to|Marked for|"
    r"GOAWAY.*NO_ERROR",
    re.I,
)


def end_of(text: str) -> str:
    """The end that an info line tells (``truncated``, ``reset``, …), empty when it tells none."""
    if _NOISE.search(text):
        return ""
    return next((kind for pattern, kind in _KNOWN if pattern.search(text)), "")


def unreached(text: str) -> bool:
    """Whether an info line says that nothing was reached: name, connection, TLS or proxy."""
    return not _NOISE.search(text) and _UNREACHED.search(text) is not None


def closed(text: str) -> bool:
    """Whether an info line is the last thing that curl says about a transfer."""
    return _CLOSED.search(text) is not None
