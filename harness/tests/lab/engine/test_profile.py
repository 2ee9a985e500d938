"""Engine profiles."""

from __future__ import annotations

import pytest

from harness.errors import InputError
from harness.lab.engine.profile import load, presets


def test_presets_call_themselves_simulations() -> None:
    assert {"small", "mi300x-7b", "a100-7b"} <= set(presets())
    assert all(p.about.startswith("simulation") for p in presets().values())


@pytest.mark.parametrize(
    ("text", "says"),
    [("[x", "no TOML"), ("[x]\nspeed = 1", "no setting 'speed'"), ("[x]\nstep_ms = 'a'", "makes no sense"),
     ("[x]\nkv_blocks = -1", "makes no sense"), ("x = 1", "no setting")],
)  # fmt: skip
def test_a_wrong_profile_is_told_in_a_sentence(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        load(text, "engines.toml")
