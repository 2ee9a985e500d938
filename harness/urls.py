"""The web's addresses: the instrument's own and, by name, the chat's."""

from django.urls import URLPattern, URLResolver, include, path

from harness.pages.health import healthz

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", healthz, name="healthz"),
    path("", include("harness.pages.urls")),
    path("", include("chat.urls")),
]
