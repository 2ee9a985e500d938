"""The lab as a server: addresses, errors, the ledger, and the client's leaving."""

from __future__ import annotations

import asyncio
import json
import socket
import sys

import httpx
import pytest

from harness.capture.format import loads
from harness.errors import Unreachable
from harness.lab.desk import Lab
from harness.lab.raw import ask
from harness.lab.server import running, serve
from harness.tests.lab.build import body, end_of


def browser(lab: Lab) -> httpx.AsyncClient:
    return httpx.AsyncClient(trust_env=False, base_url=lab.base, verify=False)


async def test_it_serves_until_told_to_stop() -> None:
    loop = asyncio.get_running_loop()
    stop, base = asyncio.Event(), loop.create_future()
    task = loop.create_task(serve("127.0.0.1", 0, ready=base.set_result, stop=stop))
    async with httpx.AsyncClient(trust_env=False, verify=False) as client:
        assert (await client.get(await base + "/health")).json() == {"status": "ok"}
    stop.set()
    await asyncio.wait_for(task, 2)


async def test_a_taken_port_is_one_sentence() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(Unreachable, match="LAB_PORT"):
            await serve("127.0.0.1", taken.getsockname()[1])


@pytest.mark.parametrize(
    ("sent", "status", "says"),
    [
        (b"{", 400, "no JSON"),
        (b"[]", 400, "no JSON object"),
        (json.dumps({"model": "lab-steady"}).encode(), 400, "messages"),
        (json.dumps(body("gpt-5")).encode(), 404, "gpt-5"),
        (json.dumps(body(prompt="[[lab stal]]")).encode(), 400, "stal"),
        (json.dumps(body(prompt="[[lab stall for=soon]]")).encode(), 400, "soon"),
        (json.dumps(body(prompt="[[lab events=many]]")).encode(), 400, "many"),
        (json.dumps(body(n=0)).encode(), 400, "n is 0"),
        (json.dumps(body(n=10**9)).encode(), 400, "from 1 to 16"),
        (json.dumps(body(prompt="[[lab events=9999999]]")).encode(), 400, "out of bounds"),
    ],
    ids=["broken", "list", "no-messages", "model", "fault", "duration", "number", "n", "huge-n", "huge"],
)
async def test_bad_requests_get_a_status_and_a_sentence(sent: bytes, status: int, says: str) -> None:
    async with running() as lab:
        wire = await ask(lab.base + "/v1/chat/completions", sent)
    assert wire.status == status
    assert says in json.loads(wire.raw.partition(b"\r\n\r\n")[2])["error"]["message"]


async def test_unknown_addresses_gateways_and_methods_are_refused() -> None:
    async with running() as lab, browser(lab) as client:
        assert (await client.get("/nothing")).status_code == 404
        assert (await client.get("/ledger/nobody")).status_code == 404
        assert (await client.get("/v1/chat/completions")).status_code == 405
        assert (await client.post("/via/nobody/v1/chat/completions", json=body())).status_code == 400
        assert (await client.get("/catalogue")).json()["faults"]["stall"]["symptom"] == "stall"


async def test_what_is_no_http_gets_400_and_the_lab_lives_on() -> None:
    async with running() as lab:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(lab.base.rpartition(":")[2]))
        writer.write(b"\x16\x03\x01 hello\r\n\r\n")
        assert (await reader.readline()).startswith(b"HTTP/1.1 400")
        writer.close()
        await writer.wait_closed()
        assert (await ask(lab.base + "/v1/chat/completions", body(max_tokens=1))).status == 200


async def test_a_connection_serves_several_requests_in_turn() -> None:
    async with running() as lab, browser(lab) as client:
        for _ in range(3):
            answer = await client.post("/v1/chat/completions", json=body(max_tokens=1))
            assert answer.text.endswith("data: [DONE]\n\n")
        assert len(lab.connections) == 1


async def test_http_1_0_gets_a_body_that_ends_with_the_connection() -> None:
    async with running() as lab:
        wire = await ask(lab.base + "/v1/chat/completions", body(max_tokens=2), http="1.0")
    assert wire.header("transfer-encoding") == "" and wire.end == "fin"
    assert wire.raw.endswith(b"data: [DONE]\n\n")


@pytest.mark.parametrize("state", ["before the head", "silent", "streaming"])
async def test_a_client_that_leaves_is_noticed_at_once(state: str) -> None:
    mark = {
        "before the head": "[[lab late-first-byte for=9s]]", "silent": "[[lab stall at=2 for=9s]]", "streaming": "",
    }[state]  # fmt: skip
    async with running() as lab:
        wire = await ask(
            lab.base + "/v1/chat/completions", body(prompt=f"go {mark}"), {"x-exchange-id": "k"}, leave_after=0.4
        )
        assert await end_of(lab, "k") == "aborted"
        record = lab.ledger.find("k")[-1]
        assert record.ending is not None
        noticed = record.started / 1e6 + record.ending.t
        left = wire.sent_ns / 1e6 + wire.end_ms
        assert -5 < noticed - left < 100


async def test_a_leaving_client_is_passed_on_by_a_gateway_that_listens_and_not_by_a_deaf_one() -> None:
    mark = "go [[lab events=30 rate=40]]"
    async with running() as lab:
        for gateway, ends in (("passthrough", "aborted"), ("deaf", "complete")):
            url = f"{lab.base}/via/{gateway}/v1/chat/completions"
            await ask(url, body(prompt=mark), {"x-exchange-id": gateway}, leave_after=0.3)
            assert await end_of(lab, gateway, "gateway") == "aborted"
            assert await end_of(lab, gateway, "engine") == ends


async def test_a_deaf_source_writes_on_and_says_when_the_client_left() -> None:
    async with running() as lab:
        url = lab.base + "/v1/chat/completions"
        await ask(url, body(prompt="go [[lab events=20 rate=40 deaf]]"), {"x-exchange-id": "k"}, leave_after=0.3)
        assert await end_of(lab, "k") == "complete"
        record = lab.ledger.find("k")[-1]
        assert record.ending is not None
        assert 250 < record.meta["client_left_ms"] < record.ending.t
        assert record.capture().body.endswith(b"data: [DONE]\n\n")  # type: ignore[union-attr]


@pytest.mark.parametrize("where", ["header", "user", "marker"])
async def test_the_ledger_finds_an_exchange_by_key_and_masks_secrets(where: str) -> None:
    headers = {"authorization": "Bearer sk-very-secret-key-12345"}
    asked = body(max_tokens=3)
    if where == "header":
        headers["x-exchange-id"] = "key-1"
    elif where == "user":
        asked["user"] = "key-1"
    else:
        asked = body(prompt="go [[lab key=key-1]]", max_tokens=3)
    async with running() as lab, browser(lab) as client:
        await client.post("/v1/chat/completions", json=asked, headers=headers)
        answer = await client.get("/ledger/key-1")
    assert "secret" not in answer.text
    capture = loads(answer.content)
    assert (capture.hop, capture.tap, capture.exchange) == ("engine", "emit", "key-1")
    assert capture.end is not None and capture.end.kind == "complete"
    assert len(capture.times) == 6 and list(capture.times) == sorted(capture.times)


async def test_an_exchange_that_still_runs_is_open_in_the_ledger() -> None:
    async with running() as lab, browser(lab) as client:
        task = asyncio.get_running_loop().create_task(
            client.post("/v1/chat/completions", json=body(max_tokens=12), headers={"x-exchange-id": "k"})
        )
        for _ in range(400):
            if lab.ledger.find("k"):
                break
            await asyncio.sleep(0.005)
        capture = loads((await client.get("/ledger/k")).content)
        await task
    assert capture.end is not None and capture.end.kind == "open"


async def test_a_silent_upstream_address_is_502_with_a_reason() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    async with running(upstream=f"http://127.0.0.1:{port}") as lab:
        wire = await ask(f"{lab.base}/via/passthrough/v1/chat/completions", body())
    assert wire.status == 502 and b"cannot be reached" in wire.raw


async def test_a_reader_that_does_not_read_pauses_the_source() -> None:
    async with running() as lab:
        raw = socket.socket()
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        raw.connect(("127.0.0.1", int(lab.base.rpartition(":")[2])))
        asked = json.dumps(body(prompt="go [[lab events=2000 rate=9000 long-line bytes=4000000]]")).encode()
        head = (
            f"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nx-exchange-id: k\r\ncontent-length: {len(asked)}\r\n\r\n"
        )
        raw.sendall(head.encode() + asked)
        await asyncio.sleep(0.6)
        written = len(lab.ledger.find("k")[-1].times)
        raw.close()
        assert await end_of(lab, "k") == "aborted"
    assert written < 1000


async def test_the_confusion_table_is_made_once_and_served_as_a_page() -> None:
    async with running() as lab, browser(lab) as client:
        lab.table_command = (sys.executable, "-c", "import time; print('made at', time.time_ns())")
        first, again = await asyncio.gather(client.get("/confusion"), client.get("/confusion"))
        lab.table_command = (sys.executable, "-c", "raise SystemExit(1)")
        lab._table = b""
        failed = await client.get("/confusion")
    assert first.status_code == 200 and first.headers["content-type"].startswith("text/html")
    assert first.text == again.text and first.text.startswith("made at")
    assert failed.status_code == 500


async def test_a_gateway_that_polls_notices_a_leaving_client_at_the_next_chunk() -> None:
    prompt = "go [[lab events=20 rate=40 stall at=4 for=800ms]]"
    async with running() as lab:
        url = f"{lab.base}/via/fastgpt-like/api/v1/chat/completions"
        await ask(url, body(prompt=prompt), {"x-exchange-id": "k"}, leave_after=0.4)
        assert await end_of(lab, "k", "engine") == "aborted"
        source, gateway = lab.ledger.find("k")[-1], lab.ledger.find("k", "gateway")[-1]
    assert source.ending is not None and gateway.ending is not None
    assert gateway.ending.t < 900 < 950 < source.ending.t


@pytest.mark.parametrize(
    ("prompt", "status", "end"),
    [
        ("go", 404, "fin"),
        ("go [[lab]]", 200, "fin"),
        ("[[lab reset at=2]]", 200, "reset"),
        ("[[lab model=lab-busy]]", 503, "fin"),
    ],
)
async def test_a_marker_makes_the_lab_answer_under_a_gateways_own_model_name(
    prompt: str, status: int, end: str
) -> None:
    async with running() as lab:
        wire = await ask(lab.base + "/v1/chat/completions", body("gpt-4o", prompt, max_tokens=3))
    assert (wire.status, wire.end) == (status, end)
    assert status != 200 or b'"model":"gpt-4o"' in wire.raw


async def test_gateways_stack() -> None:
    async with running() as lab:
        url = f"{lab.base}/via/rewrite/via/hold-ms,for=100ms/v1/chat/completions"
        wire = await ask(url, body(prompt="go [[lab events=12 rate=50]]"), {"x-exchange-id": "k"})
        assert len(lab.ledger.find("k", "gateway")) == 2
    payload = b"".join(data for _, data in wire.writes())
    assert payload.count(b'"content":" t') == 11 and payload.endswith(b"data: [DONE]\n\n")
    assert len(wire.reads) < 12
