"""What is stored: routes made on a page, runs, and of every exchange one body and the stamps of its taps."""

from __future__ import annotations

from django.db import models


class StoredRoute(models.Model):
    """A route from a file or a page; ``spec`` is the route as in the routes file, without keys."""

    id = models.BigAutoField(primary_key=True)
    name = models.TextField(unique=True)
    spec = models.JSONField()
    origin = models.CharField(max_length=16, default="file")
    position = models.IntegerField(default=0)

    class Meta:
        ordering = ("position", "id")

    def __str__(self) -> str:
        return self.name


class Run(models.Model):
    """One experiment. A chat's ``id`` is its exchange id; ``answer`` is its JSON (docs/formats.md) once known.

    ``pinned`` runs are kept however many come after them (:mod:`harness.runs.keep`).
    """

    class State(models.TextChoices):
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        STOPPED = "stopped"
        INTERRUPTED = "interrupted"

    id = models.CharField(primary_key=True, max_length=100)
    kind = models.CharField(max_length=16)
    route = models.TextField(default="")
    state = models.CharField(max_length=16, choices=State, default=State.RUNNING)
    started = models.DateTimeField()
    ended = models.DateTimeField(null=True)
    spec = models.JSONField(default=dict)
    answer = models.JSONField(null=True)
    pinned = models.BooleanField(default=False)

    class Meta:
        ordering = ("-started", "-id")
        indexes = (models.Index(fields=("-started",), name="run_started"),)

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"


class Exchange(models.Model):
    """One request and its answer. ``body`` is the longest that any tap saw, compressed; null if none did.

    ``request`` is masked, as in a capture file's opening line.
    """

    id = models.BigAutoField(primary_key=True)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="exchanges")
    position = models.IntegerField(default=0)
    key = models.TextField(default="")
    repeat = models.IntegerField(null=True)
    hop = models.TextField()
    request = models.JSONField(null=True)
    body = models.BinaryField(null=True)

    class Meta:
        ordering = ("position", "id")

    def __str__(self) -> str:
        return f"{self.key} at {self.hop}"


class Tap(models.Model):
    """One tap's stamps over its exchange's body, packed by :mod:`harness.runs.pack`.

    ``opening``, ``head`` and ``end`` are the lines of a capture file; a request that is the exchange's own is
    left out of ``opening`` and ``shares_request`` says so. ``position``: place in the run, innermost first.
    """

    id = models.BigAutoField(primary_key=True)
    exchange = models.ForeignKey(Exchange, on_delete=models.CASCADE, related_name="taps")
    position = models.IntegerField(default=0)
    tap = models.CharField(max_length=8)
    hop = models.TextField()
    kind = models.CharField(max_length=16)
    opening = models.JSONField()
    shares_request = models.BooleanField(default=False)
    head = models.JSONField(null=True)
    stamps = models.BinaryField(default=bytes)
    read_extra = models.JSONField(default=dict)
    end = models.JSONField(null=True)

    class Meta:
        ordering = ("position", "id")

    def __str__(self) -> str:
        return f"{self.hop}.{self.tap}"


class Progress(models.Model):
    """One line of what a job said; ``step``, if it has one, tells of one hop (:mod:`harness.runs.steps`)."""

    id = models.BigAutoField(primary_key=True)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="progress")
    at = models.DateTimeField(auto_now_add=True)
    text = models.TextField()
    step = models.JSONField(null=True)

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return self.text
