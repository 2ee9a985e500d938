"""The taps' page: how to start one, what each does, and exchanges of all of them, the newest first."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from harness.runs.tap_board import Board
from harness.runs.tapped import Kept
from harness.runs.tapping import news
from harness.tests.runs.test_tapped import pair

pytestmark = pytest.mark.django_db
FLYING = {
    "method": "POST", "path": "/v1/chat/completions", "model": "qwen", "exchange": "e9", "status": None, "bytes": 0,
    "at": "2099-01-01T00:00:00.000000Z", "reads": 0, "ms": 4200.0, "silent_ms": None,
}  # fmt: skip


@pytest.fixture(autouse=True)
def data(settings: Any, tmp_path: Path) -> Path:
    settings.DATA_DIR = tmp_path
    return tmp_path


@pytest.fixture
def kept(data: Path) -> Kept:
    kept = Kept(data / "tap", 5, lambda line: None)
    kept.take(pair("e1"))
    kept.take(pair("e2", body={"input": "no chat"}))
    kept.rows[0] |= {"run": "tap-1", "chat": "c-1"}
    return kept


def exchanges(text: str) -> list[str]:
    return re.findall(r'data-exchange="(\w+)"', text)


def test_without_a_tap_the_page_says_how_to_start_one(client: Client, data: Path) -> None:
    text = client.get("/taps/").content.decode()
    assert "manage.py tap --listen" in text and str(data) in text and 'href="/taps/" aria-current="page"' in text
    assert exchanges(text) == [] and " style=" not in text and "<style" not in text
    assert client.post("/taps/").status_code == 405


def test_a_tap_that_listens_is_told_with_what_passes_now_and_what_has_passed(client: Client, kept: Kept) -> None:
    board = Board(listen="http://127.0.0.1:9000", upstream="http://gpu:8000", hop="engine")
    board.write(news(kept, [FLYING]))
    text = client.get("/taps/").content.decode()
    assert 'data-testid="tap" data-state="listening"' in text and "2 of 5" in text and "of 1.0\xa0GB" in text
    assert exchanges(text)[0] == "e9" and set(exchanges(text)) == {"e1", "e2", "e9"}
    assert "waiting for 4.20 s" in text and "under way" in text and "no chat stream" in text
    assert 'href="/runs/tap-1/"' in text and 'href="/runs/c-1/"' in text and 'data-testid="no-tap"' not in text
    board.close(news(kept, []))


def test_quiet_is_told_apart_from_streaming(client: Client, kept: Kept) -> None:
    flying = FLYING | {"status": 200, "reads": 3, "silent_ms": 3100.0}
    board = Board(listen="http://127.0.0.1:9000", upstream="http://gpu:8000", hop="engine")
    board.write(news(kept, [flying]))
    assert "streaming for 4.20 s, silent for 3.10 s" in client.get("/taps/").content.decode()
    board.close(news(kept, []))


def test_of_a_tap_that_ended_what_passed_is_still_listed(client: Client, kept: Kept) -> None:
    Board(listen="http://127.0.0.1:9000", upstream="http://gpu:8000", hop="engine").close(news(kept, [FLYING]))
    text = client.get("/taps/").content.decode()
    assert 'data-state="ended"' in text and 'data-testid="no-tap"' in text
    assert set(exchanges(text)) == {"e1", "e2"}  # nothing is under way any more


def test_a_page_that_has_seen_it_all_is_left_alone(client: Client, kept: Kept) -> None:
    board = Board(listen="http://127.0.0.1:9000", upstream="http://gpu:8000", hop="engine")
    board.write(news(kept, []))
    asks = client.get("/taps/").context["mark"]
    board.write(news(kept, []))
    assert client.get(f"/taps/?seen={asks}").status_code == 204
    board.write(news(kept, [FLYING]))
    assert client.get(f"/taps/?seen={asks}").status_code == 200
    board.close({})
