"""probe, ladder and their kin on the command line: one sentence for bad input, JSON alone on stdout, exit codes."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from harness.tests.management.command_line import manage
from harness.tests.probe.fakes import GOOD, HEAD, LAST, Talk, Upstream, chunk


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["probe", "nobody"], "no route is named 'nobody'"),
        (["probe", "lab-steady/nobody"], "has no hop 'nobody'"),
        (["probe", "lab-steady", "--repeat", "0"], "--repeat is 0"),
        (["probe", "lab-steady", "--max", "2"], "--max limits --until-fault"),
        (["ladder", "lab-steady", "--max", "0", "--until-fault"], "--max is 0"),
        (["ladder", "lab-steady", "--prompt", " "], "the prompt is empty"),
        (["ladder", "lab-steady", "--add", "engine"], "is not HOP=FILE"),
        (["ladder", "lab-steady", "--add", "engine=/nowhere"], "/nowhere"),
        (["cancel", "nobody"], "no route is named 'nobody'"),
        (["compare", "lab-steady", "lab-stall", "--repeat", "51"], "--repeat is 51"),
        (["idle", "lab-steady", "--up-to", "0"], "--up-to is 0"),
        (["tap", "--upstream", "ftp://x"], "is not an address"),
        (["tap", "--upstream", "http://x", "--listen", "9000"], "is not an address"),
    ],
    ids=lambda value: "-".join(value)[:40] if isinstance(value, list) else None,
)
def test_bad_input_is_one_sentence_and_exit_2(tmp_path, words, says):
    done = manage(tmp_path, *words)
    assert done.returncode == 2 and done.stdout == ""
    assert says in done.stderr and len(done.stderr.strip().splitlines()) == 1


def test_a_lab_that_is_not_running_is_said_so_without_a_verdict(tmp_path):
    done = manage(tmp_path, "ladder", "lab-passthrough", "--format", "json")
    assert done.returncode == 2 and json.loads(done.stdout)["verdict"]["healthy"] is None
    assert "The lab is not running" in done.stderr and "curl -sS -N" in done.stderr


@pytest.mark.parametrize("command", ["probe", "ladder"])
def test_the_curl_command_says_which_headers_are_to_be_filled_in(tmp_path, command):
    file = tmp_path / "routes.toml"
    hop = 'name = "engine"\nkind = "engine"\nurl = "http://h/v1"\nheaders = { X-Tenant = "secret-7" }\n'
    file.write_text(f'[[route]]\nname = "r"\nmodel = "m"\n[[route.hop]]\n{hop}')
    assert manage(tmp_path, "routes", "load", str(file)).returncode == 0
    done = manage(tmp_path, command, "r", "--curl")
    assert done.returncode == 0 and "x-tenant: …" in done.stdout
    assert done.stderr == "engine: fill in what stands as … in the command, the values of its headers: x-tenant\n"


def test_without_a_run_nothing_is_made_in_a_fresh_checkout(tmp_path):
    done = manage(tmp_path, "ladder", "lab-passthrough", "--format", "json", "--no-store")
    assert "run" not in json.loads(done.stdout) and list(tmp_path.iterdir()) == []


async def probed(folder: Path, script, *words: str):

    async with Upstream(script) as upstream:
        variables = {
            "HARNESS_GATEWAY_URL": upstream.url,
            "HARNESS_MODEL": "m",
            "HARNESS_GATEWAY_KEY": "sk-0123456789ab",
        }
        return await asyncio.to_thread(lambda: manage(folder, "probe", "gateway", *words, **variables))


async def test_a_good_stream_is_exit_0_with_json_alone_on_stdout_and_no_key_anywhere(tmp_path):
    async def script(talk: Talk) -> None:
        assert talk.headers["authorization"] == "Bearer sk-0123456789ab"
        await talk.send(HEAD, chunk(GOOD), LAST)

    done = await probed(tmp_path, script, "--format", "json", "--save", str(tmp_path / "s"), "--prompt", "hi")
    answer = json.loads(done.stdout)
    assert done.returncode == 0 and answer["verdict"]["healthy"] is True
    saved = (tmp_path / "s" / "gateway.read.capture.jsonl").read_text()
    assert "0123456789ab" not in saved + done.stdout + done.stderr


REFUSALS = {
    "401": (b"HTTP/1.1 401 No\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}", "error"),
    "404-model": (b"HTTP/1.1 404 No\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}", "error"),
    "html": (b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 13\r\n\r\n<html></html>", "not-streamed"),
    "dead": (HEAD + chunk(GOOD[:60]), "truncation"),
}


@pytest.mark.parametrize("kind", REFUSALS)
async def test_each_kind_of_bad_upstream_is_exit_1_and_named(tmp_path, kind):
    answer, symptom = REFUSALS[kind]

    async def script(talk: Talk) -> None:
        await talk.send(answer)
        talk.finish()

    done = await probed(tmp_path, script, "--format", "json")
    verdict = json.loads(done.stdout)["verdict"]
    assert (done.returncode, verdict["first_bad_hop"], verdict["symptom"]) == (1, "gateway", symptom)


@pytest.mark.parametrize(("option", "place"), [("--save", "file/x"), ("--junit", "."), ("--junit", "nowhere/x.xml")])
def test_a_file_that_cannot_be_written_is_said_before_anything_is_sent(tmp_path, option, place):
    (tmp_path / "file").write_text("")
    done = manage(tmp_path, "probe", "lab-steady", option, str(tmp_path / place))
    assert done.returncode == 2 and "cannot be written" in done.stderr and "lab is not" not in done.stderr


async def test_a_disk_that_fills_up_meanwhile_does_not_take_the_verdict_too(tmp_path):
    async def script(talk: Talk) -> None:
        (tmp_path / "report.xml").mkdir()
        await talk.send(HEAD, chunk(GOOD), LAST)

    done = await probed(tmp_path, script, "--junit", str(tmp_path / "report.xml"), "--format", "json")
    assert done.returncode == 2 and json.loads(done.stdout)["verdict"]["healthy"] is True
    assert "report.xml: cannot be written" in done.stderr


async def test_a_recording_is_a_baseline_too(tmp_path):
    async def script(talk: Talk) -> None:
        await talk.send(HEAD, chunk(GOOD), LAST)

    await probed(tmp_path, script, "--save", str(tmp_path))
    same = await probed(tmp_path, script, "--baseline", str(tmp_path / "gateway.read.capture.jsonl"))
    assert "TTFT" in same.stdout and "noise" in same.stdout
    odd = await probed(tmp_path, script, "--baseline", "README.md")
    assert odd.returncode == 2 and "README.md" in odd.stderr and "no run" not in odd.stderr


async def test_a_baseline_is_kept_and_what_is_worse_than_it_is_exit_1(tmp_path):
    late = [0.0]

    async def script(talk: Talk) -> None:
        await talk.send(HEAD)
        await asyncio.sleep(late[0])
        await talk.send(chunk(GOOD), LAST)

    folder = str(tmp_path / "base")
    saved = await probed(tmp_path, script, "--repeat", "3", "--save", folder)
    same = await probed(tmp_path, script, "--repeat", "3", "--baseline", folder)
    late[0] = 0.4
    worse = await probed(tmp_path, script, "--repeat", "3", "--baseline", folder, "--format", "json")
    assert saved.returncode == same.returncode == 0 and "TTFT" in same.stdout and "noise" in same.stdout
    answer = json.loads(worse.stdout)
    assert worse.returncode == 1 and answer["verdict"]["symptom"] == "first-byte"
    assert any(row["worse"] and row["figure"] == "TTFT" for row in answer["baseline"]) and answer["hops"]


def test_a_baseline_that_is_not_there_is_said_before_anything_is_sent(tmp_path):
    done = manage(tmp_path, "ladder", "lab-steady", "--baseline", "nothing")
    assert done.returncode == 2 and "no run 'nothing'" in done.stderr and "lab is not" not in done.stderr


async def test_settings_are_checked_in_words(tmp_path):
    async def script(talk: Talk) -> None:
        if talk.body is None:
            await talk.send(b"HTTP/1.1 405 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        elif "event-stream" in talk.headers["accept"]:
            await talk.send(HEAD[:-2] + b"connection: close\r\n\r\n", chunk(GOOD), LAST)
        else:
            body = b'{"choices":[{"index":0,"message":{"content":"t1"}}]}'
            head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n"
            await talk.send(head + b"content-length: %d\r\n\r\n" % len(body), body)
        talk.finish()

    async with Upstream(script) as upstream:
        variables = {"HARNESS_GATEWAY_URL": upstream.url, "HARNESS_MODEL": "m"}
        words = ["ladder", "gateway", "--check-settings"]
        done = await asyncio.to_thread(lambda: manage(tmp_path, *words, **variables))
        data = await asyncio.to_thread(lambda: manage(tmp_path, *words, "--format", "json", **variables))
    assert done.returncode == data.returncode == 1
    assert "✗ method: it streams only to those who send Accept" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert len(json.loads(data.stdout)["settings"][0]["settings"]) == 10
