"""The taps' page against the started product: a real tap in the line of a chat, watched while it passes."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import BrowserContext, Page, expect

from e2e.conftest import ROOT, Product, product
from e2e.pages.console import Console
from e2e.parts.process import free_port, running, stop, wait_for_port

pytestmark = pytest.mark.asyncio(loop_scope="session")

ROUTES = """
[[route]]
name = "tapped"
model = "lab-stall"
  [[route.hop]]
  name = "gateway"
  kind = "gateway"
  url = "http://127.0.0.1:{port}/v1"
"""


@dataclass(frozen=True)
class Line:
    """A product whose route ``tapped`` goes through the address of a tap that is to be started."""

    product: Product
    port: int

    def tap(self) -> list[str]:
        listen = f"127.0.0.1:{self.port}"
        return [sys.executable, "manage.py", "tap", "--listen", listen, "--upstream", self.product.lab, "--hop", "vllm"]


@pytest.fixture(scope="module")
def line(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Line]:
    port = free_port()
    with product(tmp_path_factory.mktemp("taps"), routes=ROUTES.format(port=port)) as started:
        yield Line(started, port)


@pytest_asyncio.fixture(loop_scope="session")
async def page(line: Line, context: BrowserContext) -> AsyncIterator[Page]:
    """The open page; an error on its console fails the test."""
    opened = await context.new_page()
    console = Console(opened)
    await opened.goto(f"{line.product.url}/taps/")
    yield opened
    console.check()


async def chat(line: Line, exchange: str) -> None:
    said = {"exchange": exchange, "route": "tapped", "messages": [{"role": "user", "content": "hi"}]}
    async with httpx.AsyncClient(trust_env=False, timeout=30) as client:
        await client.post(f"{line.product.url}/chat/stream", json=said)


async def test_a_chat_through_a_tap_is_seen_under_way_judged_and_joined_to_the_chat(
    line: Line, page: Page, tmp_path: Path
) -> None:
    await expect(page.get_by_test_id("no-tap")).to_contain_text("manage.py tap --listen")
    log = tmp_path / "tap.log"
    with running(line.tap(), log, env=line.product.env, cwd=ROOT) as tap:
        await asyncio.to_thread(wait_for_port, line.port, tap, log)
        state = page.get_by_test_id("tap").first
        await expect(state).to_have_attribute("data-state", "listening", timeout=10_000)  # nobody reloads the page
        asking = asyncio.ensure_future(chat(line, "tapped-1"))
        row = page.locator('[data-exchange="tapped-1"]')
        await expect(row).to_contain_text("under way", timeout=10_000)
        await expect(row).to_contain_text("silent for", timeout=10_000)  # lab-stall falls silent for 3 s
        await asking
        await expect(row).to_contain_text("stall", timeout=10_000)
        await expect(row.get_by_role("link", name="its chat")).to_have_attribute(
            "href", "/runs/tapped-1/", timeout=10_000
        )
        await row.get_by_role("link", name="run").focus()
        leaving = asyncio.ensure_future(chat(line, "tapped-2"))
        await expect(page.locator('[data-exchange="tapped-2"]')).to_contain_text("streaming", timeout=10_000)
        leaving.cancel()
        # The list has renewed itself, and the focus stays where it was.
        await expect(row.get_by_role("link", name="run")).to_be_focused()
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("link", name="this chat")).to_be_visible()
        await page.goto(f"{line.product.url}/taps/")
        stop(tap)
    await expect(page.get_by_test_id("tap").first).to_have_attribute("data-state", "ended", timeout=10_000)
    await expect(page.locator('[data-exchange="tapped-1"]')).to_be_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_lists_show_their_verdicts_on_a_narrow_page(line: Line, page: Page, theme: str) -> None:
    await page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    await page.set_viewport_size({"width": 400, "height": 800})
    for path in ("/taps/", "/runs/", "/runs/tapped-1/"):
        await page.goto(f"{line.product.url}{path}")
        verdict = page.locator("b.verdict").first
        box = await verdict.bounding_box()
        assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 400, path
        assert await page.evaluate("document.documentElement.scrollWidth") == 400, path
