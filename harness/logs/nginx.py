"""nginx: access lines (combined, with whatever was added to it) and the error log."""

from __future__ import annotations

import re

from harness.logs.model import Line
from harness.logs.moments import Moment, moment_in

_QUOTED = r'"((?:[^"\\]|\\.)*)"'
_ACCESS = re.compile(
    rf"^(?P<addr>\S+) \S+ .*?\[(?P<time>[^\]]+)\] {_QUOTED} (?P<status>\d{{3}}) (?P<bytes>\d+|-)"
    rf"(?: {_QUOTED} {_QUOTED})?(?P<rest>.*)$"
)
_ERROR = re.compile(
    r"^(?P<time>\d{4}/\d{2}/\d{2} \d{2}:\d{2}:\d{2}) \[(?P<level>\w+)\] \d+#\d+: "
    r"(?:\*(?P<connection>\d+) )?(?P<rest>.*)$"
)
_PAIR = re.compile(r"""([A-Za-z_][\w.\-]*)[=:](?:"([^"]*)"|((?:[^\s",]+)(?:, ?[^\s",]+)*))""")
_BARE = re.compile(r'"([^"]*)"|(\S+)')
_NUMBERS = re.compile(r"-|\d+(?:\.\d+)?(?:\s*[,:]\s*(?:\d+(?:\.\d+)?|-))*")
# The names that formats give to nginx's variables, in the documentation of nginx and of its exporters.
NAMES = {
    "rt": "request_time", "reqtime": "request_time", "urt": "upstream_response_time",
    "uht": "upstream_header_time", "uct": "upstream_connect_time", "ua": "upstream_addr", "us": "upstream_status",
    "rid": "request_id", "req_id": "request_id",
}  # fmt: skip
# A number without a name: in the order in which they are usually appended.
UNNAMED = ("request_time", "upstream_response_time", "upstream_header_time", "upstream_connect_time")


def access(text: str, byte: int) -> Line | None:
    """An access line in the combined or common format. ``$msec``, if it is there, is its moment."""
    found = _ACCESS.match(text)
    moment = moment_in(found["time"]) if found else None
    if not found or moment is None:
        return None
    fields = {"request": found[3], "status": found["status"], "bytes": found["bytes"]} | added(found["rest"])
    if "msec" in fields:
        moment = Moment(float(fields["msec"]), precision=1e-3)
    status = int(found["status"])
    level = "error" if status >= 500 else "warn" if status >= 400 else ""
    return Line(byte, text, "nginx access", moment, level, seconds(fields.get("request_time")), fields)


def added(rest: str) -> dict[str, str]:
    """What follows the combined format: ``name=value`` pairs, then bare numbers by their usual order."""
    fields = {}
    for name, quoted, plain in _PAIR.findall(rest):
        name = name.removeprefix("$")
        fields[NAMES.get(name, name)] = quoted or plain
    left = _PAIR.sub(" ", rest).strip().removeprefix('"-"')  # nginx's own "main" format: no X-Forwarded-For
    unnamed = [name for name in UNNAMED if name not in fields]
    for match in _BARE.finditer(re.sub(r"\s*,\s*", ",", left)):
        word = (match[1] or match[2] or "").strip()
        if re.fullmatch(r"[0-9a-f]{32}", word):
            fields.setdefault("request_id", word)
        elif re.fullmatch(r"\d{10}\.\d{3}", word):
            fields["msec"] = word
        elif _NUMBERS.fullmatch(word) and unnamed:
            fields[unnamed.pop(0)] = word.replace(",", ", ")
    return fields


def error(text: str, byte: int) -> Line | None:
    """A line of the error log."""
    found = _ERROR.match(text)
    if not found:
        return None
    fields = {"connection": found["connection"]} if found["connection"] else {}
    fields |= dict(re.findall(r'(request|upstream|host): "([^"]*)"', found["rest"]))
    return Line(byte, text, "nginx error", moment_in(found["time"]), found["level"], None, fields)


def seconds(text: str | None) -> float | None:
    """A time of nginx; None for ``-`` and for what is no number."""
    try:
        return float(text) if text else None
    except ValueError:
        return None


def upstreams(fields: dict[str, str]) -> int:
    """How many upstreams a request was sent to: nginx lists their times with commas, and colons between groups."""
    times = fields.get("upstream_response_time", "")
    return len(re.findall(r"[^\s,:]+", times))
