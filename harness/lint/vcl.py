"""Under which conditions a line of Varnish's VCL rules."""

from __future__ import annotations

import re

_TYPES = ("text/event-stream", "application/x-ndjson")
_TEST = re.compile(r'content-type\s*(!?~|==|!=)\s*"((?:[^"\\]|\\.)*)"', re.I)


def spares_events(text: str, line: int, column: int) -> bool:
    """Whether what begins at ``column`` (0-based) of line ``line`` (1-based) stands under a test of the content type
    that no event stream passes."""
    return any(not _passes(condition) for condition in _conditions(text, line, column))


def _conditions(text: str, line: int, column: int) -> list[str]:
    """What stands before each brace that is open there."""
    lines = text.splitlines()[:line]
    lines[-1] = lines[-1][:column]
    before = "\n".join(re.sub(r"(?:^|\s)(?:#|//).*", "", raw) for raw in lines)
    opened: list[str] = []
    since = 0
    for mark in re.finditer(r'"(?:[^"\\]|\\.)*"|[{};]', before):
        if mark[0] == "{":
            opened.append(before[since : mark.start()])
        elif mark[0] == "}" and opened:
            opened.pop()
        if mark[0] in ("{", "}", ";"):
            since = mark.end()
    return opened


def _passes(condition: str) -> bool:
    tests = _TEST.findall(condition)
    if not tests or "||" in condition:
        return True
    return any(all(_holds(kind, *test) for test in tests) for kind in _TYPES)


def _holds(kind: str, operator: str, value: str) -> bool:
    try:
        found = kind == value if operator in ("==", "!=") else re.search(value, kind) is not None
    except re.error:
        return True
    return found is not operator.startswith("!")
