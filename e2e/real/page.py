"""Write the table with what was measured as a page of the documentation."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from e2e.real.judge import Measured
from e2e.real.row import Row
from harness.diagnose.answer import Answer

PAGE = Path(__file__).resolve().parents[2] / "docs" / "real-parts.md"
HEAD = """# Real proxies and gateways, measured

Written by `WRITE_DOCS=1 make test-matrix` on {date}; do not edit. {machine}

Each row puts a real part between the lab and a client, on loopback, and lets one thing happen upstream (by default 40
events, one every 20 ms, chunked). *Verdict* is what Streamscope says of it: of the ladder (two exchanges) and of one
exchange as the lab sent it and as it came out; both must agree, else the test fails. *Alone* is what the part's output
says by itself: a dash where it looks healthy. *Reads* are groups of reads 2 ms or more apart, *late* is the longest way
of a piece from the lab's write to the read behind the part, *left* is how long after the client's leaving the upstream
saw it. Times are upper bounds: the machine had other work.

How the lab's side of an exchange is found behind a gateway: by the header `x-exchange-id` (nginx and other proxies hand
it on; LiteLLM with `forward_client_headers_to_llm_api`, Portkey with `x-portkey-forward-headers`), by the `user` field
(Portkey, ferrogw; LiteLLM drops it for models that it does not know), by a marker in the prompt, `[[lab key=…]]` (all).
The first answer of a fresh LiteLLM is a second or more late; here it was asked once before. Real engines behind these
parts, llama.cpp with a toy model and with SmolLM2, are tested too (`e2e/real/test_llama.py`).

Versions: {versions}.
"""
COLUMNS = "| setting | upstream | measured fact | verdict | alone | reads | late ms | left ms |"
RULE = "| --- | --- | --- | --- | --- | ---: | ---: | ---: |"


def verdict(answer: Answer | None) -> str:
    if answer is None:
        return "–"
    found = answer.verdict
    return "healthy" if found.healthy else f"{found.symptom or 'cannot tell'} at {found.first_bad_hop or '?'}"


def line(row: Row, measured: Measured) -> str:
    setting, model = row.setting.name, "" if row.model == "lab-steady" else f", {row.model}"
    asked = ", gzip asked" if row.headers else ""
    faults = [f.code for f in (measured.same or measured.alone).findings if f.code == "truncation.laundered"]
    seen = verdict(measured.same or measured.ladder) + (", laundered by the part" if faults else "")
    seen += f", warning {row.warning}" if row.warning else ""
    cells = [
        setting, f"{row.upstream}{model}{asked}", row.fact, seen, measured.alone.verdict.symptom or "–",
        str(measured.bursts), _ms(measured.delay_ms), _ms(measured.left_ms),
    ]  # fmt: skip
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _ms(value: float | None) -> str:
    return "" if value is None else f"{max(0.0, value):.0f}"


def page(done: Sequence[tuple[Row, Measured]], now: datetime) -> str:
    """The page's text: one table a part, in the order of the rows."""
    tables: dict[str, list[str]] = {}
    versions: dict[str, str] = {}
    for row, measured in done:
        name = row.setting.part.name if row.setting.part else "No part"
        tables.setdefault(name, [COLUMNS, RULE]).append(line(row, measured))
        if row.setting.part:
            versions.setdefault(name, row.setting.part.versioned())
    told = ", ".join(f"{name} {version}".strip() for name, version in versions.items())
    machine = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}."
    head = HEAD.format(date=f"{now:%Y-%m-%d}", machine=machine, versions=told)
    return head + "".join(f"\n## {name}\n\n" + "\n".join(lines) + "\n" for name, lines in tables.items())


def write(done: Sequence[tuple[Row, Measured]]) -> None:
    PAGE.write_text(page(done, datetime.now(UTC)), encoding="utf-8")
