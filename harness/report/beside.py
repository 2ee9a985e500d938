"""The figures of two runs side by side, hop by hop. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Any

from harness.report.text import duration

Key = tuple[str, str]
TIMES = {
    "TTFB": ("ttfb_ms",), "TTFT": ("ttft_ms",), "E2E": ("e2e_ms",),
    "ITL p50": ("itl_ms", "p50"), "ITL max": ("itl_ms", "max"),
}  # fmt: skip
COUNTS = ("events", "text_chars")
NAMES = ("outcome", *(name.replace("_", " ") for name in COUNTS), *TIMES)


def beside(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Of two answers (docs/formats.md) [{hop, tap, cells}], a cell for each of :data:`NAMES`.

    A cell is {a, b, change}: the medians over a run's rounds as text ("–" where there are none), and b less a.
    """
    a, b = _by_tap(one), _by_tap(other)
    return [{"hop": hop, "tap": tap, "cells": _cells(a.get((hop, tap)), b.get((hop, tap)))} for hop, tap in a | b]


def _by_tap(answer: Mapping[str, Any]) -> dict[Key, list[Mapping[str, Any]]]:
    found: dict[Key, list[Mapping[str, Any]]] = {}
    for row in answer["captures"]:
        found.setdefault((row["hop"], row["tap"]), []).append(row)
    return found


def _cells(a: list[Mapping[str, Any]] | None, b: list[Mapping[str, Any]] | None) -> list[dict[str, str]]:
    outcomes = [", ".join(dict.fromkeys(str(row["outcome"]) for row in rows)) if rows else "–" for rows in (a, b)]
    cells = [{"a": outcomes[0], "b": outcomes[1], "change": ""}]
    for name in COUNTS:
        cells.append(_cell(_median(a, (name,)), _median(b, (name,)), lambda number: f"{number:g}"))
    for path in TIMES.values():
        cells.append(_cell(_median(a, ("timing", *path)), _median(b, ("timing", *path)), duration))
    return cells


def _median(rows: list[Mapping[str, Any]] | None, path: Sequence[str]) -> float | None:
    values = [value for row in rows or [] if (value := _at(row, path)) is not None]
    return float(median(values)) if values else None


def _at(row: Any, path: Sequence[str]) -> float | None:
    for name in path:
        row = (row or {}).get(name)
    return row


def _cell(a: float | None, b: float | None, words: Callable[[float], str]) -> dict[str, str]:
    shown = {"a": "–" if a is None else words(a), "b": "–" if b is None else words(b)}
    if a is None or b is None or shown["a"] == shown["b"]:
        return shown | {"change": ""}
    return shown | {"change": ("+" if b > a else "−") + words(abs(b - a))}
