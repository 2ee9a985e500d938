"""Typed reads of one table of a route definition; every mistake is told with its place, key and what was expected."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NoReturn

from harness.env import hide_userinfo, url_fault
from harness.errors import RouteError

_NAME = re.compile(r"[^\s/]|[^\s/][^/\x00-\x1f\x7f]{0,98}[^\s/]")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Table:
    """One table; ``where`` is its place for people: ``routes.toml, route fastgpt, hop vllm``."""

    def __init__(self, values: object, where: str, known: Sequence[str]) -> None:
        self.where = where
        if not isinstance(values, Mapping):
            self.fail(f"expected a table, found {shown(values)}")
        self.values: Mapping[str, Any] = values
        for key in values:
            if key not in known:
                self._unknown(str(key), known)

    def fail(self, what: str, do: str = "") -> NoReturn:
        raise RouteError(what, self.where, do)

    def _unknown(self, key: str, known: Sequence[str]) -> NoReturn:
        if key in ("api_key", "key", "token") and "api_key_env" in known:
            self.fail(
                f'unknown key "{key}": keys live in the environment, not in a route',
                "Put the key into a variable and name that variable in api_key_env.",
            )
        near = get_close_matches(key, known, 1, 0.6)
        self.fail(f'unknown key "{key}"', f'Did you mean "{near[0]}"?' if near else f"Known keys: {', '.join(known)}.")

    def wrong(self, key: str, expected: str) -> NoReturn:
        self.fail(f'"{key}" must be {expected}, found {shown(self.values.get(key))}')

    def text(self, key: str, default: str = "") -> str:
        value = self.values.get(key, default)
        if not isinstance(value, str) or any(ord(char) < 32 or ord(char) == 127 for char in value):
            self.wrong(key, "a text of one line")
        return value

    def name(self, key: str, default: str = "") -> str:
        """A name that can be chosen as ``ROUTE/HOP``: no slash, no space at its ends, at most 100 characters."""
        if key not in self.values and not default:
            self.fail(f'"{key}" is missing')
        value = self.text(key, default)
        if not _NAME.fullmatch(value):
            self.wrong(key, "a name of 1 to 100 characters without a slash or spaces at its ends")
        return value

    def choice(self, key: str, default: str, choices: Sequence[str]) -> str:
        value = self.values.get(key, default)
        if value not in choices:
            self.wrong(key, "one of " + ", ".join(choices))
        return str(value)

    def flag(self, key: str, default: bool) -> bool:
        value = self.values.get(key, default)
        if not isinstance(value, bool):
            self.wrong(key, "true or false")
        return value

    def seconds(self, key: str, default: float) -> float:
        value = self.values.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
            self.wrong(key, "a positive number of seconds")
        return float(value)

    def url(self, key: str, required: bool = False) -> str:
        value = self.text(key)
        if not value:
            if required:
                self.fail(f'"{key}" is missing', "Give the base URL, such as http://127.0.0.1:8000/v1.")
            return ""
        if hide_userinfo(value) != value:
            self.fail(
                f'"{key}" has a user name or password in it', "Name a variable with the key in api_key_env instead."
            )
        expected = url_fault(value)
        if expected:
            self.wrong(key, expected)
        return value.rstrip("/")

    def variable(self, key: str) -> str:
        """The name of an environment variable. A value that is none may be the key itself, so it is not repeated."""
        value = self.text(key)
        if value and not _VARIABLE.fullmatch(value):
            self.fail(
                f'"{key}" must be the name of an environment variable', "Put the key into a variable and name it."
            )
        return value

    def tables(self, key: str) -> list[Any]:
        value = self.values.get(key, [])
        if not isinstance(value, list):
            self.fail(f'"{key}" must be written as [[…]], a list of tables; found {shown(value)}')
        return value


def shown(value: object) -> str:
    """A value as it may stand in a message: short, on one line."""
    if value is None:
        return "nothing"
    if isinstance(value, str):
        return f'"{value[:60]}{"…" if len(value) > 60 else ""}"'.replace("\n", "\\n")
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "a table"
    return "a list" if isinstance(value, list) else str(value)[:60]
