"""Of the ten settings that bite, those of the connection: the HTTP version, and a connection used again. Pure."""

from __future__ import annotations

from dataclasses import replace

from harness.diagnose.thresholds import FIRST_BYTE_PAIR_MS, FIRST_BYTE_PAIR_RATIO
from harness.phrase import joined, phrase, term
from harness.runs.asked_twice import Answer, Kept, Setting
from harness.runs.heads import differing

LUMPS = 3.0  # events a read, against the usual one, from which an answer is said to come in lumps
HOP_BY_HOP = frozenset({"transfer-encoding", "connection", "keep-alive", "upgrade", "alt-svc"})
SAME = phrase("Let both versions lead to the same place (server names, routes and limits of this listener).")
FLUSH = phrase("Let the hop that ends HTTP/2 here flush each event (no response buffering on this listener).")


def http_version(plain: Answer, http2: Answer | None) -> Setting:
    """What HTTP/1.1 looks like, and what HTTP/2 makes of the same answer. ``http2`` None: not asked."""
    head = plain.capture.head
    if head is None:
        return Setting("http", "unknown", phrase("no answer"))
    told = _over_http2(plain, http2)
    if told.state in ("error", "warning"):
        return told
    if head.http.startswith("1.0") or (head.http == "1.1" and "close" in plain.header("connection").lower()
                                       and not plain.header("transfer-encoding")
                                       and not plain.header("content-length")):  # fmt: skip
        words = phrase(
            "HTTP/{http} without chunks: the end of the connection is the end of the answer, cut or whole",
            http=head.http,
        )
        fix = phrase(
            "Let this hop speak HTTP/1.1 with chunks (nginx: proxy_http_version 1.1; chunked_transfer_encoding on)."
        )
        return Setting("http", "warning", words, "truncation", {"http": head.http, **told.evidence}, fix)
    words = phrase(
        "HTTP/{http}, {framing}{words}",
        http=head.http,
        framing=plain.header("transfer-encoding") or phrase("framed"),
        words=told.words,
    )
    return Setting("http", "good", words, evidence=told.evidence)


def _over_http2(plain: Answer, http2: Answer | None) -> Setting:
    """A setting that bites, or words to add to what HTTP/1.1 is said to be."""
    if http2 is None:
        return Setting("http", "unknown", phrase("; HTTP/2 was not asked (a forward proxy is in between)"))
    secure = (http2.capture.request.url if http2.capture.request else "").startswith("https:")
    way = phrase("offered under TLS") if secure else phrase("in the clear")
    head, end = http2.capture.head, http2.capture.end
    if head is None or not head.http.startswith("2"):
        why = end.detail if head is None and end else ""
        return Setting(
            "http", "good", phrase("; HTTP/2, {way}, is not spoken", way=way), evidence={"http2": False, "why": why}
        )
    unlike = sorted(set(differing([plain.capture, replace(http2.capture, hop="http2")])) - HOP_BY_HOP)
    figures = {"http2": True, "reads": [len(set(a.stream.reads)) for a in (plain, http2)], "headers": unlike}
    usual, lumps = plain.figures.coalescing or 1.0, http2.lumps
    fault: tuple[str, str, str, str] | None = None
    if http2.status != plain.status:
        fault = (
            "error",
            phrase(
                "over HTTP/2 the answer is {status}, over HTTP/1.1 it is {status_other}",
                status=http2.status,
                status_other=plain.status,
            ),
            "error",
            SAME,
        )
    elif plain.streams and not http2.streams and end is not None and end.kind == "complete":
        fault = ("error", phrase("over HTTP/2 the answer is no stream, over HTTP/1.1 it is"), "not-streamed", FLUSH)
    elif plain.outcome == "done" != http2.outcome:
        symptom = "reset" if http2.outcome == "reset" else "truncation"
        words = phrase(
            "over HTTP/2 the answer is {outcome} ({end})",
            outcome=http2.outcome,
            end=term(end.detail or end.kind if end else "open"),
        )
        fault = (
            "error",
            phrase("{words}, over HTTP/1.1 it comes whole", words=words),
            symptom,
            phrase("Look at this listener's HTTP/2 limits."),
        )
    elif (http2.lumped and not plain.lumped) or lumps > LUMPS * usual:
        fault = (
            "error",
            phrase("over HTTP/2 {flow}, over HTTP/1.1 {flow_other}", flow=http2.flow, flow_other=plain.flow),
            "burst",
            FLUSH,
        )
    if fault:
        return Setting("http", fault[0], fault[1], fault[2], figures, fault[3])
    more = phrase("; unlike headers: {names}", names=joined(", ", unlike)) if unlike else ""
    return Setting(
        "http",
        "good",
        phrase("; HTTP/2, {way}, streams too ({flow}){more}", way=way, flow=http2.flow, more=more),
        evidence=figures,
    )


def reuse(plain: Answer, kept: Kept) -> Setting:
    """Chats one after another over one connection, and after a rest."""
    if plain.header("connection").lower() == "close":
        return Setting("keep-alive", "info", phrase("each connection is closed after one answer (Connection: close)"))
    answers = [Answer.of(capture) for capture in kept.captures]
    if len(answers) == 2 and not kept.same[1]:
        return Setting(
            "keep-alive", "info", phrase("each connection is closed after one answer, though no header says so")
        )
    if len(answers) < 2:
        return Setting("keep-alive", "unknown", phrase("the connection could not be used a second time"))
    bad = _second(plain, answers[0], answers[1])
    if bad is not None:
        return bad
    good = phrase("a second request over the same connection streams too ({flow})", flow=answers[1].flow)
    if kept.closed_s is not None:
        words = phrase(
            "{good}; an idle connection is closed after {closed_s} s", good=good, closed_s=f"{kept.closed_s:.1f}"
        )
        fix = phrase(
            "What is in front must drop idle connections before {closed_s} s, or it sends into a close.",
            closed_s=f"{kept.closed_s:.1f}",
        )
        return Setting("keep-alive", "info", words, "reset", {"closed_s": round(kept.closed_s, 2)}, fix)
    if len(answers) < 3:
        return Setting("keep-alive", "good", good)
    third, rested = answers[2], phrase("after {rested} s at rest", rested=f"{kept.rested:g}")
    if kept.same[2] and _failed(plain, third):
        words = phrase(
            "{rested} a request over the same connection fails ({how}): it was dropped without a word",
            rested=rested,
            how=_how(third),
        )
        fix = phrase(
            "Look for a firewall or balancer that forgets idle connections; use TCP keep-alive or a shorter idle time."
        )
        return Setting("keep-alive", "error", words, "reset", {"rested_s": kept.rested}, fix)
    return Setting(
        "keep-alive",
        "good",
        phrase("{good}, and a third {rested}", good=good, rested=rested),
        evidence={"rested_s": kept.rested},
    )


def _second(plain: Answer, first: Answer, second: Answer) -> Setting | None:
    """What is wrong with the second answer on a connection, None when it is as good as the first."""
    end = second.capture.end
    if end is not None and end.detail.startswith("not HTTP"):
        words = phrase(
            "the second answer on a connection begins with bytes that are not its own ({detail})", detail=end.detail
        )
        fix = phrase("Each answer must end where its framing says; nothing may follow the last chunk.")
        return Setting("keep-alive", "error", words, "interleave", {"detail": end.detail}, fix)
    if _failed(plain, second):
        words = phrase("a second request over the same connection fails ({how})", how=_how(second))
        fix = phrase("Make idle timeouts of neighbours fit: the one in front closes first. Read each body to its end.")
        return Setting("keep-alive", "error", words, "reset", {"status": second.status}, fix)
    mixed = set(first.ids) & set(second.ids) if not set(plain.ids) & set(first.ids) else set()
    if mixed and set(second.ids) - mixed:
        words = phrase("the second answer on a connection holds events of the first")
        fix = phrase("A buffer outlives its request here: clear it when an answer ends.")
        return Setting("keep-alive", "error", words, "interleave", {"ids": sorted(mixed)[:4]}, fix)
    if second.lumped and not first.lumped:
        words = phrase(
            "the second answer on a connection comes in lumps: {flow}, the first {flow_other}",
            flow=second.flow,
            flow_other=first.flow,
        )
        return Setting(
            "keep-alive", "error", words, "burst", {}, phrase("Nagle's algorithm or a buffer: set TCP_NODELAY.")
        )
    waits = [a.figures.ttft_ms for a in (plain, first, second)]
    if None not in waits:
        usual, last = max(waits[0] or 0.0, waits[1] or 0.0), waits[2] or 0.0
        if last - usual > FIRST_BYTE_PAIR_MS and last > FIRST_BYTE_PAIR_RATIO * usual:
            words = phrase(
                "the second answer on a connection begins after {last} ms, on a fresh one after {usual} ms",
                last=f"{last:.0f}",
                usual=f"{usual:.0f}",
            )
            fix = phrase("Look for a wait before a connection is used again (queue, keep-alive probe, delayed ACK).")
            return Setting("keep-alive", "warning", words, "first-byte", {"ttft_ms": [usual, last]}, fix)
    return None


def _failed(plain: Answer, answer: Answer) -> bool:
    unlike = answer.status != plain.status or (plain.streams and not answer.streams)
    return unlike or (plain.outcome == "done" != answer.outcome)


def _how(answer: Answer) -> str:
    end = answer.capture.end
    if not answer.status:
        return phrase("{end} before any head", end=term(end.detail or end.kind if end else "open"))
    return phrase("status {status}, {end}", status=answer.status, end=term(end.detail or end.kind if end else "open"))
