"""Which proxy a configuration is for, told by its content."""

from __future__ import annotations

import re

# In this order; what nginx, HAProxy and Varnish write is in small letters, and Apache's "Listen 80" is not.
_MARKS = (
    ("ingress-nginx", r"nginx\.ingress\.kubernetes\.io/"),
    ("Istio", r"^\s*kind:\s*[\"']?VirtualService\b"),
    ("Varnish", r"^\s*vcl\s+4\.\d\s*;"),
    ("lighttpd", r"^\s*(?:server\.(?:port|document-root|modules|stream-response-body)|proxy\.server)\s*\+?="),
    ("HAProxy", r"^(?-i:global|defaults|frontend\s+\S+|backend\s+\S+|listen\s+\S+)[^;{}]*$"),
    ("Envoy", r"[\"']?(?:static_resources|virtual_hosts|route_config|dynamic_resources)[\"']?\s*:"),
    ("Apache", r"^\s*(?:<(?:VirtualHost|Location|IfModule|Proxy)\b|ProxyPass|LoadModule\s|ServerRoot\s)"),
    ("nginx", r"(?:^|[\s;{}])(?:proxy_pass|fastcgi_pass|uwsgi_pass|grpc_pass|proxy_buffering)\s[^;{}]*;"),
    ("Caddy", r"^\s*(?:reverse_proxy|php_fastcgi|file_server|encode)\b[^;]*$"),
    ("nginx", r"(?:^|[\s;{}])(?:http|server|events|location\s[^;{}]*)\s*\{"),
)
PRODUCTS = tuple(dict.fromkeys(name for name, _ in _MARKS))


def product_of(text: str) -> str:
    """One of PRODUCTS, empty when nothing tells."""
    bare = re.sub(r"^\s*#.*$", "", text, flags=re.M)
    return next((name for name, mark in _MARKS if re.search(mark, bare, re.M | re.I)), "")
