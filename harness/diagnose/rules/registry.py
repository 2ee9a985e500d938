"""All rules, in the order in which their findings are told. A new symptom: write its file, name it here."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from harness.diagnose.answer import Finding
from harness.diagnose.pair import Pair
from harness.diagnose.rules import (
    aborted,
    asked,
    blocks,
    burst,
    calls,
    changes,
    content,
    counted,
    duplicate,
    encoding,
    error,
    first_byte,
    headers,
    interleave,
    leaks,
    loss,
    malformed,
    malformed_ends,
    marks,
    not_cancelled,
    not_http,
    not_streamed,
    odds,
    rambling,
    reorder,
    reset,
    rewrite,
    rhythm,
    stall,
    stamps,
    thinking,
    tokens,
    truncation,
    unread,
    upstream,
)
from harness.diagnose.view import View

ALONE: tuple[Callable[[View], Iterable[Finding]], ...] = (
    error.alone, reset.alone, truncation.alone, not_http.alone, not_streamed.alone, interleave.alone, counted.alone,
    duplicate.alone, loss.alone, calls.alone, tokens.alone, marks.alone, blocks.alone, encoding.alone,
    malformed.alone, malformed_ends.alone, content.alone, asked.alone, odds.alone, rambling.alone, leaks.alone,
    thinking.alone, upstream.alone, headers.alone, burst.alone, stall.alone, first_byte.alone, aborted.alone,
    stamps.alone,
)  # fmt: skip
"""Rules for one capture."""

BETWEEN: tuple[Callable[[Pair], Iterable[Finding]], ...] = (
    error.between, not_streamed.between, truncation.between, not_cancelled.between, interleave.between,
    interleave.mixed, duplicate.between, calls.between, reorder.between,
    loss.between, unread.between, encoding.between, rewrite.between, changes.between, content.between, headers.between,
    burst.between, rhythm.between, stall.between, first_byte.between,
)  # fmt: skip
"""Rules for a hop and the one behind it."""
