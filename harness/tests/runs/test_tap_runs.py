"""Tapped exchanges are runs, bounded, and found again among the chats: by key, by text, by time."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.db import OperationalError

from harness.capture.model import Capture, End, Head, stamped
from harness.diagnose.run import diagnose
from harness.models import Run
from harness.runs.joined import matched
from harness.runs.store import load_captures, save_run
from harness.runs.tap_runs import TapRuns

NOW = datetime.now(UTC)


def seen(hop: str, exchange: str, words: str, *, at: float = 0.0, first: float = 50.0, step: float = 10.0) -> Capture:
    chunks = [{"choices": [{"index": 0, "delta": {"content": word + " "}}]} for word in words.split()]
    reads = [(first + step * n, b"data: " + json.dumps(c).encode() + b"\n\n") for n, c in enumerate(chunks)]
    finish = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    body, times, ends = stamped([*reads, (first + step * len(reads), finish)])
    head = Head(40.0, 200, "1.1", (("content-type", "text/event-stream"),))
    sent = (NOW + timedelta(seconds=at)).isoformat(timespec="microseconds")
    return Capture(
        hop, hop, exchange=exchange, sent_at=sent, head=head, body=body, times=times, ends=ends,
        end=End(times[-1] + 1, "complete"),
    )  # fmt: skip


WORDS = "one two three four five six seven"
OTHER = "red green blue yellow black white grey"


def test_a_key_that_came_through_is_certain():
    chats = [seen("gateway", "a", OTHER), seen("gateway", "k", OTHER, at=-500)]
    assert matched(seen("engine", "k", WORDS), chats) == (1, "key")


def test_without_a_key_the_text_tells_among_those_that_ran_at_the_time():
    chats = [seen("gateway", "a", OTHER, at=-0.01), seen("gateway", "b", WORDS, at=-0.01)]
    assert matched(seen("engine", "x", WORDS), chats) == (1, "text")
    assert matched(seen("engine", "x", WORDS), [replace(chats[1], sent_at=NOW.replace(year=2020).isoformat())]) is None


def test_a_text_that_a_gateway_changed_is_told_by_time_where_one_chat_ran():
    chats = [seen("gateway", "a", OTHER, at=-0.01)]
    assert matched(seen("engine", "x", WORDS), chats) == (0, "time")


def test_what_fits_several_chats_is_left_alone():
    chats = [seen("gateway", "a", WORDS, at=-0.01), seen("gateway", "b", WORDS, at=-0.02)]
    assert matched(seen("engine", "x", WORDS), chats) is None
    assert matched(seen("engine", "x", OTHER), chats) is None


def tapped(exchange: str, words: str = WORDS) -> list[Capture]:
    read = replace(seen("engine", exchange, words), meta={"inline": True})
    return [read, replace(read, hop="tap", kind="network-path", tap="write")]


@pytest.mark.django_db
def test_tapped_exchanges_are_runs_in_the_list_and_bounded(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    runs = TapRuns("http://gpu:8000", 2)
    for n in range(3):
        both = tapped(f"e{n}")
        runs.take(both, diagnose(both))
    rows = list(Run.objects.filter(kind="tap"))
    assert len(rows) == 2 and {run.route for run in rows} == {"http://gpu:8000"}
    assert all(run.answer["verdict"]["healthy"] for run in rows)


@pytest.mark.django_db
def test_the_chat_is_judged_anew_with_what_its_engine_sent(settings, tmp_path, client):
    """The gateway held all of it back to the end: with the tap that is the gateway's doing for certain."""
    settings.DATA_DIR = tmp_path
    runs = TapRuns("http://gpu:8000", 5)
    both = tapped("lost-its-key")
    runs.take(both, diagnose(both))
    assert runs.settle() == {}  # the chat is not stored yet
    chat = seen("gateway", "c-1", WORDS, at=-0.02, first=900.0, step=0.0)
    save_run("c-1", [chat], kind="chat", route="gw", answer=diagnose([chat]))
    (tap_run,) = runs.runs
    assert runs.settle() == {tap_run: "c-1"} and runs.waiting == []
    run = Run.objects.get(pk="c-1")
    assert [(c.hop, c.tap) for c in load_captures("c-1")] == [("engine", "read"), ("gateway", "read")]
    assert run.answer["verdict"]["first_bad_hop"] == "gateway" and run.spec["tapped"]["by"] == "text"
    assert len({c.exchange for c in load_captures("c-1")}) == 1
    page = client.get("/runs/c-1/").content.decode()
    assert client.get("/runs/").status_code == 200 and f"/runs/{run.spec['tapped']['run']}/" in page
    assert 'href="/runs/c-1/"' in client.get(f"/runs/{tap_run}/").content.decode()


@pytest.mark.django_db
def test_a_database_that_cannot_be_had_costs_the_runs_alone(settings, tmp_path, monkeypatch, caplog):
    settings.DATA_DIR = tmp_path / "file" / "data"
    (tmp_path / "file").write_text("")
    runs = TapRuns("http://gpu:8000", 2)

    def full(*args: object, **named: object) -> None:
        raise OperationalError("database or disk is full")

    monkeypatch.setattr("harness.runs.tap_runs.save_run", full)
    both = tapped("e1")
    assert runs.take(both, diagnose(both)) is None and runs.settle() == {}
    assert "not among the runs" in caplog.text and "disk is full" in caplog.text
