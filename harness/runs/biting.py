"""Ten settings that bite, each judged from captures: a sentence, figures, and what to do. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from harness.phrase import joined, phrase
from harness.runs.asked_twice import Answer, Seen, Setting
from harness.runs.biting_connection import http_version, reuse
from harness.runs.biting_http import header_size, method

COLD_MS, COLD_TIMES = 2000.0, 3.0  # a first answer later than the second by this, and so many times: a model that loads
LUMPS = 3.0  # events a read, against the usual one, from which a compressor is said not to flush
CACHED_MS, CACHED_SHARE = 30.0, 0.2  # a second answer whole within this, or within this share of the first's time


def judged(seen: Seen) -> list[Setting]:
    """All ten, in the order in which a person would look."""
    one, two = Answer.of(seen.first), Answer.of(seen.second)
    others = (seen.gzip, seen.any_type, seen.two, seen.padded, seen.http2)
    gzip, any_type, n, padded, http2 = (Answer.of(c) if c else None for c in others)
    return [
        streaming(two),
        cache(one, two),
        upstreams(one, two),
        compression(two, gzip),
        method(two, any_type, seen.probes),
        http_version(two, http2),
        loaded(one, two, seen.probes),
        choices(n),
        reuse(two, seen.kept),
        header_size(two, padded),
    ]


def streaming(answer: Answer) -> Setting:
    kind = answer.header("content-type") or phrase("no content type")
    if not answer.status or answer.status >= 400:
        return Setting(
            "streaming",
            "unknown",
            phrase("no answer to judge (status {status})", status=answer.status or phrase("none")),
        )
    if not answer.streams:
        words = phrase(
            "a stream was asked for, and one whole answer came ({kind}): streaming is switched off here", kind=kind
        )
        fix = phrase("Switch streaming on for this model at the gateway (stream: true must not be overridden).")
        return Setting("streaming", "error", words, "not-streamed", {"content_type": kind}, fix)
    events, reads = answer.figures.content_events, len(set(answer.stream.reads))
    if answer.lumped:
        words = phrase("it looks like a stream, but {events} events came in {reads} reads", events=events, reads=reads)
        fix = phrase("Look for a fake stream, output guardrails or response buffering at this hop.")
        return Setting("streaming", "error", words, "burst", {"events": events, "reads": reads}, fix)
    return Setting("streaming", "good", phrase("streams: {events} events in {reads} reads", events=events, reads=reads))


def cache(one: Answer, two: Answer) -> Setting:
    """The same question twice: a cache gives the same answer, of the same id and moment, sooner than it can be made."""
    if not (one.stream.content() and two.stream.content()):
        return Setting("cache", "unknown", phrase("two answers are needed"))
    same_text = one.stream.text() == two.stream.text()
    same_id = bool(set(one.ids) & set(two.ids))
    made = {row.created for row in one.stream.identities if row.created}
    same_moment = bool(made & {row.created for row in two.stream.identities if row.created}) and bool(made)
    first, second = one.figures.e2e_ms or 0.0, two.figures.e2e_ms or 0.0
    soon = second < CACHED_MS < first or (second < CACHED_SHARE * first and first > 5 * CACHED_MS)
    figures = {"same_id": same_id, "same_created": same_moment, "e2e_ms": [round(first, 1), round(second, 1)]}
    fix = phrase("Switch the response cache off for chat, or leave streamed requests out of it.")
    marked = next((n for n in ("x-cache", "x-litellm-cache-key", "cf-cache-status", "age") if _hit(two, n)), "")
    if same_text and (marked or (same_id and soon)):
        why = (
            phrase("header {marked}", marked=marked)
            if marked
            else phrase(
                "the same id again, and {second} ms instead of {first} ms", second=f"{second:.0f}", first=f"{first:.0f}"
            )
        )
        return Setting(
            "cache", "error", phrase("the second answer comes from a cache ({why})", why=why), "content", figures, fix
        )
    if same_text and soon:
        words = phrase(
            "the second answer took {second} ms instead of {first} ms: a cache, or much reuse of the prompt",
            second=f"{second:.0f}",
            first=f"{first:.0f}",
        )
        return Setting("cache", "warning", words, "content", figures, fix)
    if same_id:
        words = phrase(
            "two answers bear one id, but each took its time: ids cannot be used to find an exchange in logs"
        )
        return Setting("cache", "info", words, "content", figures)
    return Setting("cache", "good", phrase("asked twice, answered twice"), evidence=figures)


def _hit(answer: Answer, name: str) -> bool:
    value = answer.header(name).lower()
    return bool(value) and (name == "x-litellm-cache-key" or "hit" in value or (name == "age" and value > "0"))


def upstreams(one: Answer, two: Answer) -> Setting:
    """Who answers: one engine, several in turn, or two within one answer (a retry in the middle)."""
    for answer in (one, two):
        ids = list(dict.fromkeys(answer.ids))
        if len(ids) > 1 and len(ids) < len(answer.stream) / 2:
            words = phrase(
                "the id changes within one answer ({count} of them): another upstream took over in the middle",
                count=len(ids),
            )
            fix = phrase("No retry once the first byte was sent: what was said is said again, or lost.")
            return Setting("upstreams", "error", words, "duplicate", {"ids": ids[:4]}, fix)
    marks = [_marks(answer) for answer in (one, two)]
    unlike = sorted(name for name in marks[0].keys() & marks[1].keys() if marks[0][name] != marks[1][name])
    if unlike:
        words = phrase(
            "two answers name different upstreams ({names}): compare hops with that in mind", names=joined(", ", unlike)
        )
        evidence = {name: [marks[0][name], marks[1][name]] for name in unlike}
        return Setting(
            "upstreams", "warning", words, "content", evidence, phrase("Pin one upstream while you look for a fault.")
        )
    return Setting("upstreams", "good", phrase("both answers look like one upstream's"))


def _marks(answer: Answer) -> dict[str, str]:
    names = ("server", "x-served-by", "x-backend", "x-upstream", "x-litellm-model-id", "x-litellm-model-api-base")
    found = {name: answer.header(name) for name in names if answer.header(name)}
    for row in answer.stream.identities:
        if row.model:
            found["model"] = row.model
        if row.fingerprint:
            found["system_fingerprint"] = row.fingerprint
    return found


def compression(plain: Answer, gzip: Answer | None) -> Setting:
    coding = plain.header("content-encoding")
    fix = phrase("Keep compression off text/event-stream (allow-list of types, or Cache-Control: no-transform).")
    if coding and coding != "identity":
        words, lumps = (
            phrase("{coding} comes although only identity was asked for", coding=coding),
            plain.lumps,
        )
        if lumps > LUMPS:
            flush = f"{lumps:.1f}"
            words = phrase("{words}, and without a flush: {lumps} events a read", words=words, lumps=flush)
            return Setting("compression", "error", words, "burst", {"coding": coding, "events_per_read": lumps}, fix)
        return Setting("compression", "warning", words, "encoding", {"coding": coding}, fix)
    if gzip is None or not gzip.stream.content():
        return Setting("compression", "unknown", phrase("no answer when gzip was offered"))
    if gzip.header("content-encoding") in ("", "identity"):
        return Setting("compression", "good", phrase("streams are not compressed, also when gzip is offered"))
    lumps, usual = gzip.lumps, plain.figures.coalescing or 1.0
    figures = {"events_per_read": [round(usual, 2), round(lumps, 2)]}
    if lumps > LUMPS * usual:
        words = phrase(
            "offered gzip, it compresses without a flush: {lumps} events a read instead of {usual}",
            lumps=f"{lumps:.1f}",
            usual=f"{usual:.1f}",
        )
        return Setting("compression", "error", words, "burst", figures, fix)
    return Setting(
        "compression", "info", phrase("offered gzip, it compresses and flushes each event"), evidence=figures
    )


def loaded(one: Answer, two: Answer, probes: Mapping[str, int | None]) -> Setting:
    health = probes.get("health")
    if health == 503 or one.status == 503:
        words = phrase("the engine says that it is not ready (503): the model is still being loaded")
        return Setting("model", "error", words, "error", {"health": health}, phrase("Wait until /health says 200."))
    first, second = one.figures.ttft_ms, two.figures.ttft_ms
    if first is None or second is None:
        return Setting("model", "unknown", phrase("two answers with text are needed"), evidence={"health": health})
    figures = {"health": health, "ttft_ms": [round(first, 1), round(second, 1)]}
    if first - second > COLD_MS and first > COLD_TIMES * second:
        words = phrase(
            "the first answer began after {first} ms, the next after {second} ms: the model was not loaded",
            first=f"{first:.0f}",
            second=f"{second:.0f}",
        )
        fix = phrase("Send a warm-up request, and keep the model loaded (Ollama: keep_alive).")
        return Setting("model", "warning", words, "first-byte", figures, fix)
    return Setting(
        "model",
        "good",
        phrase("loaded: first text after {first} and {second} ms", first=f"{first:.0f}", second=f"{second:.0f}"),
        evidence=figures,
    )


def choices(n: Answer | None) -> Setting:
    if n is None:
        return Setting("n", "unknown", phrase("not asked: this wire has no n"))
    if n.status >= 400:
        return Setting("n", "info", phrase("n=2 is refused ({status})", status=n.status))
    if not n.stream.content():
        return Setting("n", "unknown", phrase("no text came when n=2 was asked for"))
    texts = {c.key.choice: c.text for c in n.stream.channels if c.key.part == "content"}
    if len(texts) > 1:
        return Setting("n", "good", phrase("n=2 gives {count} answers, each under its index", count=len(texts)))
    if len(n.stream.finishes) > 1:
        words = phrase("n=2 gives two answers under one index: their pieces are mixed")
        return Setting(
            "n", "error", words, "interleave", {"finishes": len(n.stream.finishes)}, phrase("Keep choices[].index.")
        )
    return Setting("n", "info", phrase("n=2 is ignored: one answer came"))
