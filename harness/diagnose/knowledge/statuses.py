"""What an HTTP status of a chat endpoint usually means, and what to do about it, as data."""

from __future__ import annotations

from harness.phrase import phrase, term

STATUSES: dict[int, tuple[str, str]] = {
    400: ("The request is not what this hop expects.", "Compare it with one that works directly at the inner hop."),
    401: ("The key that is sent to this hop is wrong or missing.", "Correct the key that the hop in front sends."),
    403: ("The key is known but not allowed.", "Check the key's rights, and firewalls that answer in the hop's place."),
    404: ("No such path or model at this hop.", "Check the base URL (with /v1 or without) and the model's name."),
    405: ("The path takes another method.", "Check the URL: chat endpoints take POST."),
    408: ("The hop gave up waiting.", "Raise its timeout, or see why the inner hop is slow."),
    413: ("The prompt is larger than this hop takes.", "Raise the body limit (nginx: client_max_body_size)."),
    415: ("The content type is refused.", "Send application/json."),
    422: ("A field of the request is refused.", "Read the message; drop or rename the field."),
    429: ("Rate or queue limit reached.", "Wait, or raise the limit at this hop."),
    500: ("The hop failed inside.", "Look at its log at that time."),
    501: ("Not implemented at this hop.", "Check the path and the wire that the route names."),
    502: ("The hop could not use the answer of the hop behind it.", "Is the hop behind running, at that address?"),
    503: ("Overloaded, starting or shutting down.", "Wait for readiness; check queue limits and model loading."),
    504: (
        "The hop gave up waiting for the hop behind it.",
        "Raise its timeout (Envoy: route timeout; nginx: proxy_read_timeout), or see what is slow.",
    ),
    524: ("Cloudflare gave up waiting for the origin.", "Send headers and keep-alives early."),
}


def advice_for(status: int) -> tuple[str, str]:
    """(cause, fix) for a status; the class of the status where the number is not in the table."""
    if status in STATUSES:
        cause, fix = STATUSES[status]
        return term(cause), term(fix)
    if 300 <= status < 400:
        return (
            phrase("The hop sends the request elsewhere (http to https, a missing path, a login page)."),
            phrase("Put the address that it redirects to into the route or the hop in front: a POST follows none."),
        )
    if status >= 500:
        return phrase("The hop failed inside."), phrase("Look at its log at that time.")
    refused = phrase("The hop refuses the request.")
    return refused, phrase("Read its message and compare the request with one that works.")
