"""A job's run: watched while it climbs, stopped, pinned, reported, and laid beside another."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from harness.capture.model import Capture, End
from harness.diagnose.run import diagnose
from harness.models import Progress, Run
from harness.pages.diagnosis import checklist, findings, result
from harness.routes.model import Hop, Route
from harness.runs.catalogue import store_routes
from harness.runs.steps import Step
from harness.runs.store import save_run
from harness.tests.build import LAST, captured, event

pytestmark = pytest.mark.django_db
HOPS = [["engine", "engine"], ["nginx", "proxy"]]
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def capture(hop: str, kind: str, times: list[float], **more: object) -> Capture:
    """One word a stamp, then a good end."""
    return captured(hop, [*((t, event("word ")) for t in times), (times[-1], LAST)], kind=kind, **more)


STEADY = [100.0 * n for n in range(1, 31)]
CLUMPED = [capture("engine", "engine", STEADY), capture("nginx", "proxy", [3000.0] * 30)]


def ladder(run_id: str = "one", captures: list[Capture] = CLUMPED, minute: int = 0) -> Run:
    return save_run(
        run_id, captures, kind="ladder", route="r", answer=diagnose(captures), spec={"hops": HOPS},
        started=NOW + timedelta(minutes=minute),
    )  # fmt: skip


def running() -> Run:
    plan = {"repeat": 2, "prompt": "hi"}
    run = Run.objects.create(pk="live", kind="ladder", route="r", started=NOW, spec={"hops": HOPS, "plan": plan})
    for step in (Step("engine", "unreachable", 0, end="reset", detail="refused"), Step("nginx", "probing", 0)):
        Progress.objects.create(run=run, text="", step=step.as_json())
    return run


def test_a_run_that_climbs_shows_each_hop_and_renews_itself_until_it_ends(client: Client) -> None:
    store_routes([Route("r", (Hop("engine", url="http://e:1/v1"), Hop("nginx", "proxy", url="http://n:1/v1")))])
    run = running()
    page = client.get("/runs/live/").content.decode()
    assert 'hx-get="/runs/live/live"' in page and 'data-testid="stop"' in page
    fragment = client.get("/runs/live/live")
    text = fragment.content.decode()
    assert "HX-Refresh" not in fragment.headers and "round 1 of 2" in text
    assert re.findall(r'data-state="(\w+)" data-hop="(\w+)"', text) == [("unreachable", "engine"), ("probing", "nginx")]
    assert "not reached: refused" in text and "curl" in text and "--trace engine.trace" in text
    assert client.post("/runs/live/stop")["Location"] == "/runs/live/"
    run.refresh_from_db()
    assert run.state == "stopped"
    assert "HX-Refresh" not in client.get("/runs/live/live").headers  # it may still store what it has
    Run.objects.update(ended=NOW)
    assert client.get("/runs/live/live").headers["HX-Refresh"] == "true"
    assert "was stopped" in client.get("/runs/live/").content.decode()


def test_an_ended_ladder_shows_verdict_picture_findings_and_files(client: Client) -> None:
    ladder()
    page = client.get("/runs/one/")
    text = page.content.decode()
    assert page.templates[0].name == "diagnose/run.html"
    assert re.search(r'data-testid="verdict" data-verdict="bad">Burst at nginx<', text)
    assert re.search(r'data-hop="nginx" class="bad"', text) and re.search(r'data-hop="engine" class="good"', text)
    assert text.count('<svg class="lane"') == 2 and "data-copy" in text
    assert "/runs/one/captures/nginx.read.capture.jsonl" in text and "/api/runs/one" in text
    assert " style=" not in text and "<style" not in text and not re.search(r"\son\w+=", text)


def test_a_hop_out_of_reach_can_be_brought_in(client: Client) -> None:
    ladder(captures=[Capture("engine", "engine", end=End(2.0, "reset", "refused")), CLUMPED[1]])
    text = client.get("/runs/one/").content.decode()
    assert 'name="recording:engine"' in text and 'name="of" value="one"' in text


def test_a_failed_job_says_why(client: Client) -> None:
    run = Run.objects.create(pk="f", kind="diagnose", started=NOW, ended=NOW, state="failed")
    Progress.objects.create(run=run, text="note.txt, line 1: the format is <unknown>")
    text = client.get("/runs/f/").content.decode()
    assert "the run failed" in text and "the format is &lt;unknown&gt;" in text and "Try again" in text


def test_of_several_rounds_the_faulty_one_is_drawn() -> None:
    good = [capture(hop, kind, STEADY, repeat=0) for hop, kind in HOPS]
    bad = [capture("engine", "engine", STEADY, repeat=1), capture("nginx", "proxy", [3000.0] * 30, repeat=1)]
    shown = result(diagnose([*good, *bad]).as_json(), [*good, *bad])
    assert (shown["shown"], shown["rounds"], len(shown["picture"]["rows"])) == (2, 2, 2)
    assert [row["name"] for row in shown["rows"]] == ["engine #0", "nginx #0", "engine #1", "nginx #1"]


def test_an_upload_tells_its_hops_from_its_captures() -> None:
    run = save_run("u", CLUMPED, kind="diagnose", answer=diagnose(CLUMPED))
    hops = checklist(run, CLUMPED)
    assert [(hop["name"], hop["kind"], hop["state"], hop["bad"]) for hop in hops] == [
        ("engine", "engine", "recorded", False), ("nginx", "proxy", "recorded", True),
    ]  # fmt: skip


def test_a_report_is_shown_under_a_policy_that_knows_its_style_alone_and_can_be_saved(client: Client) -> None:
    ladder()
    shown = client.get("/runs/one/report.html")
    assert shown.status_code == 200 and b"burst at nginx" in shown.content
    policy = shown.headers["Content-Security-Policy"]
    assert re.fullmatch(
        r"default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'; frame-ancestors 'none'", policy
    )
    saved = client.get("/runs/one/report.html?download")
    assert saved.headers["Content-Disposition"] == 'attachment; filename="streamscope-one.html"'
    assert client.get("/runs/nobody/report.html").status_code == 404


def test_a_run_is_pinned_and_let_go(client: Client) -> None:
    ladder()
    client.post("/runs/one/pin", {"pinned": "1"})
    assert Run.objects.get().pinned is True and "pinned" in client.get("/runs/").content.decode()
    client.post("/runs/one/pin", {"pinned": "0"})
    assert Run.objects.get().pinned is False
    assert client.post("/runs/nobody/pin").status_code == client.post("/runs/nobody/stop").status_code == 404
    assert client.get("/runs/one/stop").status_code == 405


def test_two_runs_lie_under_one_another_on_one_scale(client: Client) -> None:
    ladder("late", minute=5)
    ladder("early", [capture(hop, kind, STEADY[:10]) for hop, kind in HOPS])
    page = client.get("/runs/compare?run=late&run=early")
    assert [run["name"] for run in page.context["runs"]] == ["early", "late"]
    ticks = [run["picture"]["ticks"] for run in page.context["runs"]]
    assert ticks[0] == ticks[1]
    (nginx,) = [row for row in page.context["rows"] if row["hop"] == "nginx"]
    ttft = nginx["cells"][page.context["names"].index("TTFT")]
    assert ttft == {"a": "100 ms", "b": "3.00 s", "change": "+2.90 s"}
    assert [run["name"] for run in client.get("/runs/compare?a=late&b=early").context["runs"]] == ["late", "early"]


@pytest.mark.parametrize(
    ("query", "status"), [("", 400), ("?run=one", 400), ("?a=one&b=one", 400), ("?a=one&b=nobody", 404)]
)
def test_what_cannot_be_compared_is_told(client: Client, query: str, status: int) -> None:
    ladder()
    response = client.get("/runs/compare" + query)
    assert response.status_code == status and 'role="alert"' in response.content.decode()


def test_the_list_offers_to_compare_what_has_a_verdict(client: Client) -> None:
    ladder()
    running()
    text = client.get("/runs/").content.decode()
    assert 'id="pick-one"' in text and 'id="pick-live"' not in text and 'href="/diagnose/"' in text


@pytest.mark.parametrize("kind", ["compare", "cancel", "idle", "settings"])
def test_what_a_command_said_stands_on_its_run_as_it_was(client: Client, kind: str) -> None:
    save_run("c", [], kind=kind, route="a | b", answer=diagnose(CLUMPED), spec={"hops": HOPS, "said": "a  <b>\n  c"})
    text = client.get("/runs/c/").content.decode()
    assert "a  &lt;b&gt;\n  c</pre>" in text and 'data-testid="hops"' not in text and "/diagnose/?route=" not in text
    assert 'data-testid="add-log"' not in text  # there is no exchange of which a log could tell
    assert client.get("/runs/c/report.html").status_code == client.get("/api/runs/c").status_code == 200


def test_a_ladder_of_a_command_shows_its_hops_like_one_of_the_page(client: Client) -> None:
    ladder()
    hops = checklist(Run.objects.get(), CLUMPED)
    assert [(hop["state"], hop["words"], hop["bad"]) for hop in hops] == [
        ("ended", "done", False), ("ended", "done", True),
    ]  # fmt: skip


def test_of_rounds_until_a_fault_the_last_ones_are_told_by_their_number() -> None:
    kept = [capture(hop, kind, STEADY, repeat=5) for hop, kind in HOPS]
    kept += [capture("engine", "engine", STEADY, repeat=6), capture("nginx", "proxy", [3000.0] * 30, repeat=6)]
    shown = result(diagnose(kept).as_json(), kept)
    assert (shown["shown"], shown["rounds"]) == (7, 7)


def test_a_chat_shows_its_findings_as_a_ladder_does(client: Client) -> None:
    ladder()
    Run.objects.update(kind="chat")
    page = client.get("/runs/one/")
    names = {template.name for template in page.templates}
    assert {"runs/detail.html", "diagnose/finding.html", "diagnose/captures.html"} <= names
    assert "data-copy" in page.content.decode() and 'data-testid="pin"' in page.content.decode()


def test_what_several_rounds_show_is_told_once(client: Client) -> None:
    rounds = [replace(c, repeat=n) for n in range(3) for c in CLUMPED]
    answer = diagnose(rounds)
    codes = {finding.code for finding in answer.findings if finding.severity != "info"}
    found = result(answer.as_json(), rounds)["findings"]
    assert len(found) == len(codes) < len(answer.findings)
    assert {(finding["repeat"], *finding["others"]) for finding in found} == {(0, 2, 3)}
    ladder(captures=rounds)
    assert "round 1, and in 2 more (2, 3)" in client.get("/runs/one/").content.decode()


def test_two_faults_of_one_kind_in_one_round_are_both_told() -> None:
    twice = [{**told, "event": n} for n, told in enumerate([diagnose(CLUMPED).findings[0].as_json()] * 2)]
    shown = findings({"findings": twice})
    assert [finding["event"] for finding in shown["findings"]] == [0, 1]
