"""The same traffic with other words, another size and another pace; or told in another dialect."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import Any

from harness.capture.model import Request
from harness.tests.diagnose.twins.tape import Row, Tape

ENGLISH = "The old ferry left its harbour before dawn and nobody on that grey quay saw how low she lay"
GERMAN = "Über den Dächern zog früh der Nebel, während unten am Fluß die Glöckner müde heimwärts gingen"
RUSSIAN = "Ранним утром старый паром ушёл из гавани и никто на причале не заметил что огни погасли"
CHINESE = "清晨渡船离开港口码头上没有人看见灯火早已熄灭只听钟声越过灰色水面"
NUMERALS = " ".join(str(number) for number in range(21, 800))
KEYS = rb"content|reasoning_content|reasoning|arguments|text|delta|thinking|partial_json"
IDENT = rb'("id"\s*:\s*"(?:chatcmpl|cmpl)-[^"]*)(")'
TALLIES = rb'("(?:completion_tokens|total_tokens|output_tokens|eval_count|predicted_n)"\s*:\s*)(\d+)'


@dataclass(frozen=True, slots=True)
class Plan:
    """One variation: the words (None: the case's own), how many pieces for each of its own, how slow, at what place
    of the answer the fault is (0 to 1), and the dialect (None: the case's own). ``turn`` numbers the variation."""

    words: str | None = None
    glue: str = " "
    size: float = 1.0
    pace: float = 1.0
    where: float = 0.5
    wire: str | None = None
    turn: int = 0


def spelt(data: bytes, text: str) -> tuple[int, int, bool] | None:
    """Where the event says the text as a JSON literal (start, stop), and whether in escapes; None if nowhere whole."""
    for ascii_only in (True, False):
        literal = json.dumps(text, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
        hits = list(re.finditer(rb'(?:"(?:' + KEYS + rb')"\s*:\s*)(' + re.escape(literal) + rb")", data))
        if hits:
            return hits[-1].start(1), hits[-1].end(1), ascii_only and b"\\u" in literal
    return None


def said(row: Row, text: str) -> Row:
    """The event with another text, in its own spelling; a read that ended inside a character still does."""
    found = spelt(row.data, row.text)
    if found is None:
        if row.kind != "tool":
            return row  # else Ollama's arguments, which are an object
        return replace(row, data=re.sub(rb'(?<="arguments":)\{.*?\}', text.encode(), row.data), text=text)
    start, stop, escaped = found
    told = json.dumps(text, ensure_ascii=escaped).encode()
    cuts = []
    for cut, before in row.cuts:
        if cut >= stop:
            cut += len(told) - (stop - start)
        elif cut > start:
            wide = next((i for i, byte in enumerate(told) if byte >= 0xC0), len(told) // 2)
            cut = start + wide + 1
        cuts.append((cut, before))
    return replace(row, data=row.data[:start] + told + row.data[stop:], text=text, cuts=tuple(cuts))


def turned(text: str, by: int) -> str:
    """A tool call's arguments with other letters: JSON's own marks, numbers and words stay."""
    if "\\u" in text or re.search(r"true|false|null", text):
        return text
    return re.sub(r"(?<!\\)[a-z]", lambda hit: chr(ord("a") + (ord(hit.group()) - ord("a") + by) % 26), text)


def parts(row: Row, plan: Plan) -> list[Row]:
    """A fragment of arguments that bears no more than itself, in two where the plan wants more pieces."""
    half = len(row.text) // 2
    whole = said(row, turned(row.text, 5 * plan.turn))
    if plan.size == 1 or not half or spelt(row.data, row.text) is None or b'"name"' in row.data:
        return [whole]
    return [said(whole, whole.text[:half]), said(whole, whole.text[half:])]


def grown(tape: Tape, plan: Plan) -> Tape:
    """Each piece ``plan.size`` times (never the first of a channel less than once), in the plan's words and pace."""
    counts: dict[tuple[int, str], int] = {}
    old: dict[tuple[int, str], str] = {}
    new: dict[tuple[int, str], str] = {}
    rows: list[Row] = []
    t, before, usual = 0.0, 0.0, _usual(tape)
    for row in tape.rows:
        gap, before = row.t - before, row.t
        if not row.said:
            t += gap * plan.pace
            rows.append(row.at(t))
            continue
        seen = counts.get(row.key, 0)
        times = int((seen + 1) * plan.size) - int(seen * plan.size)
        times = max(times, 1) if not seen else times
        pieces = parts(row, plan) if row.kind == "tool" else [row] * times
        counts[row.key] = seen + 1
        old[row.key] = old.get(row.key, "") + row.text
        for copy, piece in enumerate(pieces):
            t += (usual if copy and not seen else gap) * plan.pace
            told = piece if row.kind == "tool" else said(row, _word(plan, row, new.get(row.key, "")))
            told = replace(told, t=t, cuts=tuple((cut, before * plan.pace) for cut, before in told.cuts))
            new[row.key] = new.get(row.key, "") + told.text
            rows.append(told)
        if not pieces:
            t += gap * plan.pace * 0.1
    more = sum(1 for row in rows if row.said) - len(tape.spoken())
    rows = [row if row.said else replace(row, data=_retold(row.data, old, new, more)) for row in rows]
    if plan.turn:
        rows = [replace(row, data=re.sub(IDENT, rb"\g<1>%d%d\g<2>" % (plan.turn, plan.turn), row.data)) for row in rows]
    end = replace(tape.end, t=t + (tape.end.t - tape.last_ms()))
    return replace(tape, rows=renumbered(rows), end=end)


def _usual(tape: Tape) -> float:
    times = [tape.rows[i].t for i in tape.spoken()]
    return median([b - a for a, b in pairwise(times)]) if len(times) > 1 else 40.0


def _word(plan: Plan, row: Row, before: str) -> str:
    """The next word of the plan for a piece; a bare blank and tags stay what they were."""
    if plan.words is None or not row.text.strip() or "<" in row.text or ">" in row.text:
        return row.text
    words = plan.words.split() if " " in plan.words else plan.words
    count = before.count(plan.glue) if plan.glue else len(before)
    word = words[(count + 3 * row.key[0]) % len(words)]
    return plan.glue + word if row.text[:1].isspace() else word + plan.glue


def _retold(data: bytes, old: dict[tuple[int, str], str], new: dict[tuple[int, str], str], more: int) -> bytes:
    """Where an event repeats a whole text, the new text; where it tells tokens, as many more as there are pieces."""
    for key, text in old.items():
        if len(text) > 8:
            literal = json.dumps(text, ensure_ascii=False).encode("utf-8", "surrogatepass")
            data = data.replace(literal, json.dumps(new[key], ensure_ascii=False).encode())
    return tallied(data, more)


def tallied(data: bytes, more: int) -> bytes:
    """Counts of tokens, so many higher."""
    return re.sub(TALLIES, lambda hit: hit.group(1) + str(max(1, int(hit.group(2)) + more)).encode(), data)


def renumbered(rows: Sequence[Row]) -> tuple[Row, ...]:
    """What counts the events (SSE ids, ``sequence_number``) counts the new ones, from where it began."""
    out = list(rows)
    for pattern in (rb"(?m)^(id: ?[a-z]*)(\d+)(?=\r?$)", rb'("sequence_number"\s*:\s*)(\d+)'):
        count: int | None = None
        for i, row in enumerate(out):
            hit = re.search(pattern, row.data)
            if hit:
                count = int(hit.group(2)) if count is None else count + 1
                data = row.data[: hit.start(2)] + str(count).encode() + row.data[hit.end(2) :]
                out[i] = replace(row, data=data)
    return tuple(out)


# Other dialects: the same rows as another server would tell them.


def _sse(value: Any, name: str = "") -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(value, ensure_ascii=False)}\n\n".encode()


def reason(row: Row) -> str:
    """Why the answer ended, as the event that is told anew said it."""
    return "length" if b'"length"' in row.data else "stop"


def _openai(row: Row, name: str = "") -> bytes:
    if row.kind == "done":
        return f"event: {name}\ndata: [DONE]\n\n".encode() if name else b"data: [DONE]\n\n"
    delta = {"role": "assistant", "content": row.text} if name or row.kind == "role" else {"content": row.text}
    choice = {"index": 0, "delta": {} if row.kind == "finish" else delta}
    choice["finish_reason"] = reason(row) if row.kind == "finish" else None
    base: dict[str, Any] = {"id": "", "object": "", "created": 0, "model": ""} if name else {"id": "chatcmpl-7d3e", "object": "chat.completion.chunk", "created": 1760000000, "model": "night"}  # noqa: E501  # fmt: skip
    return _sse(base | {"choices": [choice]}, name)


def _ollama(row: Row) -> bytes:
    last = row.kind == "finish"
    end = {"done": True, "done_reason": reason(row), "eval_count": len(row.text.split())} if last else {"done": False}
    message = {"role": "assistant", "content": "" if last else row.text}
    record = {"model": "night", "created_at": "2026-02-01T00:00:00Z", "message": message, **end}
    return b"" if row.kind in ("done", "role") else json.dumps(record, ensure_ascii=False).encode() + b"\n"


def _anthropic(row: Row) -> bytes:
    if row.kind == "role":
        message = {"id": "msg_7d3e", "type": "message", "role": "assistant", "content": [], "model": "night"}
        block = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
        return _sse({"type": "message_start", "message": message}, "message_start") + _sse(block, block["type"])  # type: ignore[arg-type]
    if row.kind == "finish":
        stop = {"type": "content_block_stop", "index": 0}
        last = {
            "type": "message_delta",
            "delta": {"stop_reason": "max_tokens" if reason(row) == "length" else "end_turn"},
            "usage": {"output_tokens": len(row.text.split())},
        }
        return _sse(stop, "content_block_stop") + _sse(last, "message_delta")
    if row.kind == "done":
        return _sse({"type": "message_stop"}, "message_stop")
    piece = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": row.text}}
    return _sse(piece, "content_block_delta")


def _responses(row: Row) -> bytes:
    base = {"id": "resp_7d3e", "object": "response", "model": "night"}
    if row.kind == "role":
        value: dict[str, Any] = {"type": "response.created", "response": base | {"status": "in_progress"}}
    elif row.kind == "finish":
        cut = reason(row) == "length"
        status = "incomplete" if cut else "completed"
        more = {"incomplete_details": {"reason": "max_output_tokens"}} if cut else {}
        usage = {"input_tokens": 9, "output_tokens": len(row.text.split())}
        value = {"type": f"response.{status}", "response": base | {"status": status, "usage": usage, **more}}
    else:
        value = {"type": "response.output_text.delta", "item_id": "msg_1", "output_index": 0, "delta": row.text}
    return b"" if row.kind == "done" else _sse(value | {"sequence_number": 0}, value["type"])


TELLERS: dict[str, tuple[Callable[[Row], bytes], str, str]] = {
    "openai": (_openai, "text/event-stream", "/v1/chat/completions"),
    "fastgpt": (lambda row: _openai(row, "answer"), "text/event-stream", "/api/v1/chat/completions"),
    "ollama": (_ollama, "application/x-ndjson", "/api/chat"),
    "responses": (_responses, "text/event-stream", "/v1/responses"),
    "anthropic": (_anthropic, "text/event-stream", "/v1/messages"),
}


def spoken_in(tape: Tape, wire: str) -> Tape:
    """The same role, words, end and times in another dialect, headers and address with it."""
    teller = TELLERS[wire][0]
    rows = []
    texts = [row for row in tape.rows if row.said or row.kind in ("finish", "done")]
    if texts and not any(row.kind == "finish" for row in texts):  # Ollama's last record is both
        texts = [*texts[:-1], replace(texts[-1], kind="finish"), texts[-1]]
    count = " ".join("1" * sum(1 for row in texts if row.said))  # what the end tells of tokens
    for row in [Row(texts[0].t, b"", "role"), *texts] if texts else []:
        data = teller(replace(row, text=count) if row.kind == "finish" else row)
        if data:
            rows.append(replace(row, data=data, kind="text" if row.said else row.kind, key=(0, "content")))
    return clothed(tape.with_rows(renumbered(rows)), wire)


def clothed(tape: Tape, wire: str) -> Tape:
    """Headers and address of another dialect; the rest of the head stays."""
    _, kind, path = TELLERS[wire]
    old = tape.like.request
    url = f"http://{tape.hop}.example{path}"
    request = Request("POST", url, old.headers if old else (), old.body if old else None)
    head = tape.headed(("content-type", kind)).like.head if tape.like.head else None
    return replace(tape, like=replace(tape.like, wire=wire, request=request, head=head))
