"""What products limit, hold back and let in at once when nobody sets it otherwise. Data.

From sources and documentation: nginx 1.31.5; HAProxy, Envoy, Kong, Apache, Varnish, Squid, Cloudflare, CloudFront;
one-api, new-api, aiproxy, LiteLLM 1.110, FastGPT, vLLM 0.33, gunicorn 27.
"""

from __future__ import annotations

from typing import NamedTuple

TIMEOUT, BUFFER, CONCURRENCY = "timeout", "buffer", "concurrency"


class Known(NamedTuple):
    """``product`` as :mod:`harness.diagnose.knowledge.products` names it, or a gateway's own name. ``seconds`` of a
    timeout that can cut a stream; ``counts``: idle, total, head or ""."""

    product: str
    sort: str
    setting: str
    value: str
    seconds: float | None = None
    counts: str = ""


KNOWN: tuple[Known, ...] = (
    Known("nginx", TIMEOUT, "proxy_connect_timeout", "60 s", 60, "head"),
    Known("nginx", TIMEOUT, "proxy_read_timeout", "60 s", 60, "idle"),
    Known("nginx", TIMEOUT, "send_timeout", "60 s (a reader that takes nothing)", 60, "idle"),
    Known("nginx", BUFFER, "proxy_buffering", "on: proxy_buffers 8 × 4k or 8k"),
    Known("nginx", BUFFER, "client_max_body_size", "1m (413 above it)"),
    Known("nginx", CONCURRENCY, "worker_connections", "512 a worker, two a stream"),
    Known("Apache httpd", TIMEOUT, "ProxyTimeout", "60 s", 60, "idle"),
    Known("Apache httpd", BUFFER, "ProxyIOBufferSize", "8192 bytes, flushpackets off"),
    Known("Apache httpd", CONCURRENCY, "MaxRequestWorkers", "400 (event)"),
    Known("Envoy", TIMEOUT, "route timeout", "15 s", 15, "total"),
    Known("Envoy", TIMEOUT, "stream_idle_timeout", "5 min", 300, "idle"),
    Known("Envoy", BUFFER, "per_connection_buffer_limit_bytes", "1 MiB"),
    Known("Envoy", CONCURRENCY, "circuit breaker max_requests", "1024 a cluster"),
    Known("Cloudflare", TIMEOUT, "proxy read timeout", "120 s", 120, "idle"),
    Known("CloudFront", TIMEOUT, "origin response timeout", "30 s", 30, "idle"),
    Known("Kong", TIMEOUT, "read_timeout", "60 s", 60, "idle"),
    Known("Kong", BUFFER, "response_buffering", "on"),
    Known("Caddy", BUFFER, "flush_interval", "event streams are flushed at once"),
    Known("Varnish", TIMEOUT, "between_bytes_timeout", "60 s", 60, "idle"),
    Known("Varnish", TIMEOUT, "first_byte_timeout", "60 s", 60, "head"),
    Known("Squid", TIMEOUT, "read_timeout", "15 min", 900, "idle"),
    Known("lighttpd", BUFFER, "server.stream-response-body", "0: all of an answer is collected"),
    Known("gunicorn", TIMEOUT, "--timeout", "30 s (sync workers)", 30, "total"),
    Known("gunicorn", CONCURRENCY, "--workers", "1, one stream a sync worker"),
    Known("LiteLLM", TIMEOUT, "request_timeout", "6000 s", 6000, "total"),
    Known("one-api", TIMEOUT, "RELAY_TIMEOUT", "0 (none); once set it cuts running streams"),
    Known("one-api", BUFFER, "scanner line", "64 KiB: a longer event ends the stream as if it were whole"),
    Known("new-api", TIMEOUT, "STREAMING_TIMEOUT", "300 s", 300, "idle"),
    Known("aiproxy", TIMEOUT, "stream_request_timeout", "3 min to the head", 180, "head"),
    Known("FastGPT", TIMEOUT, "model request", "600 s, retried twice before the head", 600, "total"),
    Known("vLLM", TIMEOUT, "VLLM_HTTP_TIMEOUT_KEEP_ALIVE", "5 s between two requests (no limit on a stream)"),
    Known("vLLM", CONCURRENCY, "--max-num-seqs", "256 (1024 from 70 GiB); more wait in the queue"),
    Known("llama.cpp", CONCURRENCY, "--parallel", "the slots; more wait"),
)
