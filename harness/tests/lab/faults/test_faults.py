"""Each fault does to a plan what its docstring says, and nothing else."""

from __future__ import annotations

import json
import zlib
from typing import Any

import pytest

from harness.diagnose.answer import SYMPTOMS
from harness.errors import InputError
from harness.lab.ask import read_ask
from harness.lab.edits import text_of
from harness.lab.markers import Call
from harness.lab.plan import Plan
from harness.lab.registry import apply, faults
from harness.lab.source import make

HEALTHY = "t1 t2 t3 t4 t5 t6 t7 t8 t9 t10 t11 t12 t13 t14 t15 t16 t17 t18 t19 t20"


def plan(text: str = "counting", stream: bool = True) -> Plan:
    prompt = f"[[lab events=20 rate=20 text={text}]]"
    body = {"model": "lab-steady", "stream": stream, "messages": [{"role": "user", "content": prompt}]}
    return make(read_ask("chat", body, {"x-exchange-id": "k"})).plan


def sick(name: str, made: Plan | None = None, **params: Any) -> Plan:
    return apply(plan() if made is None else made, [Call(name, {k.rstrip("_"): v for k, v in params.items()})])


def words(made: Plan) -> list[str]:
    return [text_of(made.emissions[i]).strip() for i in made.content()]


def times(made: Plan) -> list[float]:
    return [made.emissions[i].at for i in made.content()]


def payloads(made: Plan) -> list[Any]:
    rows = made.body().decode().split("\n\n")
    return [json.loads(row.removeprefix("data: ")) for row in rows if row.startswith("data: {")]


@pytest.mark.parametrize("name", faults())
def test_every_fault_says_what_it_imitates_names_a_symptom_and_is_the_same_for_a_seed(name: str) -> None:
    fault = faults()[name]
    assert len(fault.about) > 30
    assert fault.symptom in (*SYMPTOMS, "") and fault.outer in (*SYMPTOMS, "")
    assert sick(name).body() == sick(name).body()
    assert sick(name) != plan() or name in ("utf8-split", "heartbeat")


@pytest.mark.parametrize("name", faults())
def test_every_fault_stands_an_empty_plan_and_writes_in_the_order_of_time(name: str) -> None:
    apply(Plan(), [Call(name)])
    at = [e.at for e in sick(name).emissions]
    assert at == sorted(at)
    assert not at or sick(name).end_at >= at[-1]


@pytest.mark.parametrize("name", [n for n, f in faults().items() if not f.whole])
def test_answers_that_are_not_streamed_stay_good_so_that_they_can_be_a_reference(name: str) -> None:
    assert sick(name, plan(stream=False)) == plan(stream=False)


def test_faults_compose_in_order_and_unknown_ones_are_named() -> None:
    made = apply(plan(), [Call("drop", {"at": 3, "every": 0}), Call("truncate", {"at": 5})])
    assert words(made) == ["t1", "t2", "t4", "t5", "t6"]
    assert made.end == "cut"
    with pytest.raises(InputError, match="there is no fault called 'stal'"):
        apply(plan(), [Call("stal")])


def test_a_stall_moves_everything_after_it() -> None:
    before, after = times(plan()), times(sick("stall", at=8, for_="3s"))
    assert after[:8] == before[:8]
    assert after[8:] == [t + 3000 for t in before[8:]]


def test_a_periodic_stall_adds_up() -> None:
    before, after = times(plan()), times(sick("periodic-stall", every=5, for_="1s"))
    assert [b - a for a, b in zip(before, after, strict=True)] == [1000 * (i // 5) for i in range(20)]


def test_late_bytes_and_late_tokens_differ_in_the_head() -> None:
    assert sick("late-first-byte", for_="5s").head_at == 5100
    late = sick("late-first-token", for_="5s")
    assert late.head_at == 0.0 and times(late)[0] == times(plan())[0] + 5000
    nothing = sick("no-first-byte")
    assert (nothing.head_at, nothing.emissions, nothing.end) == (None, (), "hang")


@pytest.mark.parametrize(
    ("name", "end", "count"),
    [("truncate", "cut", 10), ("reset", "reset", 10), ("hang", "hang", 10), ("early-end", "complete", 10)],
)
def test_what_ends_in_the_middle_ends_each_in_its_way(name: str, end: str, count: int) -> None:
    made = sick(name)
    assert (made.end, len(made.content())) == (end, count)
    assert b"[DONE]" not in made.body() and b'"finish_reason":"stop"' not in made.body()


def test_finish_and_terminator_can_be_missing_each_alone() -> None:
    assert b"[DONE]" in sick("no-finish").body() and b'"stop"' not in sick("no-finish").body()
    assert b"[DONE]" not in sick("no-done").body() and b'"stop"' in sick("no-done").body()


def test_neighbours_swap_with_their_times_kept() -> None:
    made = sick("reorder", at=7, every=0)
    assert words(made)[5:9] == ["t6", "t8", "t7", "t9"]
    assert times(made) == times(plan())
    assert words(sick("reorder", at=1, every=2)) == [f"t{i + 1 if i % 2 else i - 1}" for i in range(1, 21)]


def test_duplicates_and_losses() -> None:
    assert words(sick("duplicate", at=7))[5:9] == ["t6", "t7", "t7", "t8"]
    assert words(sick("drop", at=7, every=10)) == [w for w in HEALTHY.split() if w not in ("t7", "t17")]


def test_a_burst_is_one_write_of_the_same_bytes() -> None:
    made = sick("burst", for_="1s")
    assert len(made.emissions) == 1 and made.body() == plan().body()
    assert made.emissions[0].at == plan().end_at + 1000


def test_clumps_share_a_time_and_lose_nothing() -> None:
    made = sick("clump", by=5)
    assert len(set(times(made))) == 4 and made.body() == plan().body()


def test_an_error_in_the_stream_is_followed_by_the_terminator_or_not() -> None:
    assert payloads(sick("error"))[-1]["error"]["code"] == 500
    assert sick("error").body().endswith(b"data: [DONE]\n\n")
    assert b"[DONE]" not in sick("error", done="no").body()


def test_refusals_pages_and_objects_are_no_streams() -> None:
    refused = sick("status", code=429, message="Too_many")
    assert refused.status == 429 and json.loads(refused.body())["error"]["message"] == "Too many"
    assert sick("html").body().startswith(b"<!DOCTYPE html>")
    assert json.loads(sick("json").body())["choices"][0]["message"]["content"] == HEALTHY
    empty = sick("empty")
    assert (empty.status, empty.emissions, empty.end) == (200, (), "complete")


def test_choices_and_turns_get_mixed() -> None:
    indices = [c["index"] for row in payloads(sick("second-choice")) for c in row["choices"]]
    assert set(indices) == {0, 1}
    lost = [c["index"] for row in payloads(sick("index-lost")) for c in row["choices"]]
    assert set(lost) == {0} and len(lost) == 42
    ids = {row["id"] for row in payloads(sick("two-turns"))}
    assert "chatcmpl-other" in ids and len(ids) == 2
    assert len({row["id"] for row in payloads(sick("ids-change"))}) == 22


def test_cumulative_text_ends_with_all_of_it() -> None:
    made = sick("cumulative")
    assert words(made)[:3] == ["t1", "t1 t2", "t1 t2 t3"] and words(made)[-1] == HEALTHY


def test_legal_oddities_change_bytes_and_no_text() -> None:
    assert b"\r\n\r\n" in sick("crlf").body() and b"\r\n" not in plan().body()
    assert b"\n" not in sick("cr").body()
    assert sick("bom").body() == b"\xef\xbb\xbf" + plan().body()
    assert sick("no-space").body() == plan().body().replace(b"data: ", b"data:")
    assert sick("comments").body().count(b": ping\n") == len(plan().emissions)
    assert sick("event-line").body().count(b"event: message\n") == len(plan().emissions)
    assert "\u2028" in "".join(words(sick("u2028")) + [text_of(e) for e in sick("u2028").emissions])
    assert len(sick("long-line").body()) > 71_680
    spread = sick("multi-line").body().decode().split("\n\n")[1]
    assert json.loads("".join(line.removeprefix("data: ") for line in spread.split("\n")))


@pytest.mark.parametrize("name", ["utf8-split", "split-space", "trickle"])
def test_splitting_writes_changes_no_byte(name: str) -> None:
    healthy = plan("emoji") if name == "utf8-split" else plan()
    made = sick(name, healthy)
    assert made.body() == healthy.body()
    assert len(made.emissions) > len(healthy.emissions)
    if name == "utf8-split":
        with pytest.raises(UnicodeDecodeError):
            for e in made.emissions:
                made.encode(e).decode()


def test_broken_text_and_broken_json() -> None:
    assert "\ufffd\ufffd" in sick("replacement").body().decode()
    with pytest.raises(UnicodeDecodeError):
        sick("invalid-utf8").body().decode()
    assert b'\\ud83d"' in sick("surrogate").body()
    assert b'"logprob":NaN' in sick("nan").body()
    with pytest.raises(json.JSONDecodeError):
        payloads(sick("broken-json"))


def test_heads_that_lie() -> None:
    assert ("content-encoding", "gzip") in sick("gzip-header").headers
    packed = sick("gzip")
    assert zlib.decompress(packed.body(), 31) == plan().body()
    assert dict(sick("wrong-type").headers)["content-type"].startswith("text/plain")
    stale = sick("stale-length", by=50)
    assert (stale.declared, stale.transfer, stale.end) == (len(plan().body()) + 50, "length", "cut")
    assert sick("both-lengths").transfer == "both"
    assert sick("deaf").deaf


def test_usage_tools_and_reasoning() -> None:
    assert payloads(sick("wrong-usage", by=5))[-1]["usage"]["completion_tokens"] == 25
    calls = [c["delta"].get("tool_calls") for row in payloads(sick("tool-cut")) for c in row["choices"]]
    arguments = "".join(c[0]["function"]["arguments"] for c in calls if c)
    assert (
        arguments == '{"city": "Berlin'
        and payloads(sick("tool-cut"))[-1]["choices"][0]["finish_reason"] == "tool_calls"
    )
    deltas = [c["delta"] for row in payloads(sick("reasoning-only")) for c in row["choices"]]
    assert "".join(d.get("reasoning", "") for d in deltas) == HEALTHY
    assert not any(d.get("content") for d in deltas)


def test_silences_around_the_end() -> None:
    late = sick("late-finish", for_="4s")
    assert late.emissions[-1].at - times(late)[-1] == 4050
    assert sick("late-close", for_="5s").end_at == plan().end_at + 5000
    assert sick("after-done").emissions[-2].kind == "done"
    beats = [e.at for e in sick("heartbeat", every="300ms").emissions if e.kind == "comment"]
    assert beats[:3] == [400, 700, 1000]


def test_jitter_keeps_order_and_mean() -> None:
    gaps = [b - a for a, b in zip(times(sick("jitter", by=0.5)), times(sick("jitter", by=0.5))[1:], strict=False)]
    assert min(gaps) >= 25 and max(gaps) <= 75 and 40 < sum(gaps) / len(gaps) < 60
