"""kill -9 of the web process in the middle of a chat: what is adopted lacks at most the last second."""

import asyncio
import os
import signal
import time

import pytest

from chat.tests.daphne import Browser, Site, site, unchunk
from harness.models import Run
from harness.runs.adopt import adopt
from harness.runs.store import load_captures
from harness.tests.probe.fakes import HEAD, Talk, Upstream, chunk

KEY = "sk-test-0123456789abcdef"
SECONDS = 2.3  # that the stream runs before the kill


async def chat_until_killed(app: Site) -> tuple[list[tuple[float, int]], float, bytes]:
    """What the upstream sent, as (monotonic, body length); when the web was killed; what the browser had got."""
    sent: list[tuple[float, int]] = []
    enough = asyncio.Event()

    async def script(talk: Talk) -> None:
        await talk.send(HEAD)
        upto, began = 0, time.monotonic()
        while True:
            event = b'data: {"choices":[{"delta":{"content":"t%d "}}]}\n\n' % len(sent)
            upto += len(event)
            await talk.send(chunk(event))
            sent.append((time.monotonic(), upto))
            if sent[-1][0] - began > SECONDS:
                enough.set()
            await asyncio.sleep(0.02)

    body = {"exchange": "killed", "route": "gateway", "messages": [{"role": "user", "content": "hi"}]}
    async with Upstream(script, sock=app.script_socket()), Browser(app.port, body) as browser:
        await browser.head()
        reading = asyncio.ensure_future(browser.rest())
        await asyncio.wait_for(enough.wait(), 30)
        os.kill(app.pid, signal.SIGKILL)
        killed = time.monotonic()
        return sent, killed, unchunk((await reading).rpartition(b"\r\n")[0] + b"\r\n")[0]


@pytest.mark.django_db
def test_a_killed_web_process_loses_at_most_the_last_second_of_a_chat() -> None:
    with site(HARNESS_GATEWAY_KEY=KEY) as app:
        sent, killed, got = asyncio.run(chat_until_killed(app))
        (spool,) = (app.folder / "spool").glob("*.spool")
        assert KEY.encode() not in spool.read_bytes(), "secrets are masked before they reach the disk"
        assert adopt(app.folder / "spool") == ["killed"]
    read, write = load_captures("killed")
    assert (read.tap, read.kind, write.tap, write.hop) == ("read", "gateway", "write", "app")
    kept = len(read.body or b"")
    before = max(upto for t, upto in sent if t < killed - 1.0)
    assert kept >= before, "bytes of more than a second ago are missing"
    assert got[:kept] == (read.body or b"")[: len(got)], "what is kept is what was passed on"
    assert write.ends and write.ends[-1] >= before
    for capture in (read, write):
        assert capture.end is not None and (capture.end.kind, capture.end.detail) == ("open", "interrupted")
    run = Run.objects.get()
    assert (run.state, run.route, run.kind) == ("interrupted", "gateway", "chat")
    assert {row["outcome"] for row in run.answer["captures"]} == {"interrupted"}
    assert run.answer["verdict"]["healthy"] is None
    assert run.answer["verdict"]["first_bad_hop"] is None
