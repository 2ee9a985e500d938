"""The whole table: real proxies and gateways as the middle of a route."""

from __future__ import annotations

from e2e.parts import gateways, proxies
from e2e.parts.part import Part
from e2e.real import table_nginx
from e2e.real.row import CLOSE, EARLY, HEALTHY, LEAVES, RESET, STALL, Row, Setting
from e2e.real.table_nginx import ASKS_GZIP

FACTS = {
    "cut": "cut: the break is passed on",
    "hidden": "a clean end: the break is hidden",
    "error": "told as an error inside the stream, HTTP 200",
    "mended": "finish or [DONE] is added: the cut is hidden",
    "passed on": "passed on as it is",
}


def five(
    where: Setting,
    *,
    healthy: str = "",
    reset: str = "cut",
    close: str = "cut",
    early: str = "passed on",
    leaves: str = "at once",
    held: bool = False,
) -> list[Row]:
    """The usual rows of a part. ``healthy``: the symptom of a good stream behind it; ``reset``, ``close``, ``early``:
    "hidden" where a broken answer ends as if it were whole; ``leaves``: "never" where the upstream runs on."""
    broken = {"cut": "truncation", "passed on": "truncation", "hidden": "truncation", "error": "error", "mended": ""}
    return [
        Row(where, HEALTHY, healthy, "part" if healthy else "", None if healthy else "",
            fact="held back and let go in clumps" if healthy else "piece by piece"),
        Row(where, RESET, "reset", "engine", broken[reset], reset == "hidden", fact=FACTS[reset]),
        Row(where, CLOSE, "truncation", "engine", broken[close], close == "hidden", fact=FACTS[close]),
        Row(where, EARLY, "truncation", "engine", broken[early], early == "mended", fact=FACTS[early], matrix=True),
        Row(where, STALL, "stall", "engine", None if held else "stall", fact=FACTS["passed on"]),
        Row(where, LEAVES, "not-cancelled" if leaves == "never" else "", "part" if leaves == "never" else "",
            fact=f"the upstream sees it: {leaves}", clumped=held),
    ]  # fmt: skip


def of(
    part: Part, name: str, options: str = "", extra: str = "", *, quick: bool = False, warm: bool = False
) -> Setting:
    return Setting(name, part, options, extra, matrix=not quick, warm=warm)


HAPROXY = of(proxies.HAPROXY, "defaults", quick=True)
MENDED = of(proxies.HAPROXY, "option http-no-delay", "option http-no-delay", quick=True)
HAPROXY_SLOW = of(proxies.HAPROXY, "http-no-delay, timeout server 1s", "option http-no-delay\n  timeout server 1s")
CADDY_26 = of(proxies.CADDY_DEBIAN, "defaults", quick=True)
CADDY_211 = of(proxies.CADDY, "defaults")
ENVOY = of(proxies.ENVOY, "timeout 0s", ", timeout: 0s")
LIGHTTPD = of(proxies.LIGHTTPD, "defaults", quick=True)
LIGHTTPD_1 = of(proxies.LIGHTTPD, "stream-response-body = 1", "server.stream-response-body = 1", quick=True)
LITELLM = Setting("defaults", gateways.LITELLM, matrix=False, warm=True, at_once=2, knobs="events=40 rate=50 ttft=1s")
PORTKEY = of(gateways.PORTKEY, "provider openai", quick=True, warm=True)
FERROGW = of(gateways.FERROGW, "mode single", warm=True)

PACKED = "option http-no-delay\n  compression algo gzip\n  compression type text/event-stream"
POOL = "delay_pools 1\ndelay_class 1 1\ndelay_parameters 1 3000/3000\ndelay_access 1 allow all"
EXTERNAL = """LoadModule ext_filter_module /usr/lib/apache2/modules/mod_ext_filter.so
ExtFilterDefine cat mode=output cmd=/bin/cat
SetOutputFilter cat"""
LIMITED = """LoadModule ratelimit_module /usr/lib/apache2/modules/mod_ratelimit.so
LoadModule env_module /usr/lib/apache2/modules/mod_env.so
SetOutputFilter RATE_LIMIT
SetEnv rate-limit 4"""

PROXIES = [
    *five(HAPROXY, healthy="burst", held=True),
    *five(MENDED),
    Row(HAPROXY_SLOW, STALL, "truncation", "part", "truncation", fact="cut by its own timer"),
    Row(of(proxies.HAPROXY, "http-no-delay, compression", PACKED), headers=ASKS_GZIP, alone="",
        fact="gzip, flushed each event"),
    Row(of(proxies.HAPROXY, "wait-for-body", "", "http-response wait-for-body time 10s at-least 2000"), HEALTHY,
        "burst", "part", fact="2,000 bytes held, then clumps of 200 ms"),
    *five(CADDY_26, reset="hidden", close="hidden"),
    *five(CADDY_211),
    Row(of(proxies.CADDY, "encode gzip", "", "encode gzip"), headers=ASKS_GZIP, alone="",
        fact="gzip, flushed each event"),
    Row(of(proxies.CADDY_DEBIAN, "encode gzip", "", "encode gzip"), headers=ASKS_GZIP, alone="", fact="not compressed"),
    Row(of(proxies.CADDY, "response_buffers", "response_buffers 1MiB"), HEALTHY, "burst", "part",
        fact="held until the end"),
    Row(of(proxies.CADDY_DEBIAN, "buffer_responses", "buffer_responses"), HEALTHY, "burst", "part",
        fact="held until the end"),
    *five(ENVOY),
    Row(of(proxies.ENVOY, "route timeout 1s", ", timeout: 1s"), HEALTHY, "truncation", "part", "truncation",
        knobs="events=80 rate=50", fact="cut while data flowed"),
    Row(of(proxies.ENVOY, "defaults (route timeout 15s)"), HEALTHY, "truncation", "part", "truncation",
        knobs="events=340 rate=20", fact="cut at 15 s while data flowed"),
    *five(of(proxies.APACHE, "defaults"), leaves="two events later"),
    Row(of(proxies.APACHE, "mod_deflate of event streams", "", "AddOutputFilterByType DEFLATE text/event-stream"),
        headers=ASKS_GZIP, alone="", fact="flushed each event"),
    Row(of(proxies.APACHE, "flushpackets=auto flushwait=50", "flushpackets=auto flushwait=50"), alone="",
        fact="piece by piece all the same"),
    Row(of(proxies.APACHE, "mod_ext_filter", "", EXTERNAL), HEALTHY, "burst", "part", fact="let go every 4 KB"),
    Row(of(proxies.APACHE, "mod_ratelimit 4 KB/s", "", LIMITED), HEALTHY, "burst", "part", knobs="events=150 rate=50",
        fact="let go each 200 ms, later each time"),
    Row(of(proxies.APACHE, "timeout=1", "timeout=1"), STALL, "truncation", "part", "truncation",
        fact="cut by its own timer"),
    *five(of(proxies.VARNISH, "defaults"), leaves="three events later"),
    Row(of(proxies.VARNISH, "do_stream = false", "", "set beresp.do_stream = false;"), HEALTHY, "burst", "part",
        fact="held until the end"),
    Row(of(proxies.VARNISH, "do_esi = true", "", "set beresp.do_esi = true;"), HEALTHY, "burst", "part",
        fact="held until the end"),
    Row(of(proxies.VARNISH, "do_gzip = true", "", "set beresp.do_gzip = true;"), HEALTHY, "burst", "part",
        headers=ASKS_GZIP, fact="held until the end"),
    Row(of(proxies.VARNISH, "between_bytes_timeout 1s", ".between_bytes_timeout = 1s;"), STALL, "truncation", "part",
        "truncation", fact="cut by its own timer"),
    *five(of(proxies.SQUID, "accelerator")),
    Row(of(proxies.SQUID, "delay pool of 3,000 B/s", POOL), HEALTHY, "burst", "part", knobs="events=150 rate=50",
        fact="slowed and clumped"),
    *five(LIGHTTPD, healthy="burst", reset="hidden", close="hidden", leaves="never", held=True),
    *five(LIGHTTPD_1),
    *five(of(proxies.NGHTTPX, "defaults")),
]  # fmt: skip

GATEWAYS = [
    *five(LITELLM, reset="error", close="error", early="mended"),
    *five(PORTKEY, reset="hidden", close="hidden", leaves="never"),
    Row(
        PORTKEY,
        HEALTHY,
        "burst",
        "part",
        knobs="events=80 rate=50 crlf",
        fact="line ends of CRLF: held in large pieces",
    ),
    *five(FERROGW, reset="error", close="error", early="mended"),
]

ROWS = [*table_nginx.ROWS, *PROXIES, *GATEWAYS]
