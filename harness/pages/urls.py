"""The instrument's addresses."""

from django.urls import path

from harness.pages import runs

urlpatterns = [
    path("runs/", runs.run_list, name="runs"),
    path("runs/<str:run_id>/", runs.run_page, name="run"),
    path("runs/<str:run_id>/captures/<str:name>.capture.jsonl", runs.run_capture, name="run-capture"),
    path("api/runs/<str:run_id>", runs.run_answer, name="run-answer"),
]
