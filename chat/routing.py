"""The chat's WebSocket addresses."""

from django.urls import path

from chat.consumer import StampConsumer

websocket_urlpatterns = [path("ws/stamps/", StampConsumer.as_asgi())]  # type: ignore[arg-type]
