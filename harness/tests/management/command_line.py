"""Commands as a user runs them: a child process with a data folder of its own, and no lab to fall back on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def manage(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"HARNESS_DATA_DIR": str(folder), "LAB_PORT": "1"} | variables
    command = [sys.executable, "manage.py", *words]
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=60)
