"""Every template that an answer is made of, out of the sources, into ``locale/``; then the compiled catalogue.

``python -m harness.tests.locale.collect`` after a sentence was added: it keeps what is translated, adds what is new
with an empty translation, drops what is gone, and compiles. Sources are read, not imported.
"""

from __future__ import annotations

import ast
import io
import re
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parents[3]
PO = ROOT / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po"
# Calls whose arguments at these places are templates, where they are literal texts.
CALLS = {
    "phrase": (0,), "say": (0,), "joined": (0,), "term": (0,), "fault": (1,), "_fault": (1,), "Fault": (1, 2, 3),
    "hint": (3, 4, 5), "_trap": (3, 4), "Timer": (2, 3), "Product": (3,), "Known": (2, 3), "Figure": (0,),
}  # fmt: skip
# Constants whose texts (keys, where they are dicts, too) are looked up by `term`; of pairs, what stands last.
TABLES = {"HEAD", "STATUSES", "READERS", "HEADINGS", "TITLES", "SYMPTOMS", "SEVERITIES", "MOMENTS", "PLACES"}
PAIRS = {"MEANINGS"}
# What other libraries and captures say, and words of the contract that a text shows.
EXTRA = (
    "pieces merged", "pieces split", "comments dropped", "event lines dropped", "dialect", "id changed", "id blanked",
    "model changed", "model blanked", "fingerprint changed", "fingerprint blanked", "usage dropped", "fields dropped",
    "fields added",
    "(none)", ", ", "Expecting value", "Expecting ',' delimiter", "Expecting ':' delimiter", "Extra data",
    "Expecting property name enclosed in double quotes", "Unterminated string starting at", "Invalid \\escape",
    "Invalid control character at", "Invalid \\uXXXX escape", "Illegal trailing comma before end of object",
    "Illegal trailing comma before end of array", "invalid start byte", "invalid continuation byte",
    "unexpected end of data", "connection refused", "refused", "connection reset by peer", "done", "truncated",
    "reset", "timeout", "aborted", "interrupted", "failed", "complete", "open", "closed before the last chunk",
    "during a stall", "closed before the head", "tls handshake", "reset before the head", "closed by the hop in front",
    "closed by the hop in front (reset)", "recording stopped, connection still open", "the lab closed before the end",
    "the lab sent RST", "client-left", "certain", "likely", "cannot-tell", "buffer", "concurrency", "idle", "total",
    "head", "measured", "route", "bad ends", "dropped", "added", "blanked", "filled", "changed", "text chars",
    "captures", "chat", "probe", "ladder", "compare", "cancel", "tap",
    # figures of evidence that no call names
    "at read boundary", "blanks", "bytes per read", "flowing", "inherited from", "most", "read", "reads", "timer",
    "silence before", "spread", "suspects", "timer s", "usual gap", "product", "file", "place", "line", "left at",
    "gauge", "seconds", "bound s", "ended", "same id", "same created", "e2e", "events per read", "health", "ttft",
    "head bytes", "closed s", "rested s", "inherited", "figure", "unit", "baseline", "noise", "worse", "why",
    "healed by", "made", "swaps", "the client closed", "pieces", "silence", "retries", "over 64k", "told", "worked",
)  # fmt: skip
TAG = re.compile(r"""\{%\s*translate\s+"([^"]+)"\s*%\}""")
NO_FIGURES = {"inner", "event", "at_ms", "words"}


def texts(node: ast.expr) -> Iterator[str]:
    """The literal texts that an argument may be."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from texts(node.body)
        yield from texts(node.orelse)


def in_source(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            yield from _in_call(node)
        elif isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Dict | ast.Tuple):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = {target.id for target in targets if isinstance(target, ast.Name)}
            if names & TABLES:
                inside = (child for child in ast.walk(node.value) if isinstance(child, ast.expr))
                yield from (text.removeprefix("is ") for child in inside for text in texts(child))
            elif names & PAIRS and isinstance(node.value, ast.Tuple):
                rows = (row for row in node.value.elts if isinstance(row, ast.Tuple))
                yield from (text for row in rows for text in texts(row.elts[-1]))


def _in_call(node: ast.Call) -> Iterator[str]:
    method = isinstance(node.func, ast.Attribute)
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if not method or name in ("fault", "_fault"):
        for place in CALLS.get(name, ()):
            for argument in node.args[place : place + 1]:
                yield from texts(argument)
    if (name, method) in (("found", True), ("hint", False)):  # a text shows figures by name
        names = (keyword.arg or "" for keyword in node.keywords)
        yield from (name.removesuffix("_ms").replace("_", " ") for name in names if name not in NO_FIGURES)


def messages() -> dict[str, set[str]]:
    """Template → the files that hold it."""
    found: dict[str, set[str]] = {text: set() for text in EXTRA}
    for path in sorted((ROOT / "harness").rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if "tests" in path.parts or "migrations" in path.parts or name.startswith("harness/lab/"):
            continue
        for text in in_source(path.read_text(encoding="utf-8")):
            found.setdefault(text, set()).add(name)
    for path in sorted((ROOT / "templates").rglob("*.html")):
        for text in TAG.findall(path.read_text(encoding="utf-8")):
            found.setdefault(text, set()).add(path.relative_to(ROOT).as_posix())
    return {text: names for text, names in found.items() if text and not text.startswith("[[lab")}


def read() -> Catalog:
    with PO.open("rb") as file:
        return read_po(file, locale="zh_Hans")


def compiled(catalogue: Catalog) -> bytes:
    out = io.BytesIO()
    write_mo(out, catalogue)
    return out.getvalue()


def main() -> None:
    old = read()
    new = Catalog(
        locale="zh_Hans", project="Streamscope", fuzzy=False, charset="utf-8", version="1",
        header_comment=old.header_comment,
        creation_date=old.creation_date, revision_date=old.creation_date, last_translator="Streamscope",
        language_team="zh_Hans", msgid_bugs_address="docs/CONTRIBUTING.md",
    )  # fmt: skip
    for text, names in sorted(messages().items(), key=lambda row: (min(row[1], default=""), row[0])):
        before = old.get(text)
        new.add(text, before.string if before else "", locations=[(name, 0) for name in sorted(names)])
    with PO.open("wb") as file:
        write_po(file, new, width=120, include_lineno=False)
    PO.with_suffix(".mo").write_bytes(compiled(read()))
    missing = [str(message.id) for message in new if message.id and not message.string]
    print(f"{len(new)} messages, {len(missing)} without a translation", *missing, sep="\n  ")


if __name__ == "__main__":
    main()
