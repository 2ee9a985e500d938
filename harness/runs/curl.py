"""The curl command that does by hand what a probe does, on a machine that the probe cannot reach."""

from __future__ import annotations

from harness.capture.curl_command import curl_command as printed
from harness.probe.request import Messages, ask
from harness.routes.model import Hop, Route

_CURLS_OWN = ("user-agent", "accept-encoding", "authorization")


def left_open(hop: Hop) -> list[str]:
    """The headers whose values the command leaves to whoever runs it: the route's own."""
    return [name.lower() for name in hop.headers if name.lower() not in _CURLS_OWN]


def curl_command(route: Route, hop: Hop, messages: Messages, *, stream: bool = True, trace: bool = True) -> str:
    """One line for a POSIX shell. The key is read from the environment there; ``trace``: record to HOP.trace."""
    wish = ask(route, hop, messages, exchange_id="by-hand", stream=stream, probing=True)
    options = [] if hop.verify else ["-k"]
    options += ["--cacert", hop.ca_file] if hop.ca_file else []
    options += ["-x", hop.proxy] if hop.proxy else []
    # A route's own headers may be secrets, so their values are left for the reader to fill in.
    own = {name.lower(): "…" for name in hop.headers}
    plain = [(name, own.get(name, value)) for name, value in wish.headers if name not in _CURLS_OWN]
    return printed(wish.url, plain, wish.body, hop.api_key_env, f"{hop.name}.trace" if trace else "", options)
