"""Marks of tokenisers, templates and escapes that stand in a text or a name."""

from __future__ import annotations

from harness.tests.diagnose.build import DONE
from harness.tests.diagnose.unseen.kit import Unseen, fault, warn
from harness.tests.diagnose.unseen.marks_meant import CITY, TOOLS
from harness.tests.diagnose.unseen.shapes import HAN, PROSE, call, engine, said, tools, vllm


def thought(texts: list[str]) -> list[bytes]:
    return [
        vllm({"role": "assistant"}),
        *[vllm({"reasoning_content": w}) for w in texts],
        *[vllm({"content": w}) for w in HAN],
        vllm({}, "stop"),
        DONE,
    ]


CASES: dict[str, Unseen] = {
    "call-marks-left-in-the-text": warn(
        "content|malformed",
        "engine",
        engine(
            [
                *said(PROSE[:6])[:-2],
                vllm({"content": "\n</tool_call>"}),
                *tools(call(0, CITY, name="get_weather", ident="c1"))[1:],
            ]
        ),
    ),
    "thought-keeps-its-closing-tag": warn("content|malformed", "engine", engine(thought([*PROSE, "\n</think>"]))),
    "begins-with-its-role": warn("content|malformed", "engine", engine(said(["assistant", "\n\n", *PROSE]))),
    "begins-with-the-first-token": warn("content|malformed", "engine", engine(said(["<s>", *PROSE]))),
    "begin-of-text-shown": warn("content|malformed", "engine", engine(said(["<|begin_of_text|>", *PROSE]))),
    "pads-at-the-end": warn("content|malformed", "engine", engine(said([*PROSE, "<pad>", "<pad>", "<pad>"]))),
    "calls-what-nobody-offered": warn(
        "content|malformed|rewrite",
        "engine",
        engine(tools(call(0, CITY, name="book_flight", ident="c1")), request=TOOLS),
    ),
    "entities-in-prose": warn(
        "encoding|rewrite|content|malformed",
        "engine",
        engine(said(["It", "&#39;s", " the", " &quot;", "old", "&quot;", " harbour", " &amp;", " quay", "."])),
    ),
    "line-ends-in-letters": warn(
        "encoding|rewrite|content|malformed",
        "engine",
        engine(said(["Goods", ":", "\\n", "-", " fish", "\\n", "-", " oil", "\\n", "-", " salt"])),
    ),
    "byte-level-marks": fault(
        "encoding|content",
        "engine",
        engine(said(["Rain", "Ġhad", "Ġfallen", "Ġon", "Ġthe", "Ġroof", ".", "Ċ", "The", "Ġgoats", "Ġslept", "."])),
    ),
    "sentencepiece-marks": fault(
        "encoding|content",
        "engine",
        engine(said(["▁Rain", "▁had", "▁fallen", "▁on", "▁the", "▁roof", ".", "▁The", "▁goats", "▁slept", "."])),
    ),
    "byte-tokens": fault(
        "encoding|content",
        "engine",
        engine(
            said(
                [
                    "Rain",
                    " fell",
                    ".",
                    "<0x0A>",
                    "<0x0A>",
                    "The",
                    " goats",
                    " slept",
                    " ",
                    "<0xF0>",
                    "<0x9F>",
                    "<0x90>",
                    "<0x90>",
                ]
            )
        ),
    ),
    "signs-in-escapes": fault(
        "encoding|content|rewrite",
        "engine",
        engine(said(["\\u5c71", "\\u91cc", "\\u7684", "\\u96fe", "\\u6563", "\\u5f97", "\\u5f88", "\\u6162"])),
    ),
    "channel-mark-in-the-name": fault(
        "malformed|content", "engine", engine(tools(call(0, CITY, name="get_weather<|channel|>commentary", ident="c1")))
    ),
    "whole-call-in-the-name": fault(
        "malformed|content", "engine", engine(tools(call(0, "{}", name='get_weather({"city": "Bergen"})', ident="c1")))
    ),
}
