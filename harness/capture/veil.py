"""A key that a server says back (``invalid key: sk-…``) is hidden before its answer is kept."""

from __future__ import annotations

from collections.abc import Iterable

from harness.capture.mask import is_secret_name
from harness.capture.model import Headers

SHORTEST = 8  # characters: a shorter value is found in too much that is no key


class Veil:
    """The secrets of one request's headers, hidden in what is kept of its answer; lengths and offsets stay.

    A key that two reads share is hidden in the second; what the first holds of it was kept before it was one.
    """

    def __init__(self, headers: Iterable[tuple[str, str]]) -> None:
        words = {value.split()[-1] for name, value in headers if is_secret_name(name) and value.strip()}
        self._secrets = sorted((w.encode("utf-8") for w in words if len(w) >= SHORTEST), key=len, reverse=True)
        self._reach = max(map(len, self._secrets), default=1) - 1
        self._before = b""

    def hide(self, data: bytes) -> bytes:
        """The body's next piece with stars for the keys in it."""
        if not self._secrets:
            return data
        whole = self._before + data
        kept = _starred(whole, self._secrets)
        begin, self._before = len(self._before), whole[-self._reach :]
        return data if kept is whole else kept[begin:]

    def headers(self, headers: Headers) -> Headers:
        """Response headers with stars for the keys in their values."""
        if not self._secrets:
            return headers
        kept = ((name, _starred(value.encode("utf-8", "replace"), self._secrets)) for name, value in headers)
        return tuple((name, value.decode("utf-8", "replace")) for name, value in kept)


def _starred(data: bytes, secrets: list[bytes]) -> bytes:
    for secret in secrets:
        if secret in data:
            data = data.replace(secret, b"*" * len(secret))
    return data
