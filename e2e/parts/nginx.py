"""A real nginx in the foreground, in a directory of its own."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path

from e2e.parts.process import free_port, running, wait_for_port

MISSING = "nginx is not installed: apt-get install nginx-light"

CONFIG = """daemon off;
pid {dir}/nginx.pid;
error_log {dir}/error.log info;
worker_processes 1;
events {{ worker_connections 256; }}
http {{
  access_log {dir}/access.log;
  client_body_temp_path {dir}/body; proxy_temp_path {dir}/proxy; fastcgi_temp_path {dir}/fastcgi;
  uwsgi_temp_path {dir}/uwsgi; scgi_temp_path {dir}/scgi;
  map $http_upgrade $connection_upgrade {{ default upgrade; '' close; }}
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass {upstream};
      proxy_set_header Host $http_host;
      {directives}
    }}
  }}
}}
"""

STREAMING = "proxy_http_version 1.1; proxy_set_header Connection ''; proxy_buffering off;"
BUFFERING = "proxy_ignore_headers X-Accel-Buffering;"  # all defaults: HTTP/1.0 upstream, buffering on


def installed() -> bool:
    return bool(shutil.which("nginx") or Path("/usr/sbin/nginx").exists())


@contextlib.contextmanager
def nginx(folder: Path, upstream: str, directives: str = STREAMING) -> Iterator[str]:
    """Start nginx before ``upstream`` (http://host:port) and give its own base URL."""
    folder.mkdir(parents=True, exist_ok=True)
    port = free_port()
    config = folder / "nginx.conf"
    config.write_text(CONFIG.format(dir=folder, port=port, upstream=upstream, directives=directives))
    binary = shutil.which("nginx") or "/usr/sbin/nginx"
    log = folder / "stdout.log"
    with running([binary, "-c", str(config), "-p", f"{folder}/", "-e", f"{folder}/error.log"], log) as child:
        wait_for_port(port, child, log)
        yield f"http://127.0.0.1:{port}"
