"""A real gateway or proxy as data: where its binary may be, how it is configured, and how to ask through it."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from e2e.parts.process import free_port, running, wait_for_port

ROOT = Path(__file__).resolve().parents[2]
OWN = ROOT / "var" / "parts"  # what .ci/parts-real brings that is no Debian package
SYSTEM = "/usr/local/sbin:/usr/sbin:/sbin"


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """``files`` by name, ``command`` and ``env`` may hold @BINARY@ @DIR@ @PORT@ @UP@ (host:port) @UPPORT@, and the
    configuration's own words at @OPTIONS@ and @GLOBAL@. ``binaries``: names on the PATH, or files below ``OWN``.

    ``headers``, ``model`` and ``path`` are what a client must say to be let through. ``version``: arguments that make
    it tell its version, or ``read`` and the file (below ``OWN``) where it stands.
    """

    name: str
    kind: str
    binaries: tuple[str, ...]
    command: tuple[str, ...]
    install: str
    files: Mapping[str, str] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    version: tuple[str, ...] = ("--version",)
    headers: Mapping[str, str] = field(default_factory=dict)
    model: str = ""
    path: str = "/v1"

    @property
    def binary(self) -> str | None:
        """The part's executable (or script), None when it is not installed."""
        for name in self.binaries:
            own = OWN / name
            if "/" in name and own.exists():
                return str(own)
            found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:{SYSTEM}")
            if "/" not in name and found:
                return found
        return None

    def versioned(self) -> str:
        """The version as the part tells it, "" when it does not."""
        if self.version[0] == "read":  # asking some takes half a minute
            text = "".join(file.read_text() for file in OWN.glob(self.version[1]))
            told = re.search(r'(?m)^\s*"?[Vv]ersion"?: "?([\d.]+)', text)
            return told[1] if told else ""
        command = [self.binary or "", *self.version]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        told = re.search(r"\d+\.\d+(?:\.\d+)*", done.stdout + done.stderr)
        return told[0] if told else ""


@dataclass(frozen=True, slots=True)
class Running:
    """A started part: its base URL without a path, and what to send with each request."""

    part: Part
    url: str
    headers: Mapping[str, str]


def filled(text: str, places: Mapping[str, str]) -> str:
    for name, value in places.items():
        text = text.replace(f"@{name}@", value)
    return text


@contextlib.contextmanager
def running_part(part: Part, upstream: str, options: str = "", extra: str = "") -> Iterator[Running]:
    """Start ``part`` in front of ``upstream`` (http://host:port) in a folder of its own; stop it on leaving."""
    folder = Path(tempfile.mkdtemp(prefix=f"streamscope-{part.name}-"))
    folder.chmod(0o777)  # some parts give root up and still want to write here
    port, up = free_port(), upstream.removeprefix("http://")
    places = {
        "OPTIONS": options, "GLOBAL": extra, "BINARY": part.binary or part.binaries[0], "DIR": str(folder),
        "PORT": str(port), "UPPORT": up.rpartition(":")[2], "UP": up,
    }  # fmt: skip
    for name, text in part.files.items():
        (folder / name).write_text(filled(text, places))
    command = [filled(word, places) for word in part.command]
    env = {name: filled(value, places) for name, value in part.env.items()}
    log = folder / "output.log"
    try:
        with running(command, log, env=env, cwd=folder) as child:
            wait_for_port(port, child, log)
            headers = {name: filled(value, places) for name, value in part.headers.items()}
            yield Running(part, f"http://127.0.0.1:{port}", headers)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
