"""What an inline tap keeps: two capture files an exchange, the newest so many, and one line for people."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.capture.format import dumps
from harness.capture.model import Capture
from harness.diagnose.answer import Verdict
from harness.diagnose.run import diagnose
from harness.errors import InputError
from harness.phrase import phrase, say, term
from harness.runs.result import Tell
from harness.runs.tap_runs import TapRuns

NO_CHAT = Verdict(None, None, None, "cannot-tell", phrase("Not a streamed chat."))


class Kept:
    """``directory`` holds at most ``most`` exchanges; ``rows`` describe them, oldest first; ``runs`` takes chats."""

    def __init__(self, directory: Path, most: int, tell: Tell, runs: TapRuns | None = None) -> None:
        self.runs = runs
        self.directory, self.most, self._tell = directory, most, tell
        self.rows: deque[dict[str, Any]] = deque()
        self.count = 0
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot be made: {error.strerror}", str(directory), "Name another with --save.") from None

    def take(self, captures: tuple[Capture, Capture]) -> None:
        """Write, judge and announce one exchange. Blocks for the disk: not for the event loop."""
        read, write = captures
        write = replace(write, body=read.body)  # a file of its own needs its own bytes
        self.count += 1
        stem = f"{self.count:06d}.{_plain(read.exchange)}"
        files = [self.directory / f"{stem}.{c.hop}.{c.tap}.capture.jsonl" for c in (read, write)]
        try:
            for file, capture in zip(files, (read, write), strict=True):
                file.write_bytes(dumps(capture))
        except OSError as error:
            self._tell(f"{stem}: cannot be written: {error.strerror}")
        answer = diagnose([read, write]) if _streamed(read) else None
        verdict = answer.verdict if answer else NO_CHAT
        if self.runs is not None and answer is not None:
            self.runs.take((read, write), answer)
        end = read.end
        status = read.head.status if read.head else None
        row = {
            "exchange": read.exchange,
            "status": status,
            "end": end.kind if end else "open",
            "bytes": len(read.body or b""),
            "ms": round(end.t, 3) if end else None,
            "healthy": verdict.healthy,
            "symptom": verdict.symptom,
            "summary": verdict.summary,
            "files": [str(file) for file in files],
        }
        self.rows.append(row)
        seconds = (end.t if end else 0.0) / 1000
        what = {"count": self.count, "exchange": read.exchange, "status": status or phrase("no answer")}
        what |= {"end": term(str(row["end"])), "seconds": f"{seconds:.2f}", "summary": verdict.summary}
        self._tell(say("{count} {exchange}: {status}, {end}, {seconds} s. {summary}", **what))
        while len(self.rows) > self.most:
            for old in self.rows.popleft()["files"]:
                Path(old).unlink(missing_ok=True)


def _streamed(read: Capture) -> bool:
    body = read.request.body if read.request else None
    return isinstance(body, dict) and bool(
        body.get("stream", "/api/chat" in (read.request.url if read.request else ""))
    )


def _plain(text: str) -> str:
    return "".join(c if c.isalnum() or c in "-_" else "_" for c in text)[:60]
