"""The instrument's addresses."""

from django.urls import path, re_path

from harness.pages import diagnose, logs, run_deeds, runs, taps
from harness.pages.slashed import slashed

urlpatterns = [
    path("diagnose/", diagnose.diagnose_page, name="diagnose"),
    path("diagnose/hops", diagnose.hops, name="diagnose-hops"),
    path("diagnose/recordings", diagnose.recordings, name="diagnose-recordings"),
    path("runs/", runs.run_list, name="runs"),
    path("runs/compare", run_deeds.compare, name="compare"),
    path("runs/<str:run_id>/", runs.run_page, name="run"),
    path("runs/<str:run_id>/live", run_deeds.run_live, name="run-live"),
    path("runs/<str:run_id>/stop", run_deeds.run_stop, name="run-stop"),
    path("runs/<str:run_id>/logs", logs.run_logs, name="run-logs"),
    path("runs/<str:run_id>/pin", run_deeds.run_pin, name="run-pin"),
    path("runs/<str:run_id>/report.html", run_deeds.run_report, name="run-report"),
    # A recording may call its hop anything, with slashes and line ends.
    re_path(
        r"^runs/(?P<run_id>[^/]+)/captures/(?P<name>[\s\S]+)\.capture\.jsonl\Z", runs.run_capture, name="run-capture"
    ),
    path("taps/", taps.taps, name="taps"),
    path("api/runs/<path:run_id>", runs.run_answer, name="run-answer"),
    re_path("^api(?:/.*)?$", runs.no_api),
    re_path(r"^(?:diagnose|taps|runs|runs/[^/]+)$", slashed),
]
