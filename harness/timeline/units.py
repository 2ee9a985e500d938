"""What texts are aligned by: pieces as they were sent, or words."""

from __future__ import annotations

import re
from collections.abc import Sequence

WORD = re.compile(r"\s*(?:[A-Za-z0-9_À-ɏͰ-ԯ'’-]+|\S)|\s+$")


class Units:
    """A text cut into units, with the offset before each and the end."""

    def __init__(self, text: str, cuts: Sequence[int]) -> None:
        self.at = [0, *cuts]
        self.parts = [text[i:j] for i, j in zip(self.at, self.at[1:], strict=False)]

    def __len__(self) -> int:
        return len(self.parts)


def word_ends(text: str) -> list[int]:
    """Where words end: blanks go with the word after them; signs and CJK characters stand alone."""
    ends = [match.end() for match in WORD.finditer(text)]
    if not ends or ends[-1] != len(text):
        ends.append(len(text))
    return ends
