"""The body of a response, one item per socket read.

The parser (httpcore over h11) gives HTTP chunks and asks the socket for more only when it has given all that the
last read brought. So its coroutine is driven here by hand up to that question, which the stamped stream marks with
:data:`harness.probe.backend.BOUNDARY`; all chunks up to there came in one read. No task, no queue, no extra turn of
the event loop.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Coroutine, Generator
from typing import Any, cast

from harness.probe.backend import BOUNDARY, StampedStream


class Reads:
    """``await reads`` is the body bytes of the next socket read that brought any, ``b""`` at the end of the body.

    ``read_ns``: the moment of that read. Errors are the parser's own.
    """

    def __init__(self, items: AsyncIterator[bytes], stream: StampedStream) -> None:
        self.read_ns = stream.read_ns
        self._items = items
        self._stream = stream
        self._step: Coroutine[Any, Any, bytes] | None = None
        stream.marks = True

    @property
    def midway(self) -> bool:
        """Whether the parser waits in the middle of its work; only more bytes or an error let it go on."""
        return self._step is not None

    def __await__(self) -> Generator[Any, Any, bytes]:
        parts: list[bytes] = []
        try:
            while True:
                if self._step is None:
                    self._step = cast("Coroutine[Any, Any, bytes]", self._items.__anext__())
                item = yield from self._run(self._step)
                if item is not None:
                    self._step = None
                    parts.append(item)
                elif any(parts):
                    self.read_ns = self._stream.read_ns
                    return b"".join(parts)
        except StopAsyncIteration:
            self._step = None
            self.read_ns = self._stream.read_ns
            return b"".join(parts)  # the next call meets the exhausted iterator again
        except BaseException:
            self._step = None
            raise

    @staticmethod
    def _run(step: Coroutine[Any, Any, bytes]) -> Generator[Any, Any, bytes | None]:
        """The item that ``step`` ends with, or None when it asks for the next read.

        The futures that it waits for in between are handed on, as ``await`` would.
        """
        try:
            waited = step.send(None)
            while waited is not BOUNDARY:
                try:
                    sent = yield waited
                except BaseException as error:
                    waited = step.throw(error)
                else:
                    waited = step.send(sent)
        except StopIteration as item:
            return cast("bytes", item.value)
        return None
