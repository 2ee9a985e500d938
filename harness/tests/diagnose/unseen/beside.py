"""What goes beside words through a bridge: thoughts, calls, sound, odds, sources, pictures, an agent's own events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from harness.tests.diagnose.unseen.bridges import (
    ARGS,
    PLAIN,
    SHORT,
    THOUGHT,
    X,
    calls,
    inside,
    outside,
    paced,
    thinking,
)
from harness.tests.diagnose.unseen.kit import DONE, Unseen, fault, fine, hop, on, warn
from harness.tests.diagnose.unseen.rungs import NGINX
from harness.tests.diagnose.unseen.shapes import DIFY, dify, vllm


def sound(i: int, data: str = "", said: str = "", **more: Any) -> bytes:
    audio = {"id": "audio_68f"} | ({"data": data} if data else {}) | ({"transcript": said} if said else {}) | more
    return vllm({"audio": audio} | ({"role": "assistant"} if i == 0 else {}))


def odds(words: Sequence[str], tokens: Sequence[str]) -> list[bytes]:
    rows = [vllm({"role": "assistant", "content": ""})]
    for word, token in zip(words, tokens, strict=True):
        row = {"token": token, "logprob": -0.31, "bytes": list(token.encode()), "top_logprobs": []}
        rows.append(vllm({"content": word}, choice={"logprobs": {"content": [row]}}))
    return [*rows, vllm({}, "stop"), DONE]


SOUNDS = [sound(i, "UklGRkQ" + "A" * 320, w) for i, w in enumerate(SHORT[:20])]
HEARD = [*SOUNDS, sound(21, expires_at=1770027271), vllm({}, "stop"), DONE]
LOGS: dict[str, Any] = {"request": {"model": "m", "stream": True, "logprobs": True, "messages": []}}

CASES: dict[str, Unseen] = {
    # thoughts
    "thoughts-cut-to-their-first-piece": fault(
        "loss|first-byte|stall|rewrite",
        "gateway",
        inside(thinking(THOUGHT * 4, SHORT, "reasoning")),
        hop(
            "gateway",
            on(
                [row for i, row in enumerate(paced(thinking(THOUGHT * 4, SHORT, "reasoning"))) if not 2 <= i <= 68],
                6,
            ),
            headers=NGINX,
            **X,
        ),
    ),
    "one-thought-two-fields-at-the-second-gateway": fine(
        inside(thinking(THOUGHT, SHORT, "reasoning")),
        outside(thinking(THOUGHT, SHORT), headers=NGINX),
        outside(
            [
                vllm({"role": "assistant", "content": ""}),
                *[vllm({"reasoning_content": w, "reasoning": w}) for w in THOUGHT],
                *[vllm({"content": w}) for w in SHORT],
                vllm({}, "stop"),
                DONE,
            ],
            "app",
            11.0,
            headers=NGINX,
        ),
    ),
    "thought-and-first-word-in-one-delta": fine(
        inside(
            [
                vllm({"role": "assistant", "content": ""}),
                *[vllm({"reasoning": w}) for w in THOUGHT[:-1]],
                vllm({"reasoning": THOUGHT[-1], "content": SHORT[0]}),
                *[vllm({"content": w}) for w in SHORT[1:]],
                vllm({}, "stop"),
                DONE,
            ]
        ),
        outside(thinking(THOUGHT, SHORT)),
    ),
    # calls
    "one-call-asked-again-until-it-was-there-thrice": fault(
        "duplicate|interleave|malformed|rewrite",
        "gateway",
        inside([vllm({"role": "assistant", "content": None}), *calls((0, 1, 2))[1:4], vllm({}, "tool_calls"), DONE]),
        outside(
            [
                vllm({"role": "assistant", "content": None}),
                *[
                    vllm(
                        {
                            "tool_calls": [
                                {
                                    "index": i,
                                    "id": "call_0f3",
                                    "type": "function",
                                    "function": {"name": "get_weather", "arguments": ARGS[0]},
                                }
                            ]
                        }
                    )
                    for i in range(3)
                ],
                vllm({}, "tool_calls"),
                DONE,
            ]
        ),
    ),
    "calls-in-turn-told-one-after-another": fine(inside(calls((0, 1, 2), True)), outside(calls((0, 1, 2)))),
    # sound, odds, sources, parts
    "sound-and-its-words": fine(inside(HEARD), outside(HEARD)),
    "sound-dropped-by-the-gateway": fault(
        "loss|content|truncation|rewrite",
        "gateway",
        inside(HEARD),
        outside([vllm({"role": "assistant"}), vllm({}, "stop"), DONE], late=2_000.0),
    ),
    "odds-on-each-word": fine(inside(odds(SHORT, SHORT), **LOGS), outside(odds(SHORT, SHORT), **LOGS)),
    "odds-one-word-late-at-the-gateway": warn(
        "rewrite|malformed|content|loss",
        "gateway",
        inside(odds(SHORT, SHORT), **LOGS),
        outside(odds(SHORT, ["", *SHORT[:-1]]), **LOGS),
    ),
    "odds-missing-beside-the-thoughts": fine(inside([*thinking(THOUGHT, [])[:-2], *odds(SHORT, SHORT)[1:]], **LOGS)),
    "sources-beside-the-words-dropped": fine(
        inside(
            [vllm({"content": w}, citations=["https://x.example/1", "https://x.example/2"]) for w in SHORT]
            + [vllm({}, "stop"), DONE]
        ),
        outside(PLAIN),
    ),
    "pictures-in-the-delta": fine(
        inside(
            [
                *PLAIN[:20],
                vllm(
                    {
                        "content": "",
                        "images": [
                            {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "iVBOR" * 9000}}
                        ],
                    }
                ),
                *PLAIN[20:],
            ]
        )
    ),
    "parts-inside-words-outside": fine(
        inside(
            [
                vllm({"role": "assistant", "content": []}),
                *[vllm({"content": [{"type": "text", "text": w}]}) for w in SHORT],
                vllm({}, "stop"),
                DONE,
            ]
        ),
        outside(PLAIN),
    ),
    # Dify
    "dify-agent-words-dropped": fault(
        "loss|content|truncation|error|not-streamed",
        "gateway",
        inside(
            [*[dify("agent_message", answer=w) for w in SHORT], dify("message_end", metadata={"usage": {}})], **DIFY
        ),
        outside([vllm({"role": "assistant", "content": ""}), vllm({}, "stop"), DONE], late=2_300.0),
    ),
    "dify-agent-to-chat": fine(
        inside(
            [*[dify("agent_message", answer=w) for w in SHORT], dify("message_end", metadata={"usage": {}})], **DIFY
        ),
        outside(PLAIN),
    ),
}
