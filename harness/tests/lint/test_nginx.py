"""What is in force where a stream passes, against what was measured; corrected places are taken by nginx itself."""

import shutil
import subprocess
from pathlib import Path

import pytest

from harness.diagnose.answer import Finding
from harness.errors import InputError
from harness.lint.nginx import lint_nginx
from harness.probe.nginx_file import read_nginx, write_nginx

WELL = "proxy_http_version 1.1; proxy_buffering off; proxy_read_timeout 600s;"
ZONE = "proxy_cache_path /tmp/z keys_zone=z:1m;"
LONG = "proxy_read_timeout 600s;"


def config(place: str = "", server: str = "", http: str = "", path: str = "/v1/", more: str = "") -> str:
    return f"""events {{}}
http {{
  {http}
  server {{
    listen 127.0.0.1:8080;
    {server}
    location {path} {{
      proxy_pass http://127.0.0.1:8000;
      {place}
    }}
    {more}
  }}
}}
"""


def lint(folder: Path, text: str, version: str = "") -> tuple[list[Finding], list[dict]]:
    file = folder / "nginx.conf"
    file.write_text(text)
    parsed, _ = read_nginx(file)
    return lint_nginx(parsed, str(file), version)


def codes(found: list[Finding]) -> list[tuple[str, str]]:
    return sorted((finding.severity, finding.code) for finding in found)


MEASURED: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "all defaults": (config(LONG), [("error", "burst.buffering")]),
    "XAB ignored": (config(LONG + "proxy_ignore_headers X-Accel-Buffering;"), [("error", "burst.buffering")]),
    "1.1 and default buffering": (config(LONG + "proxy_http_version 1.1;"), []),
    "1.1 off": (config(WELL), []),
    "1.0 off": (config(LONG + "proxy_buffering off;"), [("warning", "truncation.unseen")]),
    "gzip for event streams": (
        config(LONG + "proxy_http_version 1.1; gzip on; gzip_types text/event-stream;"), [("error", "burst.gzip")]),
    "gzip for all": (config(LONG + "proxy_http_version 1.1; gzip on; gzip_types *;"), [("error", "burst.gzip")]),
    "gzip alone": (config(LONG + "proxy_http_version 1.1; gzip on;"), []),
    "gzip, buffering off": (config(WELL + "gzip on; gzip_types *;"), []),
    "tcp_nodelay off": (config(WELL + "tcp_nodelay off; tcp_nopush on;"), []),
    "postpone_output": (config(WELL + "postpone_output 65536;"), []),
    "sub_filter": (config(WELL + "sub_filter a b;"), []),
    "cache without life": (config(LONG + "proxy_http_version 1.1; proxy_cache z;", http=ZONE), []),
    "cache that keeps": (
        config(LONG + "proxy_http_version 1.1; proxy_cache z; proxy_cache_valid 10m;", http=ZONE),
        [("warning", "content.cache")]),
    "limit_rate": (config(LONG + "proxy_http_version 1.1; limit_rate 1k;"), [("warning", "burst.rate")]),
    "limit_rate, buffering off": (config(WELL + "limit_rate 1k;"), []),
    "no chunks": (config(WELL + "chunked_transfer_encoding off;"), [("warning", "truncation.unseen")]),
    "60 s of silence": (config("proxy_http_version 1.1;"), [("warning", "truncation.read-timeout")]),
    "abort ignored": (config(WELL + "proxy_ignore_client_abort on;"), [("warning", "not-cancelled.ignored")]),
    "POST sent twice": (config(WELL + "proxy_next_upstream error non_idempotent;"), [("warning", "duplicate.retry")]),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), MEASURED.values(), ids=MEASURED.keys())
def test_each_setting_is_judged_as_measured(text: str, expected: list, tmp_path: Path) -> None:
    assert codes(lint(tmp_path, text)[0]) == expected


def test_buffering_before_tls_waits_for_a_whole_record(tmp_path: Path) -> None:
    secure = {"server": "listen 127.0.0.1:8443 ssl;"}
    held = config(LONG + "proxy_http_version 1.1;", **secure)
    assert codes(lint(tmp_path, held)[0]) == [("warning", "burst.buffering-tls")]
    assert codes(lint(tmp_path, config(WELL, **secure))[0]) == []


INHERITED = {
    "from http": config(http=WELL),
    "from server": config(server=WELL),
    "inner wins": config(place=WELL, server="proxy_buffering on; proxy_read_timeout 1s;"),
    "nested location": config(path="/v1/", place=f"{WELL} location /v1/chat {{ proxy_pass http://127.0.0.1:8001; }}"),
    "assets do not count": config(place=WELL, more="location /static/ { proxy_pass http://127.0.0.1:1; }"),
    "the page beside the API does not count": config(place=WELL, more="location / { proxy_pass http://127.0.0.1:1; }"),
    "a socket": config(WELL, more="location /ws/ { proxy_pass http://127.0.0.1:1; proxy_http_version 1.1;"
                       "proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection upgrade; }"),
}  # fmt: skip


@pytest.mark.parametrize("text", INHERITED.values(), ids=INHERITED.keys())
def test_what_is_in_force_counts_and_well_set_files_are_silent(text: str, tmp_path: Path) -> None:
    assert lint(tmp_path, text) == ([], [])


def test_an_if_rules_inside_its_location(tmp_path: Path) -> None:
    inside = "if ($request_method = POST) { limit_rate $slow; }"
    text = config(LONG + "proxy_http_version 1.1;" + inside, http="map $host $slow { default 0; a 10k; }")
    (found,) = lint(tmp_path, text)[0]
    assert found.code == "burst.rate" and found.evidence["place"] == "location /v1/, if $request_method = POST"


def test_an_array_directive_replaces_all_outer_ones(tmp_path: Path) -> None:
    socket = "location /ws { proxy_pass http://127.0.0.1:1; proxy_http_version 1.1; proxy_set_header Host x; }"
    headers = "proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection upgrade;"
    (found,) = lint(tmp_path, config(WELL, http=headers, more=socket))[0]
    assert found.code == "headers.upgrade" and found.evidence["missing"] == ["Upgrade", "Connection"]


def test_includes_are_followed_and_findings_name_their_file(tmp_path: Path) -> None:
    (tmp_path / "api.inc").write_text("\n\nproxy_read_timeout 5s;\nproxy_http_version 1.1;\n")
    (found,) = lint(tmp_path, config("include api.inc;"))[0]
    assert Path(found.evidence["file"]).name == "api.inc" and found.evidence["line"] == 3
    assert found.evidence["limit_s"] == 5


def test_a_missing_include_is_noted_and_the_rest_is_judged(tmp_path: Path) -> None:
    file = tmp_path / "nginx.conf"
    file.write_text(config("include gone.inc;"))
    parsed, notes = read_nginx(file)
    assert parsed and notes == [f"the include {tmp_path / 'gone.inc'} is missing here, so its settings are not known"]


def test_a_file_may_begin_inside_http(tmp_path: Path) -> None:
    text = "server { listen 80; location / { proxy_pass http://b; } }"
    assert ("error", "burst.buffering") in codes(lint(tmp_path, text)[0])


@pytest.mark.parametrize(("version", "bad"), [("1.22.1", True), ("1.29.6", True), ("1.29.7", False), ("1.30", False)])
def test_the_default_upstream_version_is_the_nginx_versions(version: str, bad: bool, tmp_path: Path) -> None:
    found = lint(tmp_path, config(LONG), version)[0]
    assert (("error", "burst.buffering") in codes(found)) is bad


def test_an_nginx_behind_an_nginx_eats_the_header(tmp_path: Path) -> None:
    inner = "server { listen 127.0.0.1:8000; location /v1/ { proxy_pass http://127.0.0.1:9; %s } }"
    outer = config(LONG)
    text = outer.rstrip().removesuffix("}") + inner % WELL + "}"
    assert ("warning", "burst.header-eaten") in codes(lint(tmp_path, text)[0])
    for passed in ("proxy_pass_header X-Accel-Buffering;", "add_header X-Accel-Buffering no always;"):
        text = outer.rstrip().removesuffix("}") + inner % (WELL + passed) + "}"
        assert ("warning", "burst.header-eaten") not in codes(lint(tmp_path, text)[0])


@pytest.mark.skipif(shutil.which("nginx") is None, reason="needs nginx: apt-get install nginx-light")
@pytest.mark.parametrize("name", [name for name, (_, expected) in MEASURED.items() if expected])
def test_nginx_takes_the_corrected_place_and_nothing_is_left_to_say(name: str, tmp_path: Path) -> None:
    text = MEASURED[name][0]
    _, (corrected,) = lint(tmp_path, text)
    block = write_nginx(corrected["directives"])
    begin = text.index("    location /v1/ {")
    fixed = text[:begin] + block + text[text.index("    }\n", begin) + 6 :]
    assert [finding for finding in lint(tmp_path, fixed)[0] if finding.severity != "info"] == []
    whole = f"pid {tmp_path}/pid; error_log {tmp_path}/error.log;\n" + fixed.replace("/tmp/z", f"{tmp_path}/z")
    paths = "".join(
        f"{kind}_temp_path {tmp_path}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (tmp_path / "fixed.conf").write_text(whole.replace("http {", "http { access_log off; " + paths, 1))
    done = subprocess.run(
        ["nginx", "-t", "-c", str(tmp_path / "fixed.conf"), "-p", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("text", ["http { server {", "http }", 'location / { proxy_pass "x; }'])
def test_broken_files_are_refused_with_their_line(text: str, tmp_path: Path) -> None:
    file = tmp_path / "nginx.conf"
    file.write_text(text)
    with pytest.raises(InputError) as caught:
        read_nginx(file)
    assert "nginx.conf" in caught.value.where and "\n" not in str(caught.value)
