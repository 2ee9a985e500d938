"""Text in terminal columns: wide characters count two, control characters become visible."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence


def plain(text: str) -> str:
    """The text with what would steer a terminal made visible (a model's answer may hold escape codes)."""
    return "".join(
        c if c.isprintable() or c == " " else f"\\x{ord(c):02x}" if ord(c) < 256 else f"\\u{ord(c):04x}" for c in text
    )


def columns(text: str) -> int:
    """How many columns a terminal gives the text."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def pad(text: str, width: int, right: bool = False) -> str:
    space = " " * max(0, width - columns(text))
    return space + text if right else text + space


def fill(text: str, width: int, indent: str = "") -> list[str]:
    """Greedy wrapping to ``width`` columns; a word longer than a line stays whole, so that it can be copied."""
    lines, line = [], indent
    for spaced, word in _words(text):
        glue = " " if spaced and line != indent else ""
        if line != indent and columns(line + glue + word) > width:
            lines.append(line)
            line, glue = indent, ""
        line += glue + word
    return [*lines, line]


def table(head: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1, gap: str = "  ") -> list[str]:
    """Aligned lines, headings first; the first ``left`` columns flush left, figures flush right."""
    widths = [max(columns(row[i]) for row in (head, *rows)) for i in range(len(head))]
    return [
        gap.join(pad(cell, widths[i], right=i >= left) for i, cell in enumerate(row)).rstrip() for row in (head, *rows)
    ]


OPENS, CLOSES = "（《「『“‘", "。，；：、！？）》」』”’…"
"""Full-width signs after which, and before which, no line breaks."""


def _wide(char: str) -> bool:
    return unicodedata.east_asian_width(char) in "WF"


def _words(text: str) -> list[tuple[bool, str]]:
    """(whether a space came before it, word); a wide character is a word of its own, since lines may break there."""
    words: list[tuple[bool, str]] = []
    grows = spaced = False
    for char in text:
        if char.isspace():
            grows, spaced = False, True
            continue
        clings = bool(words) and not spaced and (char in CLOSES or words[-1][1][-1] in OPENS)
        if clings or (grows and not _wide(char)):
            words[-1] = (words[-1][0], words[-1][1] + char)
        else:
            words.append((spaced, char))
        grows, spaced = not _wide(char), False
    return words
