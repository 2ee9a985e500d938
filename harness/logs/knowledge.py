"""What lines of gateways mean for a stream, as data; the words of nginx are those of its source."""

from __future__ import annotations

from harness.logs.model import Line
from harness.logs.nginx import upstreams

# (words in the line, what they say of the stream); the first that fits is taken.
MEANINGS = (
    (
        "upstream timed out",
        "nginx's own timer (proxy_read_timeout) ended the exchange: silence from behind",
    ),
    ("upstream prematurely closed connection", "the hop behind nginx closed before its answer was complete"),
    ("recv() failed (104", "the hop behind reset the connection"),
    ("connect() failed", "the hop behind could not be reached"),
    ("no live upstreams", "every upstream is marked as failed, nobody was asked"),
    ("client prematurely closed connection", "the side in front left first"),
    ("buffered to a temporary file", "nginx buffers this answer (proxy_buffering) and even writes it to disk"),
    ("upstream sent invalid", "the hop behind broke HTTP"),
    ("upstream sent too big header", "response headers exceed proxy_buffer_size"),
    ("worker_connections are not enough", "nginx is out of connections"),
    ("limiting requests", "the rate limit of nginx refused or delayed it"),
    ("context canceled", "the request was cancelled: the side in front left first"),
    ("context deadline exceeded", "the gateway's own timer ended the exchange"),
    ("bad_response_status_code", "the upstream of the gateway refused"),
    ("MidStreamFallbackError", "LiteLLM lost its upstream in the middle of the stream"),
    ("litellm.Timeout", "LiteLLM's own timer ended the exchange"),
    ("APIConnectionError", "the gateway could not reach its upstream, or lost it"),
    ("RateLimitError", "the upstream of the gateway limits the rate"),
    ("socket hang up", "the hop behind closed the connection without an answer"),
    ("ECONNRESET", "the hop behind reset the connection"),
    ("ETIMEDOUT", "the hop behind did not answer in time"),
)


def meaning(line: Line) -> str:
    """What the line says of a stream, "" where nothing is known."""
    for words, says in MEANINGS:
        if words in line.text:
            return says
    if line.fields.get("status") == "499":
        return "499: the side in front left first"
    if line.format == "nginx access" and upstreams(line.fields) > 1:
        return "nginx asked more than one upstream: the request was tried again"
    return ""
