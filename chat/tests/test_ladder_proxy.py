"""A buffering nginx in front of the app is found by the ladder, over the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import contextmanager

import pytest

from chat.tests.daphne import ROOT, Site, site
from e2e.parts.nginx import BUFFERING, MISSING, STREAMING, installed, nginx
from e2e.parts.process import running, wait_for_port

ROUTE = """[[route]]
name = "ours"
model = "lab-steady"
  [[route.hop]]
  name = "engine"
  kind = "engine"
  url = "http://127.0.0.1:{lab}/v1"
  [[route.hop]]
  name = "app"
  kind = "app"
  wire = "chat"
  url = "http://127.0.0.1:{app}"
  [[route.hop]]
  name = "proxy"
  kind = "proxy"
  wire = "chat"
  url = "{proxy}"
"""


@contextmanager
def lab(app: Site, port: int):
    log = app.folder / "lab.log"
    with running([sys.executable, "manage.py", "lab", "--port", str(port)], log, env=app.env, cwd=ROOT) as child:
        wait_for_port(port, child, log)
        yield


@pytest.mark.parametrize(
    ("directives", "code", "first_bad_hop", "symptom"),
    [(STREAMING, 0, None, None), (BUFFERING, 1, "proxy", "burst")],
    ids=["streaming", "buffering"],
)
def test_a_proxy_in_front_of_the_app_is_judged_as_a_hop(directives, code, first_bad_hop, symptom):
    if not installed():
        pytest.fail(MISSING)
    with site() as app, nginx(app.folder / "nginx", f"http://127.0.0.1:{app.port}", directives) as proxy:
        port = app.free_port()
        file = app.folder / "ours.toml"
        file.write_text(ROUTE.format(lab=port, app=app.port, proxy=proxy))
        app.manage("routes", "load", str(file))
        with lab(app, port):
            command = [sys.executable, "manage.py", "ladder", "ours", "--format", "json"]
            command += ["--prompt", "count [[lab events=40 rate=40]]", "--junit", str(app.folder / "junit.xml")]
            command += ["--save", str(app.folder / "saved")]
            done = subprocess.run(command, cwd=ROOT, env=app.env, capture_output=True, text=True, timeout=60)
        answer = json.loads(done.stdout)
        saved = sorted(path.name for path in (app.folder / "saved").iterdir())
        assert "<testsuite" in (app.folder / "junit.xml").read_text()
    verdict = answer["verdict"]
    assert done.returncode == code
    assert (verdict["first_bad_hop"], verdict["symptom"]) == (first_bad_hop, symptom)
    assert [(c["hop"], c["kind"], c["wire"]) for c in answer["captures"]] == [
        ("engine", "engine", "openai"),
        ("app", "app", "openai"),
        ("proxy", "proxy", "openai"),
    ]
    reads = [name for name in saved if ".read." in name]
    assert reads == ["app.read.capture.jsonl", "engine.read.capture.jsonl", "proxy.read.capture.jsonl"]
    assert {name.split(".")[1].partition("-")[0] for name in saved} == {"read", "emit"}  # the lab's own record of each
    assert "proxy: HTTP 200" in done.stderr
