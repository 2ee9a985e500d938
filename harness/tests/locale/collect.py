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
TABLES = {"STATUSES", "READERS", "HEADINGS", "TITLES", "SYMPTOMS", "SEVERITIES", "MOMENTS", "PLACES"}
PAIRS = {"MEANINGS"}
# What other libraries and captures say, and words of the contract that a text shows.
EXTRA = (
    "(none)", ", ", "Expecting value", "Expecting ',' delimiter", "Expecting ':' delimiter", "Extra data",
    "Expecting property name enclosed in double quotes", "Unterminated string starting at", "Invalid \\escape",
    "Invalid control character at", "Invalid \\uXXXX escape", "Illegal trailing comma before end of object",
    "Illegal trailing comma before end of array", "invalid start byte", "invalid continuation byte",
    "unexpected end of data", "connection refused", "refused", "connection reset by peer", "done", "truncated", "reset",
    "timeout", "aborted", "interrupted", "failed", "complete", "open", "closed before the last chunk", "during a stall",
    "closed before the head", "reset before the head", "closed by the hop in front", "closed by the hop in front (reset)",
    "recording stopped, connection still open", "the lab closed before the end", "the lab sent RST", "client-left",
    "certain", "likely", "cannot-tell", "buffer", "concurrency", "idle", "total", "head", "measured", "route", "bad ends",
    "dropped", "added", "blanked", "filled", "changed", "text chars", "captures", "chat", "probe", "ladder", "compare", "cancel", "tap",
)  # fmt: skip
GLOSSARY = """# The answer in Simplified Chinese (MIT, as Streamscope). Codes, figures, settings and product names stay as they are.
#
# Style: full-width punctuation; a space between Chinese and Latin letters or figures; lists with 、; times in 毫秒 and 秒
# (in tables ms and s). "{figure} 毫秒" turns into 秒 by itself from a second on.
#
# hop 跳, this hop 本跳, hop behind (nearer to the engine) 上游一跳, hop in front (nearer to the reader) 下游一跳,
# route 路由, exchange 交互, tap 采集点, capture 捕获, recording 录制, vantage 观测点, verdict 结论, evidence 证据,
# engine 引擎, gateway 网关, relay 中继, probe 探测, ladder 逐跳探测, inline tap 串联采集, baseline 基线, ledger 账本,
# stream 流, streamed 流式, event 事件, piece 片段, chunk (of a dialect) 数据块, chunk (of HTTP) chunk, frame 帧, delta 增量,
# terminator 结束标记, channel 通道, choice index 序号, heartbeat 心跳, comment line 注释行, reader 读取端, retry 重试,
# idle timer 空闲超时, silence 没有数据 or 静默, gap 间隔, cut 切断, buffer 缓冲, flush flush, hold 扣住, clump 批,
# first-byte 首字延迟, stall 停滞, burst 突发, truncation 截断, reset 重置, reorder 乱序, duplicate 重复, loss 丢失,
# interleave 串流, encoding 编码损坏, malformed 格式错误, rewrite 改写, not-streamed 未流式, not-cancelled 未取消."""
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
        locale="zh_Hans", project="Streamscope", fuzzy=False, charset="utf-8", version="1", header_comment=GLOSSARY,
        creation_date=old.creation_date, revision_date=old.creation_date, last_translator="Streamscope",
        language_team="zh_Hans", msgid_bugs_address="docs/CONTRIBUTING.md",
    )  # fmt: skip
    for text, names in sorted(messages().items(), key=lambda row: (min(row[1], default=""), row[0])):
        before = old.get(text)
        new.add(text, before.string if before else "", locations=[(name, None) for name in sorted(names)])
    with PO.open("wb") as file:
        write_po(file, new, width=120, sort_output=False)
    PO.with_suffix(".mo").write_bytes(compiled(read()))
    missing = [str(message.id) for message in new if message.id and not message.string]
    print(f"{len(new)} messages, {len(missing)} without a translation", *missing, sep="\n  ")


if __name__ == "__main__":
    main()
