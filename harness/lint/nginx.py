"""Lint an nginx configuration: findings at every place where a stream passes, and each place corrected."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.diagnose.answer import Finding
from harness.lint.nginx_rules import RULES, Place, socket_rule, two_in_a_row
from harness.lint.nginx_scope import Scope, scopes, sockets, streaming
from harness.lint.nginx_stream import tcp_rule

NEEDED_S = 120.0  # what a route allows between two reads unless it says otherwise


def lint_nginx(
    parsed: Sequence[Mapping[str, Any]], file: str, version: str = "", needed: float = NEEDED_S
) -> tuple[list[Finding], list[dict[str, Any]]]:
    """Findings, and the corrected locations as ``{"file", "line", "directives"}`` for crossplane to write out.

    ``parsed``: crossplane's ``config[0]["parsed"]`` of a combined parse. ``version``: ``1.22.1``; unknown means
    older than 1.29.7, whose defaults are the harsher ones.
    """
    root, number = scopes(parsed, file), _version(version)
    findings: list[Finding] = []
    servers = [scope for scope in root.walk() if scope.kind == "server"]
    for scope in streaming(root):
        place = Place(scope, number, needed)
        findings += [finding for rule in RULES for finding in rule(place)]
        findings += two_in_a_row(place, servers)
    for scope in sockets(root):
        findings += socket_rule(scope, number)
    findings += tcp_rule(parsed, file, needed)
    return _once(findings), list(corrections(root, number, needed))


def places(parsed: Sequence[Mapping[str, Any]], file: str) -> int:
    """How many places of these directives hand a request on; 0: there was nothing to judge."""
    return len(streaming(scopes(parsed, file))) + sum(item["directive"] == "stream" for item in parsed)


def corrections(root: Scope, version: tuple[int, ...] | None, needed: float) -> Iterator[dict[str, Any]]:
    """Each location that has a finding worth mending, with the settings that mend it put in."""
    for scope in streaming(root):
        place = Place(scope, version, needed)
        told = [finding for rule in RULES for finding in rule(place)]
        if scope.kind != "location" or not any(finding.severity != "info" for finding in told):
            continue
        wanted = _wanted(place)
        block = [item for item in scope.source["block"] if item["directive"] not in wanted]
        added = [{"directive": name, "line": 0, "args": value.split()} for name, value in wanted.items()]
        fixed = {"directive": "location", "line": scope.line, "args": list(scope.args), "block": [*block, *added]}
        yield {"file": scope.file, "line": scope.line, "directives": [fixed]}


def _wanted(place: Place) -> dict[str, str]:
    """Settings that differ from what is in force, by name."""
    scope, module = place.scope, place.module
    wanted: dict[str, str] = {}
    if module == "proxy" and place.http.startswith("1.0"):
        wanted["proxy_http_version"] = "1.1"
    if place.buffers:
        wanted[f"{module}_buffering"] = "off"
    if place.coded():
        wanted["gzip"] = "off"
    told = {finding.code for rule in RULES for finding in rule(place)}
    if "content.cache" in told:
        wanted[f"{module}_cache"] = "off"
    if "truncation.read-timeout" in told:
        wanted[f"{module}_read_timeout"] = f"{max(place.needed, 600):g}s"
    if "not-cancelled.ignored" in told:
        wanted[f"{module}_ignore_client_abort"] = "off"
    if "duplicate.retry" in told:
        wanted[f"{module}_next_upstream"] = "error timeout"
    if "burst.rate" in told:
        wanted |= {name: "0" for name in ("limit_rate", "proxy_limit_rate") if name in scope.own}
    if not scope.on("chunked_transfer_encoding", "on"):
        wanted["chunked_transfer_encoding"] = "on"
    return wanted


def _version(text: str) -> tuple[int, ...] | None:
    found = re.search(r"(\d+)\.(\d+)(?:\.(\d+))?", text)
    return tuple(int(part or 0) for part in found.groups()) if found else None


def _once(findings: Sequence[Finding]) -> list[Finding]:
    """An ``if`` inherits what its location has: what is said of the one is not said again of the other."""
    kept: dict[tuple[Any, ...], Finding] = {}
    for finding in findings:
        place = str(finding.evidence.get("place", "")).partition(", ")[0]
        kept.setdefault((finding.code, finding.evidence.get("file"), finding.evidence.get("line"), place), finding)
    return list(kept.values())
