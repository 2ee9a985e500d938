"""What an engine's own token counts prove: continuous usage against the pieces, token ids against usage.

With continuous usage every chunk says how many tokens the answer has so far (vLLM ``continuous_usage_stats``, SGLang
likewise; each choice counts its own). The count grows with every piece, so a swap is a decrease, a double the same
count with the same text again, and a drop a jump past what the piece can hold.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import pairwise
from typing import Any, NamedTuple

from harness.diagnose.thresholds import COUNT_SHARE, COUNT_STEPS, USAGE_HABIT, USAGE_ROWS
from harness.diagnose.view import View

UNIT = re.compile(r"[^\W\d_]+|\d|[^\w\s]|_")
LEAP = 2.0  # × habit: a smaller leap may be one token that was held back


class Row(NamedTuple):
    """A piece that came with a count: its event, channel part, text, tokens so far, and tokens it says to hold."""

    event: int
    part: str
    text: str
    so_far: int
    own: int | None


class Proof(NamedTuple):
    """A fault that the counts prove: ``loss`` ``reorder`` ``duplicate``; ``sure`` when nothing else explains it,
    ``weak`` when one word of several tokens would explain it as well."""

    symptom: str
    events: list[int]
    figures: dict[str, Any]
    sure: bool
    weak: bool = False


def proofs(view: View) -> list[Proof]:
    """What the token counts of this stream prove, judged once a view; nothing when they prove nothing."""
    if "tokens" not in view.memo:
        view.memo["tokens"] = _proofs(view)
    found: list[Proof] = view.memo["tokens"]
    return found


def _proofs(view: View) -> list[Proof]:
    if len(view.content) < 3 or view.stream.wire not in ("openai", "other"):
        return []
    own = _own(view)
    found = []
    for choice in sorted(view.choices):
        found += _continuous(_rows(view, choice, own))
    return found or _total(view, own)


def _rows(view: View, choice: int, own: dict[int, int]) -> list[Row]:
    thought = any(key.part == "reasoning" for key in view.texts)
    counts = {
        usage.event: usage.completion - (0 if thought else usage.reasoning or 0)
        for usage in view.stream.usages
        if usage.completion is not None
    }
    if len(counts) < USAGE_ROWS:
        return []
    texts: dict[int, list[Any]] = {}
    for event, key, text in view.stream.deltas():
        if key.choice == choice and text:
            row = texts.setdefault(event, [key.part, ""])
            row[1] += text
    rows = [
        Row(event, part, text, counts[event], own.get(event))
        for event, (part, text) in texts.items()
        if event in counts
    ]
    return rows if len(rows) >= max(USAGE_ROWS, COUNT_SHARE * len(texts)) else []


def _continuous(rows: list[Row]) -> list[Proof]:
    once: dict[tuple[int, str, str], Row] = {}
    again = []
    for row in rows:
        key = (row.so_far, row.part, row.text)
        if key in once:
            again.append(row)
        once.setdefault(key, row)
    firsts = list(once.values())
    steps = [b.so_far - a.so_far for a, b in pairwise(firsts)]
    grows = sum(1 for step in steps if step > 0)
    if len(firsts) < USAGE_ROWS / 2 or grows < COUNT_STEPS * len(steps):
        return []
    if len({row.so_far for row in firsts}) < COUNT_SHARE * len(firsts):
        return []  # a count that is brought up to date now and then, or one for the whole stream
    found = []
    if again:
        found.append(Proof("duplicate", [row.event for row in again], {"repeats": len(again)}, True))
    top, late = firsts[0].so_far, []
    for row in firsts[1:]:
        if row.so_far < top:
            late.append(row)
        top = max(top, row.so_far)
    if late:
        figures = {"decreases": len(late), "counted": [row.so_far for row in late[:20]]}
        found.append(Proof("reorder", [row.event for row in late], figures, True))
    return found + _leaps(sorted(firsts, key=lambda row: row.so_far))


def _leaps(rows: list[Row]) -> list[Proof]:
    """Jumps of the count that the piece after them cannot hold, by its own ids or else by the stream's habit."""
    steps = [(b.so_far - a.so_far, a, b) for a, b in pairwise(rows) if b.so_far > a.so_far and a.part == b.part]
    said = [(step, b) for step, _, b in steps if b.own is not None]
    if len(said) >= COUNT_SHARE * len(steps) > 0:
        if sum(1 for step, b in said if step == b.own) < COUNT_SHARE * len(said):
            return []
        short = [(step - (b.own or 0), b.event) for step, b in said if step > (b.own or 0)]
        return [_lost(short, sure=True, by="token ids")] if short else []
    if len(steps) < USAGE_ROWS:
        return []
    habit, times = Counter(step for step, _, _ in steps).most_common(1)[0]
    usual = [b.text for step, _, b in steps if step == habit]
    if times < USAGE_HABIT * len(steps):
        return []
    known, lengths = set(usual), sorted(map(len, usual))
    wide = lengths[int(0.75 * (len(lengths) - 1))]
    proved, likely, open_to_doubt, merges = [], [], [], False
    for step, a, b in steps:
        if step < LEAP * habit or b.part.startswith("tool"):
            continue
        lost, single = (step - habit, b.event), habit > 1 or len(UNIT.findall(b.text)) <= 1
        if step > len(b.text.encode("utf-8", "replace")) + 1 or (b.text in known and b.text.isascii()):
            proved.append(lost)
        elif (a.text + b.text).isascii() and single and len(b.text) <= wide:
            likely.append(lost)
        elif (a.text + b.text).isascii() and single and len(b.text) < 2 * wide:
            open_to_doubt.append(lost)
        else:
            merges = True  # a piece that is as long as its tokens are many: this sender does merge
    if merges:
        likely, open_to_doubt = [], []
    if proved or likely:
        return [_lost(sorted(proved + likely + open_to_doubt, key=lambda row: row[1]), sure=False, by="habit")]
    return [_lost(open_to_doubt, sure=False, by="habit")._replace(weak=True)] if open_to_doubt else []


def _lost(short: list[tuple[int, int]], *, sure: bool, by: str) -> Proof:
    figures = {"tokens_missing": sum(tokens for tokens, _ in short), "leaps": len(short), "held_against": by}
    return Proof("loss", [event for _, event in short], figures, sure)


def _total(view: View, own: dict[int, int]) -> list[Proof]:
    """Token ids of all pieces against the usage at the end, where every piece bears ids."""
    made = max((usage.completion or 0 for usage in view.stream.usages), default=0)
    if not own or not made or not view.text_complete or not all(event in own for event in view.content):
        return []
    told = sum(own.values())
    last = [finish.event for finish in view.stream.finishes]
    ended = any(event in own and event not in view.content for event in last)  # the end mark is among the ids
    if made - told > (0 if ended else len(view.choices)):
        figures = {"tokens_missing": made - told, "held_against": "token ids", "completion_tokens": made}
        return [Proof("loss", [view.stream.usages[-1].event], figures, True)]
    if told > made:
        figures = {"repeats": told - made, "completion_tokens": made}
        return [Proof("duplicate", [view.stream.usages[-1].event], figures, False)]
    return []


def _own(view: View) -> dict[int, int]:
    """Event → tokens that it says to hold: its ``token_ids``, else the entries of its ``logprobs``."""
    body, stream = view.stream.body, view.stream
    if b'"token_ids"' not in body and not re.search(rb'"logprobs"\s*:\s*\{', body):
        return {}
    found: dict[int, int] = {}
    for event in range(len(stream)):
        raw = stream.raw(event)
        if b'"token_ids"' not in raw and b'"logprobs"' not in raw:
            continue
        try:
            parsed = json.loads(raw[raw.find(b"{") :])
        except ValueError:
            continue
        choices = parsed.get("choices") if isinstance(parsed, dict) else None
        held = [_held(choice) for choice in choices or [] if isinstance(choice, dict)]
        if held and None not in held:
            found[event] = sum(count or 0 for count in held)
    return found


def _held(choice: dict[str, Any]) -> int | None:
    ids, logprobs = choice.get("token_ids"), choice.get("logprobs")
    if isinstance(ids, list):
        return len(ids)
    rows = logprobs.get("content") if isinstance(logprobs, dict) else None
    return len(rows) if isinstance(rows, list) else None
