"""Hypothesis profiles: ``fast`` (the default, the same examples each time) and ``deep`` (HYPOTHESIS_PROFILE=deep)."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile("fast", max_examples=60, deadline=None, derandomize=True, suppress_health_check=_SLOW)
settings.register_profile("deep", max_examples=3000, deadline=None, print_blob=True, suppress_health_check=_SLOW)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))
