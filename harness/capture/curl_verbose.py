"""The log of ``curl -v … > FILE 2>&1``: what curl says, the heads, and between them the body, all without times."""

from __future__ import annotations

import re
from dataclasses import dataclass

from harness.capture.curl_ends import closed, end_of, unreached
from harness.capture.http1 import Framing, header, request_head, response_head
from harness.capture.mask import mask_headers, mask_url
from harness.capture.model import End, Head, Request

_TIME = rb"(?:\d\d:\d\d:\d\d\.\d{6} )?(?:\[[\dx]+-[\dx]+\] )?"
_CURL = re.compile(
    _TIME + rb"(?:(?P<mark>[*<>]) ?(?P<text>.*)|[{}] \[\d+ bytes data\])|curl: \((?P<code>\d+)\) (?P<error>.*)"
)
# The progress meter, which goes to the same place: its title, and its lines, each written over the one before.
_FIGURE, _CLOCK = rb" +[\d.]+[kMGTP]?", rb" +[\d:-]+"
_METER = re.compile(
    rb"(?m)^ +% Total .*\n +Dload .*\n|\r *\d+" + _FIGURE + rb" +\d+" + _FIGURE + rb" +\d+" + 3 * _FIGURE + 3 * _CLOCK
    + _FIGURE + rb"(?:\n(?=\*|curl: |\Z))?"
)  # fmt: skip
_ASKED = re.compile(rb"(?m)^" + _TIME + rb"> [A-Z]{3,10} \S+ HTTP/\d")
_OPENS = re.compile(
    _TIME + rb"\* +(?:Trying|Host |Connected to|Uses proxy|Could not|Established|Expire|Added|STATE)|> [A-Z]"
)
# Where the body has no line end of its own, what curl says next stands on its last line.
_GLUED = re.compile(
    rb"(?<=[^\n ])(?=" + _TIME + rb"\* (?:Connection #\d+ to host|Closing connection|shutting down connection|"
    rb"[Tt]ransfer closed|HTTP/2 stream|Recv failure|Operation timed out|Failure writing))"
)


@dataclass(frozen=True, slots=True)
class Talk:
    body: bytes
    head: Head | None
    request: Request | None
    end: End | None


def without_meter(data: bytes) -> bytes:
    """The bytes without curl's progress meter, where they begin with it."""
    return _METER.sub(b"", data) if data.startswith(b"  % Total") else data


def looks_like_verbose(start: bytes) -> bool:
    """Whether the first lines are those of ``curl -v``: it tells whom it reaches, and what it asks."""
    return _OPENS.match(start) is not None and (_ASKED.search(start) is not None or b"curl: (" in start)


def read_verbose(data: bytes) -> Talk:
    """The last exchange of the log (redirects and proxies lead to it)."""
    body, asked, answer = bytearray(), bytearray(), bytearray()
    said: list[str] = []
    for line in _GLUED.sub(b"\n", data).splitlines(keepends=True):
        found = _CURL.fullmatch(line.rstrip(b"\r\n"))
        if found is None:
            body += line
            continue
        text = (found["text"] or b"").rstrip()
        if found["mark"] == b">":
            if re.match(rb"[A-Z]{3,10} \S+ HTTP/\d", text):
                asked, answer, body, said = bytearray(), bytearray(), bytearray(), said if not asked else []
            asked += text + b"\r\n"
        elif found["mark"] == b"<":
            if text.startswith(b"HTTP/"):
                answer.clear()
            answer += text + b"\r\n"
        else:
            said.append((found["error"] or text).decode("utf-8", "replace"))
    response, request = response_head(bytes(answer)), request_head(bytes(asked))
    head = None if response is None else Head(0.0, response.status, response.http, mask_headers(response.headers))
    asked_for = None
    if request is not None:
        scheme = "https" if any(text.startswith("SSL connection using") for text in said) else "http"
        url = mask_url(f"{scheme}://{header(request.headers, 'host')}{request.target}")
        asked_for = Request(request.method, url, mask_headers(request.headers))
    return Talk(bytes(body), head, asked_for, _end(said, head))


def _end(said: list[str], head: Head | None) -> End | None:
    """What curl said of the end; None where it said nothing."""
    for text in said:
        kind = end_of(text) or ("reset" if unreached(text) else "")
        if kind:
            return End(0.0, kind, text)
    if head is not None and any(closed(text) for text in said):
        whole = not Framing(head.headers, head.http).delimited or any("left intact" in text for text in said)
        return End(0.0, "complete", "" if whole else "the server closed the connection")
    return None
