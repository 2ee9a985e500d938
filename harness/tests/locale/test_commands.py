"""``--lang zh`` where commands, reports and stored runs speak."""

from __future__ import annotations

import io
import json
import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.management import get_commands, load_command_class
from django.core.management.base import OutputWrapper
from django.utils.translation import get_language

from harness.capture.format import dumps
from harness.diagnose.answer import Finding
from harness.diagnose.run import diagnose
from harness.language import catalogue, speaking
from harness.management.entry import Exit
from harness.phrase import phrase, say, spoken, told
from harness.report.compared import lines
from harness.report.html import Told, page
from harness.report.retold import retold
from harness.runs.baseline import Change, held_against
from harness.runs.cancel import Trial
from harness.runs.compare import Comparison, Difference, Text
from harness.runs.fields import Rewrite
from harness.runs.idle import Limit
from harness.runs.tapped import Kept
from harness.tests.diagnose.build import answer, capture, numbered, spaced
from harness.tests.locale.test_answers import english
from harness.tests.runs.test_tapped import pair

SPEAKING = {"probe", "ladder", "diagnose", "compare", "cancel", "idle", "lint", "tap", "report"}
LOSSY = [event for i, event in enumerate(answer(numbered())) if i != 9]
GOOD, BAD = capture(spaced(answer(numbered()))), capture(spaced(LOSSY), hop="gateway")


def ran(name: str, *arguments: str) -> str:
    """What the command prints, run here; its exit code is of no interest."""
    command = load_command_class("harness", name)
    out = io.StringIO()
    command.stdout = OutputWrapper(out)
    with suppress(Exit):
        command.run_from_argv(["manage.py", name, *arguments])
    return out.getvalue()


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    for name, recorded in (("1-engine", GOOD), ("2-gateway", BAD)):
        (tmp_path / f"{name}.capture.jsonl").write_bytes(dumps(recorded))
    return sorted(map(str, tmp_path.glob("*.jsonl")))


def test_every_command_that_says_a_verdict_takes_a_language_and_no_other_does() -> None:
    ours = [name for name, app in get_commands().items() if app == "harness"]
    takes = {
        name
        for name in ours
        if "--lang" in load_command_class("harness", name).create_parser("manage.py", name).format_help()
    }
    assert takes == SPEAKING


def test_json_has_the_same_data_and_chinese_sentences(files: list[str]) -> None:
    plain, chinese = (json.loads(ran("diagnose", "--format", "json", "--lang", lang, *files)) for lang in ("en", "zh"))
    assert chinese["captures"] == plain["captures"]
    for one, other in zip(plain["findings"], chinese["findings"], strict=True):
        assert (one["code"], one["evidence"]) == (other["code"], other["evidence"])
        assert one["summary"] != other["summary"]
    assert chinese["verdict"]["summary"].startswith("丢失（loss），位于 gateway：")
    assert spoken.get() is str and get_language() == "en"


def test_english_is_the_default(files: list[str]) -> None:
    assert ran("diagnose", *files) == ran("diagnose", "--lang", "en", *files)


def test_the_text_of_a_lint_is_chinese(tmp_path: Path) -> None:
    conf = tmp_path / "nginx.conf"
    conf.write_text(
        "http { server { listen 80; gzip on; gzip_types text/event-stream; location /v1/ { proxy_pass http://u; "
        "proxy_read_timeout 30s; proxy_ignore_client_abort on; } } }"
    )
    text = ran("lint", "--lang", "zh", str(conf))
    assert "故障：突发（burst），位于 proxy" in text and "上游 30 秒没有数据，nginx 就会切断流。" in text
    assert not english(text, ["location"])


def test_a_report_is_chinese_as_a_whole(files: list[str], tmp_path: Path) -> None:
    ran("report", "--lang", "zh", *files, "--to", str(tmp_path / "report.html"))
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert '<html lang="zh-Hans">' in html
    words = re.sub(r"<style>.*?</style>|<[^>]*>", "\n", html, flags=re.S)
    assert "Streamscope 报告" in words and not english(words, [])


def test_a_page_of_the_web_stays_as_it_is() -> None:
    html = page([Told("run", [GOOD], diagnose([GOOD]).as_json(), "ladder", "a-route")])
    assert '<html lang="en">' in html and "Streamscope report" in html and "ladder run over a-route" in html


def test_a_stored_answer_is_told_anew_and_what_its_captures_do_not_tell_stays() -> None:
    change = Change("gateway", "TTFT", "ms", 100.0, 900.0, 20.0, (3, 3), True)
    stored = json.loads(json.dumps(held_against(diagnose([GOOD, BAD]), [change]).as_json()))
    chinese = retold(stored, [GOOD, BAD], catalogue("zh"))
    assert retold(stored, [GOOD, BAD], str) == stored
    by_code = {finding["code"]: finding["summary"] for finding in chinese["findings"]}
    assert "缺" in by_code["loss.counted"] and by_code["first-byte.regression"].startswith("gateway got worse")
    assert chinese["verdict"]["summary"].startswith("丢失（loss），位于 gateway")
    elsewhere = [finding | {"evidence": {}} for finding in stored["findings"]]
    other = retold(stored | {"findings": elsewhere}, [GOOD, BAD], catalogue("zh"))
    assert [finding["summary"] for finding in other["findings"]] == [finding["summary"] for finding in elsewhere]


def test_lines_of_experiments_are_chinese() -> None:
    because = phrase("the ledger says {end}, {after_ms} ms after our close", end="aborted", after_ms=2)
    said: list[Any] = [
        Trial("engine", "in the middle", 1.0, True, 2.0, "ledger", because),
        Limit("proxy", "while it flows", 9, 3.0, 0.1, "total", ("nginx",), True, phrase("not reached")),
        Limit("proxy", "in the middle", 9, None, None, None, (), True, phrase("no cut within {seconds} s", seconds=9)),
        Change("gateway", "TTFT", "ms", 1.0, 2.0, 0.5, (1, 1), True),
        Rewrite("choices[].delta.role", "dropped", "assistant", ""),
    ]
    plain = [str(one) for one in said]
    gap = Difference(4, 2, 90, 1500.0, "x", "y")
    texts = (Text("engine", 0, 9, "a", False, gap, "reorder"),)
    found = Comparison(texts, ("engine",), False, {"via": {"a": ""}}, diagnose([GOOD]), (), (said[-1],), False)
    with speaking("zh"):
        chinese = [str(one) for one in said] + lines(found)
    assert not any(english(line, []) for line in chinese), chinese
    assert all(english(line, []) for line in plain[:2])
    assert "engine，中途：引擎已停止" in chinese[0] and "1.50 秒" in "".join(chinese)


def test_a_tap_announces_its_exchanges_in_chinese(tmp_path: Path) -> None:
    said: list[str] = []
    with speaking("zh"):
        row = Kept(tmp_path, 5, said.append).take(pair("e1"))
    assert "e1：200，完整，" in said[0] and "正常：完整" in said[0]
    assert row["summary"].startswith("Healthy")


def test_inside_a_block_of_another_language_only_that_is_spoken() -> None:
    with speaking("zh"):
        with speaking("en"):
            assert say("evidence") == "evidence"
        assert say("evidence") == "证据"
    assert say("evidence") == "evidence"


def test_an_answer_keeps_its_english_for_the_store() -> None:
    with speaking("zh") as translate:
        found = diagnose([GOOD, BAD])
        assert found.verdict.summary.startswith("loss at gateway") and json.dumps(found.as_json()).isascii()
        assert told(found.as_json(), translate)["verdict"]["summary"] == found.told(translate).verdict.summary


def test_a_sentence_without_a_template_stays_as_it_is() -> None:
    plain = Finding("content.own", "content", "info", "engine", "A sentence of somebody else.")
    assert replace(plain, cause="So be it.").told(catalogue("zh")).cause == "So be it."
