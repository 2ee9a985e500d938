"""What may differ from event to event of one kind of stream, and what it means there."""

from __future__ import annotations

from harness.wire.dialects import openai
from harness.wire.leaves import Path

COUNTS: dict[Path, str] = {
    ("usage", "prompt_tokens"): "prompt",
    ("usage", "completion_tokens"): "completion",
    ("usage", "total_tokens"): "total",
    ("usage", "completion_tokens_details", "reasoning_tokens"): "reasoning",
}
LOGPROBS = "logprob_tokens"  # as the fact is called that counts them
OVERWRITTEN = ("timings", "metrics")  # facts of which the last one counts
FACTS = frozenset({"reasoning_field", LOGPROBS, *openai.EXTRAS})
"""What an event may say besides its text and still be one of the commonest."""
_CHUNK: dict[Path, str] = {
    ("id",): "id", ("created",): "created", ("choices", 0, "index"): "index", ("choices", 0, "logprobs"): LOGPROBS,
    **COUNTS, **{(name,): name for name in OVERWRITTEN},
}  # fmt: skip
_FORMS: dict[str, str] = {"id": "text", LOGPROBS: "json"} | dict.fromkeys(OVERWRITTEN, "json")  # the others' is number
_ELSEWHERE = frozenset({("created_at",), ("sequence_number",), ("obfuscation",)})


def role(path: Path, form: str, chunk: bool) -> str:
    """``id``, ``created``, ``index``, one of :data:`COUNTS`, :data:`LOGPROBS`, one of :data:`OVERWRITTEN`, or ``quiet``
    (no dialect reads it); "" for what must not differ. ``chunk``: the event is an OpenAI chunk, it has choices."""
    if not chunk:
        return "quiet" if path in _ELSEWHERE else ""
    if path in _CHUNK:
        return _CHUNK[path] if _FORMS.get(_CHUNK[path], "number") == form else ""
    return "quiet" if _unread(path) else ""


def _unread(path: Path) -> bool:
    """Under a key that :mod:`harness.wire.dialects.openai` does not look at."""
    if not path:
        return False
    if path[0] == "usage":
        return len(path) > 1 and path[1] != "completion_tokens_details"
    if path[:2] != ("choices", 0):
        return path[0] != "choices" and path[0] not in openai.READ
    if path[2:3] == ("delta",):
        return len(path) > 3 and path[3] not in openai.READ_OF_DELTA
    return len(path) > 2 and path[2] not in openai.READ_OF_CHOICE
