"""nginx as the middle of a route: every configuration that is said to matter, and what measuring showed of it."""

from __future__ import annotations

from e2e.parts.proxies import NGINX
from e2e.real.row import CLOSE, EARLY, HEALTHY, LEAVES, RESET, STALL, Row, Setting

H11 = "proxy_http_version 1.1; proxy_set_header Connection '';"
OFF = "proxy_buffering off;"
GZIP = "gzip on; gzip_min_length 0; gzip_types text/event-stream;"
CACHE = "proxy_cache_path @DIR@/cache keys_zone=zone:1m;"
CACHED = "proxy_cache zone; proxy_cache_methods POST; proxy_cache_key $request_uri;"
LONG = "events=150 rate=50"
ASKS_GZIP = {"accept-encoding": "gzip"}


def setting(
    name: str, options: str = "", extra: str = "", inner: Setting | None = None, quick: bool = False
) -> Setting:
    return Setting(name, NGINX, options, extra, inner, matrix=not quick)


def clumps(where: Setting, fact: str, **more: object) -> Row:
    return Row(where, HEALTHY, "burst", "part", fact=fact, **more)  # type: ignore[arg-type]


def fine(where: Setting, fact: str = "piece by piece", **more: object) -> Row:
    return Row(where, HEALTHY, alone="", fact=fact, **more)  # type: ignore[arg-type]


DEFAULT = setting("all defaults (HTTP/1.0, buffering on)", quick=True)
IGNORES = setting("1.0, buffering on, X-Accel-Buffering ignored", "proxy_ignore_headers X-Accel-Buffering;")
ON = setting("1.1, buffering on", H11, quick=True)
BIG = "proxy_buffer_size 64k; proxy_buffers 8 64k; proxy_busy_buffers_size 128k;"
SMALL = "proxy_buffer_size 1k; proxy_buffers 8 1k; proxy_busy_buffers_size 2k;"
OFF_10, OFF_11 = setting("1.0, buffering off", OFF), setting("1.1, buffering off", H11 + OFF)
GZIPPED = setting("1.1, buffering on, gzip of event streams", H11 + GZIP, quick=True)
WHOLE_11 = setting("outer 1.1, buffering on; inner off", H11, inner=OFF_11)
PASSES = setting("inner", H11 + OFF + "proxy_pass_header X-Accel-Buffering;")
OUTER = setting("outer 1.0, buffering on; inner off", inner=OFF_11)
UNCHUNKED = setting("1.1, chunked_transfer_encoding off", H11 + "chunked_transfer_encoding off;")
CACHING = setting("1.1, proxy_cache", H11 + CACHED, CACHE)
TWO = "upstream two { server 127.0.0.1:1; server @UP@; }"
SAME = "upstream two { server @UP@; server @UP@; }"
TO_TWO = H11 + "location /v1 { proxy_pass http://two; }"
SUB = "sub_filter nowhere there; sub_filter_types text/event-stream;"
APPENDS = "addition_types text/event-stream; add_after_body /after; location = /after { return 200 ': after\\n\\n'; }"

STREAMS = [
    Row(Setting("no part between", None, matrix=False), fact="as sent"),
    clumps(DEFAULT, "let go every 4 KB"),
    clumps(DEFAULT, "let go every 4 KB: about ten events", model="450-bytes", matrix=True),
    fine(DEFAULT, "an event fills the 4 KB: nothing to clump", model="3-kilobytes", matrix=True),
    clumps(setting("1.0, buffering on, buffers of 1k", SMALL), "let go every 1 KB", knobs="events=40 rate=20"),
    clumps(setting("1.0, buffering on, buffers of 64k", BIG), "held until the end"),
    fine(DEFAULT, "the upstream's X-Accel-Buffering: no is obeyed", model="hinting"),
    clumps(IGNORES, "the hint is ignored", model="hinting"),
    fine(ON, "chunked upstream: each chunk is passed on"),
    fine(ON, "as above with larger events", model="450-bytes", matrix=True),
    fine(ON, "as above with larger events", model="2-kilobytes", matrix=True),
    fine(setting("1.1, buffering on, buffers of 64k", H11 + BIG), "buffer sizes play no part"),
    fine(ON, "held for one event at most", model="9-kilobytes", matrix=True),
    fine(ON, "held for one event at most", model="70-kilobytes", matrix=True),
    clumps(ON, "a close-delimited upstream is buffered", model="close-delimited", matrix=True),
    clumps(ON, "an upstream with Content-Length is buffered", model="with-length", matrix=True),
    fine(OFF_10),
    fine(OFF_11),
    clumps(GZIPPED, "gzip holds everything until the end", headers=ASKS_GZIP),
    clumps(setting("1.1, buffering on, gzip of all types", H11 + GZIP.replace("text/event-stream", "*")),
           "gzip holds everything until the end", headers=ASKS_GZIP),
    fine(GZIPPED, "the client does not ask for gzip"),
    fine(setting("1.1, buffering on, gzip on", H11 + "gzip on;"), "event streams are not among the default types",
         headers=ASKS_GZIP),
    fine(GZIPPED, "the hint makes gzip flush each event", model="hinting", headers=ASKS_GZIP, matrix=True),
    fine(setting("1.0, buffering off, gzip", OFF + GZIP), "gzip flushes each event", headers=ASKS_GZIP),
    fine(setting("1.1, buffering off, gzip", H11 + OFF + GZIP), "gzip flushes each event", headers=ASKS_GZIP),
    fine(setting("1.1, buffering on, tcp_nodelay off", H11 + "tcp_nodelay off;"), "no effect"),
    fine(setting("1.1, buffering off, tcp_nodelay off", H11 + OFF + "tcp_nodelay off;"), "no effect"),
    fine(setting("1.1, buffering on, tcp_nopush on", H11 + "tcp_nopush on; sendfile on;"), "no effect"),
    fine(setting("1.1, buffering on, postpone_output 0", H11 + "postpone_output 0;"), "no effect"),
    fine(setting("1.1, buffering on, postpone_output 64k", H11 + "postpone_output 65536;"), "no effect"),
    fine(setting("1.1, buffering off, postpone_output 64k", H11 + OFF + "postpone_output 65536;"), "no effect"),
    clumps(setting("1.0, buffering on, postpone_output 64k", "postpone_output 65536;"), "as without it"),
    fine(setting("1.1, buffering on, sub_filter", H11 + SUB), "the filter lets each event go"),
    fine(setting("1.1, buffering off, sub_filter", H11 + OFF + SUB), "the filter lets each event go"),
    fine(setting("1.1, buffering on, addition", H11 + APPENDS), "the filter lets each event go"),
    fine(CACHING, "a miss streams", model="cacheable"),
    fine(CACHING, "not cached, streams", model="no-cache"),
    fine(setting("1.1, buffering off, proxy_cache", H11 + OFF + CACHED, CACHE), "a miss streams", model="cacheable"),
    fine(setting("1.1, buffering on, proxy_cache, hinted", H11 + CACHED, CACHE), "a miss streams",
         model="cacheable-hinting"),
    fine(setting("1.1, proxy_cache, asked before", H11 + CACHED, CACHE), "a hit: the old stream at once",
         model="cacheable-long", again=True, warning="content.replay"),
    clumps(setting("1.1, buffering on, limit_rate 5k", H11 + "limit_rate 5k;"), "slowed and clumped", knobs=LONG),
    fine(setting("1.1, buffering off, limit_rate 5k", H11 + OFF + "limit_rate 5k;"), "limit_rate is ignored"),
    clumps(setting("1.1, buffering on, proxy_limit_rate 5k", H11 + "proxy_limit_rate 5k;"), "slowed and clumped",
           knobs=LONG),
    fine(UNCHUNKED, "streams; clients cannot see a cut any more"),
    fine(WHOLE_11),
    clumps(OUTER, "the outer one lets go every 4 KB"),
    clumps(OUTER, "the inner one takes the hint off", model="hinting"),
    fine(setting("outer 1.0, buffering on; inner off, passes the hint on", inner=PASSES), model="hinting",
         fact="the hint reaches the outer one"),
    clumps(setting("1.0, buffering on, add_header X-Accel-Buffering no", "add_header X-Accel-Buffering no;"),
           "no effect: the hint counts from the upstream only"),
    fine(setting("1.1, first of two upstreams dead", TO_TWO, TWO), "the second is used, unseen"),
]  # fmt: skip


def timeout(words: str, options: str) -> Setting:
    return setting(f"{words}, proxy_read_timeout 1s", options + "proxy_read_timeout 1s;")


FAILURES = [
    Row(ON, RESET, "reset", "engine", "truncation", fact="cut: no last chunk"),
    Row(ON, CLOSE, "truncation", "engine", "truncation", fact="cut: no last chunk"),
    Row(ON, EARLY, "truncation", "engine", "truncation", fact="passed on as it is"),
    Row(ON, STALL, "stall", "engine", "stall", fact="passed on"),
    Row(ON, LEAVES, fact="the upstream sees it at once"),
    Row(DEFAULT, RESET, "reset", "engine", "truncation", fact="cut, what was not sent is dropped"),
    Row(DEFAULT, CLOSE, "truncation", "engine", "truncation", True, fact="a clean end: the cut is hidden"),
    Row(DEFAULT, STALL, "stall", "engine", fact="passed on, clumped besides", matrix=True),
    Row(DEFAULT, LEAVES, fact="the upstream sees it at once", clumped=True),
    Row(OFF_11, RESET, "reset", "engine", "truncation", fact="cut: no last chunk"),
    Row(OFF_11, CLOSE, "truncation", "engine", "truncation", fact="cut: no last chunk"),
    Row(OFF_11, STALL, "stall", "engine", "stall", fact="passed on"),
    Row(OFF_11, LEAVES, fact="the upstream sees it at once"),
    Row(OFF_10, RESET, "reset", "engine", "truncation", fact="cut: no last chunk"),
    Row(OFF_10, CLOSE, "truncation", "engine", "truncation", True, fact="a clean end: the cut is hidden"),
    Row(OFF_10, LEAVES, fact="the upstream sees it at once"),
    Row(timeout("1.1, buffering on", H11), STALL, "truncation", "part", "truncation", fact="cut, never a 504"),
    Row(timeout("1.1, buffering off", H11 + OFF), STALL, "truncation", "part", "truncation", fact="cut, never a 504"),
    Row(timeout("1.0, buffering on", ""), STALL, "truncation", "part", "truncation",
        fact="cut, and what was buffered is thrown away"),
    Row(UNCHUNKED, RESET, "reset", "engine", "truncation", True, fact="a clean end: the reset is hidden"),
    Row(setting("1.1, two upstreams", TO_TWO, SAME), RESET, "reset", "engine", "truncation",
        fact="no retry in the middle: cut"),
    Row(setting("1.1, buffering off, proxy_ignore_client_abort", H11 + OFF + "proxy_ignore_client_abort on;"), LEAVES,
        fact="dropped two events later all the same"),
]  # fmt: skip
ROWS = [*STREAMS, *FAILURES]
