"""Text that is lost, doubled, moved, mixed, re-coded or told anew on the way."""

from __future__ import annotations

import json

from harness.tests.diagnose.unseen.kit import (
    DONE,
    END,
    START,
    Reads,
    Unseen,
    at,
    call,
    fault,
    hop,
    on,
    part,
    tale,
    warn,
    words,
)  # fmt: skip

EVEN = at(tale(24))
MIXED = [
    "Das ",
    "Öl ",
    "für ",
    "die ",
    "Straße ",
    "läuft ",
    "über ",
    "– ",
    "für ",
    "später ",
    "「你好」",
    "世界 ",
    "🙂 ",
    "Grüße",
]


def told(texts: list[str], **more: str) -> Reads:
    return at([part("", role="assistant", **more), *[part(text, **more) for text in texts], *END])


def pair(inner: Reads, outer: Reads, name: str = "gateway") -> tuple:
    return hop("app" if name == "proxy" else "gateway" if name == "app" else "engine", inner), hop(name, on(outer))


def without(*gone: int) -> Reads:
    return [row for i, row in enumerate(EVEN) if i not in gone]


def numbered(reads: list[tuple[int, str]]) -> Reads:
    return at([b"id: %d\n" % i + part(text) for i, text in reads] + END)


WORDS = words(24)
SWAPPED = [w for i in range(0, 24, 4) for w in (*WORDS[i + 2 : i + 4], *WORDS[i : i + 2])]
OTHER = [
    "a",
    "different",
    "person",
    "asked",
    "about",
    "tax",
    "returns",
    "and",
    "got",
    "this",
    "private",
    "answer",
    "mixed",
    "in",
    "here",
    "today",
]
FOREIGN = [text for i, word in enumerate(WORDS) for text in ([word, OTHER[i // 4] + " "] if i % 4 == 1 else [word])]
THINK = at([START, *[part(reasoning=w) for w in words(6)], *[part(w) for w in words(9)[6:]], *END])
TOOL = [
    part("", role="assistant"),
    call(name="find", ident="c1"),
    *[call(arguments=a) for a in ('{"q": ', '"red ', 'fox"', "}")],
]
TOOL_END = [part(finish="tool_calls"), DONE]


def tool(*arguments: str) -> Reads:
    return at([START, call(name="find", ident="c1"), *[call(arguments=a) for a in arguments], *TOOL_END])


def two(second: bool) -> Reads:
    rows = [part("", role="assistant", index=i) for i in (0, 1)]
    rows += [part(w, index=i) for k, w in enumerate(words(10)) for i, w in ((0, w), (1, OTHER[k] + " "))]
    rows += [part(finish="stop", index=i) for i in (0, 1)]
    return at([row for row in rows if second or b'"index":1' not in row] + [DONE])


def respelt(reads: Reads, change) -> Reads:  # type: ignore[no-untyped-def]
    return [(t, b"data: " + change(data[6:-2]) + b"\n\n" if data != DONE else data) for t, data in reads]


def torn() -> Reads:
    """A chunk that the relay cut inside a character and sent on as two, each decoded alone into nothing."""
    return respelt(told(MIXED), lambda raw: raw.replace("世".encode(), "世".encode()[:2]))


CASES: dict[str, Unseen] = {
    "lost-at-read-boundaries": fault(
        "loss",
        "gateway",
        hop(
            "engine",
            [
                row
                for i, (t, d) in enumerate(EVEN)
                for row in ([(t, d[:60]), (t + 9, d[60:])] if i in (4, 9, 15) else [(t, d)])
            ],
        ),
        hop("gateway", on(without(4, 9, 15), 12)),
    ),
    "first-word-on-the-role-chunk-dropped": fault(
        "loss",
        "gateway",
        *pair(
            at([part("Sure ", role="assistant"), *[part(w) for w in WORDS], *END]),
            at([START, *[part(w) for w in WORDS], *END]),
        ),
    ),
    "last-word-on-the-finish-dropped": fault(
        "loss|truncation",
        "app",
        *pair(at([START, *[part(w) for w in WORDS], part("end.", finish="stop"), DONE]), EVEN, "app"),
    ),
    "one-frame-in-the-middle": fault("loss", "proxy", *pair(EVEN, without(13), "proxy")),
    "blanks-between-words-stripped": fault("loss|rewrite", "gateway", *pair(EVEN, told([w.strip() for w in WORDS]))),
    "second-choice-dropped": fault("loss", "gateway", *pair(two(True), two(False))),
    "tool-call-dropped": fault("loss", "gateway", *pair(at([*TOOL, *TOOL_END]), at([START, *TOOL_END]))),
    "tool-arguments-dropped": fault(
        "loss|malformed", "gateway", *pair(at([*TOOL, *TOOL_END]), at([*TOOL[:2], *TOOL_END]))
    ),
    "tool-call-beside-text-dropped": fault(
        "loss",
        "gateway",
        *pair(
            at([START, *[part(w) for w in words(5)], *TOOL[1:], *TOOL_END]),
            at([START, *[part(w) for w in words(5)], part(finish="stop"), DONE]),
        ),
    ),
    "thinking-kept-answer-dropped": fault(
        "loss", "gateway", *pair(THINK, at([START, *[part(reasoning=w) for w in words(6)], *END]))
    ),
    "line-breaks-eaten-in-a-list": fault(
        "loss|rewrite",
        "gateway",
        *pair(told([f"- {w.strip()}\n" for w in WORDS[:10]]), told([f"- {w.strip()}" for w in WORDS[:10]])),
    ),
    "last-piece-twice": fault("duplicate", "gateway", *pair(EVEN, told([*WORDS, WORDS[-1]]))),
    "whole-text-again-at-the-end": fault("duplicate|rewrite", "gateway", *pair(EVEN, told([*WORDS, "".join(WORDS)]))),
    "every-event-twice": fault(
        "duplicate", "app", *pair(EVEN, at([e for _, e in EVEN[:-2] for e in (e, e)] + END), "app")
    ),
    "retried-from-the-start": fault("duplicate|rewrite", "gateway", *pair(told(WORDS), told([*WORDS[:9], *WORDS]))),
    "retried-seen-from-outside-only": fault(
        "duplicate|interleave|content",
        "gateway",
        hop(
            "gateway",
            at(
                [
                    START,
                    *[part(w) for w in WORDS[:9]],
                    part("", role="assistant", ident="cmpl-2"),
                    *[part(w, ident="cmpl-2") for w in WORDS],
                    *END,
                ]
            ),
        ),
    ),
    "reconnect-replays-five": fault(
        "duplicate", "app", hop("app", numbered([(i, WORDS[i]) for i in [*range(1, 11), *range(6, 21)]]))
    ),
    "arguments-flushed-again": fault(
        "malformed|duplicate", "engine", hop("engine", tool('{"q": ', '"red fox"', "}", '{"q": "red fox"}'))
    ),
    "arguments-begin-missing": fault("malformed|loss", "engine", hop("engine", tool('q": ', '"red fox"', "}"))),
    "snapshots-at-the-app": fault(
        "duplicate", "app", *pair(EVEN, told(["".join(WORDS[: i + 1]) for i in range(24)]), "app")
    ),
    "blocks-overtake": fault("reorder", "app", *pair(EVEN, told(SWAPPED), "app")),
    "ids-overtake": fault(
        "reorder",
        "app",
        hop("app", numbered([(i, WORDS[i]) for i in (1, 2, 4, 3, 5, 6, 7, 9, 8, 10, 11, 12, 14, 13, 15, 16)])),
    ),
    "one-swap-of-neighbours": fault(
        "reorder", "proxy", *pair(EVEN, told([*WORDS[:7], WORDS[8], WORDS[7], *WORDS[9:]]), "proxy")
    ),
    "another-session-same-id": fault("interleave|rewrite", "app", *pair(EVEN, told(FOREIGN), "app")),
    "read-as-latin-1": fault(
        "encoding", "gateway", *pair(told(MIXED), told([w.encode().decode("latin-1") for w in MIXED]))
    ),
    "read-as-windows-1252": fault(
        "encoding",
        "proxy",
        *pair(told(MIXED[:10]), told([w.encode().decode("cp1252", "replace") for w in MIXED[:10]]), "proxy"),
    ),
    "question-marks": fault(
        "encoding", "app", *pair(told(MIXED), told([w.encode("ascii", "replace").decode() for w in MIXED]), "app")
    ),
    "emoji-become-boxes": fault(
        "encoding", "gateway", *pair(told(MIXED), told([w.replace("🙂", "\ufffd\ufffd") for w in MIXED]))
    ),
    "torn-bytes-on-the-wire": fault("encoding", "gateway", *pair(told(MIXED), torn())),
    "lone-half-of-a-pair": fault(
        "encoding", "app", hop("app", respelt(told(MIXED), lambda raw: raw.replace("🙂".encode(), b"\\ud83d")))
    ),
    "umlauts-left-out": fault(
        "loss|encoding", "gateway", *pair(told(MIXED), told([w.encode("ascii", "ignore").decode() for w in MIXED]))
    ),
    "personal-data-masked": fault(
        "rewrite|loss",
        "gateway",
        *pair(
            told(["call ", "Ada ", "at ", "555-0100 ", "or ", "write ", "to ", "ada@example.org ", "today"]),
            told(["call ", "Ada ", "at ", "*** ", "or ", "write ", "to ", "[EMAIL] ", "today"]),
        ),
    ),
    "thinking-folded-into-the-answer": warn(
        "rewrite|content",
        "gateway",
        *pair(
            THINK,
            at(
                [
                    START,
                    part("<think>"),
                    *[part(w) for w in words(6)],
                    part("</think>"),
                    *[part(w) for w in words(9)[6:]],
                    *END,
                ]
            ),
        ),
    ),
    "note-appended": warn("rewrite", "gateway", *pair(EVEN, told([*WORDS, "\n\nSources: [1]"]))),
    "blank-lines-squeezed": warn(
        "rewrite",
        "gateway",
        *pair(
            told(["one\n\n\n", "two\n\n", "three ", "four\n\n", "five"]),
            told(["one\n", "two\n", "three ", "four\n", "five"]),
        ),
    ),
    "length-told-as-stop": warn("rewrite", "gateway", *pair(at(tale(24, finish="length")), EVEN)),
    "tool-end-told-as-stop": warn("rewrite|malformed", "gateway", *pair(at([*TOOL, *TOOL_END]), at([*TOOL, *END]))),
    "played-back-from-a-cache": warn(
        "content|duplicate|rewrite",
        "gateway",
        hop("engine", at(tale(24), gap=120), exchange="a"),
        hop("gateway", at(tale(24), start=9, gap=1), exchange="b"),
    ),
    "filtered": warn("content", "engine", hop("engine", at(tale(9, finish="content_filter")))),
    "arguments-as-an-object": warn(
        "malformed",
        "engine",
        hop(
            "engine",
            at(
                [
                    START,
                    part(
                        tool_calls=[
                            {"index": 0, "id": "c1", "function": {"name": "f", "arguments": json.loads('{"q": 1}')}}
                        ]
                    ),
                    *TOOL_END,
                ]
            ),
        ),
    ),
}
