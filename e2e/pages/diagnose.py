"""The Diagnose page and a job's run page as a user handles them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from playwright.async_api import Locator, Page, expect

from e2e.pages.console import Console


class DiagnosePage:
    """Wraps one browser page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.route = page.get_by_test_id("route")
        self.prompt = page.get_by_test_id("prompt")
        self.repeat = page.get_by_test_id("repeat")
        self.start_button = page.get_by_test_id("start")
        self.stop_button = page.get_by_test_id("stop")
        self.files = page.get_by_test_id("files")
        self.judge_button = page.get_by_test_id("judge")
        self.verdict = page.get_by_test_id("verdict")
        self.failure = page.get_by_test_id("failure")
        self.findings = page.get_by_test_id("finding")
        self.picture = page.get_by_test_id("picture")
        self.console = Console(page)

    async def open(self, url: str) -> None:
        await self.page.goto(f"{url}/diagnose/")

    async def climb(self, route: str, repeat: int = 1) -> None:
        """Choose the route, see its hops, and start."""
        await self.choose(route)
        await self.repeat.fill(str(repeat))
        await self.start_button.click()
        await self.page.wait_for_url(re.compile(r"/runs/\w+/$"))

    async def choose(self, route: str) -> None:
        """Choose a route and wait until its own hops are shown."""
        async with self.page.expect_response(re.compile("/diagnose/hops")):
            await self.route.select_option(route)

    async def bring(self, *files: Path) -> None:
        """Choose recordings and have them judged."""
        await self.files.set_input_files(list(files))
        await self.judge_button.click()

    async def add_log(self, text: str) -> None:
        """Paste lines of a gateway's log on a run's page, and wait until they have been searched."""
        await self.page.locator("#logs summary").last.click()
        await self.page.get_by_test_id("log-text").fill(text)
        await self.page.get_by_test_id("log-send").click()
        await expect(self.page.get_by_test_id("log")).to_be_visible(timeout=20_000)

    def hop(self, name: str) -> Locator:
        return self.page.locator(f'[data-testid="hops"] li[data-hop="{name}"]')

    async def expect_hop(self, name: str, state: str, timeout_s: float = 30) -> None:
        await expect(self.hop(name)).to_have_attribute("data-state", state, timeout=timeout_s * 1000)

    async def expect_verdict(self, text: str, timeout_s: float = 60) -> None:
        await expect(self.verdict).to_contain_text(text, timeout=timeout_s * 1000)

    async def answer(self) -> dict[str, Any]:
        """The shown run's answer, through the API."""
        here = self.page.url.partition("#")[0].rstrip("/")
        response = await self.page.request.get(here.replace("/runs/", "/api/runs/"))
        return dict(await response.json())
