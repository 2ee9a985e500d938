"""Of the ten settings that bite, those of HTTP messages: method and type, size of heads. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from harness.phrase import phrase
from harness.runs.asked_twice import Answer, Setting

HEAD_BYTES = 4096  # a response head from which a proxy's first buffer (nginx: proxy_buffer_size) may be too small


def method(plain: Answer, any_type: Answer | None, probes: Mapping[str, int | None]) -> Setting:
    """Whether what comes depends on Accept or on the request's content type, and what a GET does."""
    figures = {name: probes.get(name) for name in ("get", "text-plain")}
    if plain.streams and any_type is not None and any_type.status == 200 and not any_type.streams:
        words = phrase(
            "it streams only to those who send Accept: text/event-stream; most SDKs send application/json or */*"
        )
        return Setting(
            "method", "error", words, "not-streamed", figures, phrase("Let the body's stream field decide alone.")
        )
    if probes.get("get") == 200:
        words = phrase("a GET on the chat's address is answered with 200: a page or a cache stands in front of the API")
        return Setting(
            "method", "warning", words, "content", figures, phrase("Check the base URL; never cache this path.")
        )
    told = {None: phrase("not asked"), 405: phrase("refused ({status})", status=405)}.get(
        probes.get("get"), phrase("answered {status}", status=probes.get("get"))
    )
    typed = probes.get("text-plain")
    taken = phrase("taken")
    more = (
        ""
        if typed is None
        else phrase(
            "; a body under text/plain is {how}",
            how=taken if typed < 300 else phrase("refused ({status})", status=typed),
        )
    )
    return Setting(
        "method",
        "good",
        phrase("streams whatever is accepted; a GET is {told}{more}", told=told, more=more),
        evidence=figures,
    )


def header_size(plain: Answer, padded: Answer | None) -> Setting:
    head = plain.capture.head
    size = sum(len(name) + len(value) + 4 for name, value in head.headers) if head else 0
    if size >= HEAD_BYTES:
        words = phrase(
            "the response head has {size} bytes: more than a proxy's first buffer may hold (nginx: 4 KB or 8 KB)",
            size=size,
        )
        return Setting(
            "header size", "warning", words, "error", {"head_bytes": size}, phrase("nginx: proxy_buffer_size 16k;")
        )
    if padded is None:
        return Setting("header size", "unknown", phrase("not asked"))
    if padded.status != plain.status:
        words = phrase(
            "6 KB more in the request's head are refused ({status}), as long cookies will be",
            status=padded.status or phrase("closed"),
        )
        fix = phrase("Raise the limit (nginx: large_client_header_buffers 4 16k;).")
        return Setting("header size", "warning", words, "error", {"status": padded.status}, fix)
    return Setting(
        "header size", "good", phrase("takes 6 KB more in the request's head; its own has {size} bytes", size=size)
    )
