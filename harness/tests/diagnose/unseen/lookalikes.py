"""Good answers that look like faults: about marks, escapes and tokens, with refrains, tables and drawings."""

from __future__ import annotations

import json
import re
from typing import Any

from harness.tests.diagnose.unseen.kit import DONE, Unseen, call, fine
from harness.tests.diagnose.unseen.shapes import engine, said, tools, vllm

TOKEN = re.compile(r"\s?[A-Za-z]{1,7}|\s?\d{1,3}|\s?[^\w\s]{1,3}|\s+|\w")


def cut(text: str) -> list[str]:
    """The text in pieces as a tokeniser makes them, about."""
    return TOKEN.findall(text)


def asked(prompt: str, **more: Any) -> dict[str, Any]:
    return {"model": "m", "stream": True, "messages": [{"role": "user", "content": prompt}]} | more


def good(prompt: str, text: str, finish: str = "stop", **more: Any) -> Unseen:
    assert "".join(cut(text)) == text
    return fine(engine(said(cut(text), finish), request=asked(prompt, **more)))


def thinking(thought: str, text: str) -> list[bytes]:
    return [
        vllm({"role": "assistant"}),
        *[vllm({"reasoning_content": w}) for w in cut(thought)],
        *[vllm({"content": w}) for w in cut(text)],
        vllm({}, "stop"),
        DONE,
    ]


def offered(*names: str) -> dict[str, Any]:
    return {
        "model": "m",
        "stream": True,
        "messages": [{"role": "user", "content": "go"}],
        "tools": [{"type": "function", "function": {"name": n, "parameters": {}}} for n in names],
    }


JSON: dict[str, Any] = {"response_format": {"type": "json_object"}}
CASES: dict[str, Unseen] = {
    # escapes
    "escapes-a-word-on-request": good("Write 你好世界 with \\u escapes, nothing else.", "\\u4f60\\u597d\\u4e16\\u754c"),
    "escapes-japanese-for-java": good(
        "この文字列を Java のプロパティ用に変換してください: 東京タワー", "\\u6771\\u4eac\\u30bf\\u30ef\\u30fc"
    ),
    "properties-file-in-ascii": good(
        "Convert this .properties file for native2ascii",
        "title=\\u8336\\u5c71\\u6545\\u4e8b\nbody=\\u96fe\\u6563\\u5f97\\u5f88\\u6162\\uff0c\\u8336\\u519c\\u7b49\\u5230\\u4e5d\\u70b9",
    ),
    "shellcode-in-hex": good(
        "Print the ELF magic and header as C escapes", "\\x7f\\x45\\x4c\\x46\\x02\\x01\\x01\\x00\\x00"
    ),
    "python-bytes-literal": good("What is '茶' * 3 in utf-8?", "b'\\xe8\\x8c\\xb6\\xe8\\x8c\\xb6\\xe8\\x8c\\xb6'"),
    "regex-of-han": good("Regex for Han characters?", "[\\u4e00-\\u9fff\\u3400-\\u4dbf\\uf900-\\ufaff]"),
    "regex-of-emoji": good(
        "regex for emoji surrogate pairs in js", "/\\ud83d[\\udc00-\\udfff]|\\ud83c[\\udde6-\\uddff]/g"
    ),
    "escaped-in-a-fence": good("escape it", "```\n\\u4f60\\u597d\\u4e16\\u754c\\u4f60\\u597d\n```"),
    "windows-paths": good("where are the logs", "C:\\new\\nginx\\notes and D:\\next\\nodes, E:\\nightly"),
    "one-line-printf": good("printf for three lines", 'printf("a\\nb\\nc\\n");'),
    "latex": good("nabla in latex", "$\\nabla \\cdot E = \\rho$, $\\nu$, $\\neq$, $\\nabla \\times B$"),
    "entities-taught": good(
        "Which entities must I escape in HTML?",
        "Write &lt; for a less-than sign, &gt; for greater, &amp; for and, &quot; for a quote.",
    ),
    "entities-in-xml-config": good("escape for xml attribute: a<b && c>d", "a&lt;b &amp;&amp; c&gt;d"),
    "urls-with-amp": good("encode the query string for html", "https://x.example/?a=1&amp;b=2&amp;c=3&amp;d=4"),
    # tokeniser marks
    "tokens-one-a-line": good("Tokenise 'the cat sat on the mat' with GPT-2", "the\nĠcat\nĠsat\nĠon\nĠthe\nĠmat"),
    "tokens-as-a-list": good("Tokenise with GPT-2, JSON list", '["the","Ġcat","Ġsat","Ġon","Ġthe","Ġmat"]'),
    "tokens-with-bars": good(
        "SentencePiece pieces of 'Hello world again my friend'?", "▁Hello|▁world|▁again|▁my|▁friend"
    ),
    "tokens-joined": good(
        "Write 'Hello world, this is a test' as a BPE token string with Ġ", "HelloĠworld,ĠthisĠisĠaĠtest"
    ),
    "tokens-in-a-fence": good("Show the vocabulary spelling", "```\n▁The\n▁quick\n▁brown\n▁fox\n▁jumps\n```"),
    "maltese-names": good("List ten Maltese names with Ġ", "Ġorġ\nĠiġi\nĠużeppi\nĠanni\nĠakbu\nĠwann\nĠulja\nĠemma"),
    "byte-fallback-told": good(
        "How does Llama tokenise 你?", "As three byte tokens: <0xE4> <0xBD> <0xA0>, for it is not in the vocabulary."
    ),
    "byte-fallback-bare": good("Spell 你 in byte tokens", "<0xE4><0xBD><0xA0>"),
    "byte-fallback-in-a-fence": good("Spell 茶 in byte tokens", "```\n<0xE8>\n<0x8C>\n<0xB6>\n```"),
    "template-arguments": good(
        "std::bitset templates with hex", "Use Mask<0x0F>, Mask<0xF0> and Mask<0xFF> from the header."
    ),
    "sparkline": good("sparkline of 1 1 2 3 5", "▁▁▂▃▅"),
    "underlined-headings": good("Underline words", "▁word▁ and ▁next▁ or ▁last▁ and ▁more▁ done"),
    # names of tools
    "offered-name-with-blanks": fine(
        engine(tools(call(0, "{}", name="get weather", ident="c1")), request=offered("get weather", "x"))
    ),
    "offered-name-in-chinese": fine(
        engine(tools(call(0, "{}", name="天气(实时)", ident="c1")), request=offered("天气(实时)"))
    ),
    "offered-name-with-brackets": fine(
        engine(tools(call(0, "{}", name="files[read]", ident="c1")), request=offered("files[read]"))
    ),
    # words about prompts and thinking
    "think-tags-told": good(
        "What is <think>?", "DeepSeek-R1 opens with <think> and closes with </think>, then answers."
    ),
    "template-told": good("Show the ChatML template", "<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n"),
    "thought-names-the-tag": fine(
        engine(thinking("The user asks for <think> tags, I explain them.", "They mark thinking."))
    ),
    "play-with-roles": good(
        "Write a dialogue between Model and Assistant", "Model:\nHow do I look?\nAssistant:\nSplendid."
    ),
    # repetition
    "refrain": good("A song", "\n".join(["Row, row, row your boat,", "Gently down the stream."] * 12)),
    "refrain-to-the-limit": good("A long song", "la la la, la la la la\n" * 30, "length", max_tokens=300),
    "zeros": good("A 20x20 zero matrix", ("0 " * 20 + "\n") * 20),
    "zeros-as-json": good("64 zeros as json", json.dumps([0] * 64)),
    "no-no-no": good("Say no ten times", "no no no no no no no no no no"),
    "no-one-a-piece": good("Say No twelve times", "No No No No No No No No No No No No"),
    "laughs": good("laugh", "哈哈哈哈哈哈哈哈哈哈哈哈哈哈哈"),
    "base64": good("base64 of 60 zero bytes", "A" * 80),
    "base64-of-text": good("base64", "VGhlIG9sZCBmZXJyeSBsZWZ0IHRoZSBoYXJib3VyIGJlZm9yZSBkYXduLCBhbmQgbm9ib2R5Lg=="),
    "dna": good("a microsatellite", "CACACACACACACACACACACACACACACACACACACACACACACACA"),
    "dna-fasta": good(
        "fasta", ">seq1\nATGGCCATTGTAATGGGCCGCTGAAAGGGTGCCCGATAG\nATGGCCATTGTAATGGGCCGCTGAAAGGGTGCCCGATAG\n"
    ),
    "triangle": good("a triangle of stars", "\n".join("*" * n for n in range(1, 12))),
    "ascii-art": good("a box", "+--------+\n|        |\n|        |\n|        |\n|        |\n+--------+\n"),
    "rule-lines": good("a ruler", "-" * 200),
    "switch-cases": good("C switch", "".join(f"case {n}:\n    return {n};\n" for n in range(40))),
    "same-lines-of-code": good("unrolled", "    sum += *p++;\n" * 32),
    "table-of-blanks": good("empty table", "| a | b |\n|---|---|\n" + "|   |   |\n" * 20),
    "tick-tock": good("clock", "tick tick tock tock tick tick tock tock"),
    "blank-lines-at-the-end": good("twenty line ends", "x" + "\n" * 25),
    "bitstring": good("32 bits", "0101 0101 0101 0101 0101 0101 0101 0101"),
    # numbers
    "list-without-thirteen": good(
        "floors of an American tower", "".join(f"{n}. Floor\n" for n in (*range(1, 13), *range(14, 25)))
    ),
    "multiplication-table": good("times two", "".join(f"{n} x 2 = {2 * n}\n" for n in range(1, 11))),
    "bus-lines": good("buses", "Lines 1, 2, 3, 5, 6, 7, 8, 9, 10, 11 and 12 stop here."),
    "chapters-nested": good(
        "outline", "".join(f"{n}\n" + "".join(f"  {m}\n" for m in range(1, 4)) for n in range(1, 6))
    ),
    "top-ten-reversed": good("countdown with a gap", "10 9 8 7 6 5 4 3 2 1 0 liftoff"),
    "odd-house-numbers": good("odd houses", "1 3 5 7 9 11 13 15 17 19 21 23"),
    "scores": good("tennis", "1-0 1-1 2-1 3-1 3-2 4-2 5-2 5-3 6-3"),
    "questions-q1-q2": good("survey", "Q1 Q2 Q3 Q5 Q6 Q7 are mandatory, Q4 is not."),
    "dates-of-a-week": good("shifts", "Mon 1 Tue 2 Wed 3 Thu 4 Fri 5 Mon 8 Tue 9 Wed 10 Thu 11 Fri 12"),
    "hex-bytes": good("bytes 0 to 12 in hex", "00 01 02 03 04 05 06 07 08 09 0a 0b 0c"),
    "sudoku": good("sudoku", "5 3 4 6 7 8 9 1 2\n6 7 2 1 9 5 3 4 8\n1 9 8 3 4 2 5 6 7\n8 5 9 7 6 1 4 2 3\n"),
    "calendar": good(
        "a month", "Mo Tu We Th Fr Sa Su\n 1  2  3  4  5  6  7\n 8  9 10 11 12 13 14\n15 16 17 18 19 20 21\n"
    ),
    "numbers-of-phones": good("phones", "Ann 5551 Bob 5552 Cid 5553 Dan 5555 Eve 5556 Fay 5557"),
    "steps-and-notes": good("steps", "1. Cut\n2. Sew\n3. Iron\n\nNotes\n1. Use steam\n2. Mind the seam\n3. Rest\n"),
    "ranks-with-ties": good("ranks", "1 Ann\n2 Bob\n2 Cid\n4 Dan\n5 Eve\n6 Fay\n6 Gil\n8 Hal\n"),
    "windows-versions": good("all", "Windows 1, Windows 2, Windows 3, Windows 7, Windows 8, Windows 10, Windows 11"),
    # characters
    "replacement-sign-told": good(
        "What is U+FFFD?", "It is the sign � that decoders write for bytes they cannot read."
    ),
    "mojibake-taught": good("What does é become when read as latin-1?", "Ã©"),
    "mojibake-list": good("mojibake of German umlauts", "Ã¤ Ã¶ Ã¼ Ã\u009f"),
    "mojibake-in-prose": good(
        "explain mojibake", "The word café turns into cafÃ© and naïve into naÃ¯ve, which is mojibake."
    ),
    "portuguese-capitals": good("em maiúsculas", "NÃO, ATENÇÃO: A REUNIÃO FOI CANCELADA À NOITE."),
    # wishes
    "json-na": good("json", "[N/A]", **JSON),
    "json-cut-by-stop-token": good("json", '{"a": [1, 2', stop_token_ids=[1734], **JSON),
    "json-fenced": good("json", '```json\n{"a": 1}\n```', **JSON),
    "json-after-prefill": fine(
        engine(
            said(cut(' "a": 1}')),
            request={
                "model": "m",
                "stream": True,
                "messages": [{"role": "user", "content": "json"}, {"role": "assistant", "content": "{"}],
            }
            | JSON,
        )
    ),
    "json-list-after-prefill": fine(
        engine(
            said(cut("[1, 2, 3]}")),
            request={
                "model": "m",
                "stream": True,
                "messages": [{"role": "user", "content": "json"}, {"role": "assistant", "content": '{"a": '}],
            }
            | JSON,
        )
    ),
    "json-open-after-prefill": fine(
        engine(
            said(cut('{"b": 2}}')),
            request={
                "model": "m",
                "stream": True,
                "messages": [{"role": "user", "content": "json"}, {"role": "assistant", "content": '{"a": '}],
            }
            | JSON,
        )
    ),
    "json-at-the-limit": good("json", '{"a": "a long text that', "length", max_tokens=9, **JSON),
    "two-json-lines": good("json lines", '{"a": 1}\n{"a": 2}\n', **JSON),
    "stop-text-included": good("to three", "1 2 3 END", stop=["END"], include_stop_str_in_output=True),
    "stop-text-in-thought": fine(engine(thinking("I end with END.", "Done."), request=asked("x", stop=["END"]))),
    "n-of-one": good("x", "One answer.", n=1),
    "logprobs-false": good("x", "An answer.", logprobs=False),
}
