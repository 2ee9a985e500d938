"""Answers that miss what was asked for: broken JSON, one choice of two, an echo, a loop."""

from __future__ import annotations

from harness.tests.diagnose.build import NDJSON, ollama
from harness.tests.diagnose.unseen.kit import DONE, Unseen, fault, hop, refusal, warn
from harness.tests.diagnose.unseen.shapes import (
    ONEAPI,
    PROSE,
    SPOKEN,
    alone,
    asked,
    claudes,
    engine,
    pair,
    said,
    vllm,
)
from harness.tests.diagnose.unseen.wishes_kept import ASKING, BILL, JSON_ASKED, LOOP, QUESTION, odd

ODDS = {"model": "m", "stream": True, "logprobs": True, "top_logprobs": 2, "messages": []}
GLUED = [
    "The",
    "gate",
    "was",
    "shut",
    "when",
    "they",
    "came",
    "home",
    "and",
    "nobody",
    "had",
    "brought",
    "the",
    "key",
    "along",
    "that",
    "evening",
    "either",
]


def priced(count: int) -> bytes:
    return vllm({}, choices=[], usage={"prompt_tokens": 9, "completion_tokens": count, "total_tokens": 9 + count})


CASES: dict[str, Unseen] = {
    "json-in-a-fence": warn(
        "content|malformed|rewrite", "engine", engine(said(["```json\n", *BILL, "\n```"]), request=JSON_ASKED)
    ),
    "json-and-then-prose": warn(
        "content|malformed", "engine", engine(said([*BILL, "\n\nAnything", " else", "?"]), request=JSON_ASKED)
    ),
    "json-breaks-off-in-a-word": fault(
        "malformed|truncation", "engine", engine(said([*BILL[:-2], "tr"]), request=JSON_ASKED)
    ),
    "prose-where-json-was-asked": warn("content|malformed", "engine", engine(said(PROSE), request=JSON_ASKED)),
    "one-of-two-choices": warn(
        "loss|content", "engine", engine(said(PROSE), request={"model": "m", "stream": True, "n": 2, "messages": []})
    ),
    "odds-asked-for-and-not-sent": warn("content|loss|malformed", "engine", engine(said(PROSE), request=ODDS)),
    "odds-dropped-by-the-gateway": warn(
        "rewrite|loss|content",
        "gateway",
        *pair(
            [vllm({"role": "assistant", "content": ""}), *[odd(w) for w in SPOKEN], vllm({}, "stop"), DONE],
            said(SPOKEN),
            request=ODDS,
        ),
    ),
    "echoes-the-question": warn(
        "content|duplicate", "engine", engine(said([QUESTION, "\n", "Fish", " and", " oil", "."]), request=ASKING)
    ),
    "loops-until-the-limit": warn("content|duplicate", "engine", engine(said([*PROSE, *LOOP * 14], "length"))),
    "words-without-blanks": warn("content|loss|encoding|malformed", "engine", engine(said(GLUED))),
    "says-its-thought-again": warn(
        "content|duplicate",
        "engine",
        engine(
            [
                vllm({"role": "assistant"}),
                *[vllm({"reasoning": w}) for w in SPOKEN],
                *[vllm({"content": w}) for w in [*SPOKEN, " So", " yes", "."]],
                vllm({}, "stop"),
                DONE,
            ]
        ),
    ),
    "tokens-counted-tenfold": warn(
        "rewrite|content",
        "gateway",
        *pair([*said(SPOKEN)[:-1], priced(38), DONE], [*said(SPOKEN)[:-1], priced(3_800), DONE]),
    ),
    "json-breaks-off-and-calls-itself-done": fault(
        "malformed|truncation|content|loss", "engine", engine(said(BILL[:-2]), request=JSON_ASKED)
    ),
    "json-breaks-off-in-a-text": fault(
        "malformed|truncation|content|loss",
        "engine",
        engine(
            [*[ollama(w) for w in ['{"port": "Ber', "gen and"]], ollama("", done=True, done_reason="stop")],
            asked=asked("/api/chat", format={"type": "object"}),
            wire="ollama",
            headers=NDJSON,
        ),
    ),
    "done-and-nothing-else": fault(
        "truncation|content|loss|error", "gateway", alone([b": OPENROUTER PROCESSING\n\n"] * 9 + [DONE])
    ),
    "two-chunks-in-one-line": fault(
        "malformed|loss",
        "gateway",
        *pair(
            said(SPOKEN),
            [
                d[:-2] + e[6:] if i % 2 else b""
                for i, (d, e) in enumerate(zip(said(SPOKEN), said(SPOKEN)[1:], strict=False))
                if i % 2
            ]
            + said(SPOKEN)[-2:],
        ),
    ),
    "queued-with-202": fault(
        "not-streamed|error",
        "gateway",
        hop(
            "gateway",
            [(40.0, b'{"status":"queued","task_id":"t-9f3c","position":4}')],
            status=202,
            headers=(("content-type", "application/json"),),
        ),
    ),
    "529-overloaded": fault(
        "error",
        "engine",
        refusal("engine", 529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
    ),
    "model-of-another-tongue-in-claude": fault(
        "content|truncation|loss|error",
        "gateway",
        alone(claudes(reason="end_turn")[:1], wire="anthropic", headers=ONEAPI),
    ),
}
