"""The lab's front desk: which address gives what. One :class:`Lab` holds the ledger and the open connections."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from harness.capture.format import dumps
from harness.capture.mask import mask_body, mask_headers, mask_url
from harness.capture.model import Request
from harness.errors import InputError
from harness.lab.ask import Ask, read_ask
from harness.lab.connection import Connection, Incoming
from harness.lab.engines import Engines
from harness.lab.gateways.registry import open_gateway
from harness.lab.ledger import Ledger, Record
from harness.lab.pages import PAGES
from harness.lab.passage import Passage
from harness.lab.registry import faults
from harness.lab.response import Response
from harness.lab.scenarios import Scenario, built_in
from harness.lab.source import ModelNotFound, make
from harness.tasks import start

ROOT = Path(__file__).resolve().parents[2]
log = logging.getLogger(__name__)
CHAT = {
    "/v1/chat/completions": "chat",
    "/v1/completions": "completions",
    "/api/v1/chat/completions": "fastgpt1",
    "/api/v2/chat/completions": "fastgpt2",
    "/api/chat": "ollama",
}
WIRES = {"chat": "openai", "completions": "openai", "fastgpt1": "fastgpt", "fastgpt2": "fastgpt", "ollama": "ollama"}


class Lab:
    """``base`` is the lab's own address, ``upstream`` what its gateways stand in front of (itself, by default)."""

    def __init__(self, base: str, upstream: str = "", scenarios: Mapping[str, Scenario] | None = None) -> None:
        self.base, self.upstream = base, upstream or base
        self.scenarios = dict(built_in() if scenarios is None else scenarios)
        faults()  # imported now, so that no request waits for it
        self.ledger = Ledger()
        self.engines = Engines()
        self.table_command = (sys.executable, "-m", "harness.lab.confusion_page")
        self._table, self._one_table = b"", asyncio.Lock()
        self.stores: dict[str, dict[str, Any]] = {}
        self.connections: set[Connection] = set()

    def connect(self) -> Connection:
        return Connection(self.answer, self.connections)

    def answer(self, connection: Connection, request: Incoming) -> None:
        """Start the answer to one request; every mistake of the client's becomes one JSON error."""
        try:
            self._route(connection, request, urlsplit(request.target).path)
        except ModelNotFound as error:
            self._error(connection, request, 404, str(error), "NotFoundError")
        except InputError as error:
            self._error(connection, request, 400, str(error), "BadRequestError")
        except Exception as error:  # the seam: a defect of the lab must not leave a client hanging
            log.exception("the lab failed on %s", request.target)
            self._error(connection, request, 500, f"a defect of the lab: {error!r}", "InternalServerError")

    def _route(self, connection: Connection, request: Incoming, path: str) -> None:
        if path in CHAT:
            if self._method(connection, request, "POST"):
                self._chat(connection, request, CHAT[path])
        elif path.startswith("/via/"):
            if self._method(connection, request, "POST"):
                self._via(connection, request, path)
        elif path.startswith("/ledger/") and path != "/ledger/":
            if self._method(connection, request, "GET"):
                self._ledger(connection, request, unquote(path.removeprefix("/ledger/")))
        elif path == "/confusion":
            if self._method(connection, request, "GET"):
                start(self._confusion(connection, request), "lab-confusion")
        elif path in PAGES:
            if self._method(connection, request, "GET"):
                kind, content = PAGES[path](self)
                body = (
                    content.encode() if isinstance(content, str) else json.dumps(content, ensure_ascii=False).encode()
                )
                self._reply(connection, request, 200, kind, body)
        else:
            self._error(connection, request, 404, f"the lab has nothing at {path}", "NotFoundError")

    def _chat(self, connection: Connection, request: Incoming, dialect: str, replay: str = "") -> None:
        """The source's answer; a ``replay`` stands in as a gateway, whatever model is asked for."""
        body = _json(request)
        ask = read_ask(
            dialect, {**body, "model": replay} if replay and isinstance(body, dict) else body, request.headers
        )
        made = make(ask, self.scenarios)
        record = self.ledger.open(self._record(request, body, ask, "gateway" if replay else "engine"))
        response = Response(connection.transport, request.http, record, again=request.again)
        emitter = self.engines.emitter(ask, made, response, self._over(connection, record))
        connection.exchange = emitter
        emitter.begin()

    def _via(self, connection: Connection, request: Incoming, path: str) -> None:
        name, _, rest = path.removeprefix("/via/").partition("/")
        if name in self.scenarios and self.scenarios[name].plan is not None:
            return self._chat(connection, request, CHAT.get(f"/{rest}", "chat"), replay=name)
        body = _json(request)
        if not isinstance(body, dict):
            raise InputError("the body is no JSON object", "lab", 'Send {"model": …, "messages": […]}.')
        key = _key_of(request, body)
        spec = unquote(name)
        gateway = open_gateway(spec, str(body.get("seed", 0)), self.stores.setdefault(spec, {}))
        record = self.ledger.open(self._record(request, body, key, "gateway", gateway=name))
        response = Response(connection.transport, request.http, record, again=request.again)
        passage = Passage(
            gateway, response, self.upstream, f"/{rest}", request.headers, request.body, self._over(connection, record)
        )
        connection.exchange = passage
        passage.begin()

    def _ledger(self, connection: Connection, request: Incoming, key: str) -> None:
        """``/ledger/KEY``: the newest record; ``?hop=gateway`` what a lab gateway wrote; ``?entry=0`` the oldest."""
        query = parse_qs(urlsplit(request.target).query)
        hop = query.get("hop", ["engine"])[0]
        entry = query.get("entry", ["-1"])[0]
        found = self.ledger.find(key, hop)
        place = int(entry) if entry.lstrip("-").isdigit() else -1
        if not -len(found) <= place < len(found):
            what = f"the ledger has no record of {key!r} at {hop}"
            return self._error(connection, request, 404, what, "NotFoundError")
        record = found[place]
        record.meta["entries"] = len(found)
        self._reply(connection, request, 200, "application/x-ndjson; charset=utf-8", dumps(record.capture()))

    async def _confusion(self, connection: Connection, request: Incoming) -> None:
        """The confusion table, made once, in a process of its own, so that no stream waits for it."""
        async with self._one_table:
            if not self._table:
                child = await asyncio.create_subprocess_exec(
                    *self.table_command, stdout=asyncio.subprocess.PIPE, cwd=ROOT
                )
                self._table = (await child.communicate())[0]
        if not connection.transport.is_closing():
            status = 200 if self._table else 500
            self._reply(
                connection, request, status, "text/html; charset=utf-8", self._table or b"It failed; see the log."
            )

    def _record(self, request: Incoming, body: Any, ask: Ask | str, hop: str, **meta: Any) -> Record:
        key = ask if isinstance(ask, str) else ask.key
        path = "/" + urlsplit(request.target).path.removeprefix("/via/").partition("/")[2]
        wire = WIRES[CHAT.get(path, "chat")] if isinstance(ask, str) else WIRES[ask.dialect]
        url = mask_url(f"http://{request.headers.get('host', '')}{request.target}")
        made = Request(request.method, url, mask_headers(request.headers.items()), mask_body(body))
        return Record(key, hop, wire, made, {"model": str(body.get("model", "")), **meta}, request.at_ns)

    def _over(self, connection: Connection, record: Record) -> Callable[[], None]:
        def over() -> None:
            self.ledger.weigh(record)
            connection.done()

        return over

    def _method(self, connection: Connection, request: Incoming, wanted: str) -> bool:
        if request.method == wanted or (request.method == "HEAD" and wanted == "GET"):
            return True
        self._error(connection, request, 405, f"{urlsplit(request.target).path} takes {wanted}", "MethodNotAllowed")
        return False

    def _error(self, connection: Connection, request: Incoming, status: int, message: str, kind: str) -> None:
        row = {"error": {"message": message, "type": kind, "param": None, "code": status}}
        self._reply(connection, request, status, "application/json", json.dumps(row, ensure_ascii=False).encode())

    def _reply(self, connection: Connection, request: Incoming, status: int, kind: str, body: bytes) -> None:
        response = Response(connection.transport, request.http, again=request.again)
        response.head(status, (("content-type", kind), ("cache-control", "no-store")), "length", len(body))
        if request.method != "HEAD":
            response.body(body)
        response.complete()
        connection.done()


def _json(request: Incoming) -> Any:
    try:
        return json.loads(request.body)
    except (ValueError, RecursionError) as error:
        raise InputError(f"the body is no JSON: {error}", "lab", "Send a JSON object.") from None


def _key_of(request: Incoming, body: dict[str, Any]) -> str:
    try:
        return read_ask("chat", body, request.headers).key
    except InputError:
        return request.headers.get("x-exchange-id", "")
