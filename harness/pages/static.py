"""Static files straight from ``static/``, also with DEBUG off, with validators and the isolation headers."""

from __future__ import annotations

import mimetypes
from pathlib import Path

from django.contrib.staticfiles import finders
from django.contrib.staticfiles.handlers import ASGIStaticFilesHandler
from django.core.exceptions import SuspiciousFileOperation
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseNotFound
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.http import http_date

from harness.pages.headers import protect

# Named here because a host's own table may lack them or say otherwise, and nosniff makes that fatal.
TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".txt": "text/plain; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
    ".wasm": "application/wasm",
}


class StaticFiles(ASGIStaticFilesHandler):
    """Serves whole files (they are small), revalidated by the browser on each use."""

    def serve(self, request: HttpRequest) -> HttpResponseBase:  # type: ignore[override]
        return protect(_serve(request, self.file_path(request.path)))


def _serve(request: HttpRequest, name: str) -> HttpResponseBase:
    if request.method not in ("GET", "HEAD"):
        return HttpResponseNotAllowed(["GET", "HEAD"])
    try:
        found = finders.find(name)
    except (SuspiciousFileOperation, ValueError):
        found = None
    path = Path(found) if isinstance(found, str) else None
    if path is None or not path.is_file():
        return HttpResponseNotFound(f"No static file {name}\n", content_type="text/plain; charset=utf-8")
    facts = path.stat()
    kind = TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    etag = f'"{facts.st_mtime_ns:x}-{facts.st_size:x}"'
    modified = int(facts.st_mtime)
    headers = {
        "ETag": etag,
        "Last-Modified": http_date(modified),
        "Cache-Control": "no-cache",
        "Content-Length": str(facts.st_size),
    }
    content = path.read_bytes() if request.method == "GET" else b""
    response = HttpResponse(content, content_type=kind, headers=headers)
    return get_conditional_response(request, etag, modified, response) or response
