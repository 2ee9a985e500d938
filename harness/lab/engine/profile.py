"""What a simulated engine is like, read from TOML."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from harness.errors import InputError

TYPES: dict[str, tuple[type, ...]] = {"int": (int,), "float": (int, float), "bool": (bool,), "str": (str,)}
PRESETS = Path(__file__).with_name("presets.toml")


@dataclass(frozen=True, slots=True)
class Profile:
    """A step: ``step_ms`` + ``step_per_seq_ms`` × decoding sequences + ``prefill_ms_per_1k`` × prompt tokens / 1000.

    ``policy``: fcfs or priority (lower first). ``speculative``: draft tokens a step, each accepted with chance
    ``acceptance`` as long as those before it were. ``cold_as``: what requests get while the model loads for
    ``cold_ms`` after the first: 503, inside (they wait), refused (RST).
    """

    name: str
    about: str = ""
    max_num_seqs: int = 16
    kv_blocks: int = 20_000
    block_size: int = 16
    max_num_batched_tokens: int = 8192
    step_ms: float = 20.0
    step_per_seq_ms: float = 0.5
    prefill_ms_per_1k: float = 70.0
    chunked_prefill: bool = True
    policy: str = "fcfs"
    stream_interval: int = 1
    speculative: int = 0
    acceptance: float = 0.0
    cold_ms: float = 0.0
    cold_as: str = "inside"


@cache
def presets() -> dict[str, Profile]:
    return load(PRESETS.read_text("utf-8"), PRESETS.name)


def load(text: str, where: str) -> dict[str, Profile]:
    """Profiles by name; InputError names the table and key that make no sense."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"is no TOML: {error}", where, "Mend the file.") from None
    return {name: _profile(name, rows, where) for name, rows in tables.items()}


def _profile(name: str, rows: Any, where: str) -> Profile:
    known = {f.name: f.type for f in fields(Profile)}
    for key, value in (rows if isinstance(rows, dict) else {"": rows}).items():
        if key not in known or key == "name":
            raise InputError(f"[{name}] has no setting {key!r}", where, f"Settings: {', '.join(list(known)[1:])}.")
        if not isinstance(value, TYPES[str(known[key])]) or (isinstance(value, int | float) and value < 0):
            raise InputError(f"[{name}] {key} = {value!r} makes no sense", where, f"It is a {known[key]}.")
    return Profile(name=name, **rows)
