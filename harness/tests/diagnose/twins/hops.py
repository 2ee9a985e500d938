"""How a faithful hop hands on: in its own headers, its own spelling and its own coding, a little later."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace

from harness.tests.diagnose.twins.tape import Row, Tape
from harness.tests.diagnose.twins.voice import said, tallied

IDENT = rb'("id"\s*:\s*")((?:chatcmpl|cmpl)-[^"]*)(")'


def later(rows: Sequence[Row], seed: int = 1, least: float = 1.5, most: float = 3.5) -> list[Row]:
    """Each read a little later, what came together still together, never backwards."""
    rng = random.Random(seed)
    out: list[Row] = []
    before, last = None, 0.0
    for row in rows:
        if row.t != before:
            before, last = row.t, max(last + 0.01, row.t + rng.uniform(least, most))
        out.append(row.at(last))
    return out


def handed_on(inner: Tape, like: Tape, *, anew: bool = False, donor: Tape | None = None, sick: bool = False) -> Tape:
    """``inner`` as the hop of ``like`` gives it out. ``anew``: in that hop's own events (those of ``donor`` where its
    own are not whole). ``sick``: with its own end, and what it adds after the last word, as in the case."""
    rows = later(inner.rows, len(like.hop))
    if anew:
        rows = _anew(rows, donor if donor and not sick else like)
    elif (
        not sick and inner.rows and inner.rows[0].data[:1] != b"{" and not any(row.kind == "mark" for row in inner.rows)
    ):
        own = [row for row in like.rows if row.kind == "mark" and rows[0].t < row.t < rows[-1].t]
        rows = sorted([*rows, *own], key=lambda row: row.t)
    last = rows[-1].t if rows else inner.last_ms()
    end = replace(like.end if sick else inner.end, t=max(inner.end.t, last) + 0.8)
    return replace(like, rows=tuple(rows), end=end)


def _anew(rows: Sequence[Row], voice: Tape) -> list[Row]:
    """The inner words in the hop's events; what it says before and after them is the hop's own."""
    spoken = voice.spoken()
    if not spoken:
        return list(rows)
    before, after = voice.rows[: spoken[0]], voice.rows[spoken[-1] + 1 :]
    words = [row for row in rows if row.said]
    ours = [voice.rows[i] for i in spoken]
    mine = [row for row in ours if row.key == ours[0].key]
    out = [row.at(words[0].t) for row in before]
    seen: set[tuple[int, str]] = set()
    for row in words:
        like_it = [other for other in ours if other.key == row.key] or mine
        if row.kind == "tool":  # the first fragment bears the name, the others do not
            template = like_it[-1] if row.key in seen else like_it[0]
        else:
            template = next((other for other in like_it if len(other.text.strip()) > 1), like_it[-1])
        seen.add(row.key)
        out.append(replace(said(template, row.text), t=row.t, key=row.key))
    last, more = rows[-1].t, len(words) - len(spoken)
    out += [replace(row, t=last + 0.1 * n, data=tallied(row.data, more)) for n, row in enumerate(after)]
    return identified(out, rows)


def identified(out: list[Row], rows: Sequence[Row]) -> list[Row]:
    """A donor's id gives way to the one of this exchange."""
    own = next((hit.group(2) for row in rows if (hit := re.search(IDENT, row.data))), None)
    if own is None:
        return out
    return [replace(row, data=re.sub(IDENT, lambda hit: hit.group(1) + own + hit.group(3), row.data)) for row in out]
