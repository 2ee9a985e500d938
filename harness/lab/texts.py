"""Deterministic answers: tokens of counting words, English, Chinese, code or emoji, by kind, count and seed."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

_ENGLISH = (
    "a stream is a promise kept one word at a time . when every layer hands on what it got the reader sees an even "
    "flow of text . when one of them waits gathers or drops the reader sees it at once but cannot say where it "
    "began . an instrument that stamps each hop can"
)
_CHINESE = (
    "流式输出把答案一个字一个字地送到读者眼前。只要有一层停顿、合并或丢失，读者马上就能看出来，却说不出是哪一层。"
)
_EMOJI = ("🙂", "🚀", "👩‍💻", "🇨🇳", "👍🏽", "🧪", "📈", "🌊", "é", "𝄞", "❤️", "漢")
_CODE = (
    "def ", "fib", "(n", "): ", "\n    ", "a, b", " = ", "0, ", "1", "\n    ", "for ", "_ in ", "range", "(n):",
    "\n        ", "a, b", " = ", "b, a", " + b", "\n    ", "return ", "a", "\n\n\n",
)  # fmt: skip
_HTML = (
    "Look: ", "<img src=x", " onerror=", "\"document.title=", "'owned'\">", " and ", "<script>", "document.title=",
    "'owned'", "</script>", " <b>bold</b>", " &amp; ", "done.",
)  # fmt: skip


def counting(count: int, rng: random.Random, prompt: str) -> list[str]:
    """``t1 t2 t3 …``: the words number themselves, so that order and loss show without a reference."""
    return ["t1", *(f" t{i}" for i in range(2, count + 1))][:count]


def english(count: int, rng: random.Random, prompt: str) -> list[str]:
    known = _ENGLISH.split()
    start = rng.randrange(len(known))
    words = [known[(start + i) % len(known)] for i in range(count)]
    return [w if i == 0 or w == "." else f" {w}" for i, w in enumerate(words)]


def chinese(count: int, rng: random.Random, prompt: str) -> list[str]:
    start = rng.randrange(len(_CHINESE))
    return [_CHINESE[(start + i) % len(_CHINESE)] for i in range(count)]


def code(count: int, rng: random.Random, prompt: str) -> list[str]:
    return [_CODE[i % len(_CODE)] for i in range(count)]


def emoji(count: int, rng: random.Random, prompt: str) -> list[str]:
    return [rng.choice(_EMOJI) for _ in range(count)]


def html(count: int, rng: random.Random, prompt: str) -> list[str]:
    """Markup that must be shown as text."""
    return [_HTML[i % len(_HTML)] for i in range(count)]


def echo(count: int, rng: random.Random, prompt: str) -> list[str]:
    """The prompt's own words, over and over, so that two chats can be told apart."""
    pieces = re.findall(r"\S+\s*", prompt) or ["nothing "]
    return [pieces[i % len(pieces)] if pieces[i % len(pieces)][-1:].isspace() else f"{pieces[i % len(pieces)]} "
            for i in range(count)]  # fmt: skip


TEXTS: dict[str, Callable[[int, random.Random, str], list[str]]] = {
    "counting": counting, "english": english, "chinese": chinese, "code": code, "emoji": emoji, "html": html,
    "echo": echo,
}  # fmt: skip
