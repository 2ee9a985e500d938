"""Errors that travel inside a stream, in every shape that backends and gateways give them."""

from __future__ import annotations

from typing import Any

from harness.wire.sink import Sink

_CODES = ("code", "type", "error_type", "status", "statusText")


def found(obj: Any, sink: Sink) -> bool:
    """Record the error that an object carries; False when it carries none.

    Shapes: ``{"error": {…}}``, ``{"error": "…"}``, ``{"object": "error", "message": …}``,
    ``{"type": "error", …}``, ``{"code", "statusText", "message"}``.
    """
    shape = told(obj)
    if shape is None:
        return False
    sink.error(*shape)
    return True


def told(obj: Any) -> tuple[str, str] | None:
    """(message, code) of the error in an object, or None."""
    if not isinstance(obj, dict):
        return None
    inner = obj.get("error")
    if inner:
        if isinstance(inner, dict):
            return _message(inner), _code(inner) or _code(obj)
        return (inner if isinstance(inner, str) else repr(inner)[:500]), _code(obj)
    if obj.get("object") == "error" or (obj.get("type") == "error" and "message" in obj):
        return _message(obj), _code({k: v for k, v in obj.items() if k != "type" or v != "error"})
    if "choices" not in obj and isinstance(obj.get("message"), str) and ("statusText" in obj or "code" in obj):
        return _message(obj), _code(obj)
    return None


def named(data: bytes, obj: Any, sink: Sink) -> None:
    """Record the error of an event that is *called* ``error``, whatever its data is."""
    if not found(obj, sink):
        if isinstance(obj, dict):
            sink.error(_message(obj), _code(obj))
        else:
            sink.error(obj if isinstance(obj, str) else data[:2000].decode("utf-8", "replace"))


def _message(obj: dict[str, Any]) -> str:
    for name in ("message", "msg", "detail", "statusText"):
        value = obj.get(name)
        if isinstance(value, dict):
            value = value.get("message")
        if isinstance(value, str) and value:
            return value
    return repr(obj)[:500]


def _code(obj: dict[str, Any]) -> str:
    for name in _CODES:
        value = obj.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool) and value != "":
            return str(value)
    return ""
