"""The lab's ledger joins a ladder's verdict, and is asked for nowhere else."""

from __future__ import annotations

from harness.lab.server import running
from harness.probe.exchange import probe
from harness.routes.model import Hop, Route
from harness.runs.ladder import Plan, ladder
from harness.runs.result import save
from harness.tests.probe.fakes import HEAD, LAST, Talk, Upstream, chunk
from harness.tests.runs.build import SOON, through

QUICK = "count [[lab events=30 rate=60]]"
GOOD = b'data: {"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


async def test_each_exchange_is_held_against_what_the_engine_wrote_in_it(tmp_path):
    async with running() as lab:
        result = await ladder(through(lab.base, "racing-rewrite"), Plan(prompt=QUICK))
    assert [(c.hop, c.tap, c.exchange) for c in result.records] == [
        ("engine", "emit", capture.exchange) for capture in result.captures
    ]
    assert [row["hop"] for row in result.answer.captures] == ["engine", "gateway"]
    verdict = result.answer.verdict
    assert (verdict.first_bad_hop, verdict.symptom) == ("gateway", "reorder")
    finding = next(f for f in result.answer.findings if f.severity == "error")
    assert "same" in repr(finding.evidence)  # one exchange on both sides, not two of one prompt
    names = [file.name for file in save((*result.captures, *result.records), tmp_path)]
    assert len(set(names)) == 4 and names[2:] == ["engine.emit.capture.jsonl", "engine.emit-2.capture.jsonl"]


class DropsHeaders:
    """A gateway that passes the body on to the lab, and none of the client's headers."""

    def __init__(self, base: str) -> None:
        self.base = base

    async def __call__(self, talk: Talk) -> None:
        hop = Hop("x", url=f"{self.base}/v1", body=dict(talk.body), headers={"x-exchange-id": ""})
        inner = Route("inner", (hop,), "m", SOON)
        seen = await probe(inner, inner.outermost, prompt="")
        await talk.send(HEAD, chunk(seen.body or b""), LAST)


async def test_a_gateway_that_drops_our_header_is_followed_by_the_user_field():
    async with running() as lab, Upstream(DropsHeaders(lab.base)) as gateway:
        hops = (Hop("engine", url=f"{lab.base}/v1"), Hop("gateway", "gateway", url=gateway.url))
        result = await ladder(Route("r", hops, "lab-steady", SOON), Plan(prompt=QUICK, repeat=2))
    last = result.captures[-1]
    assert last.exchange in {record.exchange for record in result.records}
    assert result.answer.verdict.symptom == "burst" and result.answer.verdict.first_bad_hop == "gateway"


async def test_an_engine_that_is_no_lab_is_never_asked():
    paths: list[str] = []

    async def script(talk: Talk) -> None:
        paths.append(talk.body and talk.body["model"])
        await talk.send(HEAD, chunk(GOOD), LAST)

    async with Upstream(script) as upstream:
        result = await ladder(Route("r", (Hop("engine", url=upstream.url),), "m", SOON), Plan(repeat=2))
    assert paths == ["m", "m"] and result.records == ()
