"""The chat page against the started product: order, states, Stop, the 50 ms law, and hostile output."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from e2e.conftest import Product, ledger, product
from e2e.parts import fake

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.alone]

CUT = ["ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_CONNECTION_RESET"]
ONE_HOP = """
[[route]]
name = "{name}"
model = "fake"
  [[route.hop]]
  name = "engine"
  kind = "engine"
  wire = "openai"
  url = "{url}"
"""
GATEWAY = {"HARNESS_GATEWAY_URL": "LAB_URL/via/passthrough/v1", "HARNESS_MODEL": "lab-steady"}


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """The product with a gateway configured by environment variables, as a user would."""
    with product(tmp_path_factory.mktemp("gateway"), env=GATEWAY) as started:
        yield started


def stamps(lines: list[dict[str, Any]]) -> list[tuple[float, int]]:
    """(ms, bytes so far) of every read or stamp of a capture file."""
    rows, size = [], 0
    for line in lines:
        if "upto" in line:
            rows.append((line["t"], line["upto"]))
        elif "data" in line:
            size += len(line["data"].encode())
            rows.append((line["t"], size))
    return rows


def numbers(text: str) -> list[int]:
    return [int(n) for n in re.findall(r"\d+", text)]


async def test_an_answer_through_a_gateway_keeps_its_order_and_is_healthy(gateway: Product, open_chat) -> None:
    chat = await open_chat(gateway.url)
    await chat.send("gateway")
    assert await chat.expect_end() == "done"
    await chat.expect_verdict("healthy")
    seen = numbers(await chat.text())
    assert len(seen) >= 20
    assert seen == sorted(seen)


async def test_send_says_connecting_before_the_click_returns(gateway: Product, open_chat) -> None:
    chat = await open_chat(gateway.url)
    await chat.prompt.fill("hello")
    state = await chat.page.evaluate(
        """() => { document.querySelector('[data-testid=send]').click();
                   return document.querySelector('[data-testid=state]').dataset.state; }"""
    )
    assert state == "connecting"
    await chat.expect_end()


async def test_paints_come_fifty_ms_apart_and_soon_after_their_bytes(gateway: Product, open_chat) -> None:
    chat = await open_chat(gateway.url)
    await chat.send("gateway")
    await chat.expect_end()
    await chat.expect_verdict("healthy")
    exchange = await chat.exchange()
    arrive = stamps(await chat.capture(exchange, "network-path", "arrive"))
    paint = stamps(await chat.capture(exchange, "browser", "paint"))
    gaps = [b[0] - a[0] for a, b in pairwise(paint[:-1])]  # the final flush is exempt
    assert len(gaps) >= 10
    assert min(gaps) >= 45, f"paints {min(gaps):.1f} ms apart"
    offsets = [upto for _, upto in paint]
    delays = sorted(paint[at][0] - t for t, upto in arrive if (at := bisect_left(offsets, upto)) < len(paint))
    assert len(delays) >= 20
    p95 = delays[int(len(delays) * 0.95) - 1]
    assert p95 <= 100, f"arrive to paint p95 {p95:.1f} ms"


async def test_stop_reaches_the_source_within_200_ms_and_keeps_the_text(gateway: Product, open_chat) -> None:
    chat = await open_chat(gateway.url)
    await chat.send("gateway")
    await chat.expect_state("streaming")
    exchange = await chat.exchange()
    clicked = await chat.page.evaluate(
        """() => { const now = performance.timeOrigin + performance.now();
                   document.querySelector('[data-testid=stop]').click(); return now; }"""
    )
    assert await chat.expect_end() == "stopped"
    assert await chat.text()
    await chat.expect_verdict("healthy")
    lines = ledger(gateway.lab, exchange)
    begun = datetime.fromisoformat(str(lines[0]["sent_at"]).replace("Z", "+00:00")).timestamp() * 1000
    end = next(line for line in lines if "end" in line)
    assert end["end"] == "aborted"
    latency = begun + float(str(end["t"])) - clicked
    assert latency <= 200, f"Stop reached the source after {latency:.0f} ms"


@pytest.mark.parametrize(
    ("route", "state", "verdict"),
    [
        pytest.param("lab-truncate", "truncated", "truncation", id="a-cut"),
        pytest.param("lab-reset", "truncated", "reset", id="a-reset"),
        pytest.param("lab-stall", "done", "stall", id="a-stall"),
        pytest.param("lab-reorder", "done", "reorder", id="swapped-neighbours"),
        pytest.param("lab-steady", "done", "healthy", id="a-healthy-stream"),
    ],
)
async def test_each_lab_route_is_shown_and_named(
    scope: Product, open_chat, route: str, state: str, verdict: str
) -> None:
    chat = await open_chat(scope.url)
    chat.console.expected += CUT
    await chat.send(route)
    assert await chat.expect_end() == state
    await chat.expect_verdict(verdict)


async def test_a_stall_is_shown_while_it_lasts_with_a_ticking_time(scope: Product, open_chat) -> None:
    chat = await open_chat(scope.url)
    await chat.send("lab-stall")
    await chat.expect_state("stalled")
    first = await chat.state.inner_text()
    await chat.page.wait_for_function(
        "first => document.querySelector('[data-testid=state]').innerText !== first", arg=first
    )
    assert re.search(r"\d", first)
    assert await chat.expect_end() == "done"


async def test_two_chats_at_once_are_not_mixed(scope: Product, open_chat) -> None:
    one, two = await open_chat(scope.url), await open_chat(scope.url)
    await one.send("lab-steady", "Tell me of the river.")
    await two.send("lab-steady", "Tell me of the mountain.")
    texts = []
    for chat in (one, two):
        assert await chat.expect_end() == "done"
        texts.append((await chat.text()).strip())
        assert texts[-1] == emitted(ledger(scope.lab, await chat.exchange())).strip()
    assert texts[0] != texts[1]


def emitted(lines: list[dict[str, Any]]) -> str:
    """The answer's text by the lab's own record of what it wrote."""
    body = "".join(line.get("data", "") for line in lines)
    chunks = [json.loads(event[6:]) for event in body.split("\n\n") if event.startswith("data: {")]
    return "".join(choice["delta"].get("content") or "" for chunk in chunks for choice in chunk["choices"])


async def test_several_turns_stay_on_the_page(scope: Product, open_chat) -> None:
    chat = await open_chat(scope.url)
    for turn in (1, 2):
        await chat.send("lab-steady", "count from 1 to 15")
        assert await chat.expect_end() == "done"
        assert await chat.page.get_by_test_id("answer").count() == turn


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def hostile(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Product]:
    """The product before an upstream that cuts inside characters and writes markup."""
    cut = "".join(f"{n} 漢字🙂 " for n in range(1, 9))
    whole = fake.delta(cut)
    split = [whole[at : at + 1] for at in range(len(whole))]
    markup = [
        fake.delta("<img src=x onerror=\"document.title='pwned'\">"),
        fake.delta("<script>document.title='pwned'</script>"),
    ]
    async with (
        fake.upstream([*split, *fake.ENDING], gap_s=0.002) as characters,
        fake.upstream([*markup, *fake.ENDING]) as tags,
    ):
        routes = "".join(
            ONE_HOP.format(name=name, url=url) for name, url in {"characters": characters, "markup": tags}.items()
        )
        with product(Path(tmp_path_factory.mktemp("hostile")), routes=routes) as started:
            yield started


async def test_characters_cut_byte_by_byte_arrive_whole(hostile: Product, open_chat) -> None:
    chat = await open_chat(hostile.url)
    await chat.send("characters")
    assert await chat.expect_end() == "done"
    assert "".join(f"{n} 漢字🙂 " for n in range(1, 9)).strip() == (await chat.text()).strip()


async def test_markup_in_an_answer_is_text(hostile: Product, open_chat) -> None:
    chat = await open_chat(hostile.url)
    title = await chat.page.title()
    await chat.send("markup")
    assert await chat.expect_end() == "done"
    assert "<img src=x onerror=" in await chat.text()
    assert await chat.answer.locator("img, script").count() == 0
    assert await chat.page.title() == title
