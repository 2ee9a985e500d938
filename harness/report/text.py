"""An answer as text for a terminal: verdict first, a table of hops, then each finding with cause and fix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.diagnose.answer import Answer, Finding, Verdict, worst_first
from harness.phrase import say, spoken, term, told
from harness.report.columns import columns, fill, pad, plain, table

MARKS = {"error": "✗", "warning": "!", "info": "·"}
COLOURS = {"error": "31", "warning": "33", "info": "36", "good": "32", "dim": "2", "bold": "1"}
HEADINGS = ("hop", "tap", "outcome", "events", "chars", "1st byte", "1st text", "end", "gap p50", "max gap")
SPARE = ("chars", "gap p50", "1st byte")  # left out, in this order, where the terminal is narrow


def render(answer: Answer, width: int = 80, colour: bool = False) -> str:
    """The whole answer in the language that is spoken, wrapped to ``width`` columns; ANSI colours only if asked for."""
    answer = answer.told(spoken.get())
    paint = _paint if colour else _leave
    parts = [_verdict(answer.verdict, width, paint)]
    if answer.captures:
        parts.append(_hops(answer.captures, answer.verdict.first_bad_hop, width, paint))
    parts += [_finding(finding, width, paint) for finding in worst_first(answer.findings)]
    return "\n\n".join(parts) + "\n"


def _verdict(verdict: Verdict, width: int, paint: Any) -> str:
    if verdict.healthy:
        title, tone = say("HEALTHY"), "good"
    elif verdict.healthy is None:
        title, tone = say("CANNOT TELL"), "warning"
    elif verdict.first_bad_hop is None:
        title, tone = say("FAULT: {symptom}, at which hop cannot be told", symptom=term(verdict.symptom or "")), "error"
    else:
        where = {"symptom": term(verdict.symptom or ""), "hop": plain(verdict.first_bad_hop)}
        title, tone = say("FAULT: {symptom} at {hop}", **where), "error"
    if verdict.healthy is False and verdict.confidence == "likely":
        title += say(" (likely)")
    lines = [paint(title, tone, "bold"), *fill(plain(verdict.summary), width, "  ")]
    if verdict.needs:
        lines += fill(say("To settle it: {needs}", needs=plain(verdict.needs)), width, "  ")
    return "\n".join(lines)


def _hops(captures: Sequence[Mapping[str, Any]], bad: str | None, width: int, paint: Any) -> str:
    """One line a capture; the first bad hop is marked."""
    repeats = any(row.get("repeat") is not None for row in captures)
    rows = []
    for row in captures:
        timing = row.get("timing") or {}
        gaps = timing.get("itl_ms") or {}
        name = plain(str(row.get("hop", ""))) + (
            f" #{row['repeat']}" if repeats and row.get("repeat") is not None else ""
        )
        rows.append(
            [
                ("✗ " if row.get("hop") == bad else "  ") + name,
                str(row.get("tap", "")),
                told(term(str(row.get("outcome", ""))), spoken.get()),
                _share(row.get("content_events"), row.get("events")),
                _count(row.get("text_chars")),
                *(duration(timing.get(key)) for key in ("ttfb_ms", "ttft_ms", "e2e_ms")),
                *(duration(gaps.get(key)) for key in ("p50", "max")),
            ]
        )
    lines = _fitted(rows, width)
    marked = [paint(lines[0], "dim")]
    marked += [paint(line, "error") if line.startswith("✗") else line for line in lines[1:]]
    return "\n".join(line.rstrip() for line in marked)


def _fitted(rows: list[list[str]], width: int) -> list[str]:
    """The table, without its least telling columns where it would be wider than ``width``."""
    left_out: list[str] = []
    for heading in (*SPARE, ""):
        kept = [at for at, name in enumerate(HEADINGS) if name not in left_out]
        head = ["  " * (at == 0) + told(term(HEADINGS[at]), spoken.get()) for at in kept]
        lines = table(head, [[row[at] for at in kept] for row in rows], left=3)
        if max(map(columns, lines)) <= width:
            break
        left_out.append(heading)
    return lines


def _finding(finding: Finding, width: int, paint: Any) -> str:
    where = heading(finding.severity, finding.code, finding.hop, finding.between)
    facts = [say("event {event}", event=finding.event)] if finding.event is not None else []
    facts += [say("at {time}", time=duration(finding.at_ms))] if finding.at_ms is not None else []
    facts += [say("repeat {repeat}", repeat=finding.repeat)] if finding.repeat is not None else []
    head, *more = fill(f"{MARKS.get(finding.severity, '·')} {where}", width - 2)
    lines = [paint(line, finding.severity, "bold") for line in (head, *("  " + line for line in more))]
    lines += fill(plain(finding.summary), width, "  ")
    shown = say("; ").join(facts + [_fact(key, fact) for key, fact in finding.evidence.items() if fact != ""])
    for label, text in ((say("evidence"), shown), (say("cause"), finding.cause), (say("fix"), finding.fix)):
        if text:
            lines += _labelled(label, text, width)
    return "\n".join(lines)


def heading(severity: str, code: str, hop: str, between: Sequence[str] | None) -> str:
    """Severity, code and hop of a finding in one line."""
    figures = {"severity": term(severity), "code": code, "hop": plain(hop)}
    if not between:
        return say("{severity} {code} at {hop}", **figures)
    inner, outer = map(plain, between)
    return say("{severity} {code} at {hop} (between {inner} and {outer})", **figures, inner=inner, outer=outer)


def _labelled(label: str, text: str, width: int) -> list[str]:
    """A labelled paragraph; text of several lines is a snippet to paste and keeps its lines."""
    head = pad(f"  {label}", 12)
    rows = text.strip("\n").split("\n")
    if len(rows) > 1:
        return [head + plain(rows[0]), *(" " * 12 + plain(row) for row in rows[1:])]
    wrapped = fill(plain(text), width, " " * 12)
    return [head + wrapped[0][12:], *wrapped[1:]]


def duration(ms: float | None) -> str:
    """Milliseconds as a person reads them: ``0.4 ms``, ``25 ms``, ``1.24 s``; ``–`` where there is none."""
    if ms is None:
        return "–"
    if abs(ms) >= 1000:
        return f"{ms / 1000:.2f} s" if abs(ms) < 100_000 else f"{ms / 1000:.0f} s"
    return f"{ms:.1f} ms" if abs(ms) < 10 else f"{ms:.0f} ms"


def _fact(key: str, fact: Any) -> str:
    name = fact_name(key)
    if key.endswith("_ms") and isinstance(fact, int | float) and not isinstance(fact, bool):
        return f"{name} {duration(fact)}"
    return f"{name} {_cut(value(fact))}"


def fact_name(key: str) -> str:
    """A figure's name as words; its name in the JSON where the language has no word for it."""
    words = plain(key.removesuffix("_ms").replace("_", " "))
    translate = spoken.get()
    said = translate(words)
    return plain(key) if translate is not str and said == words else said


def value(fact: Any) -> str:
    """One figure of evidence: floats short, lists and maps in brackets, text in quotes where it has spaces."""
    if isinstance(fact, bool) or fact is None:
        return {True: say("yes"), False: say("no"), None: "–"}[fact]
    if isinstance(fact, float):
        return f"{fact:.4g}" if abs(fact) < 1000 else f"{fact:.0f}"
    if isinstance(fact, Mapping):
        return "{" + ", ".join(f"{plain(str(key))}: {value(item)}" for key, item in fact.items()) + "}"
    if isinstance(fact, list | tuple):
        return "[" + ", ".join(map(value, fact)) + "]"
    text = plain(str(fact))
    return f"“{text}”" if " " in text or not text else text


def _cut(text: str, limit: int = 200) -> str:
    return text if len(text) <= limit else text[:limit] + "…"


def _share(part: Any, whole: Any) -> str:
    return "–" if whole is None else f"{whole}" if part is None else f"{part}/{whole}"


def _count(number: Any) -> str:
    return "–" if number is None else str(number)


def _paint(text: str, *tones: str) -> str:
    return "".join(f"\x1b[{COLOURS[tone]}m" for tone in tones) + text + "\x1b[0m"


def _leave(text: str, *tones: str) -> str:
    return text
