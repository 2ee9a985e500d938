"""Answers that keep what was asked for, or were not asked: JSON, echo, log probabilities, refrains."""

from __future__ import annotations

from harness.tests.diagnose.build import NDJSON, ollama
from harness.tests.diagnose.unseen.kit import DONE, Unseen, fine, sse
from harness.tests.diagnose.unseen.shapes import (
    HAN,
    PROSE,
    SPOKEN,
    asked,
    call,
    engine,
    pair,
    said,
    tools,
    vllm,
)

JSON_ASKED = {
    "model": "m",
    "stream": True,
    "response_format": {"type": "json_schema", "json_schema": {"name": "port", "schema": {}}},
    "messages": [],
}
BILL = ['{"port": ', '"Bergen"', ', "boats": ', "41", ', "open": ', "true", "}"]
QUESTION = "Which goods came through the old harbour of Bergen before the railway was built?"
ASKING = {
    "model": "m",
    "stream": True,
    "messages": [{"role": "system", "content": "Be short."}, {"role": "user", "content": QUESTION}],
}
LOOP = ["The", " gate", " is", " shut", ".", " Come", " back", " later", "."]


def odd(word: str) -> bytes:
    return vllm(
        {"content": word},
        choice={
            "logprobs": {
                "content": [{"token": word, "logprob": -0.2, "bytes": list(word.encode()), "top_logprobs": []}]
            }
        },
    )


CASES: dict[str, Unseen] = {
    "json-as-asked": fine(engine(said(BILL), request=JSON_ASKED)),
    "json-with-blanks-around": fine(engine(said(["\n\n", *BILL, "\n"]), request=JSON_ASKED)),
    "json-after-its-thoughts": fine(
        engine(
            [
                vllm({"role": "assistant"}),
                *[vllm({"reasoning": w}) for w in PROSE],
                *[vllm({"content": w}) for w in BILL],
                vllm({}, "stop"),
                DONE,
            ],
            request=JSON_ASKED,
        )
    ),
    "ollama-json-as-asked": fine(
        engine(
            [*[ollama(w) for w in BILL], ollama("", done=True, done_reason="stop")],
            asked=asked("/api/chat", format="json"),
            wire="ollama",
            headers=NDJSON,
        )
    ),
    "calls-a-tool-where-json-was-asked": fine(
        engine(tools(call(0, '{"city": "Bergen"}', name="get_weather", ident="c1")), request=JSON_ASKED)
    ),
    "repeats-the-question-in-quotes": fine(
        engine(said(["You", " asked", ":", " “", QUESTION, "”", " Fish", " mostly", "."]), request=ASKING)
    ),
    "echo-was-asked": fine(
        engine(
            [
                sse(
                    {
                        "id": "cmpl-1",
                        "object": "text_completion",
                        "choices": [{"index": 0, "text": w, "finish_reason": None}],
                    }
                )
                for w in (QUESTION, " Fish", " and", " oil", ".")
            ]
            + [
                sse(
                    {
                        "id": "cmpl-1",
                        "object": "text_completion",
                        "choices": [{"index": 0, "text": "", "finish_reason": "stop"}],
                    }
                ),
                DONE,
            ],
            asked=asked("/v1/completions", prompt=QUESTION, echo=True),
        )
    ),
    "sings-its-refrain": fine(engine(said([*PROSE, "\n", *LOOP, "\n", *HAN, "\n", *LOOP, "\n", *PROSE, "\n", *LOOP]))),
    "a-long-hash": fine(engine(said(["sha", "256", ":", " ", *["9f", "3c", "61", "e0", "a7", "d2", "4b", "5f"] * 4]))),
    "a-word-in-no-blanks": fine(
        engine(said(["Donau", "dampf", "schiff", "fahrts", "gesell", "schafts", "kapitän", "s", "mütze"]))
    ),
    "counts-calls-from-one": fine(
        engine(tools(call(1, '{"a": 1}', name="add", ident="c1"), call(2, '{"a": 2}', name="add", ident="c2")))
    ),
    "thoughts-flushed-after-the-answer": fine(
        engine([*said(PROSE)[:-2], *[vllm({"reasoning": w}) for w in HAN], vllm({}, "stop"), DONE])
    ),
    "odds-as-asked": fine(
        *pair(
            [vllm({"role": "assistant", "content": ""}), *[odd(w) for w in SPOKEN], vllm({}, "stop"), DONE],
            [vllm({"role": "assistant", "content": ""}), *[odd(w) for w in SPOKEN], vllm({}, "stop"), DONE],
        )
    ),
    "stop-texts-that-never-come": fine(
        engine(
            said(PROSE),
            request={"model": "m", "stream": True, "stop": ["###", "\n\nUser:", "<|im_end|>"], "messages": []},
        )
    ),
}
