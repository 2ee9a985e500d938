"""The registry of gateways, filled by the modules beside this one."""

from __future__ import annotations

import importlib
import pkgutil
import random
from collections.abc import Callable, MutableMapping
from functools import cache
from typing import Any, TypeVar

from harness.errors import InputError
from harness.lab.gateways.model import Gateway, GatewayKind
from harness.lab.params import Params

G = TypeVar("G", bound=type[Gateway])
_kinds: dict[str, GatewayKind] = {}


def gateway(name: str, symptom: str = "", **more: str) -> Callable[[G], G]:
    """Register a gateway class under ``name``; its docstring says what it imitates.

    ``more``: model, path, wire, severity, as in :class:`GatewayKind`.
    """

    def register(cls: G) -> G:
        _kinds[name] = GatewayKind(name, cls, symptom, " ".join((cls.__doc__ or "").split()), **more)
        return cls

    return register


@cache
def _load() -> None:
    package = __name__.rpartition(".")[0]
    for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
        importlib.import_module(f"{package}.{module.name}")


def gateways() -> dict[str, GatewayKind]:
    _load()
    return dict(sorted(_kinds.items()))


def open_gateway(spec: str, seed: str = "0", store: MutableMapping[str, Any] | None = None) -> Gateway:
    """``NAME`` or ``NAME,for=500ms,bytes=8192`` as it stands in the path."""
    name, *words = spec.split(",")
    known = gateways()
    if name not in known:
        raise InputError(f"there is no gateway {name!r}", "lab", f"Gateways: {', '.join(known)}.")
    values = dict(word.partition("=")[::2] for word in words)
    made = known[name].make(Params(values, random.Random(f"{seed}:{name}")))
    if store is not None:
        made.store = store
    return made
