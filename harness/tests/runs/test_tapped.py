"""What a tap keeps: rows for lists, and files within two bounds, over restarts too."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.capture.model import Capture, Request
from harness.errors import InputError
from harness.runs.tapped import Kept
from harness.tests.runs.test_tap_runs import WORDS, seen

ASKED = {"model": "qwen", "stream": True, "messages": [{"role": "user", "content": "hi"}]}


def pair(key: str, words: str = WORDS, body: object = ASKED) -> tuple[Capture, Capture]:
    read = replace(seen("engine", key, words), request=Request("POST", "http://gpu/v1/chat/completions?a=1", (), body))
    return read, replace(read, hop="tap", kind="network-path", tap="write")


def files(folder: Path) -> list[str]:
    return sorted({path.name.split(".")[1] for path in folder.glob("*.capture.jsonl")})


def test_a_row_tells_an_exchange_at_a_glance(tmp_path: Path) -> None:
    said: list[str] = []
    kept = Kept(tmp_path, 5, said.append)
    row = kept.take(pair("e1"))
    assert (row["method"], row["path"], row["model"]) == ("POST", "/v1/chat/completions?a=1", "qwen")
    assert (row["status"], row["outcome"], row["events"], row["ttft_ms"], row["healthy"]) == (
        200,
        "done",
        9,
        50.0,
        True,
    )
    assert len(said) == 1 and "e1: 200, complete" in said[0]
    other = kept.take(pair("e2", body={"input": "no chat"}))
    assert (other["outcome"], other["ttft_ms"], other["healthy"], other["model"]) == (None, None, None, None)
    assert (kept.count, kept.bad, kept.bytes) == (2, 0, sum(r["bytes"] for r in (row, other)))


def test_the_oldest_go_beyond_so_many_exchanges(tmp_path: Path) -> None:
    kept = Kept(tmp_path, 2, lambda line: None)
    for n in range(4):
        kept.take(pair(f"e{n}"))
    assert files(tmp_path) == ["e2", "e3"] == [row["exchange"] for row in kept.rows] and kept.count == 4


def test_the_oldest_go_beyond_so_many_bytes_but_the_newest_stays(tmp_path: Path) -> None:
    size = Kept(tmp_path / "first", 9, lambda line: None).take(pair("e0"))["size"]
    kept = Kept(tmp_path / "second", 9, lambda line: None, most_bytes=int(2.5 * size))
    for n in range(4):
        kept.take(pair(f"e{n}"))
    assert files(tmp_path / "second") == ["e2", "e3"] and kept.used <= 2.5 * size
    tiny = Kept(tmp_path / "third", 9, lambda line: None, most_bytes=1)
    tiny.take(pair("e0"))
    tiny.take(pair("e1"))
    assert files(tmp_path / "third") == ["e1"]
    assert tiny.used == sum(path.stat().st_size for path in (tmp_path / "third").iterdir())


def test_files_of_an_earlier_tap_count_and_other_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.capture.jsonl").write_text("mine")
    first = Kept(tmp_path, 3, lambda line: None)
    for n in range(3):
        first.take(pair(f"a{n}"))
    second = Kept(tmp_path, 3, lambda line: None)
    assert second.used == first.used
    for n in range(2):
        second.take(pair(f"b{n}"))
    ours = {path.name.split(".")[1] for path in tmp_path.glob("0*.capture.jsonl")}
    assert len(ours) == 3 and {"b0", "b1"} < ours and (tmp_path / "notes.capture.jsonl").is_file()


def test_a_folder_that_cannot_be_made_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be made"):
        Kept(tmp_path / "file" / "x", 1, lambda line: None)


def test_a_disk_that_is_full_costs_the_file_alone(tmp_path: Path) -> None:
    said: list[str] = []
    kept = Kept(tmp_path / "gone", 3, said.append)
    (tmp_path / "gone").rmdir()
    row = kept.take(pair("e1"))
    assert row["healthy"] is True and kept.used == 0 and "cannot be written" in said[0]
