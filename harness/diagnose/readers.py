"""Models of common readers of a stream, in our own words: what each would show for these reads.

A model takes the reads (bytes, one a socket read) and gives the text of the answer as its user would see it, and a
note when it would fail. They differ in how they cut the bytes: at blank lines, at lines (of the standard, or of a
language's own idea of a line), read by read; in what they take for an event; and in when they stop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from harness.diagnose.libraries import aiohttp_lines, fetch_event_source, httpx_sse, openai_sdk, sseclient
from harness.diagnose.shown import Seen, dispatched, show
from harness.phrase import Phrase, phrase

SCANNER = 64 * 1024

Reader = Callable[[Sequence[bytes]], Seen]


def _data_lines(lines: Iterable[str], prefix: str = "data: ") -> Iterator[str]:
    return (line[len(prefix) :] for line in lines if line.startswith(prefix))


def standard(reads: Sequence[bytes]) -> Seen:
    return show(dispatched(b"".join(reads)))


def blank_lines(reads: Sequence[bytes]) -> Seen:
    """Collects text and splits at an empty line of two LFs; takes the first line with ``data:`` of each part."""
    parts = b"".join(reads).decode("utf-8", "replace").split("\n\n")[:-1]
    return show((part[5:].strip() for part in parts if part.startswith("data:")), strict=True)


def unicode_lines(reads: Sequence[bytes]) -> Seen:
    """Python's ``splitlines``: lines end at U+2028, U+0085, form feeds too."""
    lines = b"".join(reads).decode("utf-8", "replace").splitlines()
    return show((line[5:].strip() for line in lines if line.startswith("data:")), strict=True)


def read_by_read(reads: Sequence[bytes]) -> Seen:
    """Takes each read for whole lines and skips what does not parse."""
    lines = (line for read in reads for line in read.decode("utf-8", "replace").split("\n"))
    return show((line[5:].strip() for line in lines if line.startswith("data:")), strict=False)


def decoded_by_read(reads: Sequence[bytes]) -> Seen:
    """Decodes each read on its own, then parses the joined text."""
    return show(dispatched("".join(read.decode("utf-8", "replace") for read in reads).encode()))


def line_scanner(reads: Sequence[bytes]) -> Seen:
    """A 64 KiB line scanner that wants ``data: `` with its space; a longer line ends it without a word."""
    lines = []
    for line in b"".join(reads).split(b"\n"):
        if len(line) > SCANNER:
            break
        lines.append(line.decode("utf-8", "replace").rstrip("\r"))
    return show(_data_lines(lines), strict=False)


def every_choice(reads: Sequence[bytes]) -> Seen:
    return show(dispatched(b"".join(reads)), every_choice=True)


def until_finish(reads: Sequence[bytes]) -> Seen:
    return show(dispatched(b"".join(reads)), stop_at_finish=True)


def past_done(reads: Sequence[bytes]) -> Seen:
    return show(dispatched(b"".join(reads)), past_done=True)


READERS: dict[str, Reader] = {
    "splits at blank lines (\\n\\n)": blank_lines,
    "splits lines as Python does (httpx iter_lines)": unicode_lines,
    "parses read by read": read_by_read,
    "decodes read by read": decoded_by_read,
    "scans lines up to 64 KiB, wants 'data: ' (one-api)": line_scanner,
    "is the openai SDK for Python": openai_sdk,
    "is httpx-sse": httpx_sse,
    "is sseclient-py": sseclient,
    "is fetch-event-source": fetch_event_source,
    "reads lines with aiohttp": aiohttp_lines,
    "ignores the choice index": every_choice,
    "stops at finish_reason": until_finish,
    "reads on after [DONE]": past_done,
}


def differences(reads: Sequence[bytes]) -> dict[str, dict[str, Any]]:
    """Readers that would show another text than the standard one: what happens, and its figures in characters."""
    truth = standard(reads)
    told: dict[str, dict[str, Any]] = {}
    for name, reader in READERS.items():
        seen = reader(reads)
        if seen.text != truth.text or bool(seen.failure) != bool(truth.failure):
            told[name] = {
                "does": _does(seen, truth),
                "shown_chars": len(seen.text),
                "true_chars": len(truth.text),
                "lost": max(0, len(truth.text) - len(seen.text)),
                "failure": seen.failure[:120],
            }
    return told


def _does(seen: Seen, truth: Seen) -> Phrase:
    """``fails after 12 of 40 characters``, ``garbles …``, ``loses 8 of 40``, ``shows 8 characters too many``."""
    total, shown = len(truth.text), len(seen.text)
    if seen.failure and not truth.failure:
        if shown < total:
            return phrase("fails after {shown} of {total} characters", shown=shown, total=total)
        return phrase("fails at the end")
    strange = seen.text.count("\ufffd") - truth.text.count("\ufffd")
    if strange > 0:
        return phrase("garbles the text ({strange} × U+FFFD)", strange=strange)
    if not seen.text and total:
        return phrase("shows nothing")
    if shown < total:
        return phrase("loses {lost} of {total} characters", lost=total - shown, total=total)
    if shown > total:
        return phrase("shows {more} characters too many", more=shown - total)
    return phrase("shows another text")
