"""An nginx configuration as nested scopes that know what is in force in them, not what stands where."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.lint import paths

HANDLERS = ("proxy_pass", "fastcgi_pass", "uwsgi_pass", "scgi_pass", "grpc_pass")
_BLOCKS = frozenset({"http", "server", "location", "if", "limit_except"})
_SOCKET_PATH = re.compile(r"^/?(?:ws|wss|socket|websocket)(?:/|$|[.-])|socket\.io|/ws(?:/|$)", re.I)


@dataclass(frozen=True, slots=True)
class Directive:
    """One directive: its arguments and where it stands (after includes are put in)."""

    name: str
    args: tuple[str, ...]
    file: str
    line: int


@dataclass(slots=True)
class Scope:
    """A block. ``own``: directives that stand in it, by name. ``source``: the block as crossplane parsed it."""

    kind: str
    args: tuple[str, ...]
    file: str
    line: int
    parent: Scope | None
    source: Mapping[str, Any]
    own: dict[str, list[Directive]] = field(default_factory=dict)
    inner: list[Scope] = field(default_factory=list)
    maps: dict[str, list[str]] = field(default_factory=dict)

    def all_in_force(self, name: str) -> list[Directive]:
        """Directives of an array kind (``proxy_set_header``): the nearest block with any replaces all outer ones."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.own:
                return scope.own[name]
            scope = scope.parent
        return []

    def in_force(self, name: str) -> Directive | None:
        """The directive that rules here, from this block or the nearest around it; None when the default does."""
        found = self.all_in_force(name)
        return found[-1] if found else None

    def value(self, name: str, default: str = "") -> str:
        """Its first argument; the first value of its ``map`` that differs from 0 and off where it is a variable."""
        found = self.in_force(name)
        if found is None or not found.args:
            return default
        given = found.args[0]
        if given.startswith("$"):
            choices = self.choices(given)
            return next(
                (choice for choice in choices if choice not in ("0", "off", "")), choices[0] if choices else given
            )
        return given

    def choices(self, variable: str) -> list[str]:
        """Every value that a ``map`` gives a variable."""
        scope: Scope | None = self
        while scope is not None:
            if variable in scope.maps:
                return scope.maps[variable]
            scope = scope.parent
        return []

    def on(self, name: str, default: str = "off") -> bool:
        return self.value(name, default) == "on"

    def handler(self) -> Directive | None:
        """What answers here. ``if`` and ``limit_except`` take it from the block around them, a location does not."""
        for name in HANDLERS:
            if name in self.own:
                return self.own[name][-1]
        if self.kind in ("if", "limit_except") and self.parent is not None:
            return self.parent.handler()
        return None

    @property
    def path(self) -> str:
        scope: Scope | None = self
        while scope is not None and scope.kind != "location":
            scope = scope.parent
        return scope.args[-1] if scope is not None and scope.args else ""

    @property
    def place(self) -> str:
        if self.kind == "location":
            return f"location {' '.join(self.args)}"
        outer = f"{self.parent.place}, " if self.parent is not None and self.kind in ("if", "limit_except") else ""
        return f"{outer}{self.kind} {' '.join(self.args)}".strip()

    def walk(self) -> Iterator[Scope]:
        yield self
        for scope in self.inner:
            yield from scope.walk()


def scopes(parsed: Sequence[Mapping[str, Any]], file: str) -> Scope:
    """The directives that crossplane parsed, as the outermost scope; a file may also begin inside http or server."""
    root = Scope("main", (), file, 1, None, {"block": parsed})
    _fill(root, parsed)
    return root


def _fill(scope: Scope, block: Sequence[Mapping[str, Any]]) -> None:
    for item in block:
        name, args = item["directive"], tuple(item.get("args", ()))
        file, line = item.get("file", scope.file), item["line"]
        if name in _BLOCKS:
            inner = Scope(name, args, file, line, scope, item)
            scope.inner.append(inner)
            _fill(inner, item.get("block", ()))
        elif name == "map" and len(args) == 2:
            scope.maps[args[1]] = [(entry.get("args") or [""])[0] for entry in item.get("block", ())]
        elif name != "include":
            scope.own.setdefault(name, []).append(Directive(name, args, file, line))


def streaming(root: Scope) -> list[Scope]:
    """Where a streamed answer may pass: places that hand on and are named like an API; else all but assets."""
    found: list[Scope] = []
    servers = [scope for scope in root.walk() if scope.kind == "server"] or [root]
    for server in servers:
        places = [s for s in server.walk() if s.handler() is not None and s.kind != "main"]
        found += paths.streaming((s for s in places if not _SOCKET_PATH.search(s.path)), lambda s: s.path)
    return found


def sockets(root: Scope) -> list[Scope]:
    """Where WebSockets pass: by the path, or by an ``Upgrade`` header that is handed on."""
    return [
        s for s in root.walk()
        if s.kind == "location" and s.handler() is not None and (_SOCKET_PATH.search(s.path) or upgrades(s))
    ]  # fmt: skip


def upgrades(scope: Scope) -> bool:
    return any(d.args[:1] and d.args[0].lower() == "upgrade" for d in scope.all_in_force("proxy_set_header"))
