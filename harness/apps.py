"""The instrument as a Django app."""

from django.apps import AppConfig


class HarnessConfig(AppConfig):
    name = "harness"
    verbose_name = "Streamscope"
