"""The page's ES modules in a real Chromium: each ``js/*.test.js`` is one test here."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.async_api import Browser

ROOT = Path(__file__).resolve().parents[1]
FILES = sorted(path.name for path in (ROOT / "e2e" / "js").glob("*.test.js"))
RUN = """async name => { await import('/e2e/js/' + name); return (await import('/e2e/js/check.js')).run(); }"""


class Handler(SimpleHTTPRequestHandler):
    """The repository's files, and ``/stream?hex=…`` as an event stream for Chromium's own parser."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | {".js": "text/javascript"}

    def do_GET(self) -> None:
        if not self.path.startswith("/stream"):
            return super().do_GET()
        body = bytes.fromhex(parse_qs(urlsplit(self.path).query).get("hex", [""])[0])
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def files() -> Iterator[str]:
    """Address of a server of the repository's files."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(ROOT))) as server:
        threading.Thread(target=server.serve_forever, name="js-files", daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("name", FILES)
async def test_the_modules_hold_what_their_tests_say(files: str, browser: Browser, name: str) -> None:
    page = await browser.new_page()
    try:
        await page.goto(f"{files}/e2e/js/blank.html")
        rows = await page.evaluate(RUN, name)
    finally:
        await page.close()
    failed = [f"{row['name']}\n{row['error']}" for row in rows if row["error"]]
    assert rows, f"{name} has no tests"
    assert not failed, f"{len(failed)} of {len(rows)} do not hold:\n" + "\n".join(failed)
