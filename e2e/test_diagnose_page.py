"""The Diagnose page against the started product: a ladder watched and stopped, recordings brought, runs compared."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import BrowserContext, expect

from e2e.conftest import Product, product
from e2e.pages.diagnose import DiagnosePage

pytestmark = pytest.mark.asyncio(loop_scope="session")

ROUTES = """
[[route]]
name = "lumpy"
model = "lab-steady"
  [[route.hop]]
  name = "vllm"
  kind = "engine"
  url = "LAB_URL/v1"
  [[route.hop]]
  name = "nginx"
  kind = "proxy"
  url = "LAB_URL/via/buffer-until-end/v1"
[[route]]
name = "half"
model = "lab-steady"
timeouts = { connect = 2, read = 20, total = 60 }
  [[route.hop]]
  name = "vllm"
  kind = "engine"
  url = "http://127.0.0.1:9/v1"
  [[route.hop]]
  name = "gateway"
  kind = "gateway"
  url = "LAB_URL/via/passthrough/v1"
"""


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    with product(tmp_path_factory.mktemp("diagnose"), routes=ROUTES) as started:
        yield started


@pytest_asyncio.fixture(loop_scope="session")
async def diagnose(bench: Product, context: BrowserContext) -> AsyncIterator[DiagnosePage]:
    """The open page; an error on the console that was not announced fails the test."""
    page = DiagnosePage(await context.new_page())
    await page.open(bench.url)
    yield page
    page.console.check()


@pytest.fixture
def trace(bench: Product, tmp_path: Path) -> Callable[..., Path]:
    """Record an answer of the lab with the real curl, as somebody without Streamscope would."""

    def record(name: str, model: str = "lab-steady", way: str = "/v1") -> Path:
        body = {"model": model, "stream": True, "messages": [{"role": "user", "content": "count to 20"}]}
        file = tmp_path / name
        subprocess.run(
            ["curl", "-sS", "-N", "--noproxy", "*", "--trace-time", "--trace", str(file), "-o", "/dev/null",
             "-H", "content-type: application/json", "-d", json.dumps(body), f"{bench.lab}{way}/chat/completions"],
            timeout=60,
        )  # fmt: skip
        return file

    return record


async def test_a_ladder_is_watched_hop_by_hop_and_ends_with_the_first_bad_hop(diagnose: DiagnosePage) -> None:
    await diagnose.climb("lumpy")
    await diagnose.expect_hop("vllm", "probing")
    await expect(diagnose.hop("nginx")).to_have_attribute("data-state", "waiting")
    await diagnose.expect_hop("vllm", "ended")
    await expect(diagnose.hop("vllm")).to_contain_text("TTFT")
    await diagnose.expect_hop("nginx", "probing")
    await diagnose.expect_verdict("Burst at nginx")
    await expect(diagnose.hop("nginx")).to_have_class("bad")
    await expect(diagnose.hop("vllm")).to_have_class("good")
    await expect(diagnose.picture.locator("svg.lane")).to_have_count(2)
    await expect(diagnose.findings.first).to_contain_text("burst")
    answer = await diagnose.answer()
    assert answer["verdict"]["first_bad_hop"] == "nginx"
    assert [row["hop"] for row in answer["captures"]] == ["vllm", "nginx"]


async def test_report_and_captures_can_be_taken_away(diagnose: DiagnosePage, context: BrowserContext) -> None:
    await context.grant_permissions(["clipboard-read", "clipboard-write"])
    await diagnose.climb("lumpy/vllm")
    await diagnose.expect_verdict("Healthy")
    await diagnose.page.get_by_text("What was asked").click()
    await expect(diagnose.page.get_by_text("Count from 1 to 40")).to_be_visible()
    async with diagnose.page.expect_download() as saving:
        await diagnose.page.get_by_test_id("report").click()
    report = text_of(await (await saving.value).path())
    assert "healthy" in report and "<script" not in report
    async with diagnose.page.expect_download() as saving:
        await diagnose.page.get_by_role("link", name="capture").click()
    assert json.loads(text_of(await (await saving.value).path()).splitlines()[0])["hop"] == "vllm"
    shown = await diagnose.page.goto(diagnose.page.url + "report.html")
    assert shown is not None and shown.status == 200
    weight = await diagnose.page.evaluate("getComputedStyle(document.querySelector('.headline')).fontWeight")
    assert weight == "700", "the report's own style sheet is not in force"


def text_of(file: Path) -> str:
    return Path(file).read_text()


async def test_stop_ends_the_job_soon_and_keeps_what_it_had(diagnose: DiagnosePage) -> None:
    await diagnose.climb("lumpy", repeat=20)
    await diagnose.expect_hop("nginx", "probing")
    await expect(diagnose.page.get_by_test_id("phase")).to_contain_text("of 20")
    await diagnose.stop_button.click()
    await diagnose.expect_verdict("", timeout_s=15)
    await expect(diagnose.page.locator("main")).to_contain_text("stopped")
    answer = await diagnose.answer()
    assert "vllm" in [row["hop"] for row in answer["captures"]]


async def test_a_hop_out_of_reach_is_named_with_its_command_and_its_recording_is_taken(
    diagnose: DiagnosePage, bench: Product, tmp_path: Path
) -> None:
    await diagnose.climb("half")
    await diagnose.expect_verdict("vllm")
    await expect(diagnose.hop("vllm")).to_have_attribute("data-state", "unreachable")
    command = await diagnose.hop("vllm").locator("pre").inner_text()
    assert command.startswith("curl ") and "--trace vllm.trace" in command and "http://127.0.0.1:9/v1" in command
    await copies_its_command(diagnose)
    there = command.replace("http://127.0.0.1:9", bench.lab)  # where the engine can be reached
    run_by_hand(there, tmp_path)
    await diagnose.page.get_by_test_id("recording").set_input_files(tmp_path / "vllm.trace")
    await diagnose.page.get_by_role("button", name="Bring in and judge again").click()
    await diagnose.expect_verdict("Healthy")
    await expect(diagnose.hop("vllm")).to_have_attribute("data-state", "recorded")
    await expect(diagnose.page.get_by_role("link", name="an earlier run")).to_be_visible()


def run_by_hand(command: str, folder: Path) -> None:
    subprocess.run(command, shell=True, cwd=folder, check=True, timeout=60)


async def copies_its_command(diagnose: DiagnosePage) -> None:
    """The copy button puts the whole command on the clipboard."""
    await diagnose.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    hop = diagnose.hop("vllm")
    await hop.get_by_role("button", name="Copy").click()
    await expect(hop.locator("[data-copy]")).to_have_text("Copied")
    assert await diagnose.page.evaluate("navigator.clipboard.readText()") == await hop.locator("pre").inner_text()


async def test_a_curl_trace_that_somebody_sent_is_diagnosed_without_a_route(
    diagnose: DiagnosePage, trace: Callable[..., Path]
) -> None:
    await diagnose.bring(trace("engine.trace", "lab-truncate"))
    await diagnose.expect_verdict("Truncation at engine")


async def test_several_recordings_are_ordered_named_and_compared(
    diagnose: DiagnosePage, trace: Callable[..., Path]
) -> None:
    outer, inner = trace("a-outside.trace", way="/via/buffer-until-end/v1"), trace("b-inside.trace")
    await diagnose.files.set_input_files([outer, inner])
    await diagnose.page.get_by_label("Move b-inside.trace inwards").click()
    await diagnose.page.get_by_label("Hop of a-outside.trace").fill("my-proxy")
    await diagnose.judge_button.click()
    await diagnose.expect_verdict("Burst at my-proxy")
    names = await diagnose.page.locator('[data-testid="hops"] li b').all_inner_texts()
    assert names == ["b-inside", "my-proxy"]


async def test_a_file_that_is_no_recording_is_refused_in_one_sentence(diagnose: DiagnosePage, tmp_path: Path) -> None:
    diagnose.console.expected.append("400")
    note = tmp_path / "note.txt"
    note.write_text("hello")
    await diagnose.bring(note)
    await expect(diagnose.failure).to_contain_text("format is unknown")
    await expect(diagnose.failure).to_contain_text("curl trace")


async def test_a_gateways_log_is_laid_beside_a_run(diagnose: DiagnosePage) -> None:
    await diagnose.climb("lumpy")
    await diagnose.expect_verdict("nginx")
    capture = diagnose.page.locator('a[download][href*="nginx.read"]')
    response = await diagnose.page.request.get(f"{diagnose.page.url}captures/nginx.read.capture.jsonl")
    rows = [json.loads(line) for line in (await response.text()).splitlines()]
    ended = datetime.fromisoformat(rows[0]["sent_at"]) + timedelta(milliseconds=rows[-1]["t"])
    warning = "[warn] 7#7: *1 an upstream response is buffered to a temporary file /tmp/1 while reading upstream"
    await expect(capture).to_be_visible()
    await diagnose.add_log(f"{ended:%Y/%m/%d %H:%M:%S} {warning}, key: sk-abcdef1234567890abcd")
    found = diagnose.page.get_by_test_id("log")
    await expect(found).to_contain_text("buffers this answer (proxy_buffering)")
    await expect(found).to_contain_text("pasted lines")
    assert "abcdef1234567890" not in await diagnose.page.content()
    assert [log["matched"] for log in (await diagnose.answer())["logs"]] == ["time"]


async def test_a_log_that_is_none_is_refused_and_leads_back(diagnose: DiagnosePage, tmp_path: Path) -> None:
    diagnose.console.expected.append("400")
    await diagnose.climb("lumpy/vllm")
    await diagnose.expect_verdict("Healthy")
    await diagnose.page.locator("#logs summary").click()
    (tmp_path / "log.gz").write_bytes(b"\x1f\x8b\x08\0")
    await diagnose.page.get_by_test_id("log-file").set_input_files(tmp_path / "log.gz")
    await diagnose.page.get_by_test_id("log-send").click()
    await expect(diagnose.failure).to_contain_text("compressed or binary")
    await diagnose.page.get_by_role("link", name="the run", exact=True).click()
    await diagnose.expect_verdict("Healthy")


async def test_two_runs_ticked_in_the_list_lie_under_one_another(diagnose: DiagnosePage, bench: Product) -> None:
    for route in ("lumpy/vllm", "lumpy"):
        await diagnose.open(bench.url)
        await diagnose.climb(route)
        await diagnose.expect_verdict("")
    page = diagnose.page
    await page.goto(f"{bench.url}/runs/")
    compare = page.get_by_test_id("compare")
    await expect(compare).to_be_disabled()
    boxes = page.locator("input[name=run]")
    await boxes.nth(0).check()
    async with page.expect_response(re.compile(r"/runs/\?seen=")):  # the list looks for news, and the ticks stay
        pass
    await boxes.nth(1).check()
    await expect(boxes.nth(0)).to_be_checked()
    await compare.click()
    sides = page.get_by_test_id("side")
    await expect(sides).to_have_count(2)
    await expect(sides.first).to_contain_text("lumpy/vllm")
    await expect(sides.last).to_contain_text("burst at nginx")


async def test_the_page_is_worked_by_keyboard_alone(diagnose: DiagnosePage) -> None:
    page = diagnose.page
    await diagnose.choose("lumpy/vllm")
    await diagnose.prompt.focus()
    await page.keyboard.press("Tab")
    await expect(diagnose.repeat).to_be_focused()
    await page.keyboard.press("Tab")
    await expect(diagnose.start_button).to_be_focused()
    await page.keyboard.press("Enter")
    await diagnose.expect_verdict("Healthy")


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_a_narrow_page_does_not_scroll_sideways(diagnose: DiagnosePage, theme: str) -> None:
    page = diagnose.page
    await page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    await page.set_viewport_size({"width": 400, "height": 800})
    assert await page.evaluate("document.documentElement.scrollWidth") == 400
    await diagnose.climb("lumpy/vllm")
    await diagnose.expect_verdict("Healthy")
    assert await page.evaluate("document.documentElement.scrollWidth") == 400
