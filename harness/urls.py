"""The web's addresses: the instrument's own and, by name, the chat's."""

from importlib.util import find_spec

from django.urls import URLPattern, URLResolver, include, path

from harness.pages.health import healthz

urlpatterns: list[URLPattern | URLResolver] = [path("healthz", healthz, name="healthz")]
urlpatterns += [path("", include(room)) for room in ("harness.pages.urls", "chat.urls") if find_spec(room)]
