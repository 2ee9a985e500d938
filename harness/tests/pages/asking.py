"""Ask the whole application as a server would."""

from __future__ import annotations

from typing import Any

from asgiref.testing import ApplicationCommunicator

from harness.asgi import application


class Response:
    """Status, headers (lower-case) and body of one ASGI answer."""

    def __init__(self, start: dict[str, Any], body: bytes) -> None:
        self.status, self.body = start["status"], body
        self.headers = {name.decode().lower(): value.decode() for name, value in start["headers"]}


async def ask(path: str, method: str = "GET", host: str = "localhost", **headers: str) -> Response:
    pairs = [(b"host", host.encode()), *((k.replace("_", "-").encode(), v.encode()) for k, v in headers.items())]
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "path": path,
        "query_string": b"",
        "headers": pairs,
    }
    app = ApplicationCommunicator(application, scope)
    await app.send_input({"type": "http.request"})
    start, body = await app.receive_output(5), b""
    while True:
        message = await app.receive_output(5)
        body += message.get("body", b"")
        if not message.get("more_body"):
            await app.wait()
            return Response(start, body)
