"""The small model on this machine: what is said when it is not installed, and when its engine dies."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from harness.errors import InputError, StreamscopeError
from harness.runs.engine import loaded, model_file


def test_a_model_that_is_not_installed_is_told_with_the_command_that_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="make run MODEL=smollm2"):
        model_file("smollm2")


def test_the_model_is_the_file_in_its_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "small.gguf").write_bytes(b"GGUF")
    spec = ModuleSpec("any", None, origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec)
    assert model_file("smollm2") == tmp_path / "small.gguf"


async def test_an_engine_that_ends_while_it_loads_is_told_at_once() -> None:
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", "raise SystemExit(3)")
    await process.wait()
    with pytest.raises(StreamscopeError, match="code 3"):
        await loaded("http://127.0.0.1:9", process)
