"""Composition root: static files, pages and WebSockets behind one ASGI application."""

import gc
import os
import sys

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "harness.settings")

from importlib import import_module
from typing import Any

from channels.routing import ProtocolTypeRouter, URLRouter
from django.core.asgi import get_asgi_application
from django.urls import get_resolver

pages = get_asgi_application()  # sets Django up, so it comes before whatever imports models

from harness.pages.forms import leave_forms_to_django  # noqa: E402
from harness.pages.sockets import SocketGuard  # noqa: E402
from harness.pages.static import StaticFiles  # noqa: E402
from harness.probe.downstream import Downstreams, name_statuses  # noqa: E402
from harness.runs.adopt import adopt_in_background  # noqa: E402

sockets = import_module("chat.routing").websocket_urlpatterns
http: Any = StaticFiles(pages)
application = ProtocolTypeRouter({"http": Downstreams(http), "websocket": SocketGuard(URLRouter(sockets))})
leave_forms_to_django()
name_statuses()
adopt_in_background()

# What the first chat would import and build, up to 1.6 s of first-byte delay that would be this app's own doing.
get_resolver().url_patterns  # noqa: B018
import_module("harness.lab.routes").lab_routes("")

# Streams share this interpreter. A full collection over all that is loaded by now would stop them for up to 0.2 s;
# and while a thread judges a finished exchange, an event would wait 5 ms (the default) at each turn for the lock.
gc.collect()
gc.freeze()
sys.setswitchinterval(0.0001)
