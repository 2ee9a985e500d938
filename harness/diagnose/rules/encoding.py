"""encoding: characters that were broken on the way: U+FFFD, wrong decoding, halves of pairs, broken content coding."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from harness.diagnose.answer import Finding
from harness.diagnose.charset import mojibake, unspoilt
from harness.diagnose.damage import clip, damages
from harness.diagnose.fault import Fault
from harness.diagnose.meant import BROKEN_LETTERS, speaks_of
from harness.diagnose.pair import Pair
from harness.diagnose.view import View
from harness.phrase import phrase

REPLACED = Fault(
    "encoding.replacement",
    "U+FFFD stands in the text at {events} events (first {event_no}): characters were destroyed before they were sent.",
    "It is valid UTF-8 (or an escape) on this wire, so no decoder behind this tap made it: an incomplete "
    "character was decoded piece by piece here or further in.",
    "Hold incomplete byte sequences back until the character is whole (incremental decoder); compare with a "
    "non-streamed run.",
)
INVALID = Fault(
    "encoding.utf8",
    "Bytes that are not UTF-8 at event {event_no}: {detail}.",
    "A character was cut or re-coded at this hop.",
    "Cut streams between characters, or keep the rest for the next piece; send UTF-8 only.",
)
LONE = Fault(
    "encoding.surrogate-lost",
    "A lone half of a surrogate pair at event {event_no}: the character is lost.",
    "The text was split inside a UTF-16 pair and the other half never came.",
    "Hold a trailing high surrogate back until its low half comes.",
)
SPLIT = Fault(
    "encoding.surrogate-split",
    "A surrogate pair is split over two pieces at event {event_no}: readers that join as UTF-16 repair it, "
    "hops that re-encode to UTF-8 destroy it.",
    "The hop cuts text by UTF-16 units.",
    "Hold a trailing high surrogate back until its low half comes.",
)
MEMBERS = Fault(
    "encoding.gzip-members",
    "The body is {members} gzip members in a row: legal (RFC 1952), but browsers, curl and httpx show the first alone.",
    "Each chunk is compressed as a file of its own (Django's GZipMiddleware over an async stream).",
    "Keep compression off the stream's route (set Content-Encoding on it, or leave the middleware out).",
)
CODING = Fault(
    "encoding.content-coding",
    "The content coding is broken: {detail}.",
    "The header names a coding that the bytes do not have, or the coded body is cut.",
    "Send the header only with coded bytes; keep compression off event streams.",
)
MOJIBAKE = Fault(
    "encoding.mojibake",
    "The text is UTF-8 that was read as a one-byte charset, first at event {event_no}: {piece}.",
    "Every character beyond ASCII is the Latin-1 or Windows-1252 look of UTF-8 bytes: decoded wrongly before this tap.",
    "Decode with UTF-8 (response.encoding, charset=utf-8) where the hop reads the answer of the hop behind.",
)
WRONG = Fault(
    "encoding.wrong-charset",
    "{hop} spoils {spoilt} characters that are whole at {hop_inner}, first {first_piece}.",
    "{how}",
    "Decode with UTF-8 over the whole stream (one incremental decoder), never chunk by chunk or with the "
    "platform's default.",
)


def alone(view: View) -> Iterator[Finding]:
    faults = view.stream.faults
    replaced = [fault for fault in faults if fault.code == "replacement"]
    if replaced:
        event = replaced[0].event
        severity = "warning" if speaks_of(view, BROKEN_LETTERS) else "error"
        yield REPLACED.found(view, severity, event=event, events=len(replaced), words={"event_no": event})
    invalid = [fault for fault in faults if fault.code == "utf8"]
    if invalid and not _cut_tail(view, invalid[0].offset):
        event = invalid[0].event
        yield INVALID.found(
            view, "error", event=event, words={"event_no": event}, detail=invalid[0].detail, faults=len(invalid)
        )
    lone = [fault for fault in faults if fault.code == "surrogate"]
    if lone:
        whole = not any("�" in text.text for text in view.texts.values())
        fault = SPLIT if whole else LONE
        yield fault.found(
            view,
            "warning" if whole else "error",
            event=lone[0].event,
            faults=len(lone),
            words={"event_no": lone[0].event},
        )
    yield from _mojibake(view)
    members = _members(view)
    if members > 1:
        yield MEMBERS.found(view, "warning", event=0 if len(view.stream) else None, members=members)
    broken = [fault for fault in faults if fault.code in ("coding", "bomb")]
    if broken and view.end == "complete":
        whole = view.text_complete and view.terminated  # a coder that was flushed and never closed
        yield CODING.found(view, "warning" if whole else "error", detail=broken[0].detail)


def between(pair: Pair) -> Iterator[Finding]:
    for damage in damages(pair):
        if damage.kind == "encoding":
            a, b = damage.alignment.inner, damage.alignment.outer
            first = damage.edits[0]
            how = (
                phrase("UTF-8 was read as a one-byte charset.")
                if b == mojibake(a)
                else phrase(
                    "Characters were replaced: a decoder was used on each chunk alone, or one that knows no UTF-8."
                )
            )
            yield WRONG.found(
                pair.outer,
                "error",
                inner=pair.inner,
                event=pair.outer.texts[damage.key].event_at(first.b),
                spoilt=len(damage.edits),
                first_piece=damage.samples()[0],
                words={"how": how},
            )


def _mojibake(view: View) -> Iterator[Finding]:
    """A channel whose whole text turns into other valid UTF-8 when its characters are taken for bytes again."""
    for text in view.texts.values():
        if text.text.isascii() or unspoilt(text.text) is None:
            continue
        at = next(i for i, char in enumerate(text.text) if not char.isascii())
        event = text.event_at(at)
        severity, piece = "warning" if speaks_of(view, BROKEN_LETTERS) else "error", clip(text.text[at : at + 24])
        yield MOJIBAKE.found(view, severity, event=event, words={"event_no": event}, piece=piece)
        return


def _cut_tail(view: View, offset: int) -> bool:
    """Whether the invalid bytes are only the rest of a body that was cut anyway."""
    return view.end != "complete" and offset >= len(view.stream.body) - max(4, len(view.stream.tail))


def _members(view: View) -> int:
    """How many gzip members the coded body holds; counting stops at 50."""
    body = view.capture.body or b""
    if "gzip" not in view.header("content-encoding") or view.capture.content_decoded or body[:2] != b"\x1f\x8b":
        return 0
    count = 0
    while body[:2] == b"\x1f\x8b" and count < 50:
        inflater = zlib.decompressobj(31)
        try:
            inflater.decompress(body)
        except zlib.error:
            break
        count += 1
        body = inflater.unused_data
    return count
