"""What an inline tap keeps: two capture files an exchange, the newest so many and so large, and a row about each."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from harness.capture.format import dumps
from harness.capture.model import Capture
from harness.diagnose.answer import Answer, Verdict
from harness.diagnose.run import diagnose
from harness.errors import InputError
from harness.phrase import phrase, say, term
from harness.runs.result import Tell
from harness.runs.tap_runs import TapRuns

NO_CHAT = Verdict(None, None, None, "cannot-tell", phrase("Not a streamed chat."))
MOST_BYTES = 1024 * 1024 * 1024  # of all capture files
OURS = re.compile(r"\d{6,}\..*\.(read|write)\.capture\.jsonl")
Row = dict[str, Any]


class Kept:
    """``directory`` holds at most ``most`` exchanges and ``most_bytes``; ``rows`` describe them, oldest first.

    Files that an earlier tap left there count and go first. ``runs`` takes the chats.
    """

    def __init__(
        self, directory: Path, most: int, tell: Tell, runs: TapRuns | None = None, most_bytes: int = MOST_BYTES
    ) -> None:
        self.runs = runs
        self.directory, self.most, self.most_bytes, self._tell = directory, most, most_bytes, tell
        self.rows: deque[Row] = deque()
        self.count = self.bad = self.bytes = self.used = 0
        """Exchanges, those with faults, bytes of all answers, bytes of the files that are kept."""
        try:
            directory.mkdir(parents=True, exist_ok=True)
            self._left = deque(_left_by_others(directory))
        except OSError as error:
            raise InputError(f"cannot be made: {error.strerror}", str(directory), "Name another with --save.") from None
        self.used = sum(size for _, size in self._left)

    def take(self, captures: tuple[Capture, Capture]) -> Row:
        """Write, judge and announce one exchange. Blocks for the disk: not for the event loop."""
        read, write = captures
        self.count += 1
        self.bytes += len(read.body or b"")
        stem = f"{self.count:06d}.{_plain(read.exchange)}"
        # A file of its own needs its own bytes.
        files, size = self._write(stem, (read, replace(write, body=read.body)))
        answer = diagnose([read, write]) if _streamed(read) else None
        run_id = self.runs.take((read, write), answer) if self.runs is not None and answer is not None else None
        row = _about(read, answer) | {"run": run_id, "chat": None, "files": files, "size": size}
        self.bad += row["healthy"] is False
        self.rows.append(row)
        what = {"count": self.count, "exchange": read.exchange, "status": row["status"] or phrase("no answer")}
        what |= {"end": term(row["end"]), "seconds": f"{(row['ms'] or 0.0) / 1000:.2f}", "summary": row["summary"]}
        self._tell(say("{count} {exchange}: {status}, {end}, {seconds} s. {summary}", **what))
        self._make_room()
        return row

    def joined(self, run_id: str, chat: str) -> None:
        """The exchange of that run served this chat."""
        for row in self.rows:
            if row["run"] == run_id:
                row["chat"] = chat

    def _write(self, stem: str, captures: Iterable[Capture]) -> tuple[list[str], int]:
        """Names and bytes of the files; fewer where the disk does not take them, which is told."""
        files, size = [], 0
        try:
            for capture in captures:
                file = self.directory / f"{stem}.{_plain(capture.hop)}.{capture.tap}.capture.jsonl"
                files.append(str(file))
                size += file.write_bytes(dumps(capture))
        except OSError as error:
            self._tell(f"{stem}: cannot be written: {error.strerror}")
        self.used += size
        return files, size

    def _make_room(self) -> None:
        """The oldest go; the newest stays, however large."""
        while self._left and (len(self._left) / 2 + len(self.rows) > self.most or self.used > self.most_bytes):
            file, size = self._left.popleft()
            self._drop(file, size=size)
        while len(self.rows) > self.most or (self.used > self.most_bytes and len(self.rows) > 1):
            old = self.rows.popleft()
            self._drop(*old["files"], size=old["size"])
            if self.runs is not None and old["run"] is not None:
                self.runs.forget(old["run"])

    def _drop(self, *files: str | Path, size: int) -> None:
        for file in files:
            with suppress(OSError):
                Path(file).unlink(missing_ok=True)
        self.used -= size


def _left_by_others(directory: Path) -> list[tuple[Path, int]]:
    """Capture files of an earlier tap, oldest first, with their sizes."""
    found = [(file, file.stat()) for file in directory.iterdir() if OURS.fullmatch(file.name)]
    return [(file, facts.st_size) for file, facts in sorted(found, key=lambda pair: pair[1].st_mtime)]


def _about(read: Capture, answer: Answer | None) -> Row:
    """One exchange for a list; ``ttft_ms`` and ``events`` of streamed chats only."""
    verdict, end = answer.verdict if answer else NO_CHAT, read.end
    seen = answer.captures[0] if answer and answer.captures else {}
    request = read.request
    return asked_for(*(request.method, request.url, request.body) if request else ("", "", None)) | {
        "exchange": read.exchange,
        "at": read.sent_at,
        "status": read.head.status if read.head else None,
        "end": end.kind if end else "open",
        "outcome": seen.get("outcome"),
        "bytes": len(read.body or b""),
        "ms": round(end.t, 3) if end else None,
        "ttft_ms": (seen.get("timing") or {}).get("ttft_ms"),
        "events": seen.get("events"),
        "healthy": verdict.healthy,
        "symptom": verdict.symptom,
        "hop": verdict.first_bad_hop,
        "summary": verdict.summary,
    }


def asked_for(method: str, url: str, body: Any) -> Row:
    """``method``, ``path`` (secrets are masked in ``url``) and ``model``, None where the request names none."""
    parts = urlsplit(url)
    model = body.get("model") if isinstance(body, dict) else None
    return {
        "method": method,
        "path": parts.path + (f"?{parts.query}" if parts.query else ""),
        "model": model if isinstance(model, str) else None,
    }


def _streamed(read: Capture) -> bool:
    body = read.request.body if read.request else None
    return isinstance(body, dict) and bool(
        body.get("stream", "/api/chat" in (read.request.url if read.request else ""))
    )


def _plain(text: str) -> str:
    return "".join(c if c.isalnum() or c in "-_" else "_" for c in text)[:60]
