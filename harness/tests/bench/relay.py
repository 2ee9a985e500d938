"""What the relay adds to each event, against nginx and against no hop at all, in turn in the same run.

``python -m harness.tests.bench.relay [--streams 20] [--rate 50] [--seconds 5] [--rounds 3]``. Source, relay, nginx
and client are processes of their own; stamps and spool are on. Delay: from the source's write to the client's read.
Added: the way's percentile minus that of the direct way. Delays count while all streams of a round run; the few
events at its edges, where so many exchanges are opened or ended within one period, are told apart.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from chat.tests.daphne import Site, site
from harness.timeline.metrics import percentile

HERE = Path(__file__).parent
SETTLE = 2.5  # seconds: relay and tap judge what has ended, which is not the next way's load
CHAT = json.dumps({"route": "gateway", "messages": [{"role": "user", "content": "go"}]})
CONF = """daemon off; pid {dir}/pid; error_log {dir}/error.log; worker_processes 1;
events {{ worker_connections 256; }}
http {{
  access_log off;
  client_body_temp_path {dir}/a; proxy_temp_path {dir}/b; fastcgi_temp_path {dir}/c;
  uwsgi_temp_path {dir}/d; scgi_temp_path {dir}/e;
  server {{ listen 127.0.0.1:{port}; location / {{
    proxy_pass http://127.0.0.1:{upstream}; proxy_buffering off; proxy_http_version 1.1; }} }}
}}
"""


@contextlib.contextmanager
def child(*command: str, fds: tuple[int, ...] = ()) -> Iterator[None]:
    process = subprocess.Popen(command, pass_fds=fds, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.terminate()
        process.wait(10)


def wait_for(port: int) -> None:
    for _ in range(300):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.1)
    raise SystemExit(f"nothing listens on port {port}")


def nginx(app: Site, port: int) -> contextlib.AbstractContextManager[None]:
    folder = app.folder / "nginx"
    folder.mkdir()
    conf = folder / "nginx.conf"
    conf.write_text(CONF.format(dir=folder, port=port, upstream=app.upstream.getsockname()[1]))
    return child("nginx", "-c", str(conf), "-p", str(folder))


def measure(port: int, path: str, body: str, streams: int, rate: float) -> dict[str, list[float]]:
    """Delays in microseconds of the events of one round: ``steady`` and ``edges``."""
    command = [sys.executable, str(HERE / "client.py"), str(port), path, body, str(streams), str(rate)]
    return json.loads(subprocess.run(command, capture_output=True, check=True, timeout=120).stdout)


Found = dict[str, dict[str, list[float]]]


def run(streams: int, rate: float, seconds: float, rounds: int) -> Found:
    """By way, ``steady`` and ``edges`` delays of all rounds."""
    found: Found = {name: {"steady": [], "edges": []} for name in ("direct", "nginx", "relay", "tap")}
    with site() as app, contextlib.ExitStack() as stack:
        fd = app.upstream.fileno()
        stack.enter_context(
            child(sys.executable, str(HERE / "source.py"), str(fd), str(rate), str(seconds), str(streams), fds=(fd,))
        )
        source = app.upstream.getsockname()[1]
        port = app.free_port()
        stack.enter_context(nginx(app, port))
        inline = app.free_port()
        words = ["tap", "--listen", f"127.0.0.1:{inline}", "--upstream", f"http://127.0.0.1:{source}", "--keep", "1"]
        stack.enter_context(child(sys.executable, "manage.py", *words, "--save", str(app.folder / "taps")))
        wait_for(inline)
        ways = {
            "direct": (source, "/v1/chat/completions", "{}"),
            "nginx": (port, "/v1/chat/completions", "{}"),
            "relay": (app.port, "/chat/stream", CHAT),
            "tap": (inline, "/v1/chat/completions", "{}"),
        }
        measure(*ways["relay"], 1, rate)  # the first request imports and compiles
        for _ in range(rounds):
            for name, way in ways.items():
                for phase, delays in measure(*way, streams, rate).items():
                    found[name][phase] += delays
                time.sleep(SETTLE)
        if "Traceback" in app.log:
            sys.stderr.write(app.log)
    return found


def table(found: Found, expected: int) -> str:
    lines = [f"{'way':8}{'events':>8}{'p50':>9}{'p95':>9}{'p99':>9}{'max':>9}   µs"]
    values = {n: [percentile(v["steady"], q) or 0.0 for q in (50, 95, 99, 100)] for n, v in found.items()}
    for name, row in values.items():
        lines.append(f"{name:8}{len(found[name]['steady']):>8}" + "".join(f"{x:>9.0f}" for x in row))
    for name, delays in found.items():
        worst = max(delays["edges"], default=0.0)
        lines.append(f"{name}: {len(delays['edges'])} events at the edges of rounds, the latest {worst:.0f} µs")
    added = {n: [a - b for a, b in zip(r, values["direct"], strict=True)] for n, r in values.items()}
    for name in ("relay", "tap"):
        for place, label in ((0, "p50"), (2, "p99")):
            ours, theirs = added[name][place], added["nginx"][place]
            ratio = f"{ours / theirs:.2f}" if theirs > 0 else "no figure"
            whole = values[name][place] / values["nginx"][place]
            told = f"{name} adds {ours:.0f} µs at {label}, nginx {theirs:.0f} µs: ratio {ratio}"
            lines.append(f"{told}, of whole delays {whole:.2f}")
    lost = [name for name, v in found.items() if len(v["steady"]) + len(v["edges"]) != expected]
    return "\n".join(lines + [f"LOST EVENTS: {', '.join(lost)}"] * bool(lost))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streams", type=int, default=20)
    parser.add_argument("--rate", type=float, default=50.0)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    found = run(args.streams, args.rate, args.seconds, args.rounds)
    print(f"{args.streams} streams of {args.rate:g} events/s, {args.rounds} rounds of {args.seconds:g} s")
    print(table(found, int(args.rate * args.seconds) * args.streams * args.rounds))


if __name__ == "__main__":
    main()
