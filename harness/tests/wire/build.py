"""Streams to decode, and ways to cut and compare them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from hypothesis import strategies as st

from harness.capture.model import Capture, End, Head, Request, stamped
from harness.tests.bench.streams import KINDS
from harness.wire.decode import decode
from harness.wire.engine import fill
from harness.wire.sse import LIMIT
from harness.wire.stream import Kind, Stream

COLUMNS = (
    "wire", "framing", "coding", "read_ends", "kinds", "starts", "ends", "reads", "times", "channels", "finishes",
    "usages", "errors", "terminators", "identities", "names", "comments", "faults", "tail", "facts",
)  # fmt: skip
PIECES = ("event", "channel", "offset", "length")


def chunk(content: str | None = None, finish: str | None = None, index: int = 0, **more: Any) -> dict[str, Any]:
    """An OpenAI chunk; ``more`` goes into the delta."""
    delta = ({} if content is None else {"content": content}) | more
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1760000000,
        "model": "m",
        "choices": [{"index": index, "delta": delta, "finish_reason": finish}],
    }


def sse(*events: Any, eol: str = "\n", ascii_only: bool = False) -> bytes:
    """Events as bytes: a dict is data, a (name, value) pair a named event, a str data as it stands."""
    out = []
    for event in events:
        name, value = event if isinstance(event, tuple) else ("", event)
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=ascii_only, separators=(",", ":"))
        out.append((f"event: {name}{eol}" if name else "") + f"data: {text}{eol}{eol}")
    return "".join(out).encode("utf-8", "surrogatepass")


def lines(*records: Any) -> bytes:
    """NDJSON."""
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def pieces(body: bytes, cuts: Iterable[int]) -> Iterator[bytes]:
    """The body, cut at these places."""
    before = 0
    for cut in sorted(min(cut, len(body)) for cut in cuts):
        yield body[before:cut]
        before = cut
    yield body[before:]


def capture(
    reads: bytes | Sequence[bytes],
    kind: str = "text/event-stream",
    *,
    wire: str = "",
    coding: str = "",
    end: str | None = "complete",
    status: int | None = 200,
    stream: bool | None = None,
    times: Sequence[float] | None = None,
) -> Capture:
    """A capture of these reads, at 10, 20, 30 … ms unless ``times`` says otherwise."""
    reads = [reads] if isinstance(reads, bytes) else reads
    when = times or [10.0 * (i + 1) for i in range(len(reads))]
    body, stamps, ends = stamped(zip(when, reads, strict=True))
    headers = (("content-type", kind), *((("content-encoding", coding),) if coding else ()))
    return Capture(
        "engine",
        wire=wire,
        request=None if stream is None else Request(url="http://h/v1/chat/completions", body={"stream": stream}),
        head=None if status is None else Head(5.0, status, "1.1", headers),
        body=body,
        times=stamps,
        ends=ends,
        end=None if end is None else End((when[-1] if when else 5.0) + 1, end),
    )


def filled(body: bytes, *, plain: bool = False, wire: str = "", limit: int = LIMIT) -> Stream:
    """A body's stream without reads and times; ``plain``: no event is read but through the dialects."""
    stream = Stream(Capture("engine"), wire, body=body)
    fill(stream, limit=limit, plain=plain)
    return stream


def columns(stream: Stream, *without: str) -> dict[str, Any]:
    """Everything that was decoded, to be compared."""
    out = {name: getattr(stream, name) for name in COLUMNS if name not in without}
    return out | {f"pieces.{name}": list(getattr(stream.pieces, name)) for name in PIECES}


def kinds(body: bytes, wire: str = "", kind: str = "text/event-stream") -> str:
    """The kinds of the events of a body, in one line."""
    return " ".join(Kind(k).name.lower() for k in decode(capture(body, kind, wire=wire)).kinds)


texts = st.text(max_size=12) | st.sampled_from(
    [
        "a",
        " word",
        "é",
        "漢字",
        "🙂",
        '"',
        "\\",
        "\n",
        "\u2028",
        "\ufffd",
        "\x00",
        "\x7f",
        "[DONE]",
        "data: x",
        "",
        "\ud83d",
        "\ude00",
    ]
)


WORDS = texts.filter(lambda text: not any("\ud800" <= char <= "\udfff" for char in text))
INTERRUPTIONS = [
    b"", b": ping\n\n", b"\n", b"data: [DONE]\n\n", b"id: 7\n", b"event: x\n\n", b"nonsense\n\n", b"data: {\n\n",
    b'data: {"error":{"message":"no","code":1}}\n\n', b"data: \xff\n\n", b'error: {"message":"old"}\n\n',
    sse(chunk("x", "stop")), sse(chunk(finish="length") | {"usage": {"completion_tokens": 3}}),
]  # fmt: skip


@st.composite
def chats(draw: st.DrawFn) -> bytes:
    """A stream as backends write them, in runs of alike chunks with all sorts of interruptions."""
    eol = draw(st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"]))
    out = []
    for _ in range(draw(st.integers(0, 6))):
        named = draw(st.sampled_from(["", "", "answer", "message"]))
        part = draw(st.sampled_from(["content", "content", "reasoning", "reasoning_content"]))
        index = draw(st.integers(0, 2))
        base = chunk(index=index, **draw(st.sampled_from([{}, {"role": "assistant"}]))) | draw(
            st.sampled_from(
                [{}, {"model": "漢"}, {"created": 1}, {"id": "", "object": "", "model": ""}, {"id": "other"}]
            )
        )
        ascii_only = draw(st.booleans())
        vary = draw(st.sampled_from(["", "", "usage", "created", "stamp", "both"]))
        for count, text in enumerate(draw(st.lists(texts, max_size=8))):
            base["choices"][0]["delta"][part] = text
            if vary in ("usage", "both"):
                base["usage"] = {"prompt_tokens": 7, "completion_tokens": count, "total_tokens": 7 + count}
            if vary in ("created", "both"):
                base["created"] = count // 2
            if vary == "stamp":
                base["stamp"] = f"2026-01-01T00:00:0{count}Z"
            out.append(
                sse(
                    (named, base) if named else base, eol=eol, ascii_only=ascii_only or "\ud800" <= text[:1] <= "\udfff"
                )
            )
        out.append(draw(st.sampled_from(INTERRUPTIONS)).replace(b"\n", eol.encode()))
    return b"".join(out) + draw(st.sampled_from([b"", b"data: [DONE]", b'data: {"choices":[{"delta":{"con', b": pi"]))


RECORD_ENDS = [b"\n", b"\n", b"\n", b"\n", b"\r\n", b"\n\n", b" \n", b'\n{"error":"no"}\n', b"\n{\n"]


@st.composite
def records(draw: st.DrawFn) -> bytes:
    """Ollama's records, with all sorts of interruptions."""
    out = []
    for count, text in enumerate(draw(st.lists(texts, max_size=12))):
        message = {"role": "assistant", draw(st.sampled_from(["content", "content", "thinking"])): text}
        record = {"model": "m", "created_at": f"0{count}:00", "message": message, "done": draw(st.integers(0, 9)) == 9}
        out.append(json.dumps(record, ensure_ascii=draw(st.booleans()) or "\ud800" <= text[:1] <= "\udfff").encode())
        out.append(draw(st.sampled_from(RECORD_ENDS)))
    return b"".join(out)


DAMAGES = [
    b"\r", b"\n", b"\n\n", b"\r\n", b": c\n\n", b"\xff", b'"', b"\\", b"{", b"}", b"[", b"]", b"null", b"true", b"NaN",
    b"\xef\xbf\xbd", b"\\ud83d", b"\\ude00", b"\\ufffd", b" ", b"\t", b",", b"0", b"-", b"1e999", b"9" * 30,
    b"data: [DONE]\n\n", b"event: answer\n", b'"id":"other",', b'"usage":7,', b'"choices":[],', b"\x00",
]  # fmt: skip


@st.composite
def mixtures(draw: st.DrawFn) -> bytes:
    """Streams of all the shapes that engines send, in runs, with other line ends and damages in the middle."""
    out = []
    for _ in range(draw(st.integers(1, 4))):
        shape = KINDS[draw(st.sampled_from(sorted(KINDS)))]
        name = draw(st.sampled_from(["", "", "answer"]))
        start, ascii_only = draw(st.integers(0, 100)), draw(st.booleans())
        words = draw(st.lists(WORDS, min_size=1, max_size=5)) * draw(st.integers(1, 6))
        events = [shape(start + i, word) for i, word in enumerate(words)]
        run = sse(*((name, event) if name else event for event in events), ascii_only=ascii_only)
        if "done" in events[0]:
            run = lines(*events)
        out.append(run.replace(b"\n", draw(st.sampled_from([b"\n", b"\n", b"\n", b"\r\n"]))))
    body = bytearray(b"".join(out))
    for at, damage, over in draw(st.lists(st.tuples(st.integers(0, 20_000), st.sampled_from(DAMAGES), st.booleans()))):
        at %= len(body) + 1
        body[at : at + len(damage) * over] = damage
    return bytes(body)


cuttings = st.lists(st.integers(0, 1500), max_size=12)
