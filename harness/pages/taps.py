"""Inline taps: which ones run, and their exchanges as they come."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from hashlib import sha256
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
    """``/taps/``. ``taps``: what each is and has done; ``rows``: exchanges of all of them, the newest first.

    The page asks each second for what is new since ``?seen=``; where nothing is, it is left alone (204).
    """
    news = boards()[:SHOWN_TAPS]
    mark = _mark(news)
    if request.GET.get("seen") == mark:
        return HttpResponse(status=204)
    many = len({one["listen"] for one in news}) > 1
    context = {
        "taps": [_tap(one) for one in news],
        "rows": _rows(news),
        "many": many,
        "mark": mark,
        "live": any(one["state"] == "listening" for one in news),
        "data_dir": settings.DATA_DIR,
    }
    return render(request, "taps/page.html", context)


def _mark(news: Iterable[Mapping[str, Any]]) -> str:
    """Another one when there is something else to show."""
    shown = [{name: value for name, value in one.items() if name != "now"} for one in news]
    return sha256(json.dumps(shown, sort_keys=True).encode()).hexdigest()[:16]


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
    rows: list[Json] = []
    for one in news:
        # What was under way when a tap died will not go on.
        flying = one["in_flight"] if one["state"] == "listening" else []
        rows += [_flying(row) | {"tap": one["listen"]} for row in flying]
        rows += [_ended(row) | {"tap": one["listen"]} for row in one["rows"]]
    today = datetime.now(UTC).date()
    for row in rows:
        row["when"] = f"{row['at']:%H:%M:%S}" if row["at"].date() == today else f"{row['at']:%m-%d %H:%M:%S}"
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
