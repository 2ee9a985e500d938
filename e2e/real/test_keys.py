"""Gateways that drop our header: the exchange is found in the lab's ledger by the user field or the prompt's marker."""

from __future__ import annotations

import uuid
from collections.abc import Mapping

import pytest

from e2e.parts.gateways import FERROGW, LITELLM, PORTKEY
from e2e.parts.part import Part
from e2e.parts.proxies import NGINX
from e2e.real.bench import emission, started, until
from e2e.real.row import Setting
from e2e.real.sources import scenarios
from harness.diagnose.run import diagnose
from harness.lab.desk import Lab
from harness.lab.server import running
from harness.probe.exchange import probe
from harness.routes.model import Hop, Route

pytestmark = pytest.mark.asyncio(loop_scope="session")
DROPS = "proxy_http_version 1.1; proxy_set_header X-Exchange-Id '';"
SETTINGS = [
    Setting("drops the header", NGINX, DROPS, matrix=False),
    Setting("forwards no header", PORTKEY, matrix=False),
    Setting("defaults", LITELLM),
    Setting("mode single", FERROGW),
]


def parameter(setting: Setting) -> object:
    part = setting.part
    assert part is not None
    marks = [pytest.mark.skipif(part.binary is None, reason=f"{part.name} is not installed: {part.install}")]
    marks += [pytest.mark.matrix] if setting.matrix else []
    return pytest.param(setting, id=part.name, marks=marks)


async def asked(lab: Lab, part: Part, url: str, headers: Mapping[str, str], prompt: str, key: str, **body: str) -> None:
    """One exchange through the part; it must be in the ledger under ``key`` and nowhere else, and be healthy."""
    kept = {name: value for name, value in headers.items() if name != "x-portkey-forward-headers"}
    hop = Hop("gateway", part.kind, url=url + part.path, headers=kept, model=part.model)
    capture = await probe(Route("keys", (hop,), model="lab-steady"), hop, prompt=prompt, body_extra=body)
    assert not lab.ledger.find(capture.exchange), "the header came through, so that this test shows nothing"
    record = emission(lab, capture.exchange, key)
    assert record is not None, f"the lab has no exchange with the key {key}"
    await until(lambda: record.ending)
    texts = [row["text_chars"] for row in diagnose([record.capture(), capture]).captures]
    assert texts[0] == texts[1] > 0


@pytest.mark.parametrize("setting", [parameter(setting) for setting in SETTINGS])
async def test_the_user_field_or_the_marker_finds_what_the_lab_sent(setting: Setting) -> None:
    assert setting.part is not None
    async with running(scenarios=scenarios()) as lab, started(lab, setting) as parts:
        url, headers = parts[0].url, parts[0].headers
        if setting.part is not LITELLM:  # takes the user field off where it does not know the model
            key = uuid.uuid4().hex
            await asked(lab, setting.part, url, headers, "Count. [[lab events=10 rate=50]]", key, user=key)
        key = uuid.uuid4().hex
        await asked(lab, setting.part, url, headers, f"Count. [[lab events=10 rate=50 key={key}]]", key)
