"""Static files and security headers, as a browser would get them from the whole application."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles import finders

from harness.pages.headers import HEADERS
from harness.tests.pages.asking import ask


@pytest.fixture
def folder(tmp_path: Path, settings: Any) -> Path:
    settings.STATICFILES_DIRS = [tmp_path / "static"]
    finders.get_finder.cache_clear()
    (tmp_path / "static").mkdir()
    (tmp_path / "secret.txt").write_text("no")
    return tmp_path / "static"


@pytest.fixture(autouse=True)
def own_finder() -> Any:
    yield
    finders.get_finder.cache_clear()


@pytest.mark.parametrize("path", ["/static/vendor/htmx.min.js", "/static/none.js", "/healthz", "/nowhere"])
async def test_every_response_bears_the_security_headers(path: str) -> None:
    response = await ask(path)
    assert {name: response.headers.get(name.lower()) for name in HEADERS} == HEADERS
    assert "content-encoding" not in response.headers


def test_the_policy_allows_neither_inline_nor_eval() -> None:
    assert "unsafe" not in HEADERS["Content-Security-Policy"]


@pytest.mark.parametrize(
    ("name", "kind"),
    [("a.js", "text/javascript; charset=utf-8"), ("a.css", "text/css; charset=utf-8"), ("a.svg", "image/svg+xml"),
     ("a.woff2", "font/woff2"), ("a.unheard", "application/octet-stream")],
)  # fmt: skip
async def test_a_file_comes_whole_with_its_own_type(name: str, kind: str, folder: Path) -> None:
    (folder / name).write_bytes(b"// \xe4\xbd\xa0\n" * 20_000)
    response = await ask(f"/static/{name}")
    assert (response.status, response.headers["content-type"]) == (200, kind)
    assert response.body == b"// \xe4\xbd\xa0\n" * 20_000


async def test_an_unchanged_file_is_not_sent_again_and_a_changed_one_is(folder: Path) -> None:
    file = folder / "a.js"
    file.write_text("1")
    first = await ask("/static/a.js")
    assert first.headers["cache-control"] == "no-cache"
    again = await ask("/static/a.js", if_none_match=first.headers["etag"])
    assert (again.status, again.body) == (304, b"")
    assert again.headers["cross-origin-embedder-policy"] == "require-corp"
    file.write_text("22")
    changed = await ask("/static/a.js", if_none_match=first.headers["etag"])
    assert (changed.status, changed.body) == (200, b"22")


@pytest.mark.parametrize(
    "path", ["/static/", "/static/../secret.txt", "/static/%2e%2e/secret.txt", "/static/sub", "/static/a\0b"]
)
async def test_nothing_but_files_of_the_folder_is_served(path: str, folder: Path) -> None:
    (folder / "sub").mkdir()
    response = await ask(path)
    assert response.status == 404 and response.body != b"no"


async def test_static_files_can_only_be_read(folder: Path) -> None:
    (folder / "a.js").write_text("1")
    assert (await ask("/static/a.js", "POST")).status == 405
    head = await ask("/static/a.js", "HEAD")
    assert (head.status, head.body) == (200, b"")


async def test_the_web_says_that_it_is_alive() -> None:
    response = await ask("/healthz")
    assert response.status == 200 and b'"ok"' in response.body
