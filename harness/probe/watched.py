"""What passes through an inline tap, read on the side: requests and responses of one connection, as captures."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import h11

from harness.capture.mask import mask_body, mask_headers, mask_url
from harness.capture.model import Capture, Headers, Request
from harness.capture.veil import Veil
from harness.probe.clock import host_clock, wall
from harness.probe.framing import Framing, FramingError, after_head, framing_of
from harness.probe.recorder import MemoryRecorder

HEAD_LIMIT = 256 * 1024
BODY_LIMIT = 64 * 1024 * 1024  # bytes of one answer that are kept
REQUEST_LIMIT = 4 * 1024 * 1024  # bytes of one request that are kept
_STATUS = re.compile(rb"HTTP/(\d\.\d) (\d{3})")

Done = Callable[[tuple[Capture, Capture]], None]


class Watched:
    """Fed with what goes both ways; calls ``done`` with the read and the write capture of each exchange.

    It only listens: whatever it cannot make sense of ends the watching, never the connection.
    """

    def __init__(self, hop: str, kind: str, upstream: str, done: Done) -> None:
        self.hop, self.kind, self.upstream, self._done = hop, kind, upstream.rstrip("/"), done
        self.lost = False  # no sense could be made of the bytes
        self._asking = h11.Connection(h11.SERVER, max_incomplete_event_size=HEAD_LIMIT)
        self._request: h11.Request | None = None
        self._sent = bytearray()
        self._waiting: deque[tuple[h11.Request, bytes, int]] = deque()
        self._recorder: MemoryRecorder | None = None
        self._head = b""
        self._framing: Framing | None = None
        self._veil = Veil(())
        self._flooded = False  # more came than is kept

    def asked(self, t_ns: int, data: bytes) -> None:
        """Bytes of the client, as they were handed on at ``t_ns``."""
        if self.lost:
            return
        try:
            self._asking.receive_data(data)
            while True:
                event = self._asking.next_event()
                if isinstance(event, h11.Request):
                    self._request = event
                elif isinstance(event, h11.Data):
                    if len(self._sent) < REQUEST_LIMIT:
                        self._sent += event.data
                elif isinstance(event, h11.EndOfMessage):
                    assert self._request is not None
                    self._waiting.append((self._request, bytes(self._sent), t_ns))
                    self._sent.clear()
                    if self._recorder is None:
                        self._open()
                    rest, _ = self._asking.trailing_data
                    self._asking = h11.Connection(h11.SERVER, max_incomplete_event_size=HEAD_LIMIT)
                    if rest:  # no bytes would mean the end of the connection
                        self._asking.receive_data(rest)
                else:
                    return
        except (h11.RemoteProtocolError, RuntimeError):
            self.lost = True

    def answered(self, t_ns: int, data: bytes) -> None:
        """Bytes of the upstream, as they were read at ``t_ns``."""
        if self.lost:
            return
        if self._framing is None:
            data = self._begin(t_ns, data)
        if self._framing is None or self._recorder is None:
            return
        try:
            body = self._framing.feed(data)
        except FramingError as error:
            self.ended(t_ns, "truncated", f"not HTTP: {error}")
            self.lost = True
            return
        if body and len(self._recorder.body) < BODY_LIMIT:
            self._recorder.on_read(t_ns, self._veil.hide(body))
        elif body:
            self._flooded = True
        if self._framing.done:
            self.ended(t_ns, "complete")

    def handed_on(self, t_ns: int) -> None:
        """What was read last has been written to the client."""
        recorder = self._recorder
        if recorder is not None and len(recorder.ends["write"]) < len(recorder.ends["read"]):
            recorder.on_write(t_ns, len(recorder.body))

    def ended(self, t_ns: int, kind: str, detail: str = "") -> None:
        """The exchange at hand is over; harmless when there is none."""
        if self._waiting and self._recorder is None:
            self._open()
        self.handed_on(t_ns)  # the last piece may bring the end with it
        recorder, self._recorder, self._framing = self._recorder, None, None
        self._head = b""
        if recorder is None:
            return
        if self._flooded:  # the answer went on, and what was kept of it did not
            kind, detail = "timeout", "size"
        elif kind == "close":
            kind = "complete" if "read" in recorder.heads and detail == "open-ended" else "truncated"
            detail = ""
        if kind == "reset" and not detail and "read" not in recorder.heads:
            detail = "reset before the head"
        for tap in ("read", "write"):
            recorder.on_end(tap, t_ns, kind, detail)
        self._done((recorder.capture("read"), recorder.capture("write")))

    @property
    def ongoing(self) -> MemoryRecorder | None:
        """The exchange that is under way, from when its request was whole."""
        return self._recorder

    @property
    def open_ended(self) -> bool:
        return self._framing is not None and self._framing.open_ended

    def _begin(self, t_ns: int, data: bytes) -> bytes:
        """Collect the head; what follows it is the body."""
        if self._recorder is None:
            if not self._waiting:
                return b""
            self._open()
        self._head += data
        rest = after_head(self._head)
        heads = self._head[: len(self._head) - len(rest)]
        last = heads.rstrip(b"\r\n").replace(b"\r\n", b"\n").split(b"\n\n")[-1]
        status = _STATUS.match(last)
        if status is None or status[2][:1] == b"1" or not heads.endswith((b"\n\r\n", b"\n\n")):
            self.lost = len(self._head) > HEAD_LIMIT
            return b""
        assert self._recorder is not None
        lines = last.split(b"\n")
        headers = _fields(lines[1:])
        for tap in ("read", "write"):
            masked = self._veil.headers(mask_headers(headers))
            self._recorder.on_head(tap, t_ns, int(status[2]), status[1].decode(), masked)
        self._framing = framing_of(int(status[2]), headers)
        return rest

    def _open(self) -> None:
        request, body, t_ns = self._waiting.popleft()
        sent: Headers = tuple((k.decode("latin-1"), v.decode("latin-1")) for k, v in request.headers)
        try:
            said: Any = json.loads(body) if body else None
        except ValueError:
            said = body.decode("utf-8", "replace")
        user = said.get("user") if isinstance(said, dict) else None
        key = dict(sent).get("x-exchange-id") or (user if isinstance(user, str) else "") or uuid4().hex
        self._veil, self._flooded = Veil(sent), False
        template = Capture(self.hop, self.kind, "read", exchange=key, meta={"inline": True})
        self._recorder = MemoryRecorder(template, host_clock(), write=("tap", "network-path"))
        url = mask_url(self.upstream + request.target.decode("latin-1"))
        asked = Request(request.method.decode(), url, mask_headers(sent), mask_body(said))
        for tap in ("read", "write"):
            self._recorder.on_begin(tap, t_ns, wall(t_ns), asked)


def _fields(lines: list[bytes]) -> Headers:
    pairs = (line.partition(b":") for line in lines if b":" in line)
    return tuple((name.decode("latin-1").strip().lower(), value.decode("latin-1").strip()) for name, _, value in pairs)
