"""Lend bytes between the taps of one exchange: some taps only stamp what another one holds."""

from __future__ import annotations

from collections.abc import Sequence

from harness.capture.model import Capture
from harness.errors import CaptureError


def check_shared(captures: Sequence[Capture]) -> None:
    """Refuse stamps beyond the bytes that another capture holds to its end. Raises CaptureError naming the tap."""
    for capture, lent in zip(captures, resolve_shared(captures), strict=True):
        if capture.body is not None or lent.body is None or not capture.ends or capture.ends[-1] == len(lent.body):
            continue
        whole = any(c.body is not None and c.body[: len(lent.body)] == lent.body and _ended(c) for c in captures)
        if whole:
            what = f'expected "upto" to be at most {len(lent.body)}, the bytes of the capture beside it, found '
            where = f"{capture.hop} ({capture.tap})"
            raise CaptureError(f"{what}{capture.ends[-1]}", where, "Name the capture of the same exchange")


def _ended(capture: Capture) -> bool:
    """Whether it was recorded to its end: one that died may hold less than what was seen of it elsewhere."""
    return capture.end is not None and capture.end.kind != "open"


def resolve_shared(captures: Sequence[Capture]) -> list[Capture]:
    """The captures in their order, each one that only stamps (body None) over the bytes of its lender.

    A lender holds bytes itself and saw the same exchange (same ``exchange`` id where both tell one, same
    ``repeat``). The nearest one before it in the list (that is, further in) is taken, else the nearest after;
    one that holds at least as many bytes as were stamped goes before a shorter one. Without any, the capture
    stays as it is: stamps without bytes.
    """
    return [c if c.body is not None else _lend(captures, index) for index, c in enumerate(captures)]


def _lend(captures: Sequence[Capture], index: int) -> Capture:
    borrower = captures[index]
    need = borrower.ends[-1] if borrower.ends else 0
    lenders = [
        (len(body) < need, at > index, abs(at - index), body)
        for at, c in enumerate(captures)
        if (body := c.body) is not None and _same_exchange(borrower, c) and _same_bytes(borrower, c)
    ]
    if not lenders:
        return borrower
    body = min(lenders, key=lambda lender: lender[:3])[3]
    return borrower.with_body(body)


def _same_exchange(a: Capture, b: Capture) -> bool:
    if a.repeat != b.repeat:
        return False
    return a.exchange == b.exchange if a.exchange and b.exchange else True


def _same_bytes(a: Capture, b: Capture) -> bool:
    """Whether offsets mean the same: a browser counts decoded bytes, which a coded body does not hold."""
    coded = any(c.head is not None and c.head.get("content-encoding", "identity") != "identity" for c in (a, b))
    return a.content_decoded == b.content_decoded or not coded
