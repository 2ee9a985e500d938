"""What the user said, so that an answer about marks, escapes or broken letters is not taken for a broken one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from harness.diagnose.view import View

SPELLING = re.compile(
    r"\\[ux]|escap|unicode|code ?point|utf-?8|ascii|hex|byte|token|vocab|\bbpe\b|sentencepiece"
    r"|转义|编码|字节|词元|分词|エスケープ|エンコード|バイト|トークン",
    re.I,
)
"""Prompts after which escapes, byte tokens and a tokeniser's marks may be the answer."""

BROKEN_LETTERS = re.compile(
    r"\ufffd|fffd|replacement char|mojibake|乱码|文字化け|latin-?1|windows-?1252|iso-?8859", re.I
)
"""Prompts after which broken letters may be the answer: they are in the prompt, or it asks about them."""

LOOKED_AT = 100_000  # characters of each text: pictures come as text, too


def speaks_of(view: View, matter: re.Pattern[str]) -> bool:
    """Whether anything that was said to the model, as far as the request was recorded, speaks of this."""
    return any(matter.search(text, 0, LOOKED_AT) for text in _told(view.asked))


def last_said(asked: dict[str, Any], role: str) -> str:
    """The last message when it is of this role, as text; else "" (of a user: the ``prompt`` of plain completions)."""
    messages = asked.get("messages")
    last = messages[-1] if isinstance(messages, list) and messages else {}
    if isinstance(last, dict) and last.get("role") == role:
        said = last.get("content")
    else:
        said = asked.get("prompt") if role == "user" else None
    return said if isinstance(said, str) else ""


def _told(asked: dict[str, Any]) -> Iterator[str]:
    """Every text of the messages, whole or in parts, in the shapes of the dialects."""
    held: list[Any] = [asked.get(name) for name in ("messages", "input", "prompt", "system", "instructions")]
    while held:
        value = held.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            held += value
        elif isinstance(value, dict):
            held += [value.get("content"), value.get("text")]
