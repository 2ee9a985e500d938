"""``lint`` as a user runs it."""

import json
from pathlib import Path

import jsonschema
import pytest

from harness.management.entry import main

GOOD = "server { listen 80; location /v1/ { proxy_pass http://h; proxy_http_version 1.1; proxy_read_timeout 10m; } }"
BAD = GOOD.replace("proxy_http_version 1.1;", "")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "site.conf"


def test_a_well_set_file_is_met_with_silence(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(GOOD)
    assert main(["manage.py", "lint", str(file)]) == 0
    assert capsys.readouterr() == ("", "")


def test_a_bad_file_gets_findings_and_a_corrected_block(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(BAD)
    assert main(["manage.py", "lint", str(file)]) == 1
    out = capsys.readouterr().out
    assert (
        "burst.buffering" in out and f"# {file}, line 1: corrected\nlocation /v1/ {{\n    proxy_pass http://h;" in out
    )


def test_json_is_an_answer_with_the_corrections(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(BAD)
    assert main(["manage.py", "lint", str(file), "--format", "json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["verdict"]["healthy"] is False and said["captures"] == [] and said["findings"][0]["symptom"] == "burst"
    assert "proxy_buffering off;" in said["corrected"][0]["block"]
    jsonschema.validate(said["findings"][0]["evidence"], {"required": ["file", "line", "place", "product"]})


def test_the_routes_patience_is_the_measure(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(GOOD.replace("10m", "5m"))
    assert main(["manage.py", "lint", str(file)]) == 0
    assert capsys.readouterr().out == ""
    assert main(["manage.py", "lint", "--silence", "900", str(file)]) == 0
    assert "truncation.read-timeout" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("x.conf", "hello", "no proxy configuration"),
        ("x.conf", "server { location / { proxy_pass http://h; }", "no nginx configuration"),
        ("x.yaml", "static_resources: [", "no YAML"),
        ("gone.conf", None, "no such file"),
    ],
)
def test_what_cannot_be_linted_is_said_in_one_sentence(
    name: str, text: str | None, expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    assert main(["manage.py", "lint", str(tmp_path / name)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and expected in err and name in err and err.count("\n") == 1


def test_text_shows_no_figure_that_is_empty(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "Caddyfile"
    file.write_text(":80 {\n reverse_proxy h:1 {\n  transport http {\n   response_buffers 4k\n  }\n }\n}\n")
    assert main(["manage.py", "lint", str(file)]) == 1
    out = capsys.readouterr().out
    assert "line 4" in out and "place" not in out
