"""Gateway logs that are brought to a stored run: searched once, kept with its answer, and then gone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.capture.model import Capture, End, Head, Request, stamped
from harness.diagnose.run import diagnose
from harness.errors import InputError
from harness.models import Run
from harness.runs import beside
from harness.runs.beside import MOST, Given
from harness.runs.store import answer_of, save_run

pytestmark = pytest.mark.django_db
EVENT = b'data: {"id":"chatcmpl-abcdef12","choices":[{"index":0,"delta":{"content":"x"}}]}\n\n'
ACCESS = (
    '10.0.0.7 - - [30/Nov/2025:12:00:02 +0000] "POST /v1/chat/completions HTTP/1.1" 200 99 "-" "x" '
    'rt=1.500 urt="1.499" id=ex-12345678 key=sk-abcdef1234567890abcd\n'
)


def cut(hop: str = "gateway", tap: str = "read") -> Capture:
    """A stream that was cut after 1.5 s."""
    body, times, ends = stamped((100.0 * n, EVENT) for n in range(1, 16))
    return Capture(
        hop, hop, tap, "openai", "ex-12345678", sent_at="2025-11-30T12:00:00.500000Z",
        request=Request(url="http://g/v1/chat/completions"), body=body, times=times, ends=ends,
        head=Head(90.0, 200, "1.1", (("content-type", "text/event-stream"),)), end=End(1500.0, "truncated"),
    )  # fmt: skip


@pytest.fixture
def run(settings: Any, tmp_path: Path) -> Run:
    settings.DATA_DIR = tmp_path
    captures = [cut(), cut("app", "write")]
    return save_run("ex-12345678", captures, kind="chat", answer=diagnose(captures))


def brought(*given: Given, offset_s: float | None = None) -> list[dict[str, Any]]:
    beside.keep("ex-12345678", given, offset_s)
    return beside.read("ex-12345678")


def logs() -> list[dict[str, Any]]:
    return list((answer_of("ex-12345678") or {})["logs"])


def test_the_lines_stand_with_the_answer_masked_and_the_log_is_gone(run: Run, tmp_path: Path) -> None:
    brought(Given("access.log", ACCESS.encode(), "gateway"))
    (found,) = logs()
    assert (found["matched"], found["hop"], found["file"]) == ("id", "gateway", "access.log")
    assert "abcdef1234567890" not in json.dumps(found) and "key=***" in found["lines"][0]["text"]
    assert not beside.waiting(run.pk) and [*tmp_path.rglob("*.log*")] == []
    assert answer_of(run.pk) == run.answer | {"logs": [found]}  # type: ignore[operator]


def test_a_log_is_read_while_it_waits_and_only_once(run: Run) -> None:
    beside.keep(run.pk, [Given("a.log", ACCESS.encode())])
    assert beside.waiting(run.pk)
    beside.read(run.pk)
    assert not beside.waiting(run.pk) and beside.read(run.pk) == [] and len(logs()) == 1


def test_the_same_log_again_takes_the_place_of_the_first_and_there_is_a_bound(run: Run) -> None:
    for _ in range(2):
        brought(Given("a.log", ACCESS.encode()))
    assert len(logs()) == 1
    brought(*(Given(f"{n}.log", ACCESS.encode()) for n in range(MOST + 3)))
    assert [row["file"] for row in logs()] == [f"{n}.log" for n in range(3, MOST + 3)]


def test_a_clock_that_is_off_can_be_named(run: Run) -> None:
    late = ACCESS.replace("12:00:02", "20:00:02").replace("id=ex-12345678", "")
    assert brought(Given("a.log", late.encode()))[0]["matched"] is None
    assert brought(Given("a.log", late.encode()), offset_s=8 * 3600)[0]["matched"] == "time"


def test_what_a_log_does_not_say_is_said(run: Run) -> None:
    (elsewhere,) = brought(Given("a.log", ACCESS.encode(), "nginx"))
    assert elsewhere["lines"] == [] and "no capture is of the hop 'nginx'" in elsewhere["note"]
    (later,) = brought(Given("b.log", ACCESS.replace("/2025", "/2026").replace("ex-12345678", "x").encode()))
    assert later["lines"] == [] and "begins" in later["note"]


@pytest.mark.parametrize("data", [b"", b" \n", b"\x1f\x8b\x08", b"a\0b"])
def test_what_is_no_text_is_refused_before_it_is_kept(run: Run, tmp_path: Path, data: bytes) -> None:
    with pytest.raises(InputError, match=r"empty|compressed"):
        beside.keep(run.pk, [Given("a.log", data)])
    assert not beside.waiting(run.pk)


def test_a_run_without_an_answer_has_nothing_to_lay_a_log_beside(run: Run) -> None:
    Run.objects.update(answer=None)
    with pytest.raises(InputError, match="no verdict yet"):
        brought(Given("a.log", ACCESS.encode()))
    assert not beside.waiting(run.pk)
