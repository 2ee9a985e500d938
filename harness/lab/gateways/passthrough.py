"""A gateway as it should be."""

from __future__ import annotations

from harness.lab.gateways.model import Gateway
from harness.lab.gateways.registry import gateway


@gateway("passthrough")
class Passthrough(Gateway):
    """Hands on every read at once, untouched, ends included."""
