"""Configurations as people post them: what each is told, and that the well-set ones are told nothing."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from harness.errors import InputError
from harness.lint.envoy import lint_envoy
from harness.lint.haproxy import lint_haproxy
from harness.lint.lines import lint_lines
from harness.lint.nginx import lint_nginx
from harness.lint.product import product_of
from harness.probe.nginx_file import read_nginx, write_nginx

READ, UNSEEN, BURST = "truncation.read-timeout", "truncation.unseen", "burst.buffering"
WELL = "proxy_http_version 1.1; proxy_buffering off; proxy_read_timeout 600s;"

POSTED: dict[str, tuple[str, str, set[str]]] = {
    "SSE answer with chunks switched off": ("nginx", """# SSE
server {
    listen 80;
    location /events/ {
        proxy_pass http://localhost:3000; proxy_set_header Connection ''; proxy_http_version 1.1;
        chunked_transfer_encoding off; proxy_buffering off; proxy_cache off;
    }
}""", {READ, UNSEEN}),
    "only a location": (
        "nginx", "location /v1/chat/completions { proxy_pass http://vllm:8000; proxy_read_timeout 300s; }", {BURST}),
    "map beside a good location, gzip for events": ("nginx", """events {}
http {
    gzip on; gzip_types application/json text/event-stream;
    map $http_accept $kind { default page; "~*text/event-stream" events; }
    upstream llm { server 10.0.0.1:8000; keepalive 32; }
    server { listen 443 ssl http2; location / { proxy_pass http://llm; @WELL@ } }
}""", set()),
    "variable upstream, nested ifs": ("nginx", """http { server {
    set $up http://backend:8000; proxy_read_timeout 10m;
    location ~ ^/(api|v1)/ {
      if ($request_method = OPTIONS) { return 204; }
      if ($http_x_debug) { proxy_pass http://debug:9000; }
      proxy_pass $up; proxy_http_version 1.1; proxy_buffering off;
    }
    location /static/ { alias /srv/; gzip on; gzip_types *; } location = /healthz { return 200; }
} }""", set()),
    "panel of an LLM gateway": ("nginx", """server{
   location / {
          client_max_body_size  64m; proxy_http_version 1.1; proxy_pass http://localhost:3000;
          proxy_set_header Host $host; proxy_cache_bypass $http_upgrade; proxy_read_timeout 300s; } }""", set()),
    "Lua with braces": ("nginx", """http { server { location /v1/ {
      access_by_lua_block { if ngx.var.x then ngx.exit(403) end -- "}"
      }
      proxy_pass http://a:1; @WELL@ } } }""", set()),
    "generated ingress": ("nginx", """http { server { location ~* "^/v1(/|$)(.*)" {
      rewrite_by_lua_block { balancer.rewrite() }
      proxy_read_timeout 60s; proxy_buffering off; proxy_http_version 1.1; proxy_next_upstream error timeout;
      proxy_pass http://upstream_balancer; } } }""", {READ}),
    "web socket and chat in one": ("nginx", """events {} http {
  map $http_upgrade $connection_upgrade { default upgrade; '' close; }
  server { location / { proxy_pass http://127.0.0.1:8000; @WELL@
      proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $connection_upgrade; } } }""", set()),
    "uwsgi set well, fastcgi not": ("nginx", """server {
  location /chat/ { uwsgi_pass unix:/run/a.sock; uwsgi_read_timeout 300; uwsgi_buffering off; }
  location /api/ { fastcgi_pass 127.0.0.1:9000; } }""", {BURST, READ}),
    "named location behind try_files": ("nginx", """server { root /srv; location / { try_files $uri @app; }
  location @app { proxy_pass http://127.0.0.1:8000; @WELL@ } }""", set()),
    "brotli for events": ("nginx", """http { brotli on; brotli_types text/event-stream;
  server { location /v1/ { proxy_pass http://a:1; proxy_http_version 1.1; proxy_read_timeout 10m; } } }""",
                          {"burst.coding"}),
    "brotli for pages": ("nginx", """http { brotli on; brotli_types text/css;
  server { location /v1/ { proxy_pass http://a:1; proxy_http_version 1.1; proxy_read_timeout 10m; } } }""", set()),
    "TCP proxy": ("nginx", """events {} stream { upstream b { server 10.0.0.1:8000; }
  server { listen 8000; proxy_pass b; proxy_timeout 30s; } }""", {"truncation.tcp-timeout"}),
    "TCP proxy by default": ("nginx", "events {} stream { server { listen 8000; proxy_pass 10.0.0.1:1; } }", set()),
    "cache of POST": ("nginx", """http { proxy_cache_path /tmp/c keys_zone=c:10m;
  server { location /v1/ { proxy_pass http://a:1; proxy_http_version 1.1; proxy_cache c; proxy_read_timeout 10m;
     proxy_cache_methods GET POST; proxy_cache_valid 200 10m; proxy_cache_key "$uri|$request_body"; } } }""",
                      {"content.cache"}),
    "sub_filter to an API": ("nginx", """http { server { location /v1/ { proxy_pass https://api.example.com/; @WELL@
  proxy_ssl_server_name on; sub_filter_types *; sub_filter 'a' $host; sub_filter_once off; } } }""", set()),
    "carriage returns": (
        "nginx", "server {\r\n location /v1/ {\r\n  proxy_pass http://a:1;\r\n proxy_read_timeout 9m;\r\n }\r\n}\r\n",
        {BURST}),
    "HAProxy with web pages and an API": ("HAProxy", """global
    maxconn 4096
defaults
    mode http
    timeout server 50000
frontend http-in
    bind *:80
    acl is_api path_beg /v1
    use_backend models if is_api
    default_backend web
listen stats
    bind *:8404
    stats enable
backend models
    server s1 10.0.0.1:8000 check
backend web
    server w1 10.0.0.2:80 check
""", {"burst.no-delay", "truncation.server-timeout"}),
    "HAProxy in order": ("HAProxy", """defaults
  mode http
  option http-no-delay
  timeout client 30s
  timeout server 10m
listen llm
  bind :8080
  compression algo gzip
  server s 127.0.0.1:8000
listen stats
  bind :9
  no option http-no-delay
  stats enable
""", set()),
    "HAProxy for TCP": ("HAProxy", "defaults\n mode tcp\n timeout server 1s\nlisten b\n server s 10.0.0.1:1\n", set()),
    "Caddy, compressed": ("Caddy", "chat.example.com {\n\tencode gzip zstd\n\treverse_proxy localhost:8000\n}", set()),
    "Caddy with timers": ("Caddy", """{
	servers {
		timeouts {
			write 30s
		}
	}
}
example.com {
	reverse_proxy h:1 {
		transport http {
			response_header_timeout 30s
		}
	}
}""", {"truncation.total", READ}),
    "Envoy with a longest stream": ("Envoy", """static_resources:
  {listeners: [{filter_chains: [{filters: [{typed_config: {
  stream_idle_timeout: 0s, request_timeout: 20s, route_config: {virtual_hosts: [{name: a, routes: [
    {match: {prefix: /v1}, route: {cluster: llm, timeout: 0s, max_stream_duration: {max_stream_duration: 30s}}},
    {match: {prefix: /static}, route: {cluster: web}}]}]}}}]}]}]}""", {"truncation.max-stream-duration"}),
    "Envoy in order": ("Envoy", """static_resources:
  {listeners: [{filter_chains: [{filters: [{typed_config: {
  stream_idle_timeout: 0s, route_config: {virtual_hosts: [{name: a, routes: [
    {match: {safe_regex: {regex: "/v1/.*"}}, route: {cluster: llm, timeout: 0s}},
    {match: {prefix: /assets}, route: {cluster: web}}]}]}}}]}]}]}""", set()),
    "Apache, flushed": ("Apache", """<VirtualHost *:443>
  ProxyPass /v1/ http://127.0.0.1:8000/v1/ flushpackets=on timeout=600
</VirtualHost>""", set()),
    "Apache with a balancer": ("Apache", """ServerRoot "/etc/httpd"
Listen 80
<Proxy "balancer://llm">
  BalancerMember "http://10.0.0.1:8000" timeout=20
</Proxy>
ProxyPass "/v1" "balancer://llm/v1"
ProxyTimeout 600""", {READ}),
    "Apache by rewriting": ("Apache", """<VirtualHost *:80>
  RewriteEngine on
  RewriteRule ^/v1/(.*) http://127.0.0.1:8000/v1/$1 [P,L]
</VirtualHost>""", {READ}),
    "Apache that asks the old way": ("Apache", """ProxyPass /v1 http://h/v1 timeout=600
SetEnv proxy-sendcl 1
SetEnv force-proxy-request-1.0 1""", {UNSEEN}),
    "Apache that serves files": ("Apache", 'ServerRoot "/etc/httpd"\nListen 80\nDocumentRoot /srv', set()),
    "lighttpd in order": ("lighttpd", """server.modules = ("mod_proxy")
server.stream-response-body = 2
$HTTP["url"] =~ "^/v1" { proxy.server = ("" => (("host"=>"127.0.0.1","port"=>8000))) }""", set()),
    "Varnish that compresses pages only": ("Varnish", """vcl 4.1;
backend default { .host="127.0.0.1"; .first_byte_timeout = 300s; .between_bytes_timeout = 300s; }
sub vcl_backend_response {
  if (beresp.http.content-type ~ "text/html") { set beresp.do_gzip = true; }
  if (beresp.http.content-type !~ "event-stream|ndjson") {
    set beresp.do_stream = false;
  }
}""", set()),
    "Varnish that compresses all text": ("Varnish", """vcl 4.1;
sub vcl_backend_response { if (beresp.http.Content-Type ~ "^text/") { set beresp.do_gzip = true; } }""",
                                         {"burst.gzip"}),
    "an Ingress": ("ingress-nginx", """kind: Ingress
metadata:
  annotations:
    nginx.ingress.kubernetes.io/proxy-read-timeout: "60"
    nginx.ingress.kubernetes.io/proxy-buffering: "off"
""", {READ}),
    "a VirtualService": ("Istio", "kind: VirtualService\nspec:\n  http:\n  - route: []\n    timeout: 30s\n",
                         {"truncation.route-timeout"}),
    "a VirtualService without a limit": (
        "Istio", "kind: VirtualService\nspec:\n  http:\n  - route: []\n    timeout: 0s\n", set()),
}  # fmt: skip


@pytest.mark.parametrize(("product", "text", "expected"), POSTED.values(), ids=POSTED.keys())
def test_what_is_told_of_a_posted_configuration(product: str, text: str, expected: set[str], tmp_path: Path) -> None:
    assert product_of(text) == product
    text = text.replace("@WELL@", WELL)
    file = tmp_path / "posted.conf"
    file.write_bytes(text.encode())
    if product == "nginx":
        found = lint_nginx(read_nginx(file)[0], str(file))[0]
    elif product == "HAProxy":
        found = lint_haproxy(text, "f", 120)
    elif product == "Envoy":
        found = lint_envoy(yaml.safe_load(text), "f", 120)
    else:
        found = lint_lines(text, "f", product, 120)
    assert {finding.code for finding in found} == expected
    assert not any(finding.evidence["place"] in ("backend web", "listen stats") for finding in found)


@pytest.mark.parametrize(
    ("data", "code", "says"),
    [
        (b"\xef\xbb\xbfserver { location /v1/ { proxy_pass http://a:1; %s } }" % WELL.encode(), 0, ""),
        (b"# f\xfcr\nserver { location /v1/ { proxy_pass http://a:1; add_header X \xe4; %s } }" % WELL.encode(), 0, ""),
        (b"server { location /v1/ { proxy_pass http://a:1;", 2, "expecting"),
        (b"server { location /v1/ { proxy_pass http://a:1; } } }", 2, "unexpected"),
        (b"http {" + b"location /v1/ {" * 3000 + b"proxy_pass http://a:1;" + b"}" * 3001, 2, "no nginx configuration"),
        (b"", 2, "no proxy configuration"),
        (bytes(range(256)) * 20, 2, ""),
        (b"server { location / { include gone.conf; } }", 2, "includes are missing"),
    ],
    ids=["byte order mark", "latin-1", "unclosed", "closed twice", "deep", "empty", "no text", "include gone"],
)  # fmt: skip
def test_odd_files_end_in_one_sentence(data: bytes, code: int, says: str, tmp_path: Path) -> None:
    file = tmp_path / "nginx.conf"
    file.write_bytes(data)
    command = [sys.executable, "manage.py", "lint", str(file), "--format", "json"]
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run(command, cwd=root, capture_output=True, check=False, timeout=60, encoding="utf-8")
    assert done.returncode == code and says in done.stdout + done.stderr, done.stderr
    assert "Traceback" not in done.stderr
    if code == 0 or "includes" in says:
        assert json.loads(done.stdout)["verdict"]["healthy"] is (None if code else True)


def test_a_file_that_includes_itself_is_read_once_and_a_missing_include_is_written_out_again(tmp_path: Path) -> None:
    file, more = tmp_path / "nginx.conf", tmp_path / "more.conf"
    file.write_text("include nginx.conf; server { location /v1/ { proxy_pass http://a:1; include more.conf; } }")
    more.write_text("include more.conf; proxy_read_timeout 600s; include fastcgi_params;")
    parsed, notes = read_nginx(file)
    assert len(notes) == 1
    (corrected,) = lint_nginx(parsed, str(file))[1]
    names = [(item["directive"], *item["args"]) for item in corrected["directives"][0]["block"]]
    assert ("include", "fastcgi_params") in names and ("proxy_read_timeout", "600s") in names


def test_a_broken_include_is_named_with_its_file(tmp_path: Path) -> None:
    (tmp_path / "nginx.conf").write_text("http { include bad.conf; }")
    (tmp_path / "bad.conf").write_text("server { location / {")
    with pytest.raises(InputError) as caught:
        read_nginx(tmp_path / "nginx.conf")
    assert "bad.conf" in caught.value.where


@pytest.mark.skipif(shutil.which("nginx") is None, reason="needs nginx: apt-get install nginx-light")
def test_nginx_takes_corrected_places_with_awkward_words(tmp_path: Path) -> None:
    """Quotes, braces and semicolons in patterns, variables, maps and ifs survive being written out again."""
    text = """events {} http { map $uri $slow { default 0; "~^/a{1,2};" 10k; } server { listen 127.0.0.1:8080;
  location ~ "^/v\\d{1,2}/(?<rest>chat;x|.*)$" {
    if ($http_x_debug ~* "a{2}|b;") { return 204 "no; {more}"; }
    add_header X-Note 'say "it"; {so}'; set $a "b c"; include more.conf;
    proxy_set_header Accept "a;q=1, b"; proxy_pass http://127.0.0.1:8000/$rest?x="y"; } } }"""
    file = tmp_path / "nginx.conf"
    file.write_text(text)
    (tmp_path / "more.conf").write_text("limit_rate $slow; proxy_cookie_path / '/; Secure';")
    (corrected,) = lint_nginx(read_nginx(file)[0], str(file))[1]
    begin, end = text.index("  location"), text.rindex("} }")
    paths = "".join(f"{k}_temp_path {tmp_path}/{k};" for k in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    fixed = text[:begin] + write_nginx(corrected["directives"]) + text[end:]
    fixed = fixed.replace("http {", "http { access_log off; " + paths, 1)
    file.write_text(f"pid {tmp_path}/pid; error_log {tmp_path}/error.log;\n{fixed}")
    done = subprocess.run(["nginx", "-t", "-c", str(file), "-p", str(tmp_path)], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode() + fixed
    assert {f.severity for f in lint_nginx(read_nginx(file)[0], str(file))[0]} <= {"info"}
