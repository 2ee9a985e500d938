"""The chat's addresses."""

from django.urls import path

from chat import pages, stamps, views

urlpatterns = [
    path("", pages.chat_page, name="chat"),
    path("chat/stream", views.stream, name="chat-stream"),
    path("chat/stamps", stamps.stamps, name="chat-stamps"),
]
