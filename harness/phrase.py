"""Sentences that can still change their language: the English text, and the template and figures it was made of.

Pure: a translation is a function from template to template, handed in; English costs one filling.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from typing import Any

Translate = Callable[[str], str]

spoken: ContextVar[Translate] = ContextVar("spoken", default=str)
"""How :func:`say` puts a template into the language that was asked for; English as it stands."""
SECONDS = {"ms": "s", "毫秒": "秒"}
TIME = re.compile(r"\{(\w+)\} (ms\b|毫秒)")
PLURAL = re.compile(
    r"\{(\w+)\}((?: \w+)? "
    r"(?:event|character|heartbeat|piece|line|place|token|repeat|switch|id|time|tap|read|byte)(?:e?s))\b"
)
CLAUSE = re.compile(
    r", \{(\w+)\} ms after the last content|(?: (?:at|after|for|in|within))? ?\{(\w+)\} ms\b"
    r"|，即[^，：]*\{(\w+)\} 毫秒|\{(\w+)\} 毫秒、|(?:在 ?| )?\{(\w+)\} 毫秒(?!、)(?:之后|之内|后|内| )?"
)
SHOWN = 6  # items of a list that a sentence can bear
FULL_STOPS = "。；，、：！？）"


class Phrase(str):
    """English text that knows its template and figures; figures may be phrases too."""

    __slots__ = ("figures", "template")
    template: str
    figures: Mapping[str, Any]

    def told(self, translate: Translate) -> str:
        figures = {name: told(value, translate) for name, value in self.figures.items()}
        return fill(translate(self.template), figures, translate)


class Joined(Phrase):
    """Parts with one separator (the template) between them."""

    __slots__ = ("parts",)
    parts: tuple[str, ...]

    def told(self, translate: Translate) -> str:
        """A blank after full-width punctuation is left out: it brings its own."""
        between, text = translate(self.template), ""
        for part in (told(part, translate) for part in self.parts):
            glue = between.lstrip(" ") if text.endswith(tuple(FULL_STOPS)) else between
            text += (glue if text else "") + part
        return text


class Term(Phrase):
    """A word or a text of a table, looked up whole: braces in it are no figures."""

    __slots__ = ()

    def told(self, translate: Translate) -> str:
        """Itself where nothing is known of it; gettext answers an empty text with its catalogue's header."""
        return translate(self.template) if self else ""


class Recorded(Term):
    """Words that somebody else wrote into a recording: in another language they stand in quotes, unless known."""

    __slots__ = ()

    def told(self, translate: Translate) -> str:
        said = super().told(translate)
        return f"“{said}”" if said and said == self and translate is not str else said


def phrase(template: str, /, **figures: Any) -> Phrase:
    """The sentence that :func:`fill` makes of these figures. Templates are found in the sources, for the catalogue."""
    return filled(template, figures)


def filled(template: str, figures: Mapping[str, Any]) -> Phrase:
    made = Phrase(fill(template, figures) if "{" in template else template)
    made.template, made.figures = template, figures
    return made


def joined(separator: str, parts: Iterable[str]) -> Joined:
    kept = tuple(parts)
    made = Joined(separator.join(kept))
    made.template, made.figures, made.parts = separator, {}, kept
    return made


def term(text: str) -> Phrase:
    if isinstance(text, Phrase):
        return text
    made = Term(text)
    made.template, made.figures = text, {}
    return made


def recorded(text: str) -> Phrase:
    if isinstance(text, Phrase):
        return text
    made = Recorded(text)
    made.template, made.figures = text, {}
    return made


def told(value: Any, translate: Translate) -> Any:
    """The value with every phrase in it (in lists and maps too) put into another language; all else as it is."""
    if isinstance(value, Phrase):
        return value.told(translate)
    if isinstance(value, Mapping):
        return {key: told(item, translate) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [told(item, translate) for item in value]
    return value


def say(template: str, /, **figures: Any) -> str:
    """The sentence at once, in the language of :data:`spoken`."""
    translate = spoken.get()
    return fill(translate(template), told(figures, translate), translate)


def plain_text(value: Any) -> Any:
    """Figures without their phrases: English text, the same in every language."""
    return str(value) if isinstance(value, Phrase) else value


class Untimed:
    """A time that its recording never had; clauses that would tell it are left out of the sentence."""

    def __str__(self) -> str:
        return "?"


def without(is_time: Callable[[str], bool], text: Any) -> Any:
    """The phrase, and the phrases in it, without clauses of the figures whose names are times; all else as it is."""
    if isinstance(text, Joined):
        return joined(text.template, [without(is_time, part) for part in text.parts])
    if not isinstance(text, Phrase) or not text.figures:
        return text
    figures = {name: Untimed() if is_time(name) else without(is_time, it) for name, it in text.figures.items()}
    return filled(text.template, figures)


class _Figures(dict[str, Any]):
    none = "(none)"

    def __missing__(self, name: str) -> str:
        return self.none


def fill(template: str, figures: Mapping[str, Any], translate: Translate = str) -> str:
    """The sentence with its figures; lists read as ``a, b, c``.

    ``{figure} ms`` of a second or more reads as seconds with three digits (``3.01 s``), one ``{figure} events`` as
    ``1 event``. A clause such as `` at {figure} ms`` whose figure is :class:`Untimed` is left out.
    """
    shown = _Figures(
        {name: _listed(value, translate) if isinstance(value, list) else value for name, value in figures.items()}
    )
    shown.none = translate("(none)")
    if any(isinstance(value, Untimed) for value in figures.values()):
        template = CLAUSE.sub(
            lambda hit: "" if isinstance(figures.get(hit[hit.lastindex or 0]), Untimed) else hit[0], template
        )
    template = TIME.sub(
        lambda hit: lasting(figures[hit[1]], hit[2]) if _long(figures.get(hit[1])) else hit[0], template
    )
    template = PLURAL.sub(lambda hit: _counted(hit) if figures.get(hit[1]) == 1 else hit[0], template)
    return template.format_map(shown)


def _listed(values: list[Any], translate: Translate) -> str:
    between = translate(", ")
    return between.join(map(str, values[:SHOWN])) + (f"{between}…" if len(values) > SHOWN else "")


def _counted(hit: re.Match[str]) -> str:
    return f"{{{hit[1]}}}{hit[2].removesuffix('es') if hit[2].endswith('ches') else hit[2].removesuffix('s')}"


def _long(value: Any) -> bool:
    return isinstance(value, int | float) and abs(value) >= 1000


def lasting(ms: float, unit: str = "ms") -> str:
    """A time of a second or more as a person says it: ``3.01 s``, ``61.2 s``, ``301 s``."""
    seconds = ms / 1000
    digits = 2 if abs(seconds) < 10 else 1 if abs(seconds) < 100 else 0
    return f"{seconds:.{digits}f} {SECONDS[unit]}"
