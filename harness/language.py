"""The languages of an answer: the catalogue in ``locale/``, and a block inside which sentences are said in one."""

from __future__ import annotations

import gettext
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from django.conf import settings
from django.utils import translation

from harness.phrase import Translate, spoken

LANGUAGES = {"en": "en", "zh": "zh-hans"}
"""What ``--lang`` and ``?lang=`` take, and Django's code for it."""


@cache
def catalogue(lang: str) -> Translate:
    """The function that turns a template into that language (a key of :data:`LANGUAGES`); English costs nothing."""
    if lang == "en":
        return str
    locale = translation.to_locale(LANGUAGES[lang])
    return gettext.translation("django", settings.LOCALE_PATHS[0], [locale]).gettext


@contextmanager
def speaking(lang: str) -> Iterator[Translate]:
    """Inside, :func:`harness.phrase.say` and the templates' ``translate`` speak that language."""
    translate = catalogue(lang)
    token = spoken.set(translate)
    try:
        with translation.override(LANGUAGES[lang]):
            yield translate
    finally:
        spoken.reset(token)
