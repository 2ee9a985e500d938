"""The chat page as a user handles it: locators, verbs and expectations; no sleeping, only waiting on facts."""

from __future__ import annotations

import json
import re
from typing import Any

from playwright.async_api import Page, expect

from e2e.pages.console import Console

ENDED = re.compile("^(done|truncated|stopped|failed)$")


class ChatPage:
    """Wraps one browser page that shows the chat."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.route = page.get_by_test_id("route")
        self.prompt = page.get_by_test_id("prompt")
        self.send_button = page.get_by_test_id("send")
        self.stop_button = page.get_by_test_id("stop")
        self.state = page.get_by_test_id("state")
        self.answer = page.get_by_test_id("answer").last
        self.verdict = page.get_by_test_id("verdict").last
        self.url = ""
        self.console = Console(page)

    async def open(self, url: str) -> None:
        self.url = url
        await self.page.goto(url)
        await self.expect_state("idle")

    async def send(self, route: str, prompt: str = "count from 1 to 60") -> None:
        """Pick the route, type the prompt, click Send; returns as soon as the click has."""
        await self.route.select_option(route)
        await self.prompt.fill(prompt)
        await self.send_button.click()

    async def expect_state(self, state: str | re.Pattern[str], timeout_s: float = 30) -> None:
        await expect(self.state).to_have_attribute("data-state", state, timeout=timeout_s * 1000)

    async def expect_end(self, timeout_s: float = 40) -> str:
        """Wait until the turn has ended and give the state it ended in."""
        await self.expect_state(ENDED, timeout_s)
        return str(await self.state.get_attribute("data-state"))

    async def expect_verdict(self, text: str | re.Pattern[str], timeout_s: float = 10) -> None:
        await expect(self.verdict).to_contain_text(text, timeout=timeout_s * 1000)

    async def text(self) -> str:
        return await self.answer.inner_text()

    async def exchange(self) -> str:
        """The exchange id of the current turn."""
        return str(await self.page.get_by_test_id("answer").last.get_attribute("data-exchange"))

    async def run(self, exchange: str) -> dict[str, Any]:
        """The stored answer of a run, through the API."""
        response = await self.page.request.get(f"{self.url}/api/runs/{exchange}")
        return dict(json.loads(await response.text()))

    async def capture(self, exchange: str, hop: str, tap: str) -> list[dict[str, Any]]:
        """The lines of one capture file of a run."""
        response = await self.page.request.get(f"{self.url}/runs/{exchange}/captures/{hop}.{tap}.capture.jsonl")
        assert response.status == 200, f"no capture {hop}.{tap} of {exchange}: HTTP {response.status}"
        return [json.loads(line) for line in (await response.text()).splitlines()]
