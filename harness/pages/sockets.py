"""Guard of the WebSockets (a ``URLRouter``): our own page only, and an unknown path is refused instead of crashing."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.urls import Resolver404

from harness.pages.guard import refusal


class SocketGuard:
    """ASGI middleware: closes (HTTP 403) a handshake from a foreign page or to a path that nobody serves."""

    def __init__(self, router: Any) -> None:
        self.router = router

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        # A handshake is a GET, but opens a two-way line, so it is judged as a request that changes something.
        if refusal("POST", headers, settings.HOSTS) or not self._known(scope["path"]):
            await receive()
            await send({"type": "websocket.close", "code": 4403})
            return
        await self.router(scope, receive, send)

    def _known(self, path: str) -> bool:
        for route in self.router.routes:
            try:
                if route.pattern.match(path.lstrip("/")):
                    return True
            except Resolver404:
                continue
        return False
