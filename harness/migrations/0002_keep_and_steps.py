# ruff: noqa: RUF012
"""Runs can be pinned; progress can tell of one hop."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("harness", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="progress",
            name="step",
            field=models.JSONField(null=True),
        ),
        migrations.AddField(
            model_name="run",
            name="pinned",
            field=models.BooleanField(default=False),
        ),
    ]
