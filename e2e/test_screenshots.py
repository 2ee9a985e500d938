"""Pictures of the pages in both themes. ``SCREENSHOTS=docs/screenshots`` renews those of the README."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from playwright.async_api import Browser

from e2e.conftest import Product
from e2e.pages.chat import ChatPage

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(os.environ.get("SCREENSHOTS", tmp_path)).resolve()


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_the_pages_can_be_looked_at(scope: Product, browser: Browser, folder: Path, theme: str) -> None:
    context = await browser.new_context(viewport={"width": 1280, "height": 820}, color_scheme=theme)
    try:
        chat = ChatPage(await context.new_page())
        await chat.open(scope.url)
        await chat.send("lab-stall", "Tell me of the river.")
        await chat.expect_end()
        await chat.expect_verdict("stall")
        exchange = await chat.exchange()
        pages = {f"chat-{theme}": "", f"runs-{theme}": "/runs/", f"run-{theme}": f"/runs/{exchange}/"}
        for name, path in pages.items():
            if path:
                await chat.page.goto(f"{scope.url}{path}")
            picture = folder / f"{name}.png"
            await chat.page.screenshot(path=picture, full_page=bool(path))
            assert picture.stat().st_size > 10_000
    finally:
        await context.close()
