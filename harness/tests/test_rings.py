"""Imports point inward: PURE rooms know neither IO nor Django, and the instrument knows nothing of the chat."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PURE = (
    "harness.capture", "harness.wire", "harness.timeline", "harness.diagnose", "harness.lint", "harness.routes",
    "harness.logs", "harness.rocm.parse", "harness.errors", "harness.env", "harness.phrase",
)  # fmt: skip
IO = (
    "harness.probe", "harness.runs", "harness.lab", "harness.rocm", "harness.observe", "harness.tasks",
    "harness.models", "harness.migrations",
)  # fmt: skip
# What tells the time, the machine or the world, or waits for them.
IMPURE = {
    "django", "channels", "daphne", "asgiref", "twisted", "httpx", "httpcore", "asyncio", "time", "random",
    "secrets", "os", "socket", "ssl", "subprocess", "threading", "multiprocessing", "signal", "select", "uuid",
    "tempfile", "shutil", "urllib.request", "http.client", "platform", "locale", "getpass",
}  # fmt: skip
IMPURE_CALLS = {"now", "utcnow", "today", "open", "getenv", "urandom", "read_text", "read_bytes", "write_text", "print"}
# Work in virtual time: by seed and plan alone, whatever they import; no clock, socket or event loop.
VIRTUAL = ("harness.lab.synth", "harness.lab.confusion", "harness.lab.replay")
REAL_TIME = {"asyncio", "time", "socket", "ssl", "select", "threading", "subprocess", "httpx", "django"}
# Compose the whole, so they may name the chat, by string.
COMPOSERS = {"harness.settings", "harness.urls", "harness.asgi"}


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def inside(module: str, rooms: tuple[str, ...]) -> bool:
    return any(module == room or module.startswith(room + ".") for room in rooms)


def ring(module: str) -> int:
    """0 pure, 1 IO, 2 surface."""
    return 0 if inside(module, PURE) else 1 if inside(module, IO) else 2


def imports(tree: ast.AST, module: str) -> Iterator[str]:
    """Every module that is imported, also inside functions; ``from a import b`` gives ``a.b`` too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                base = ".".join([*module.split(".")[: -node.level], *filter(None, [base])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def outward(source: str, module: str) -> list[str]:
    """What a module's source does against the rings, in words."""
    tree, faults = ast.parse(source), []
    for name in imports(tree, module):
        if name == "chat" or name.startswith("chat."):
            faults.append(f"imports {name}: the instrument knows nothing of the chat")
        if name.startswith("harness.") and ring(name) > ring(module) and is_module(name):
            faults.append(f"imports {name}, which lies further out")
        if ring(module) == 0 and any(name == bad or name.startswith(bad + ".") for bad in IMPURE):
            faults.append(f"imports {name}, which is not pure")
    for node in ast.walk(tree):
        if ring(module) == 0 and isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in IMPURE_CALLS:
                faults.append(f"calls {called}() in line {node.lineno}, which is not pure")
        if module not in COMPOSERS and isinstance(node, ast.Constant) and isinstance(node.value, str):
            name = node.value
            if name.startswith("chat.") and (ROOT / (name.replace(".", "/") + ".py")).is_file():
                faults.append(f"names {name} in line {node.lineno}; only {', '.join(sorted(COMPOSERS))} may")
    return faults


def is_module(name: str) -> bool:
    path = ROOT / name.replace(".", "/")
    return path.is_dir() or path.with_suffix(".py").is_file()


SOURCES = sorted(path for path in (ROOT / "harness").rglob("*.py") if "tests" not in path.parts)


def test_no_import_points_outward() -> None:
    faults = [f"{module_of(path)} {fault}" for path in SOURCES for fault in outward(path.read_text(), module_of(path))]
    assert not faults, "\n".join(faults)


def reached(module: str) -> dict[str, list[str]]:
    """Every module of ours that ``module`` imports, straight or not, itself included; with all that each imports."""
    found: dict[str, list[str]] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        path = (ROOT / name.replace(".", "/")).with_suffix(".py")
        if name not in found and path.is_file():
            found[name] = list(imports(ast.parse(path.read_text()), name))
            waiting += found[name]
    return found


@pytest.mark.parametrize("module", VIRTUAL)
def test_virtual_time_needs_no_clock_socket_or_loop(module: str) -> None:
    assert not [(name, bad) for name, names in reached(module).items() for bad in names if bad in REAL_TIME]


def test_what_is_reached_through_others_is_seen() -> None:
    assert "asyncio" in reached("harness.lab.server")["harness.lab.emitter"]


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("harness.wire.sse", "import asyncio"),
        ("harness.wire.sse", "def f():\n    from time import monotonic"),
        ("harness.routes.env", "import os.path"),
        ("harness.lint.nginx", "from django.conf import settings"),
        ("harness.capture.model", "from datetime import datetime\nx = datetime.now()"),
        ("harness.capture.format", "open('x')"),
        ("harness.diagnose.run", "from harness.probe import exchange"),
        ("harness.diagnose.run", "from ..probe import exchange"),
        ("harness.runs.ladder", "from harness.report.text import render"),
        ("harness.pages.runs", "from chat import views"),
        ("harness.pages.runs", "import_module('chat.views')"),
    ],
)
def test_an_outward_import_is_seen(module: str, source: str) -> None:
    assert outward(source, module)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("harness.wire.sse", "import json\nfrom harness.capture.model import Capture"),
        ("harness.probe.exchange", "import asyncio, httpx\nfrom harness.wire.decode import decode"),
        ("harness.pages.runs", "from django.http import HttpRequest\nfrom harness.runs.store import save_run"),
        ("harness.asgi", "import_module('chat.routing')"),
    ],
)
def test_an_inward_import_is_fine(module: str, source: str) -> None:
    assert not outward(source, module)
