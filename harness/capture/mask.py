"""Take secrets out of headers, addresses and bodies, when a capture is made: they never reach a disk or a screen.

Every function is idempotent, keeps all that is no secret byte for byte, and never fails.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Any
from urllib.parse import unquote_plus

from harness.capture.model import Headers

MASK = "***"

# A name is secret by one of its words, so that `x-goog-api-key` and `sessionToken` are, and `max_tokens` is not.
_SECRET_WORDS = frozenset({
    "apikey", "auth", "authorization", "bearer", "cookie", "cookie2", "credential", "credentials", "jwt", "passwd",
    "password", "pwd", "secret", "sig", "signature", "token",
})  # fmt: skip
_SECRET_PAIRS = frozenset({("api", "key"), ("access", "key"), ("private", "key"), ("secret", "key"), ("auth", "key")})
_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
# Words that make a `token` or an `auth` a figure or a kind instead of a secret.
_PLAIN_NAMES = frozenset({"token_count", "token_type", "token_usage", "auth_type", "token_limit", "www-authenticate"})
_KEY = re.compile(r"(?:sk|pk|rk|fastgpt|gsk|hf|xai|ghp|glpat|AIza)[-_]?[A-Za-z0-9_\-]{12,}")
_SCHEME = re.compile(r"\s*(?:(Bearer|Basic|Digest|Negotiate|Token|ApiKey)\s+)?\S.*", re.I | re.S)
_USERINFO = re.compile(r"(?<=://)[^/?#@\s]*(?=@)")
_PAIR = re.compile(r"(?P<name>[^?#&=;\s]+)=(?P<value>[^&#;\s]*)")
_JSON_PAIR = re.compile(r'"(?P<name>[^"\\]{1,64})"(?P<sep>\s*:\s*)"(?P<value>(?:[^"\\]|\\.)*)"')


def is_secret_name(name: str) -> bool:
    """Whether a header, query parameter or field of that name holds a secret."""
    if name.lower().replace("-", "_") in _PLAIN_NAMES:
        return False
    words = [word.lower() for word in _WORD.findall(name)]
    return not _SECRET_WORDS.isdisjoint(words) or not _SECRET_PAIRS.isdisjoint(pairwise(words))


def is_key(value: str) -> bool:
    """Whether the whole text looks like an access key of a known shape (``sk-…``, ``fastgpt-…``), whatever its name."""
    return _KEY.fullmatch(value.strip()) is not None and any(char.isdigit() for char in value)


def mask_value(value: str) -> str:
    """``Bearer abc`` → ``Bearer ***``; anything else → ``***``; empty stays empty."""
    found = _SCHEME.fullmatch(value)
    if found is None:
        return value
    return f"{found[1]} {MASK}" if found[1] else MASK


def mask_headers(headers: Iterable[tuple[str, str]]) -> Headers:
    """The headers in their order with lower-case names, secret values masked, addresses in them too."""
    return tuple((name.lower(), _header(name.lower(), value)) for name, value in headers)


def _header(name: str, value: str) -> str:
    if is_secret_name(name) or is_key(value) or value.lower().startswith("bearer "):
        return mask_value(value)
    return mask_url(value) if "://" in value else value


def mask_url(url: str) -> str:
    """The address with user and password, secret query parameters and keys in its path masked."""
    url = _USERINFO.sub(MASK, url)
    place, mark, query = url.partition("?")
    path = "/".join(MASK if is_key(part) else part for part in place.split("/"))
    hash_path, hash_mark, fragment = path.partition("#")
    return hash_path + hash_mark + _pairs(fragment) + mark + _pairs(query)


def _pairs(text: str) -> str:
    def masked(pair: re.Match[str]) -> str:
        hide = pair["value"] and (is_secret_name(_plain(pair["name"])) or is_key(_plain(pair["value"])))
        # `key=` is how several providers take their key in an address, though elsewhere the word is too common.
        hide = hide or (pair["value"] and _plain(pair["name"]).lower() == "key")
        return f"{pair['name']}={MASK}" if hide else pair[0]

    return _PAIR.sub(masked, text)


def _plain(text: str) -> str:
    return unquote_plus(text, errors="replace")


def mask_body(body: Any) -> Any:
    """Parsed JSON (or text) with secret fields masked, at any depth. Prompts are no secret: running text stays."""
    if isinstance(body, dict):
        return {
            name: _hidden(value) if _secret_field(name, value) else mask_body(value) for name, value in body.items()
        }
    if isinstance(body, list):
        return [mask_body(value) for value in body]
    if isinstance(body, str):
        return MASK if is_key(body) else _text(body)
    return body


def _secret_field(name: Any, value: Any) -> bool:
    return isinstance(value, (str, list, dict)) and isinstance(name, str) and is_secret_name(name)


def _hidden(value: Any) -> Any:
    if isinstance(value, str):
        return mask_value(value)
    if isinstance(value, dict):
        return {name: _hidden(inner) for name, inner in value.items()}
    return [_hidden(inner) for inner in value] if isinstance(value, list) else value


def _text(text: str) -> str:
    """JSON or a form that came as text: only values under a secret name."""

    def masked(pair: re.Match[str]) -> str:
        hide = pair["value"] and (is_secret_name(pair["name"]) or is_key(pair["value"]))
        return f'"{pair["name"]}"{pair["sep"]}"{mask_value(pair["value"])}"' if hide else pair[0]

    if text.lstrip()[:1] in ("{", "["):
        return _JSON_PAIR.sub(masked, text)
    form = re.fullmatch(r"[^\s=&]+=[^\s&]*(?:&[^\s=&]+=[^\s&]*)*", text)
    return _pairs(text) if form else text
