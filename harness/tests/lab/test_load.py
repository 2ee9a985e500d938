"""The load tool, with few streams: the figure for many is measured by hand, on a quiet machine."""

from __future__ import annotations

import pytest

from harness.lab.load import measure

pytestmark = pytest.mark.alone


def test_every_write_of_every_stream_is_compared_with_its_plan() -> None:
    found = measure(streams=20, rate=40, seconds=0.5)
    assert found.writes == 20 * (20 + 3)  # role, twenty words, finish, [DONE]
    assert found.p50 <= found.p99 <= found.worst
    assert found.us_per_write < 2000
