"""The routes file: TOML in and out."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any

from harness.errors import RouteError
from harness.routes.fields import Table
from harness.routes.model import Route
from harness.routes.spec import routes_from, spec_of

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def parse(text: str, name: str = "routes.toml") -> list[Route]:
    """The routes of a file's text in their order; ``name`` is the file in errors. Raises RouteError."""
    try:
        data = tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise RouteError(f"not TOML: {error}", name, "Compare it with what `routes dump --all` writes.") from error
    except RecursionError:
        raise RouteError("nested too deeply", name, "Write it flat: [[route]] and [[route.hop]].") from None
    table = Table(data, name, ("route",))
    return routes_from(table.tables("route"), name)


def dump(routes: Iterable[Route]) -> str:
    """The routes as file text; :func:`parse` gives them back. Keys are named, never written."""
    return "\n".join(_route(spec_of(route)) for route in routes)


def _route(spec: Mapping[str, Any]) -> str:
    lines = ["[[route]]", *(f"{key} = {_value(value)}" for key, value in spec.items() if key != "hop")]
    for hop in spec["hop"]:
        lines += ["  [[route.hop]]", *(f"  {key} = {_value(value)}" for key, value in hop.items())]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        # A JSON string is a TOML basic string, but for DEL, which TOML wants escaped.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{_key(key)} = {_value(item)}" for key, item in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    return repr(value)


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _value(key)
