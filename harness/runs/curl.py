"""The curl command that does by hand what a probe does, on a machine that the probe cannot reach."""

from __future__ import annotations

import json
import shlex

from harness.probe.request import Messages, ask
from harness.routes.model import Hop, Route


def curl_command(route: Route, hop: Hop, messages: Messages, *, stream: bool = True, trace: bool = True) -> str:
    """One line for a POSIX shell. The key is read from the environment there; ``trace``: record to HOP.trace."""
    wish = ask(route, hop, messages, exchange_id="by-hand", stream=stream, probing=True)
    words = ["curl", "-sS", "-N"]
    if trace:
        words += ["--trace-time", "--trace", f"{hop.name}.trace", "-o", "/dev/null"]
    if not hop.verify:
        words.append("-k")
    if hop.ca_file:
        words += ["--cacert", hop.ca_file]
    if hop.proxy:
        words += ["-x", hop.proxy]
    secret = {name.lower() for name in hop.headers} | {"authorization"}
    for name, value in wish.headers:
        if name not in secret and name not in ("user-agent", "accept-encoding"):
            words += ["-H", f"{name}: {value}"]
    line = shlex.join(words)
    for name in sorted(hop.headers):
        line += f' -H "{name.lower()}: …"'
    if hop.api_key_env:
        line += f' -H "authorization: Bearer ${hop.api_key_env}"'
    body = json.dumps(wish.body, ensure_ascii=False, separators=(",", ":"))
    return f"{line} -d {shlex.quote(body)} {shlex.quote(wish.url)}"
