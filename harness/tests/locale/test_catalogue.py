"""The catalogue holds every sentence, with the same figures, and is the one that is compiled."""

from __future__ import annotations

import ast
import re
from string import Formatter

import pytest

from harness.diagnose.fault import KNOWN
from harness.diagnose.rules import registry
from harness.tests.locale.collect import CALLS, PO, ROOT, compiled, in_source, messages, read

ENTRIES = {str(message.id): str(message.string) for message in read() if message.id}
HAN = "\u3400-\u9fff"
FIGURE = re.compile(r"\{\w*\}")


def figures(text: str) -> set[str]:
    try:
        return {name for _, name, _, _ in Formatter().parse(text) if name is not None}
    except ValueError:
        return {text}


def test_every_sentence_of_the_sources_is_translated() -> None:
    missing = [text for text in messages() if not ENTRIES.get(text)]
    assert not missing, f"translate in {PO.relative_to(ROOT)} after `python -m harness.tests.locale.collect`: {missing}"


def test_the_catalogue_holds_nothing_that_is_said_no_more() -> None:
    gone = ENTRIES.keys() - messages().keys()
    assert not gone, f"run `python -m harness.tests.locale.collect`: {sorted(gone)}"


def test_every_template_of_a_rule_is_among_them() -> None:
    assert registry.ALONE and KNOWN
    untold = [
        (code, text)
        for code, fault in KNOWN.items()
        for text in (fault.summary, fault.cause, fault.fix)
        if text and not ENTRIES.get(text)
    ]
    assert not untold


def test_a_translation_has_the_figures_of_its_sentence() -> None:
    unlike = {text: said for text, said in ENTRIES.items() if said and figures(text) != figures(said)}
    assert not unlike


def test_times_are_translated_so_that_long_ones_turn_into_seconds() -> None:
    kept = [said for said in ENTRIES.values() if re.search(r"\{\w+\} (ms|s)\b", said)]
    assert not kept


def test_the_compiled_catalogue_is_this_one() -> None:
    assert PO.with_suffix(".mo").read_bytes() == compiled(read()), "run `python -m harness.tests.locale.collect`"


@pytest.mark.parametrize(
    ("rule", "pattern"),
    [
        ("full-width punctuation between Chinese", rf"[{HAN}] ?[,;:?!](?![\w/*])|[,;?!] ?[{HAN}]"),
        ("a space between Chinese and Latin or figures", rf"[{HAN}][A-Za-z0-9]|[A-Za-z0-9][{HAN}]"),
        ("no space beside full-width punctuation", r"[。，；：、？！（）] | [。，；：、？！（）]"),
        ("no two spaces", "  "),
    ],
)
def test_chinese_is_set_as_chinese(rule: str, pattern: str) -> None:
    odd = [said for said in ENTRIES.values() if re.search(pattern, said) and re.search(f"[{HAN}]", said)]
    assert not odd, rule


def test_a_figure_that_is_no_clause_stands_apart_from_chinese() -> None:
    clauses = {"default", "place", "symptom", "kind", "has", "buffer_words", "timer_words", "status_words", "reason"}
    clauses |= {"seam", "made_words", "asked_words", "more", "meanwhile", "advice", "does", "story", "moment", "what"}
    clauses |= {"outer_story", "held_words", "how", "cause", "kinds", "end", "glued_words", "others", "hop", "other"}
    odd = []
    for said in ENTRIES.values():
        for hit in FIGURE.finditer(said):
            around = said[hit.start() - 1 : hit.start()], said[hit.end() : hit.end() + 1]
            if hit[0][1:-1] not in clauses and any(re.match(f"[{HAN}]", char) for char in around):
                odd.append((hit[0], said))
    assert not odd


def test_templates_are_written_out_where_they_are_used() -> None:
    """A template that is put together cannot be found by its translators."""
    loose = []
    for path in sorted((ROOT / "harness").rglob("*.py")):
        if {"tests", "lab"} & set(path.parts) or path.name == "phrase.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
            if (
                isinstance(node, ast.Call)
                and name in ("phrase", "joined")
                and not isinstance(node.args[0], ast.Constant)
            ):
                loose.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert not loose


def test_sentences_are_collected_from_calls_conditions_tables_and_figures() -> None:
    source = 'say("a" if x else "b")\nSTATUSES = {1: ("c",)}\nFAULT.found(view, "error", gap_ms=1)\nself.say("no")'
    assert set(in_source(source)) == {"a", "b", "c", "gap"} and "phrase" in CALLS
