"""Composition root: static files, pages and WebSockets behind one ASGI application."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "harness.settings")

from importlib import import_module
from typing import Any

from channels.routing import ProtocolTypeRouter, URLRouter
from django.core.asgi import get_asgi_application

pages = get_asgi_application()  # sets Django up, so it comes before whatever imports models

from harness.pages.sockets import SocketGuard  # noqa: E402
from harness.pages.static import StaticFiles  # noqa: E402
from harness.probe.downstream import Downstreams  # noqa: E402
from harness.runs.adopt import adopt_in_background  # noqa: E402

sockets = import_module("chat.routing").websocket_urlpatterns
http: Any = StaticFiles(pages)
application = ProtocolTypeRouter({"http": Downstreams(http), "websocket": SocketGuard(URLRouter(sockets))})
adopt_in_background()
