"""The curl command to run by hand where nothing can be installed; `diagnose` reads the trace that it writes."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable
from typing import Any

from harness.capture.mask import mask_headers

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def curl_command(
    url: str,
    headers: Iterable[tuple[str, str]],
    body: Any,
    api_key_env: str | None,
    trace_file: str,
    options: Iterable[str] = (),
) -> str:
    """A POST of ``body`` (JSON) to ``url`` as one line for a POSIX shell, its trace going to ``trace_file`` ("": none).

    ``options`` are further words for curl (``-k``, ``--cacert``, ``-x``). The key appears as ``$VAR`` of the shell
    that runs it, never its value; other secret headers are masked, to be filled in by hand. The trace file itself
    holds what was sent, the key included: it is masked when read.
    """
    extra = list(options)
    # Like our own probes, no proxy of the environment: only one that is named.
    words = ["curl", "-sS", "-N", *([] if "-x" in extra else ["--noproxy", "*"]), *extra]
    if trace_file:
        words += ["--trace-time", "--trace", trace_file, "-o", "/dev/null"]
    sent = {"content-type": "application/json", "accept": "text/event-stream"}
    sent |= {name: value for name, value in mask_headers(headers) if not (api_key_env and name == "authorization")}
    # Without this, curl waits for a "100 Continue" before a large body, which no client of ours does.
    sent["expect"] = ""
    for name, value in sent.items():
        words += ["-H", f"{name}: {value}" if value else f"{name}:"]
    line = shlex.join(words)
    if api_key_env and _VARIABLE.fullmatch(api_key_env):
        line += f' -H "authorization: Bearer ${api_key_env}"'
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return f"{line} --data-binary {shlex.quote(text)} {shlex.quote(url)}"
