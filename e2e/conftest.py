"""The started product, a real browser and a page that fails the test on any console error. Black box only."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, Playwright, async_playwright

from e2e.pages.chat import ChatPage
from e2e.parts.process import free_port, running, tail, wait_for_answer

ROOT = Path(__file__).resolve().parents[1]
SYSTEM_BROWSERS = ("/usr/bin/chromium-headless-shell", "/usr/bin/chromium")
NO_NAMES = "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost"
TROUBLE = ("Traceback (most recent call last)", "took too long to shut down and was killed")


@dataclass(frozen=True)
class Product:
    """A started Streamscope: its web address, its lab's, and where it keeps its data and log."""

    url: str
    lab: str
    data: Path
    log: Path
    env: dict[str, str]

    def command_env(self) -> dict[str, str]:
        """The environment in which a user runs commands against this product."""
        return dict(os.environ) | self.env


def manage(*arguments: str, env: dict[str, str], want: int = 0) -> str:
    """Run a command of the product as a user would; give its stdout, fail with its stderr on another exit code."""
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments], capture_output=True, text=True, cwd=ROOT, timeout=180,
        env=dict(os.environ) | env,
    )  # fmt: skip
    assert done.returncode == want, f"{' '.join(arguments)} ended with {done.returncode}, not {want}:\n{done.stderr}"
    return done.stdout


@contextlib.contextmanager
def product(folder: Path, routes: str = "", env: dict[str, str] | None = None) -> Iterator[Product]:
    """Start ``manage.py up`` on free ports with its data in ``folder``.

    ``routes`` is TOML to load first; in it and in the values of ``env``, WEB_URL and LAB_URL stand for the addresses.
    """
    folder.mkdir(parents=True, exist_ok=True)
    web, lab, data, log = free_port(), free_port(), folder / "var", folder / "up.log"
    url, lab_url = f"http://127.0.0.1:{web}", f"http://127.0.0.1:{lab}"

    def placed(text: str) -> str:
        return text.replace("WEB_URL", url).replace("LAB_URL", lab_url)

    settings = {"PORT": str(web), "LAB_PORT": str(lab), "HARNESS_DATA_DIR": str(data)}
    settings |= {name: placed(value) for name, value in (env or {}).items()}
    if routes:
        (folder / "routes.toml").write_text(placed(routes))
        manage("routes", "load", str(folder / "routes.toml"), env=settings)
    with running([sys.executable, "manage.py", "up"], log, env=settings, cwd=ROOT) as child:
        wait_for_answer(f"{url}/healthz", child, log)
        yield Product(url, lab_url, data, log, settings)
    trouble = [line for line in log.read_text(errors="replace").splitlines() if any(t in line for t in TROUBLE)]
    assert not trouble, f"the product's log tells of trouble:\n{tail(log, 60)}"


@pytest.fixture(scope="session")
def scope(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """One product for all tests that need no routes of their own."""
    with product(tmp_path_factory.mktemp("product")) as started:
        yield started


def executable(playwright: Playwright) -> str | None:
    """The browser to drive: HARNESS_CHROMIUM (auto, playwright or a path), else Playwright's own, else the system's."""
    want = os.environ.get("HARNESS_CHROMIUM", "auto")
    if want not in ("auto", "playwright"):
        return want
    if want == "playwright" or Path(playwright.chromium.executable_path).exists():
        return None
    found = next((path for path in SYSTEM_BROWSERS if os.access(path, os.X_OK)), None)
    if found is None:
        pytest.exit("no browser: apt-get install chromium-headless-shell, or playwright install chromium", 4)
    return found


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        launched = await playwright.chromium.launch(executable_path=executable(playwright), args=[NO_NAMES])
        yield launched
        await launched.close()


@pytest_asyncio.fixture(loop_scope="session")
async def context(browser: Browser) -> AsyncIterator[BrowserContext]:
    fresh = await browser.new_context(viewport={"width": 1280, "height": 900})
    yield fresh
    await fresh.close()


@pytest_asyncio.fixture(loop_scope="session")
async def open_chat(context: BrowserContext) -> AsyncIterator[Callable[..., object]]:
    """Open chat pages; at the end of the test any console or page error that was not announced fails it."""
    opened: list[ChatPage] = []

    async def open_page(url: str) -> ChatPage:
        chat = ChatPage(await context.new_page())
        opened.append(chat)
        await chat.open(url)
        return chat

    yield open_page
    for chat in opened:
        chat.console.check()


def ledger(lab: str, exchange: str) -> list[dict[str, object]]:
    """The lab's own record of an exchange: the lines of its capture file."""
    with urllib.request.urlopen(f"{lab}/ledger/{exchange}", timeout=5) as answer:
        return [json.loads(line) for line in answer.read().decode().splitlines()]
