"""content: the end of thinking stands in the answer though its beginning does not."""

from __future__ import annotations

import re
from collections.abc import Iterator

from harness.diagnose.answer import Finding
from harness.diagnose.fault import Fault
from harness.diagnose.view import View

CLOSE = Fault(
    "content.think-end",
    "Thinking stands in the answer: {tag} comes after {thought} characters of the content channel, and nothing "
    "opened it.",
    "The chat template opens the thinking in the prompt, and the hop's reasoning parser waits for a tag that does "
    "not come (or there is none).",
    "Turn on the reasoning parser that belongs to this model (it must not need the opening tag) at this hop.",
)
END = re.compile(r"</(think|thinking|reasoning|thought)>", re.I)


def alone(view: View) -> Iterator[Finding]:
    for key, text in view.texts.items():
        hit = END.search(text.text) if key.part == "content" and view.streamed else None
        if hit and f"<{hit.group(1).lower()}>" not in text.text[: hit.start()].lower() and _own_line(text.text, hit):
            event = text.event_at(hit.start())
            yield CLOSE.found(view, "warning", event=event, tag=hit.group(0), thought=hit.start())


def _own_line(text: str, hit: re.Match[str]) -> bool:
    """On a line of its own, as models write it; not quoted in a sentence or in code."""
    before, after = text[: hit.start()].rpartition("\n")[2], text[hit.end() :].partition("\n")[0]
    return not before.strip() or not after.strip()
