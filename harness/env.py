"""Readers of environment variables: pure functions of a mapping, all failures told at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from urllib.parse import urlsplit

from harness.errors import InputError

TRUE = frozenset({"1", "true", "yes", "on"})
FALSE = frozenset({"0", "false", "no", "off"})
PREFIX = "HARNESS_"
# Every variable that somebody reads, for telling typing errors; README's table is tested to name the same.
NAMES = (
    "PORT", "LAB_PORT", "HARNESS_BIND", "HARNESS_HOSTS", "HARNESS_DATA_DIR", "HARNESS_KEEP_RUNS", "HARNESS_DEBUG",
    "HARNESS_GATEWAY_URL", "HARNESS_GATEWAY_KEY", "HARNESS_GATEWAY_WIRE", "HARNESS_BACKEND_URL",
    "HARNESS_BACKEND_KEY", "HARNESS_BACKEND_WIRE", "HARNESS_MODEL", "HARNESS_LOCAL_MODEL", "HARNESS_LOCAL_PORT",
    "HARNESS_TRACEBACK", "HARNESS_CHROMIUM",
)  # fmt: skip
NEAR = 0.72  # likeness from which a name is taken for a mistyped one; other products have names of this prefix too


class Env:
    """Reads variables by name and default; a value that makes no sense is noted, not raised.

    Each reader returns the default for a variable that is unset, empty or wrong; :meth:`check` raises one
    :class:`InputError` that names every wrong variable and its value. ``defaults`` collects what was read.
    """

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values
        self.defaults: dict[str, object] = {}
        self.faults: list[str] = []

    def _raw(self, name: str, default: object) -> str:
        self.defaults[name] = default
        return self._values.get(name, "").strip()

    def _fault(self, name: str, value: str, expected: str) -> None:
        self.faults.append(f"{name}={value!r} is not {expected}")

    def text(self, name: str, default: str = "") -> str:
        return self._raw(name, default) or default

    def path(self, name: str, default: Path) -> Path:
        """A directory or file; ``~`` is expanded and a relative path counts from the working directory."""
        raw = self._raw(name, default)
        return Path(raw).expanduser().absolute() if raw else default

    def flag(self, name: str, default: bool = False) -> bool:
        raw = self._raw(name, default).lower()
        if raw in TRUE or raw in FALSE:
            return raw in TRUE
        if raw:
            self._fault(name, raw, "a switch: use 1 or 0")
        return default

    def whole(self, name: str, default: int, low: int = 0, high: int | None = None) -> int:
        raw = self._raw(name, default)
        try:
            value = int(raw) if raw else default
        except ValueError:
            value = low - 1
        if value < low or (high is not None and value > high):
            self._fault(name, raw, f"a whole number of {low} or more" if high is None else f"a number {low} to {high}")
            return default
        return value

    def port(self, name: str, default: int) -> int:
        return self.whole(name, default, 1, 65535)

    def seconds(self, name: str, default: float) -> float:
        """A positive number of seconds; ``120``, ``2.5`` and ``120s`` are understood."""
        raw = self._raw(name, default)
        try:
            value = float(raw.removesuffix("s")) if raw else default
        except ValueError:
            value = 0.0
        if not 0 < value < float("inf"):
            self._fault(name, raw, "a positive number of seconds")
            return default
        return value

    def url(self, name: str, default: str = "", schemes: Sequence[str] = ("http", "https")) -> str:
        """An absolute URL without a trailing slash."""
        raw = self._raw(name, default)
        if not raw:
            return default
        hidden = hide_userinfo(raw)
        fault = url_fault(raw, schemes) if hidden == raw else "a URL without a user name or password"
        if fault:
            self._fault(name, hidden, fault)
            return default
        return raw.rstrip("/")

    def choice(self, name: str, default: str, choices: Sequence[str]) -> str:
        raw = self._raw(name, default).lower()
        if raw and raw not in choices:
            self._fault(name, raw, "one of " + ", ".join(choices))
            return default
        return raw or default

    def names(self, name: str, default: str = "") -> list[str]:
        """A comma-separated list."""
        return [part.strip() for part in self.text(name, default).split(",") if part.strip()]

    def check(self) -> None:
        """Raise one error for all faults noted so far, none where there are none."""
        if self.faults:
            raise InputError("; ".join(self.faults), "environment", "Correct the variable or unset it.")


def url_fault(url: str, schemes: Sequence[str] = ("http", "https")) -> str:
    """What a URL should have been, or "" for a usable one."""
    expected = f"a URL such as {schemes[0]}://127.0.0.1:8000/v1"
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return expected
    usable = parts.scheme in schemes and parts.hostname and (port is None or port > 0) and not set(url) & set(" \t\r\n")
    return "" if usable else expected


def hide_userinfo(url: str) -> str:
    """The URL without the name and password in front of its host."""
    scheme, mark, rest = url.partition("://")
    authority, slash, path = rest.partition("/")
    if not mark or "@" not in authority:
        return url
    return f"{scheme}://…@{authority.rpartition('@')[2]}{slash}{path}"


def mistyped(names: Iterable[str]) -> list[str]:
    """A sentence for each name of our prefix that nobody reads but that looks like one of ours."""
    told = []
    for name in sorted(set(names)):
        if not name.upper().startswith(PREFIX) or name in NAMES:
            continue
        meant = _nearest(name.upper())
        if meant:
            told.append(f"The variable {name} means nothing here: was {meant} meant?")
    return told


def _nearest(name: str) -> str:
    """The known name that this one looks like, or "". One with a number is a name of its own, as of a second key."""
    if name in NAMES:  # in small letters
        return name
    rest = name.removeprefix(PREFIX)
    if any(sign.isdigit() for sign in rest):
        return ""
    if rest in NAMES:
        return rest
    begun = [known for known in NAMES if known.startswith(f"{name}_") or name.startswith(f"{known}_")]
    if begun:
        return begun[0]
    likeness = {known: SequenceMatcher(None, rest, known.removeprefix(PREFIX)).ratio() for known in NAMES}
    best = max(NAMES, key=lambda known: likeness[known])
    return best if likeness[best] >= NEAR else ""
