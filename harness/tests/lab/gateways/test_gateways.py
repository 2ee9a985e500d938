"""Each gateway in virtual time: what goes in, what comes out, when, and how it ends."""

from __future__ import annotations

import json
import zlib
from typing import Any

import pytest

from harness.diagnose.answer import SYMPTOMS
from harness.errors import InputError
from harness.lab.ask import read_ask
from harness.lab.edits import text_of
from harness.lab.gateways.model import Gateway
from harness.lab.gateways.registry import gateways, open_gateway
from harness.lab.gateways.virtual import through
from harness.lab.plan import Plan
from harness.lab.reading import reread
from harness.lab.source import make

BODY: dict[str, Any] = {"model": "lab-steady", "stream": True, "messages": [{"role": "user", "content": "go"}]}


def plan(mark: str = "", model: str = "lab-steady", **more: Any) -> Plan:
    asked = {**BODY, "model": model, "messages": [{"role": "user", "content": f"[[lab events=24 rate=20 {mark}]]"}]}
    return make(read_ask("chat", {**asked, **more}, {"x-exchange-id": "k"})).plan


def via(spec: str, made: Plan, **more: Any) -> Plan:
    return through(open_gateway(spec), made, {**BODY, **more})


def words(made: Plan) -> list[str]:
    rows = [text_of(e).strip() for e in reread(made).emissions if e.kind in ("text", "reasoning")]
    return [w for w in rows if w]


COUNT = [f"t{i}" for i in range(1, 25)]


@pytest.mark.parametrize("name", gateways())
def test_every_gateway_says_what_it_imitates_and_gives_time_ordered_writes(name: str) -> None:
    kind = gateways()[name]
    assert len(kind.about) > 20 and kind.symptom in (*SYMPTOMS, "")
    made = via(name, plan())
    at = [e.at for e in made.emissions]
    assert at == sorted(at) and made.head_at is not None and made.head_at <= at[0]
    assert made.end in ("complete", "cut")


def test_an_unknown_gateway_is_named_with_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"nobody.*Gateways: .*passthrough"):
        open_gateway("nobody")


@pytest.mark.parametrize("name", ["passthrough", "hold-ms", "hold-bytes", "one-behind", "buffer-until-end", "deaf"])
def test_what_only_holds_changes_no_byte(name: str) -> None:
    assert via(name, plan()).body() == plan().body()


@pytest.mark.parametrize(("mark", "end"), [("truncate", "cut"), ("reset", "reset"), ("", "complete")])
def test_a_pass_through_hands_on_every_end(mark: str, end: str) -> None:
    assert via("passthrough", plan(mark)).end == end


def test_a_buffer_writes_once_at_the_end() -> None:
    made = via("buffer-until-end", plan())
    assert len(made.emissions) == 1 and made.emissions[0].at == made.head_at == plan().end_at


def test_batches_come_on_their_timer() -> None:
    at = [e.at for e in via("hold-ms,for=500ms", plan()).emissions]
    assert len(at) == 3 and at[1] - at[0] == pytest.approx(550, abs=60)


def test_a_byte_buffer_fills_exactly() -> None:
    sizes = [len(e.data or b"") for e in via("hold-bytes,bytes=1000", plan()).emissions]
    assert set(sizes[:-1]) == {1000} and 0 < sizes[-1] <= 1000


def test_one_behind_is_one_event_late() -> None:
    before, after = plan(), reread(via("one-behind", plan()))
    assert after.emissions[5].at == before.emissions[6].at


def test_racing_workers_reorder_content_and_nothing_else() -> None:
    made = via("racing-rewrite", plan())
    assert sorted(words(made)) == sorted(COUNT) and words(made) != COUNT
    kinds = [e.kind for e in reread(made).emissions]
    assert kinds[0] == "role" and kinds[-2:] == ["finish", "done"]


def test_a_good_rewrite_keeps_text_order_and_time() -> None:
    made = via("rewrite", plan("comments event-line"))
    assert words(made) == COUNT
    assert b": ping" not in made.body() and b"event:" not in made.body()
    assert [e.at for e in made.emissions] == [e.at for e in plan().emissions if e.kind != "done"] + [plan().end_at]


def test_a_retry_in_the_middle_repeats_the_beginning() -> None:
    assert words(via("retry-midway,at=5", plan())) == COUNT[:5] + COUNT
    assert words(via("retry-midway,at=99", plan("truncate at=4"))) == COUNT[:4] * 2


def test_a_cache_answers_the_second_time_by_itself() -> None:
    store: dict[str, Any] = {}
    first = through(open_gateway("cache-replay", store=store), plan(), BODY)
    second = through(open_gateway("cache-replay", store=store), Plan(head_at=None, end="hang"), BODY)
    assert second.body() == first.body() == plan().body()
    assert (len(second.emissions), second.emissions[0].at, second.end) == (1, 0.0, "complete")
    other = through(open_gateway("cache-replay", store=store), plan("events=3"), {**BODY, "model": "other"})
    assert other.body() == plan("events=3").body()


def test_a_fake_stream_makes_events_of_one_answer() -> None:
    gateway = open_gateway("fake-stream")
    assert gateway.ask(BODY)["stream"] is False
    made = through(open_gateway("fake-stream"), plan(stream=False), BODY)
    assert words(made) == COUNT and len({e.at for e in made.emissions}) == 1


def test_gzip_streams_when_flushed_and_clumps_when_not() -> None:
    flushed, held = via("gzip", plan()), via("gzip-no-flush", plan())
    for made in (flushed, held):
        assert zlib.decompress(made.body(), 31) == plan().body()
        assert ("content-encoding", "gzip") in made.headers
    assert len(flushed.emissions) > 20 > 4 > len(held.emissions)


def test_timers_cut_in_total_and_when_idle() -> None:
    total = via("total-cut,after=500ms", plan())
    assert (total.end, total.end_at) == ("cut", 500) and 0 < len(words(total)) < 24
    assert via("idle-cut,idle=1s", plan()).end == "complete"
    idle = via("idle-cut,idle=1s", plan("stall at=6 for=3s"))
    assert idle.end == "cut" and words(idle) == COUNT[:6]
    assert idle.end_at - idle.emissions[-1].at == pytest.approx(1000)


def test_a_cut_becomes_a_clean_end() -> None:
    made = via("launder", plan("truncate at=6"))
    assert made.end == "complete" and made.body().endswith(b"data: [DONE]\n\n") and words(made) == COUNT[:6]
    assert b"[DONE]" not in via("launder,done=no", plan("truncate at=6")).body()


def test_headers_and_event_lines_get_lost() -> None:
    assert via("headers-dropped", plan()).headers == (("content-type", "text/plain"),)
    made = via("event-lines-dropped", plan("comments event-line"))
    assert b"event:" not in made.body() and b": ping" not in made.body() and words(made) == COUNT


def test_one_api_like_drops_errors_and_comments_and_always_says_done() -> None:
    made = via("one-api-like", plan("error at=6 done=no"))
    assert b"error" not in made.body() and made.body().endswith(b"data: [DONE]\n\n") and made.end == "complete"
    assert via("one-api-like", plan("truncate at=6")).end == "complete"
    assert words(via("one-api-like", plan("no-space"))) == []
    long = via("one-api-like", plan("long-line at=7"))
    assert words(long) == COUNT[:6] and long.body().endswith(b"data: [DONE]\n\n")


def test_aiproxy_like_asks_for_usage_renames_the_model_and_makes_usage_up() -> None:
    gateway: Gateway = open_gateway("aiproxy-like")
    assert gateway.ask(BODY)["stream_options"] == {"include_usage": True}
    made = via("aiproxy-like", plan("broken-json at=7"), model="asked")
    rows = [e.payload for e in reread(made).emissions if isinstance(e.payload, dict)]
    assert {r["model"] for r in rows[:-1]} == {"asked"}
    assert rows[-1]["usage"]["completion_tokens"] > 0 and words(made) == [w for w in COUNT if w != "t7"]


def test_litellm_like_launders_an_early_end_and_turns_a_first_error_into_a_status() -> None:
    made = via("litellm-like", plan("early-end at=6"))
    assert b'"finish_reason":"stop"' in made.body() and made.body().endswith(b"data: [DONE]\n\n")
    cut = via("litellm-like", plan("truncate at=6"))
    assert cut.end == "cut" and b"[DONE]" not in cut.body()
    failed = plan("error at=1")
    failed = Plan(failed.emissions[2:], headers=failed.headers, head_at=0.0, end_at=failed.end_at)
    refused = via("litellm-like", failed)
    assert refused.status == 500 and json.loads(refused.body())["error"]["code"] == 500


def test_fastgpt_like_blanks_ids_swallows_cuts_and_beats() -> None:
    made = via("fastgpt-like,every=400ms", plan("truncate at=6"), detail=True)
    assert words(made) == COUNT[:6] and made.body().endswith(b"event: answer\ndata: [DONE]\n\n")
    assert b'"finish_reason":"stop"' in made.body() and made.end == "complete"
    rows = [e.payload for e in reread(made).emissions if isinstance(e.payload, dict) and "choices" in e.payload]
    assert {(r["id"], r["model"]) for r in rows} == {("", "")}
    assert any(r["choices"][0]["delta"] == {"role": "assistant", "content": ""} for r in rows)


def test_fastgpt_like_reads_only_the_older_reasoning_field() -> None:
    assert words(via("fastgpt-like", plan("reasoning-only"))) == []
    assert words(via("fastgpt-like", plan("reasoning-only field=reasoning_content"))) == COUNT
