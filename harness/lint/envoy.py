"""Lint an Envoy configuration (YAML or JSON, parsed). Measured with 1.40: the default route timeout cuts at 15 s."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.diagnose.answer import Finding
from harness.lint import paths
from harness.lint.duration import seconds
from harness.lint.hint import Spot, hint
from harness.phrase import phrase

ROUTE_DEFAULT_S = 15.0
IDLE_DEFAULT_S = 300.0


def lint_envoy(config: Any, file: str, needed: float) -> list[Finding]:
    """Findings at each route that leads to a cluster."""
    return [finding for manager in _managers(config) for finding in _manager(manager, file, needed)]


def _managers(config: Any) -> Iterator[dict[str, Any]]:
    """Every object with virtual hosts, itself or in a ``route_config``; what aliases repeat is looked at once."""
    seen: set[int] = set()
    waiting: list[Any] = [config]
    while waiting:
        value = waiting.pop()
        if not isinstance(value, (list, dict)) or id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, list):
            waiting += reversed(value)
            continue
        routes = value.get("route_config")
        if isinstance(routes, dict) and "virtual_hosts" in routes:
            yield value
        elif "virtual_hosts" in value:
            yield {"route_config": value}
        else:
            waiting += reversed(list(value.values()))


def _manager(manager: dict[str, Any], file: str, needed: float) -> Iterator[Finding]:
    for host in _dicts(manager["route_config"].get("virtual_hosts")):
        routes = [route for route in _dicts(host.get("routes")) if isinstance(route.get("route"), dict)]
        for route in paths.streaming(routes, _path):
            place = f"virtual host {host.get('name', '')}, route {_path(route)}".strip()
            yield from _route(route["route"], manager, Spot(file, 0, place, "Envoy"), needed)


def _path(route: dict[str, Any]) -> str:
    match = route.get("match")
    kinds = ("prefix", "path", "path_separated_prefix", "safe_regex")
    found = next((v for k, v in match.items() if k in kinds), "") if isinstance(match, dict) else ""
    return str(found.get("regex", "") if isinstance(found, dict) else found)


def _route(action: dict[str, Any], manager: dict[str, Any], spot: Spot, needed: float) -> Iterator[Finding]:
    total = _time(action.get("timeout"), ROUTE_DEFAULT_S)
    if total:
        default = "" if "timeout" in action else phrase(" (default)")
        severity = "error" if total <= 60 else "warning"
        yield hint(
            "truncation.route-timeout", severity, spot,
            phrase("every stream is cut at {limit} s{default}.", limit=f"{total:g}", default=default),
            "A route's timeout counts until the end of the answer, however well it flows.", "timeout: 0s",
            limit_s=total,
        )  # fmt: skip
    longest = _longest(action.get("max_stream_duration"), manager)
    if longest:
        yield hint(
            "truncation.max-stream-duration", "error" if longest <= 60 else "warning", spot,
            phrase("every stream is cut at {limit} s (max_stream_duration).", limit=f"{longest:g}"),
            "max_stream_duration counts until the end of the answer, whatever the timeout says.",
            "max_stream_duration: 0s", limit_s=longest,
        )  # fmt: skip
    idle = _time(action.get("idle_timeout"), _time(manager.get("stream_idle_timeout"), IDLE_DEFAULT_S))
    if 0 < idle < needed:
        yield hint(
            "truncation.idle-timeout", "warning", spot,
            phrase("after {limit} s of silence the stream is cut.", limit=f"{idle:g}"),
            phrase(
                "The idle timeout is shorter than the {needed} s that a route allows between two reads.",
                needed=f"{needed:g}",
            ),
            f"idle_timeout: {max(needed, 600):g}s", limit_s=idle, needed_s=needed,
        )  # fmt: skip
    retry = action.get("retry_policy")
    attempt = _time(retry.get("per_try_timeout"), 0.0) if isinstance(retry, dict) else 0.0
    if attempt:
        yield hint(
            "truncation.per-try-timeout", "warning", spot,
            phrase("a try is given up after {limit} s.", limit=f"{attempt:g}"),
            "per_try_timeout counts until the end of the answer.", "Remove per_try_timeout; use per_try_idle_timeout",
            limit_s=attempt,
        )  # fmt: skip


def _longest(own: Any, manager: dict[str, Any]) -> float:
    """Seconds that one stream may last, 0 for ever: as the route says, else as the connection manager does."""
    common = manager.get("common_http_protocol_options")
    outer = common.get("max_stream_duration") if isinstance(common, dict) else None
    inner = own.get("max_stream_duration") if isinstance(own, dict) else None
    return _time(inner, _time(outer, 0.0))


def _time(value: Any, default: float) -> float:
    found = seconds(str(value)) if value is not None else None
    return default if found is None else found


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
