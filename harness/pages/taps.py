"""Inline taps: which ones run, and their exchanges as they come."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.defaultfilters import filesizeformat
from django.views.decorators.http import require_safe

from harness.report.text import duration
from harness.runs.tap_board import boards

SHOWN_TAPS, SHOWN = 12, 100  # taps and exchanges on the page
STATES = {"listening": "listening", "ended": "ended", "gone": "died without a word, last seen"}
Json = dict[str, Any]


@require_safe
def taps(request: HttpRequest) -> HttpResponse:
    """``/taps/``. ``taps``: what each is and has done; ``rows``: exchanges of all of them, the newest first."""
    news = boards()[:SHOWN_TAPS]
    many = len({one["listen"] for one in news}) > 1
    context = {
        "taps": [_tap(one) for one in news],
        "rows": _rows(news),
        "many": many,
        "live": any(one["state"] == "listening" for one in news),
        "data_dir": settings.DATA_DIR,
    }
    return render(request, "taps/page.html", context)


def _tap(news: Mapping[str, Any]) -> Json:
    told = {"ended": news.get("ended"), "gone": news.get("now")}.get(news["state"])
    share = news["used_bytes"] / news["most_bytes"]
    return {
        **news,
        "words": STATES[news["state"]],
        "since": _moment(news["since"]),
        "until": _moment(told) if told else None,
        "size": filesizeformat(news["bytes"]),
        "used": filesizeformat(news["used_bytes"]),
        "bound": filesizeformat(news["most_bytes"]),
        "full": share > 0.95 or news["kept"] >= news["most"],
    }


def _rows(news: Iterable[Mapping[str, Any]]) -> list[Json]:
    rows = []
    for one in news:
        # What was under way when a tap died will not go on.
        flying = one["in_flight"] if one["state"] == "listening" else []
        rows += [_flying(row) | {"tap": one["listen"]} for row in flying]
        rows += [_ended(row) | {"tap": one["listen"]} for row in one["rows"]]
    return sorted(rows, key=lambda row: row["at"], reverse=True)[:SHOWN]


def _flying(row: Mapping[str, Any]) -> Json:
    """Under way: ``waiting`` for its first byte, or ``streaming``."""
    silent = row["silent_ms"]
    quiet = f", silent for {duration(silent)}" if silent is not None and silent > 2000 else ""
    state = "waiting" if silent is None else "streaming"
    return {
        **row,
        "at": _moment(row["at"]),
        "flying": True,
        "state": f"{state} for {duration(row['ms'])}{quiet}",
        "size": filesizeformat(row["bytes"]),
        "ttft": "",
    }


def _ended(row: Mapping[str, Any]) -> Json:
    verdict = {"healthy": row["healthy"], "first_bad_hop": row["hop"], "symptom": row["symptom"]}
    state = row["outcome"] or row["end"]
    return {
        **row,
        "at": _moment(row["at"]),
        "state": f"{state} in {duration(row['ms'])}" if row["ms"] is not None else state,
        "size": filesizeformat(row["bytes"]),
        "ttft": "" if row["ttft_ms"] is None else duration(row["ttft_ms"]),
        "verdict": verdict if row["outcome"] else None,
    }


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
