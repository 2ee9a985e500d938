"""What may differ from event to event without a dialect's looking at it."""

from __future__ import annotations

import ast
import inspect

import pytest

from harness.wire.dialects import openai
from harness.wire.leaves import Path
from harness.wire.roles import role


@pytest.mark.parametrize(
    ("path", "form", "expected"),
    [
        (("id",), "text", "id"),
        (("id",), "number", ""),
        (("created",), "number", "created"),
        (("model",), "text", ""),
        (("object",), "text", ""),
        (("obfuscation",), "text", "quiet"),
        (("choices", 0, "index"), "number", "index"),
        (("choices", 1, "index"), "number", ""),
        (("choices", 1, "token_ids"), "json", ""),
        (("choices", 0, "finish_reason"), "text", ""),
        (("choices", 0, "token_ids"), "json", "quiet"),
        (("choices", 0, "logprobs"), "json", "logprob_tokens"),
        (("choices", 0, "delta", "content"), "text", ""),
        (("choices", 0, "delta", "tool_calls", 0, "index"), "number", ""),
        (("usage", "completion_tokens"), "number", "completion"),
        (("usage", "completion_tokens_details", "reasoning_tokens"), "number", "reasoning"),
        (("usage", "prompt_tokens_details", "cached_tokens"), "number", "quiet"),
        (("usage",), "json", ""),
        (("timings",), "json", "timings"),
        (("timings", "predicted_ms"), "number", ""),
    ],
)
def test_a_place_in_a_chunk_has_its_role(path: Path, form: str, expected: str) -> None:
    assert role(path, form, chunk=True) == expected


@pytest.mark.parametrize(("path", "expected"), [(("created_at",), "quiet"), (("id",), ""), (("delta",), ""), ((), "")])
def test_elsewhere_little_may_differ(path: Path, expected: str) -> None:
    assert role(path, "text", chunk=False) == expected


def test_all_that_the_dialect_looks_at_is_listed() -> None:
    """Else what it reads would be taken for noise."""
    lists = {"obj": openai.READ, "choice": openai.READ_OF_CHOICE, "delta": openai.READ_OF_DELTA}
    read: dict[str, set[str]] = {name: set() for name in lists}
    for node in ast.walk(ast.parse(inspect.getsource(openai))):
        match node:
            case ast.Call(ast.Attribute(ast.Name(name), "get"), [ast.Constant(str(key)), *_]):
                read.get(name, set()).add(key)
            case ast.Subscript(ast.Name(name), ast.Constant(str(key))):
                read.get(name, set()).add(key)
    assert all(read.values())
    assert {name: keys - lists[name] for name, keys in read.items()} == {name: set() for name in lists}
