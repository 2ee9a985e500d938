"""Run pages: the list, a run, its captures as files, and its answer."""

from array import array
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from harness.capture.format import loads
from harness.capture.model import Clock, Request, stamped
from harness.diagnose.run import diagnose
from harness.models import Progress, Run
from harness.pages.timeline import MOST, timeline
from harness.runs import live
from harness.runs.store import save_run
from harness.tests.build import LAST, captured, event

pytestmark = pytest.mark.django_db


HOST = Clock("host", "monotonic", 1e-6)
READ = captured(
    "engine",
    [(10.0, event("one ")), (60.0, event("two ")), (110.0, event("three")), (120.0, LAST)],
    exchange="x1",
    route="r",
    request=Request(url="http://e/v1/chat/completions", headers=(("authorization", "***"),)),
    sent_at="2026-11-30T12:00:00.000000Z",
    clock=HOST,
)
WRITE = replace(READ, hop="app", kind="app", tap="write", times=array("d", (t + 1 for t in READ.times)))
ARRIVE = replace(
    READ,
    hop="network-path",
    kind="network-path",
    tap="arrive",
    request=None,
    head=None,
    sent_at="2026-11-30T12:00:01.995000Z",  # a clock 2 s ahead; sent 5 ms before the relay had it
    clock=Clock("tab", "performance", 0.1, -2000.0, 0.5),
    times=array("d", (t + 8 for t in READ.times)),
)
PAINT = replace(ARRIVE, hop="browser", kind="browser", tap="paint", times=array("d", (t + 30 for t in READ.times)))
CHAT = [READ, WRITE, ARRIVE, PAINT]


@pytest.fixture
def chat() -> Run:
    return save_run("x1", CHAT, kind="chat", route="r", answer=diagnose(CHAT))


@pytest.mark.parametrize("hop", ["<b>a</b>", "a/../b\nc?d#e%2F", "引擎 1", "/", "..", "a\\b"])
def test_a_hop_may_have_any_name(client: Client, hop: str) -> None:
    named = replace(READ, hop=hop, kind="client")
    save_run("x2", [named], kind="diagnose", route="", answer=diagnose([named]))
    page = client.get("/runs/x2/")
    assert page.status_code == 200 and "<b>a</b>" not in page.content.decode()
    (link,) = page.context["captures"]
    file = client.get(link["url"])
    assert file.status_code == 200 and loads(file.content).hop == hop and "/" not in file["Content-Disposition"]


def test_the_api_gives_the_answer_of_the_contract(client: Client, chat: Run) -> None:
    response = client.get("/api/runs/x1")
    assert response.status_code == 200 and response.json() == chat.answer
    assert [row["tap"] for row in response.json()["captures"]] == ["read", "write", "arrive", "paint"]
    assert response.json()["verdict"]["healthy"] is True


def test_an_unknown_run_is_a_404_in_three_parts(client: Client) -> None:
    response = client.get("/api/runs/nobody")
    assert response.status_code == 404 and set(response.json()) == {"what", "where", "do"}


def test_a_run_that_ended_without_an_answer_says_so(client: Client) -> None:
    save_run("x1", [], kind="bench", state=Run.State.FAILED)
    response = client.get("/api/runs/x1")
    assert response.status_code == 404 and "without an answer" in response.json()["what"]


@pytest.mark.parametrize("where", ["database", "process"])
def test_a_run_that_runs_is_a_202(client: Client, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if where == "database":
        Run.objects.create(pk="x1", kind="ladder", started=datetime.now(UTC))
    else:
        exchange = live.Live("x1")
        monkeypatch.setattr(exchange, "recorder", object())
        monkeypatch.setitem(live.running, "x1", exchange)
    response = client.get("/api/runs/x1")
    assert (response.status_code, response.json()["state"]) == (202, "running")
    assert client.get("/runs/x1/").status_code == 200


def test_every_capture_is_a_file_that_reads_back(client: Client, chat: Run) -> None:
    files = client.get("/runs/x1/").context["captures"]
    assert [(row["hop"], row["tap"]) for row in files] == [(c.hop, c.tap) for c in CHAT]
    for row, capture in zip(files, CHAT, strict=True):
        assert row["url"] == f"/runs/x1/captures/{capture.hop}.{capture.tap}.capture.jsonl"
        response = client.get(row["url"])
        assert loads(response.content) == capture
        assert response.headers["Content-Disposition"].endswith(f"{capture.hop}.{capture.tap}.capture.jsonl")


def test_repeats_are_files_of_their_own(client: Client) -> None:
    runs = [replace(READ, repeat=n, meta={"n": n}) for n in range(2)]
    save_run("r1", runs, kind="ladder")
    links = [row["url"] for row in client.get("/runs/r1/").context["captures"]]
    assert [loads(client.get(url).content).meta["n"] for url in links] == [0, 1]
    assert client.get("/runs/r1/captures/engine.read.capture.jsonl?repeat=7").status_code == 404


@pytest.mark.parametrize(
    "path", ["/runs/nobody/", "/runs/x1/captures/engine.paint.capture.jsonl", "/runs/x1/captures/x.capture.jsonl"]
)
def test_what_is_not_there_is_a_404(client: Client, chat: Run, path: str) -> None:
    assert client.get(path).status_code == 404


def test_pages_are_for_reading(client: Client, chat: Run) -> None:
    assert [client.post(path).status_code for path in ("/runs/", "/runs/x1/", "/api/runs/x1")] == [405] * 3


def test_the_list_shows_the_latest_first_with_outcome_and_verdict(client: Client, chat: Run) -> None:
    save_run("x0", [], kind="probe", started=datetime(2026, 1, 1, tzinfo=UTC), state=Run.State.INTERRUPTED)
    rows = client.get("/runs/").context["runs"]
    assert [(row["id"], row["outcome"]) for row in rows] == [("x1", "done"), ("x0", "interrupted")]
    assert rows[0]["verdict"]["healthy"] is True and rows[1]["verdict"] is None


def test_a_list_that_has_seen_it_all_is_left_alone(client: Client, chat: Run) -> None:
    mark = client.get("/runs/").context["mark"]
    assert client.get(f"/runs/?seen={mark}").status_code == 204
    save_run("x1", CHAT, kind="chat", route="r", answer=diagnose(CHAT))  # judged anew
    assert client.get(f"/runs/?seen={mark}").status_code == 200


def test_a_runs_page_shows_its_verdict_and_what_a_job_said(client: Client, chat: Run) -> None:
    Progress.objects.create(run=chat, text="probing <engine>")
    page = client.get("/runs/x1/").content.decode()
    assert 'data-verdict="healthy"' in page and 'id="timeline-data"' in page and "probing &lt;engine&gt;" in page


def test_the_timeline_tells_all_taps_on_the_servers_clock() -> None:
    found = timeline(CHAT)
    assert [lane["name"] for lane in found["lanes"]] == ["write", "arrive", "paint"]
    first = found["events"][0]
    # Sent 5 ms before the relay had it: 18 ms after that is 13 ms on the server's clock.
    assert (first["t_write"], first["t_arrive"], first["t_paint"]) == (11.0, 13.0, 35.0)
    assert (first["delay"], found["bound_ms"], first["text"]) == (2.0, 0.5, "one ")
    assert [event["text"] for event in found["events"]][1:3] == ["two ", "three"]
    assert found["lanes"][1]["rows"][0] == [13.0, READ.ends[0]]


def test_without_a_clock_the_timeline_is_relative_and_bears_no_bound() -> None:
    found = timeline([READ, WRITE, replace(ARRIVE, clock=None)])
    assert found["bound_ms"] is None
    assert min(row["delay"] for row in found["events"]) == 0.0


def test_an_event_that_never_arrived_has_no_time_there() -> None:
    cut = replace(ARRIVE, body=(READ.body or b"")[: READ.ends[0]], times=ARRIVE.times[:1], ends=READ.ends[:1])
    found = timeline([READ, WRITE, cut])
    assert [event["t_arrive"] is None for event in found["events"]] == [False, True, True, True, True]


def test_a_long_stream_is_cut_and_says_by_how_much() -> None:
    body, times, ends = stamped((float(n), b"data: {}\n\n") for n in range(MOST + 7))
    long: dict[str, Any] = {"body": body, "times": times, "ends": ends}
    found = timeline([replace(READ, **long), replace(WRITE, **long)])
    assert (len(found["events"]), len(found["lanes"][0]["rows"]), found["left_out"]) == (MOST, MOST, 7)


def test_a_run_of_probes_has_a_lane_a_capture() -> None:
    found = timeline([READ, replace(READ, hop="gateway")])
    assert [lane["name"] for lane in found["lanes"]] == ["engine read", "gateway read"] and found["events"] == []
