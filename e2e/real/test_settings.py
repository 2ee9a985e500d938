"""The ten settings that bite, read off real proxies: HTTP/2 in the clear and under TLS, and kept connections."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from e2e.parts.part import Part, running_part
from e2e.parts.proxies import CADDY, ENVOY, HAPROXY, NGHTTPX, NGINX
from harness.lab.server import running as lab_running
from harness.routes.model import Hop, Route, Timeouts
from harness.runs.asked_twice import Setting
from harness.runs.settings_check import check_settings

SOON = Timeouts(5, 20, 60)
QUICK = "count [[lab events=16 rate=40]]"
WELL = "proxy_http_version 1.1; proxy_buffering off;"
CLEAR = {"nginx.conf": NGINX.files["nginx.conf"].replace("@PORT@;", "@PORT@ http2;")}
SECURE = {"nginx.conf": NGINX.files["nginx.conf"].replace("@PORT@;", "@PORT@ ssl http2; @GLOBAL@").replace(
    "  @GLOBAL@\n  server", "  server"
)}  # fmt: skip


def needs(part: Part) -> pytest.MarkDecorator:
    return pytest.mark.skipif(part.binary is None, reason=f"{part.name} is not installed: {part.install}")


async def settings(part: Part, options: str = "", extra: str = "", **secure: str) -> dict[str, Setting]:
    async with lab_running() as lab:
        started = running_part(part, lab.base, options, extra)
        item = await asyncio.to_thread(started.__enter__)
        try:
            url = item.url.replace("http:", "https:") if secure else item.url
            route = Route("r", (Hop("front", "proxy", url=f"{url}/v1", **secure),), "lab-steady", SOON)
            _, (one,) = await check_settings(route, prompt=QUICK)
        finally:
            await asyncio.to_thread(started.__exit__, None, None, None)
    return {setting.name: setting for setting in one.settings}


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key and a certificate for 127.0.0.1, in one folder."""
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl")
    folder = tmp_path_factory.mktemp("tls")
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
               "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
               "-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True)
    folder.chmod(0o755)
    return folder


@needs(NGHTTPX)
async def test_nghttpx_streams_over_both_versions_on_one_port() -> None:
    found = await settings(NGHTTPX)
    assert found["http"].state == "good" and "HTTP/2, in the clear, streams too" in found["http"].words
    assert found["http"].evidence["http2"] is True
    assert found["keep-alive"].state == "good" and "third after 6 s" in found["keep-alive"].words


@needs(NGINX)
async def test_a_clear_http2_listener_of_an_old_nginx_serves_nobody_else() -> None:
    found = await settings(replace(NGINX, files=CLEAR), WELL)
    assert list(found) == ["http"] and found["http"].state == "error"
    assert "HTTP/2 only" in found["http"].words


@needs(NGINX)
@pytest.mark.parametrize(
    ("options", "state", "says"),
    [
        pytest.param(WELL, "good", "HTTP/2, offered under TLS, streams too", id="well-set"),
        pytest.param(
            "", "good", "HTTP/2, offered under TLS, streams too", id="HTTP/1.0 behind", marks=pytest.mark.matrix
        ),
    ],
)
async def test_nginx_with_tls_takes_http_2_when_it_is_offered(
    options: str, state: str, says: str, certificate: Path
) -> None:
    tls = f"ssl_certificate {certificate}/cert.pem; ssl_certificate_key {certificate}/key.pem;"
    part = replace(NGINX, files=SECURE)
    found = await settings(part, options, tls, ca_file=str(certificate / "cert.pem"))
    assert (found["http"].state, says in found["http"].words) == (state, True), found["http"]
    assert found["keep-alive"].state == "good", found["keep-alive"]


@needs(NGINX)
async def test_nginx_that_drops_idle_connections_is_told_with_its_seconds() -> None:
    found = await settings(NGINX, WELL + "keepalive_timeout 2s;")
    assert "is not spoken" in found["http"].words
    assert found["keep-alive"].state == "info" and 1.5 <= found["keep-alive"].evidence["closed_s"] <= 4, found


@pytest.mark.matrix
@needs(NGINX)
async def test_nginx_that_keeps_no_connection_is_told() -> None:
    found = await settings(NGINX, WELL + "keepalive_timeout 0;")
    assert found["keep-alive"].state == "info" and "Connection: close" in found["keep-alive"].words


@pytest.mark.parametrize(
    ("part", "options"),
    [
        pytest.param(HAPROXY, "option http-no-delay", marks=needs(HAPROXY), id="HAProxy"),
        pytest.param(CADDY, "", marks=[needs(CADDY), pytest.mark.matrix], id="Caddy"),
        pytest.param(ENVOY, ", timeout: 0s", marks=[needs(ENVOY), pytest.mark.matrix], id="Envoy"),
    ],
)
async def test_other_proxies_are_well_over_what_they_speak(part: Part, options: str) -> None:
    found = await settings(part, options)
    assert found["http"].state == "good" and found["http"].evidence["http2"] is True, found["http"]
    assert found["keep-alive"].state in ("good", "info"), found["keep-alive"]
