"""An httpx client whose one connection is stamped: fresh, no environment, no redirects, no retry."""

from __future__ import annotations

import ssl
from contextlib import suppress
from functools import lru_cache
from importlib import import_module

import httpcore
import httpx

from harness.errors import RouteError
from harness.probe.backend import StampingBackend
from harness.routes.model import Hop, Timeouts

# httpcore imports this in the first exchange, which on a slow machine costs that stream half a second of its own.
with suppress(ImportError):
    import_module("anyio._backends._asyncio")


@lru_cache(maxsize=32)
def _tls(verify: bool, ca_file: str, http2: bool) -> ssl.SSLContext:
    """Loading the certificates takes 20 ms of the event loop: once a process, not once an exchange.

    ``http2``: httpcore writes into the context what it offers (ALPN), so connections that differ share none.
    """
    if not verify:
        return httpx.create_ssl_context(verify=False, trust_env=False)
    try:
        return ssl.create_default_context(cafile=ca_file or None)
    except OSError as error:
        raise RouteError(
            f"ca_file cannot be used: {error}", ca_file, "Name a readable file of PEM certificates."
        ) from None


def _proxy(url: str) -> httpcore.Proxy:
    named = httpx.Proxy(url)
    return httpcore.Proxy(str(named.url), auth=named.raw_auth, headers=named.headers.raw)


class StampingTransport(httpx.AsyncHTTPTransport):
    """httpx's own transport over a pool whose network backend is ours. ``backend.stream`` is the connection."""

    def __init__(self, hop: Hop, *, http2: bool = False, keep: bool = False) -> None:
        """``http2``: offered under TLS, spoken at once (prior knowledge) without; ``keep``: the connection stays open
        between requests."""
        # Not super().__init__(): it would build a pool (and load certificates) only to be thrown away.
        self.backend = StampingBackend()
        secure = hop.url.startswith("https:")
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=_tls(hop.verify, hop.ca_file, http2) if secure else None,
            proxy=_proxy(hop.proxy) if hop.proxy else None,
            max_connections=1,
            max_keepalive_connections=int(keep),
            http1=secure or not http2,
            http2=http2,
            retries=0,
            network_backend=self.backend,
        )


def limits(timeouts: Timeouts) -> httpx.Timeout:
    """Two of the three tiers; the third, the whole exchange, is the exchange's own."""
    return httpx.Timeout(timeouts.read, connect=timeouts.connect, pool=None)


def plain_client(hop: Hop, seconds: float) -> httpx.AsyncClient:
    """A client for what is no stream (metrics, health, model lists) of ``hop``: its TLS settings and its proxy, no
    stamps."""
    verify = _tls(hop.verify, hop.ca_file, False)
    proxy = httpx.Proxy(hop.proxy) if hop.proxy else None
    return httpx.AsyncClient(trust_env=False, timeout=seconds, verify=verify, proxy=proxy)
