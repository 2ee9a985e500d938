"""Gateway logs on a run's page and on the Diagnose page: brought, refused, shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from harness.diagnose.run import diagnose
from harness.models import Run
from harness.runs import beside, launch, uploads
from harness.runs.store import save_run
from harness.tests.runs.test_beside import ACCESS, cut

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def run(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A stored chat; logs are read at once instead of by a process."""
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(beside, "launch", beside.read)
    captures = [cut(), cut("app", "write")]
    return save_run("c1", captures, kind="chat", route="r", answer=diagnose(captures))


def bring(client: Client, **fields: Any) -> Any:
    return client.post("/runs/c1/logs", fields)


def test_an_uploaded_log_and_pasted_lines_are_shown_with_what_they_mean(client: Client) -> None:
    error = "2025/11/30 12:00:02 [error] 7#7: *1 upstream prematurely closed connection while reading upstream"
    done = bring(client, log=SimpleUploadedFile("access.log", ACCESS.encode()), log_text=error, log_hop="gateway")
    assert (done.status_code, done["Location"]) == (302, "/runs/c1/#logs")
    text = client.get("/runs/c1/").content.decode()
    assert "access.log" in text and "pasted lines" in text and "found by its id" in text and "≈+1.5 s" in text
    assert "the hop behind nginx closed before" in text and "sk-abcdef1234567890abcd" not in text
    assert [row["file"] for row in client.get("/api/runs/c1").json()["logs"]] == ["access.log", "pasted lines"]


@pytest.mark.parametrize("kind", ["chat", "ladder", "compare"])
def test_every_judged_run_takes_a_log_and_names_its_hops(client: Client, kind: str) -> None:
    Run.objects.update(kind=kind)
    page = client.get("/runs/c1/")
    assert 'data-testid="add-log"' in page.content.decode() and page.context["log_hops"] == ["gateway", "app"]


def test_while_a_log_is_read_the_page_says_so_and_loads_itself_anew_after(client: Client, monkeypatch: Any) -> None:
    monkeypatch.setattr(beside, "launch", lambda run_id: None)
    bring(client, log_text=ACCESS)
    text = client.get("/runs/c1/").content.decode()
    assert 'data-testid="reading-logs"' in text and "htmx" in text
    assert "HX-Refresh" not in client.get("/runs/c1/logs").headers
    assert bring(client, log_text=ACCESS).status_code == 429
    beside.read("c1")
    assert client.get("/runs/c1/logs").headers["HX-Refresh"] == "true"


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({}, "No log is chosen"),
        ({"log_text": "  "}, "No log is chosen"),
        ({"log": SimpleUploadedFile("a.gz", b"\x1f\x8b\x08\0")}, "compressed or binary"),
        ({"log": SimpleUploadedFile("a.log", b"\n")}, "The log is empty"),
        ({"log_text": ACCESS, "log_offset": "soon"}, "no clock offset"),
        ({"log_text": ACCESS, "log_offset": "nan"}, "no clock offset"),
    ],
)
def test_what_is_no_log_is_refused_in_one_sentence(client: Client, fields: dict[str, Any], says: str) -> None:
    done = bring(client, **fields)
    text = done.content.decode()
    assert done.status_code == 400 and says in text and 'href="/runs/c1/"' in text
    assert not beside.waiting("c1")


def test_too_much_is_refused_unread(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "TOTAL", 10)
    monkeypatch.setattr("harness.pages.asked.FORM", 10)
    done = bring(client, log_text=ACCESS)
    assert done.status_code == 413 and "The log is larger than" in done.content.decode()


def test_an_unknown_run_and_one_that_runs_take_none(client: Client) -> None:
    assert client.post("/runs/nobody/logs", {"log_text": ACCESS}).status_code == 404
    Run.objects.update(answer=None)
    assert b"no verdict yet" in bring(client, log_text=ACCESS).content


def test_a_log_goes_with_recordings(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "launch", lambda run_id: None)
    monkeypatch.setattr(launch, "_await", lambda child, run_id: None)
    trace = Path(__file__).parents[1] / "capture" / "fixtures" / "chunked.trace.txt"
    client.post(
        "/diagnose/recordings", {"files": SimpleUploadedFile("g.trace", trace.read_bytes()), "log_text": ACCESS}
    )
    run = Run.objects.get(kind="diagnose")
    assert beside.waiting(run.pk) and (beside.folder_of(run.pk) / "0").read_text() == ACCESS
