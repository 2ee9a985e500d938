# ruff: noqa: RUF012
"""Routes, runs, exchanges, taps, progress."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="StoredRoute",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("name", models.TextField(unique=True)),
                ("spec", models.JSONField()),
                ("origin", models.CharField(default="file", max_length=16)),
                ("position", models.IntegerField(default=0)),
            ],
            options={
                "ordering": ("position", "id"),
            },
        ),
        migrations.CreateModel(
            name="Run",
            fields=[
                ("id", models.CharField(max_length=100, primary_key=True, serialize=False)),
                ("kind", models.CharField(max_length=16)),
                ("route", models.TextField(default="")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("stopped", "Stopped"),
                            ("interrupted", "Interrupted"),
                        ],
                        default="running",
                        max_length=16,
                    ),
                ),
                ("started", models.DateTimeField()),
                ("ended", models.DateTimeField(null=True)),
                ("spec", models.JSONField(default=dict)),
                ("answer", models.JSONField(null=True)),
            ],
            options={
                "ordering": ("-started", "-id"),
                "indexes": [models.Index(fields=["-started"], name="run_started")],
            },
        ),
        migrations.CreateModel(
            name="Progress",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("text", models.TextField()),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="progress", to="harness.run"
                    ),
                ),
            ],
            options={
                "ordering": ("id",),
            },
        ),
        migrations.CreateModel(
            name="Exchange",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("position", models.IntegerField(default=0)),
                ("key", models.TextField(default="")),
                ("repeat", models.IntegerField(null=True)),
                ("hop", models.TextField()),
                ("request", models.JSONField(null=True)),
                ("body", models.BinaryField(null=True)),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="exchanges", to="harness.run"
                    ),
                ),
            ],
            options={
                "ordering": ("position", "id"),
            },
        ),
        migrations.CreateModel(
            name="Tap",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("position", models.IntegerField(default=0)),
                ("tap", models.CharField(max_length=8)),
                ("hop", models.TextField()),
                ("kind", models.CharField(max_length=16)),
                ("opening", models.JSONField()),
                ("shares_request", models.BooleanField(default=False)),
                ("head", models.JSONField(null=True)),
                ("stamps", models.BinaryField(default=bytes)),
                ("read_extra", models.JSONField(default=dict)),
                ("end", models.JSONField(null=True)),
                (
                    "exchange",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="taps", to="harness.exchange"
                    ),
                ),
            ],
            options={
                "ordering": ("position", "id"),
            },
        ),
    ]
