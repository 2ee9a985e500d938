"""Gateways that compress."""

from __future__ import annotations

import zlib
from collections.abc import Iterable

from harness.capture.model import Headers
from harness.lab.gateways.model import Do, Gateway, Send, SendHead, forwardable
from harness.lab.gateways.registry import gateway
from harness.lab.params import Params


@gateway("gzip")
class Gzip(Gateway):
    """gzip with a flush after every read: compressed, and still a stream."""

    flush = zlib.Z_SYNC_FLUSH

    def __init__(self, params: Params) -> None:
        super().__init__(params)
        self._packer = zlib.compressobj(6, zlib.DEFLATED, 31)

    def head(self, t: float, status: int, headers: Headers) -> Iterable[Do]:
        yield SendHead(status, (*forwardable(headers), ("content-encoding", "gzip")))

    def data(self, t: float, data: bytes) -> Iterable[Do]:
        packed = self._packer.compress(data)
        if self.flush != zlib.Z_NO_FLUSH:
            packed += self._packer.flush(self.flush)
        if packed:
            yield Send(packed)

    def end(self, t: float, kind: str) -> Iterable[Do]:
        yield Send(self._packer.flush())
        yield from super().end(t, kind)


@gateway("gzip-no-flush", "burst")
class GzipNoFlush(Gzip):
    """gzip without a flush: the compressor keeps the text until its window is full or the stream ends."""

    flush = zlib.Z_NO_FLUSH
