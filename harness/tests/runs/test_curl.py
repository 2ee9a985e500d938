"""The curl command does what the probe does, and holds no secret."""

from __future__ import annotations

import asyncio
import subprocess

from harness.capture.sniff import load_any
from harness.probe.exchange import probe
from harness.routes.model import Hop, Route
from harness.runs.curl import curl_command, left_open
from harness.tests.probe.fakes import HEAD, LAST, Talk, Upstream, chunk

SAID = [{"role": "user", "content": 'it\'s "1" < 2 $HOME é'}]


async def answer(talk: Talk) -> None:
    await talk.send(HEAD, chunk(b"data: [DONE]\n\n"), LAST)


async def test_it_sends_what_a_probe_sends(monkeypatch, tmp_path):
    monkeypatch.setenv("THE_KEY", "sk-abc")
    async with Upstream(answer) as upstream:
        hop = Hop("engine", url=upstream.url, api_key_env="THE_KEY", body={"chatId": "x y"})
        route = Route("r", (hop,), "m")
        line = curl_command(route, hop, SAID)
        assert "sk-abc" not in line
        await asyncio.to_thread(subprocess.run, ["sh", "-c", line], cwd=tmp_path, check=True, timeout=20)
        await probe(route, hop, messages=SAID)
    by_hand, by_probe = upstream.talks
    assert by_hand.body == by_probe.body
    same = ("authorization", "content-type", "accept")
    assert {n: by_hand.headers[n] for n in same} == {n: by_probe.headers[n] for n in same}
    (traced,) = load_any((tmp_path / "engine.trace").read_bytes(), "engine.trace")
    assert traced.body == b"data: [DONE]\n\n"


def test_header_values_of_the_route_may_be_secret_so_they_are_left_out():
    hop = Hop("engine", url="https://h/v1", headers={"X-Key": "sk-secret"}, verify=False, ca_file="ca.pem")
    line = curl_command(Route("r", (hop,), "m"), hop, SAID, trace=False)
    assert left_open(hop) == ["x-key"]
    assert "sk-secret" not in line and "x-key: …" in line and " -k " in line and "--trace" not in line
