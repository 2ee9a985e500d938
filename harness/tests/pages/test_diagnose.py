"""The Diagnose page: its forms, what they start, and what they refuse."""

from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from harness.models import Run
from harness.pages import asked
from harness.routes.model import Hop, Route
from harness.runs import launch, uploads
from harness.runs.catalogue import store_routes

pytestmark = pytest.mark.django_db
TRACE = (Path(__file__).parents[1] / "capture" / "fixtures" / "chunked.trace.txt").read_bytes()
ROUTE = Route("r", (Hop("vllm", url="http://e:1/v1"), Hop("gw", "gateway", url="http://g:1/v1", api_key_env="GW_KEY")))


class Ended:
    """A job's process that has nothing to do."""

    def wait(self) -> int:
        return 0


@pytest.fixture(autouse=True)
def nothing_is_launched(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(launch, "launch", lambda run_id: Ended())
    monkeypatch.setattr(launch, "_await", lambda child, run_id: None)
    monkeypatch.setenv("GW_KEY", "s3cret")
    store_routes([ROUTE])


def trace(name: str = "gw.trace", data: bytes = TRACE) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, data)


def test_the_page_shows_the_hops_inside_out_and_no_secret(client: Client) -> None:
    page = client.get("/diagnose/?route=r")
    text = page.content.decode()
    assert [hop["name"] for hop in page.context["hops"]] == ["vllm", "gw"]
    assert "<option selected>r</option>" in text and "<option>r/vllm</option>" in text
    assert "s3cret" not in text and "Bearer $GW_KEY" in text
    assert "lab-steady" in text and "<script>" not in text and " style=" not in text


def test_a_ladder_is_started_with_its_plan_and_leads_to_its_run(client: Client) -> None:
    response = client.post("/diagnose/", {"route": "r", "prompt": " hello ", "repeat": "3"})
    run = Run.objects.get()
    assert (response.status_code, response["Location"]) == (302, f"/runs/{run.pk}/")
    assert (run.kind, run.route, run.state) == ("ladder", "r", "running")
    assert run.spec == {
        "plan": {"prompt": "hello", "repeat": 3}, "hops": [["vllm", "engine"], ["gw", "gateway"]],
    }  # fmt: skip


def test_a_recording_for_a_hop_goes_with_the_ladder(client: Client) -> None:
    client.post("/diagnose/", {"route": "r", "prompt": "x", "repeat": "1", "recording:gw": trace("any.txt")})
    run = Run.objects.get()
    assert run.spec["files"] == [{"name": "any.txt", "hop": "gw"}]
    assert [c.hop for c in uploads.read(run.pk, run.spec["files"])] == ["gw"]


@pytest.mark.parametrize(
    ("form", "status", "words"),
    [
        ({"route": ""}, 400, "No route is chosen"),
        ({"route": "nowhere"}, 404, "nowhere"),
        ({"route": "r/nowhere"}, 404, "nowhere"),
        ({"prompt": "  "}, 400, "The prompt is empty"),
        ({"repeat": "0"}, 400, "Use a number from 1 to 50"),
        ({"repeat": "many"}, 400, "rounds cannot be made"),
        ({"recording:proxy": trace()}, 404, "has no hop"),
        ({"recording:gw": trace(data=b"hello there")}, 400, "format is unknown"),
        ({"recording:gw": trace(data=b"\xd4\xc3\xb2\xa1 packets")}, 400, "tshark"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else None,
)
def test_what_makes_no_sense_is_told_beside_the_form(
    client: Client, form: dict[str, Any], status: int, words: str
) -> None:
    for file in form.values():
        if not isinstance(file, str):
            file.seek(0)
    response = client.post("/diagnose/", {"route": "r", "prompt": "keep me", "repeat": "1"} | form)
    text = response.content.decode().replace("&#x27;", "'")
    assert response.status_code == status and 'role="alert"' in text and words in text
    assert not Run.objects.exists()


def test_an_upload_above_the_limit_is_refused_unread(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "TOTAL", 1000)
    monkeypatch.setattr(asked, "FORM", 1000)
    for path in ("/diagnose/", "/diagnose/recordings"):
        response = client.post(path, {"files": trace(data=b"x" * 5000)})
        assert response.status_code == 413 and "more than the" in response.content.decode()
    assert not Run.objects.exists()


@pytest.mark.parametrize("path", ["/diagnose/", "/diagnose/recordings"])
def test_a_body_that_is_no_form_is_told_in_a_sentence(client: Client, path: str) -> None:
    broken = client.post(path, b"garbage", content_type="multipart/form-data")
    assert broken.status_code == 400 and "form cannot be read" in broken.content.decode()
    crowd = client.post(path, {"files": [trace(f"{n}.trace") for n in range(120)]})
    assert crowd.status_code == 413 and "at most 32 files" in crowd.content.decode()
    other = client.post(path, b"{}", content_type="application/json")
    assert other.status_code == 400 and 'role="alert"' in other.content.decode()


def test_too_many_jobs_at_once_are_refused(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "MOST", 0)
    response = client.post("/diagnose/", {"route": "r", "prompt": "x", "repeat": "1"})
    assert response.status_code == 429 and "Wait for one to end" in response.content.decode()


def test_recordings_are_taken_without_a_route(client: Client) -> None:
    form = {"files": [trace("b.trace"), trace("a.trace")], "hop": ["", "proxy"], "ordered": "1"}
    response = client.post("/diagnose/recordings", form)
    run = Run.objects.get()
    assert response["Location"] == f"/runs/{run.pk}/"
    assert run.spec["files"] == [{"name": "b.trace", "hop": ""}, {"name": "a.trace", "hop": "proxy"}]
    assert run.spec["ordered"] is True and run.kind == "diagnose"


def test_recordings_for_a_run_are_judged_in_it(client: Client) -> None:
    base = launch.begin("ladder", "r", (), {"hops": [["vllm", "engine"]]}, prompt="x")
    response = client.post("/diagnose/recordings", {"of": base.pk, "recording:vllm": trace("vllm.trace")})
    run = Run.objects.exclude(pk=base.pk).get()
    assert response["Location"] == f"/runs/{run.pk}/"
    assert (run.spec["of"], run.route, run.spec["hops"]) == (base.pk, "r", [["vllm", "engine"]])
    assert client.post("/diagnose/recordings", {"of": base.pk}).status_code == 400
    assert client.post("/diagnose/recordings", {"of": "gone", "recording:vllm": trace()}).status_code == 400


@pytest.mark.parametrize("path", ["/diagnose/", "/diagnose/recordings", "/runs/x/stop", "/runs/x/pin"])
def test_a_page_of_another_site_starts_nothing(client: Client, path: str) -> None:
    response = client.post(path, {"route": "r"}, headers={"origin": "http://evil.example"})
    assert response.status_code == 403 and not Run.objects.exists()


def test_the_hops_of_a_route_come_as_a_fragment(client: Client) -> None:
    text = client.get("/diagnose/hops?route=r/vllm").content.decode()
    assert "<html" not in text and 'name="recording:vllm"' in text and "gw" not in text
    assert client.get("/diagnose/hops?route=no").status_code == 404
    assert client.get("/diagnose/recordings").status_code == 302
