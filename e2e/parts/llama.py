"""A real llama.cpp server with the toy model, as a child process."""

from __future__ import annotations

import contextlib
import json
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from e2e.parts.process import free_port, running, wait_for_answer

ROOT = Path(__file__).resolve().parents[2]


def fetch(url: str) -> Any:
    """GET a JSON document."""
    with urllib.request.urlopen(url, timeout=5) as answer:
        return json.load(answer)


def busy_slots(base: str) -> int:
    """How many slots of the server at ``base`` (http://host:port) work on a request."""
    return sum(1 for slot in fetch(f"{base}/slots") if slot["is_processing"])


@contextlib.contextmanager
def llama(folder: Path, model: Path) -> Iterator[str]:
    """Start the server and give its base URL (without ``/v1``) once the model is loaded."""
    folder.mkdir(parents=True, exist_ok=True)
    port, log = free_port(), folder / "llama.log"
    base = f"http://127.0.0.1:{port}"
    with running([sys.executable, "-m", "e2e.parts.llama_server", str(model), str(port)], log, cwd=ROOT) as child:
        wait_for_answer(f"{base}/health", child, log)  # 503 until the model is loaded
        yield base
