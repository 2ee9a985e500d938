"""Text that was decoded by a wrong charset: what it looks like, and what it was."""

from __future__ import annotations

import re
from collections import Counter

MOJIBAKE_SIGNS = 2  # characters beyond ASCII: one alone may be chance


def mojibake(text: str) -> str:
    """The text's UTF-8 read as if it were Windows-1252 or Latin-1."""
    if text.isascii():
        return "\0"
    try:
        return text.encode("utf-8").decode("cp1252")
    except (UnicodeDecodeError, UnicodeEncodeError):
        return text.encode("utf-8", "replace").decode("latin-1")


def unspoilt(text: str) -> str | None:
    """The text that :func:`mojibake` was made of; None when it was not, or when too little tells."""
    for charset in ("latin-1", "cp1252"):
        try:
            plain = text.encode(charset).decode("utf-8")
        except (UnicodeDecodeError, UnicodeEncodeError):
            continue
        if sum(1 for char in plain if not char.isascii()) >= MOJIBAKE_SIGNS:
            return plain
    return None


def spoils(text: str, told: str) -> bool:
    """Whether ``told`` has more signs of wrong decoding than ``text``, in place of characters that only a right one
    could read: a question mark said twice spoils nothing."""
    return _signs(told) > _signs(text) and any(not char.isascii() for char in Counter(text) - Counter(told))


def blind(text: str) -> str:
    """The ASCII letters and digits alone: what survives every wrong decoding."""
    return re.sub(r"[^A-Za-z0-9]", "", text) if not text.isascii() or "?" in text else text


def _signs(text: str) -> int:
    return text.count("\ufffd") + text.count("?") + len(re.findall(r"[ÃÂâ][\x80-¿€‚„…†‡ˆ‰‹Œ‘’“”•–—˜™›œ]", text))
