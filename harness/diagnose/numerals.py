"""Numbers as answers count them: digits (with a stem before them), English words, Chinese numerals."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

# Begun only where a run of letters begins, and never given back: else a long run without digits costs its square.
# A digit before a last letter a-f (0a, 3f, 2b) is half of a hexadecimal number, or a part of a place.
NUMBERED = re.compile(r"(?<![^\W\d_])([^\W\d_]*+)(\d++)(?![a-fA-F]\b)")
WORD = re.compile(r"[^\W_]+")
_NAMES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
UNITS = {name: value for value, name in enumerate(_NAMES.split())}
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
TENS = {name: 10 * value for value, name in enumerate(_TENS.split(), 2)}
HAN = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
HAN_RUN = re.compile("[零〇一二两三四五六七八九十百]+")


class Number(NamedTuple):
    """A number of the text: its value, the place after it, and the exact stem that digits bear (``t`` in ``t12``)."""

    value: int
    end: int
    stem: str = ""


def numbers(text: str, share: float, least: int) -> list[Number]:
    """The numbers of a text that is nearly all numbers of one kind (``share`` of its words, ``least`` words); else
    nothing."""
    words = WORD.findall(text[:4000])
    if len(words) < least and not HAN_RUN.search(text[:200]):
        return []
    if sum(1 for word in words if NUMBERED.search(word)) >= share * len(words) > 0:
        return _digits(text, len(words), share, least)
    if any(word.lower() in UNITS or word.lower() in TENS for word in words[: 2 * least]):
        known = sum(1 for word in words if word.lower() in UNITS or word.lower() in TENS or word.lower() in _LINKS)
        return _english(text) if known >= share * len(words) else []
    letters = sum(map(len, words))
    han = sum(len(run) for run in HAN_RUN.findall(text[:4000]))
    return _chinese(text) if han >= share * letters > 0 else []


def _digits(text: str, words: int, share: float, least: int) -> list[Number]:
    hits = list(NUMBERED.finditer(text))
    stem = Counter(hit.group(1).lower() for hit in hits).most_common(1)[0][0]
    hits = [hit for hit in hits if hit.group(1).lower() == stem and len(hit.group(2)) <= 9]
    if len(hits) < share * words and len(hits) < least:
        return []
    return [Number(int(hit.group(2)), hit.end(), hit.group(1)) for hit in hits]


_LINKS = frozenset({"hundred", "and"})


def _english(text: str) -> list[Number]:
    """``twenty-one``, ``one hundred and five``; a number ends where the next word cannot belong to it."""
    found: list[Number] = []
    value, end, open_to = -1, 0, 0  # open_to: what may still be added is below this
    for hit in WORD.finditer(text):
        word, gap = hit.group().lower(), text[end : hit.start()]
        near = value >= 0 and gap in (" ", "-")
        step = UNITS.get(word, TENS.get(word))
        if word == "hundred" and near and 0 < value < 10:
            value, open_to = 100 * value, 100
        elif word == "and" and near and open_to == 100:
            end = hit.end()
            continue
        elif step is not None and near and 0 < step < open_to and (open_to == 100 or gap == "-" or step < 10):
            value, open_to = value + step, 10 if word in TENS else 0
        elif step is not None:
            if value >= 0:
                found.append(Number(value, end))
            value, open_to = step, 10 if word in TENS else 0
        else:
            continue
        end = hit.end()
    return [*found, Number(value, end)] if value >= 0 else found


def _chinese(text: str) -> list[Number]:
    """Numerals that stand alone, or one after another with nothing between: then the next in turn is looked for."""
    found: list[Number] = []
    for run in HAN_RUN.finditer(text):
        at, signs = 0, run.group()
        while at < len(signs):
            after = found[-1].value + 1 if found else 1
            size = next((n for n in range(7, 0, -1) if han(signs[at : at + n]) == after and at + n <= len(signs)), 0)
            size = size or next((n for n in range(7, 0, -1) if han(signs[at : at + n]) is not None), 1)
            size = min(size, len(signs) - at)
            found.append(Number(han(signs[at : at + size]) or 0, run.start() + at + size))
            at += size
    return found


def han(text: str) -> int | None:
    """A Chinese numeral up to 999 (``十二``, ``一百零五``); None when the signs are not one number."""
    total, digit, last = 0, -1, 1000
    for char in text:
        if char in HAN:
            if digit > 0:
                return None
            digit = HAN[char]
            continue
        unit = 100 if char == "百" else 10
        if unit >= last:
            return None
        total += (digit if digit > 0 else 1) * unit
        digit, last = -1, unit
    return total + max(digit, 0)


def number(word: str) -> int | None:
    """One number as a prompt writes it: ``50``, ``fifty``, ``五十``; None when it is none."""
    if word.isdigit():
        return int(word) if len(word) <= 9 else None
    if HAN_RUN.fullmatch(word):
        return han(word)
    found = _english(word.lower())
    return found[-1].value if found else None
