"""Every error that Streamscope raises on purpose, and whose fault each is.

::

    StreamscopeError                what, where, do: one clear sentence for the user
    ├── InputError                  the user's input: arguments, a file, a body           exit 2, HTTP 400
    │   ├── CaptureError            a capture file that cannot be read (file, line)       exit 2
    │   ├── RouteError              a route file or variable that makes no sense          exit 2
    │   └── UnknownRoute            no route or hop of that name                          exit 2, HTTP 404
    ├── Unreachable                 nothing answered: refused, DNS, TLS                   exit 2, HTTP 502
    └── LimitExceeded               a bound of ours was hit (memory, time, size)          exit 2

Library errors are mapped to these once, at the seam where the library is called.
"""

from __future__ import annotations


class StreamscopeError(Exception):
    """One sentence in three parts: what happened, where, and what to do about it."""

    def __init__(self, what: str, where: str = "", do: str = "") -> None:
        self.what, self.where, self.do = what, where, do
        super().__init__(": ".join(part for part in (where, what) if part) + (f". {do}" if do else ""))

    def as_json(self) -> dict[str, str]:
        return {"what": self.what, "where": self.where, "do": self.do}


class InputError(StreamscopeError):
    """The user's input cannot be used."""


class CaptureError(InputError):
    """A capture file cannot be read; ``where`` names the file and the line."""


class RouteError(InputError):
    """A route definition makes no sense."""


class UnknownRoute(InputError):
    """No route, or no hop of a route, has that name."""


class Unreachable(StreamscopeError):
    """Nothing answered at an address: refused, name not found, TLS failure."""


class LimitExceeded(StreamscopeError):
    """A bound of our own was hit."""
