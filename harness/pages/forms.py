"""Forms are Django's to read. Twisted would read each one first, on the event loop, for nobody."""

from __future__ import annotations

import sys
from typing import Any


def leave_forms_to_django() -> None:
    """Have Daphne's requests not parsed by Twisted, where Daphne is what serves us. Idempotent.

    An upload of 60 MB stopped every stream for 1.7 s in Twisted's parser; Django reads the body itself, in a thread.
    """
    protocol = sys.modules.get("daphne.http_protocol")
    if protocol is None or "leaves_forms" in vars(protocol.WebRequest):
        return
    begin = protocol.WebRequest.__init__

    def begin_without_forms(self: Any, *args: Any, **kwargs: Any) -> None:
        begin(self, *args, **kwargs)
        self._parsePOSTFormSubmission = False  # Twisted's own switch; its keyword is not passed on by Daphne

    protocol.WebRequest.__init__ = begin_without_forms
    protocol.WebRequest.leaves_forms = True
