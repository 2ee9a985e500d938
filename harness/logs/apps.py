"""Gateways that log in JSON or in words: one-api, FastGPT, LiteLLM, and any that writes a time on each line."""

from __future__ import annotations

import json
import re
from typing import Any

from harness.logs.model import Line
from harness.logs.moments import Moment, moment_in, moment_of_number
from harness.logs.nginx import NAMES, seconds

_TIMES = ("time_iso8601", "msec", "timestamp", "@timestamp", "time", "ts", "datetime", "asctime", "created", "date")
_LEVELS = ("level", "levelname", "severity", "lvl", "log.level")
_DURATIONS = ("request_time", "duration", "latency", "response_time", "elapsed")
_KEPT = (
    "request", "status", "upstream_response_time", "upstream_header_time", "upstream_status", "upstream_addr",
    "request_id", "model", "method", "path", "url",
)  # fmt: skip
_WORD = re.compile(r"\b(DEBUG|INFO|WARN(?:ING)?|ERR(?:OR)?|FATAL|CRITICAL|PANIC)\b")
_ONE_API = re.compile(r"^\[(?P<level>[A-Z]+)\] (?P<time>\d{4}/\d{2}/\d{2} - \d{2}:\d{2}:\d{2}) \| (?P<rest>.*)$")
_LITELLM = re.compile(r"^(?P<time>\d{2}:\d{2}:\d{2}(?:[.,]\d+)?) - (?P<name>LiteLLM[\w. ]*):(?P<level>\w+):")
_FASTGPT = re.compile(r"^\[(?P<level>[A-Za-z]+)\] (?P<time>\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(?:\.\d+)?)")
_LATENCY = re.compile(r"^(?:(?P<h>\d+)h)?(?:(?P<m>\d+)m(?!s))?(?P<n>\d+(?:\.\d+)?)(?P<unit>s|ms|µs|us|ns)$")
_TIME_MS = re.compile(r"\btime: ?(\d+(?:\.\d+)?) ?ms\b")
_UNITS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "us": 1e-6, "ns": 1e-9}
LEVELS = {"WARNING": "warn", "ERR": "error", "FATAL": "error", "CRITICAL": "error", "PANIC": "error", "EMERG": "error"}


def level_of(word: object) -> str:
    """One of debug, info, warn, error where it means one; pino's numbers too."""
    if isinstance(word, int) and not isinstance(word, bool):
        return "error" if word >= 50 else "warn" if word >= 40 else "info" if word >= 30 else "debug"
    name = str(word).upper()
    return LEVELS.get(name, name.lower())


def json_line(text: str, byte: int) -> Line | None:
    """An object a line: LiteLLM's ``json_logs``, FastGPT's, nginx's own with ``escape=json``, Caddy's, Envoy's."""
    if not text.startswith("{"):
        return None
    try:
        row = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(row, dict):
        return None
    moment = next((found for name in _TIMES if (found := _moment(row.get(name))) is not None), None)
    level = next((level_of(row[name]) for name in _LEVELS if row.get(name) not in (None, "")), "")
    named = {NAMES.get(str(name), str(name)): value for name, value in row.items()}
    duration = next((took for name in _DURATIONS if (took := _seconds(named, name)) is not None), None)
    fields = {name: str(value)[:200] for name, value in named.items() if _kept(name, value)}
    return Line(byte, text, "JSON", moment, level, duration, fields)


def _kept(name: str, value: Any) -> bool:
    return name in _KEPT and isinstance(value, str | int | float) and value != ""


def _moment(value: Any) -> Moment | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return moment_of_number(float(value))
    if not isinstance(value, str):
        return None
    number = seconds(value)
    return moment_in(value) if number is None else moment_of_number(number)


def _seconds(row: dict[str, Any], name: str) -> float | None:
    value = row.get(name)
    if isinstance(value, str):
        return seconds(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    value = row.get(f"{name}_ms")
    return value / 1e3 if isinstance(value, int | float) and not isinstance(value, bool) else None


def one_api(text: str, byte: int) -> Line | None:
    """one-api and new-api: ``[LEVEL] 2024/05/10 - 10:00:00 | REQUEST ID | …``, and ``[GIN]`` for each request."""
    found = _ONE_API.match(text)
    if not found:
        return None
    parts = [part.strip() for part in found["rest"].split("|")]
    fields: dict[str, str] = {}
    duration, level = None, level_of(found["level"])
    if found["level"] == "GIN":
        level = ""
        parts = ["", *parts] if re.fullmatch(r"\d{3}", parts[0]) else parts  # plain gin tells no id
        if len(parts) >= 5:
            fields = {"status": parts[1], "request": " ".join(parts[4].replace('"', "").split())}
            duration = latency(parts[2])
            level = "error" if parts[1] >= "500" else "warn" if parts[1] >= "400" else ""
    if parts and len(parts[0]) >= 8 and " " not in parts[0]:
        fields["request_id"] = parts[0]
    return Line(byte, text, "one-api", moment_in(found["time"]), level, duration, fields)


def latency(text: str) -> float | None:
    """A duration as Go prints it (``1m2.5s``, ``830ms``, ``12.3µs``), in seconds."""
    found = _LATENCY.match(text.strip())
    if not found:
        return None
    return int(found["h"] or 0) * 3600 + int(found["m"] or 0) * 60 + float(found["n"]) * _UNITS[found["unit"]]


def litellm(text: str, byte: int) -> Line | None:
    """LiteLLM in words: ``10:00:00 - LiteLLM Proxy:INFO: …``, a time without a date."""
    found = _LITELLM.match(text)
    return Line(byte, text, "LiteLLM", moment_in(found["time"]), level_of(found["level"])) if found else None


def fastgpt(text: str, byte: int) -> Line | None:
    """FastGPT in words: ``[INFO] 2024-06-11 03:22:21 Request finish /api/v1/chat/completions, time: 812ms``."""
    found = _FASTGPT.match(text)
    if not found:
        return None
    took = _TIME_MS.search(text)
    duration = float(took[1]) / 1e3 if took else None
    return Line(byte, text, "FastGPT", moment_in(found["time"]), level_of(found["level"]), duration)


def words(text: str, byte: int) -> Line | None:
    """Any other line that begins with a time, or has one near its beginning."""
    moment = moment_in(text[:64])
    level = _WORD.search(text[:120])
    return Line(byte, text, "text", moment, level_of(level[1]) if level else "") if moment else None
