"""error: the hop says that it failed: an error status, an error inside the stream, or nobody at the address."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from harness.diagnose.answer import Finding
from harness.diagnose.fault import Fault
from harness.diagnose.healed import EXCUSE_CHARS, excuses, heals
from harness.diagnose.knowledge.statuses import advice_for
from harness.diagnose.pair import Pair
from harness.diagnose.thresholds import STALL_MS
from harness.diagnose.view import View
from harness.phrase import phrase

STATUS = Fault(
    "error.status",
    "{hop} answers {status} after {at} ms: {message}",
    "{cause}",
    "{advice}",
)
IN_BAND = Fault(
    "error.in-band",
    "An error inside the stream (HTTP {status}) at event {n}, after {chars} characters of text: {message}",
    "The hop failed after its headers were sent, so that the status still says success.",
    "Look at this hop's log; readers must treat an error object in any event as failure.",
)
DOCUMENT = Fault(
    "error.document",
    "{hop} answers {status} with an error document instead of a stream: {message}",
    "The hop failed before it opened the stream, and keeps the status of success.",
    "Read its message; the hop should answer with an error status.",
)
UNREACHED = Fault(
    "error.unreachable",
    "{hop} could not be reached: {message}",
    "{cause}",
    "{advice}",
)
NODE = Fault(
    "error.node",
    "The node {node} of the workflow failed, and the answer ends as if it had not: {message}",
    "FastGPT keeps an error of the model's side in the node's record, and ends the stream with stop and [DONE].",
    "Read the node records (detail: true); look at the model channel behind this hop at that time.",
)
FINISH = Fault(
    "error.finish",
    "The answer ends with finish_reason {reason}: the engine failed after {chars} characters.",
    "The engine reports its failure as the finish reason.",
    "Look at the engine's log at that time.",
)
ANSWERING = ("chatNode", "tools", "agent", "answerNode")
FAILED = {"error", "network_error", "server_error", "internal_error", "engine_error", "timeout"}
FAILED |= {"insufficient_system_resource"}
"""Finish reasons that tell a failure: vLLM, SGLang, Zhipu, DeepSeek and gateways."""

MESSAGE_CHARS = 20
SILENCED = Fault(
    "error.hidden",
    "{hop_inner} failed clearly ({inner_failure}), {hop} hides it: {outer_story}.",
    "The hop opens its own stream before it has looked at the inner answer, and does not pass the failure on.",
    "Check the inner status and error events first and pass status and message on.",
)


def alone(view: View) -> Iterator[Finding]:
    if view.refused:
        target = view.header("location")
        message = phrase("to {target}", target=target) if target and (view.status or 0) < 400 else body_message(view)
        cause, advice = _advice(view)
        yield STATUS.found(
            view,
            "error",
            at_ms=view.head.t if view.head else None,
            status=view.status,
            message=message,
            words={"at": round(view.head.t if view.head else 0), "cause": cause, "advice": advice},
        )
    elif view.error_document:
        at = view.head.t if view.head else None
        yield DOCUMENT.found(view, "error", at_ms=at, status=view.status, message=body_message(view))
    elif view.in_band:
        first = view.stream.errors[0]
        yield IN_BAND.found(
            view,
            "error",
            event=first.event,
            status=view.status,
            words={"n": first.event},
            message=_short(first.message) if first.message else phrase("(no message)"),
            code=first.code or None,
            chars=_chars_before(view, first.event),
        )
    else:
        yield from _nodes(view)
        reason = next((r for r in view.finished.values() if r.lower() in FAILED), None)
        if reason:
            yield FINISH.found(
                view, "error", event=len(view.stream) - 1, reason=reason, chars=_chars_before(view, None)
            )


def _advice(view: View) -> tuple[str, str]:
    """Cause and fix: of the status, or of a POST that came as something else."""
    method = view.capture.request.method if view.capture.request else ""
    if method not in ("GET", "HEAD"):
        return advice_for(view.status or 0)
    return (
        phrase("The request came here as {method}: the hop in front made that of a POST.", method=method),
        phrase("Let the hop in front pass POST on as it is (Varnish: return (pass); no redirect on the way)."),
    )


def _nodes(view: View) -> Iterator[Finding]:
    """Errors in FastGPT's node records: of a node that answers they hurt, others may be caught by the workflow."""
    for node in view.stream.facts.get("nodes", []):
        message = str(node.get("errorText") or node.get("error") or "")
        if message:
            answers = node.get("moduleType") in ANSWERING or not view.content
            name = node.get("moduleName") or node.get("moduleType") or node.get("nodeId") or "?"
            severity = "error" if answers else "warning"
            yield NODE.found(view, severity, event=node.get("event"), node=name, message=_short(message))
            return


def unreachable(view: View, beside_an_answer: bool) -> Iterator[Finding]:
    """A connection that could not be made: an error only beside a hop that answered."""
    if view.unreached:
        url = view.capture.request.url if view.capture.request else ""
        if view.detail.startswith("tls"):
            cause = phrase("Something listens at that address, and no TLS connection with it came about.")
            advice = phrase(
                "Write http:// where it speaks plain HTTP; set ca_file where a private CA signed for it: {url}", url=url
            )
        else:
            cause = phrase("Nobody answers at that address (not running, wrong host or port, or blocked).")
            advice = phrase("Start it, or correct the address: {url}", url=url)
        yield UNREACHED.found(
            view,
            "error" if beside_an_answer else "warning",
            at_ms=view.end_ms,
            message=view.why_unreached,
            url=url,
            words={"cause": cause, "advice": advice},
        )


def between(pair: Pair) -> Iterator[Finding]:
    """A clear failure of the inner hop that the outer one turns into silence, emptiness or a clean end."""
    inner, outer = pair.inner, pair.outer
    waiting = outer.end in ("open", "timeout")
    if not inner.clear_refusal or outer.clear_refusal or outer.unreached or not (outer.head or waiting):
        return
    if not outer.head and outer.end_ms - inner.end_ms < STALL_MS:
        return  # it may still pass the refusal on
    another = inner.refused and outer.content and outer.text_complete
    if (another or heals(pair)) and not _apologises(inner, outer):
        return  # another upstream answered
    told_text = bool(outer.content) and not outer.text_complete and outer.end in ("truncated", "reset")
    if told_text and inner.in_band:
        return
    if outer.text_complete and outer.content and not inner.in_band and not inner.refused:
        return
    message = _short(inner.stream.errors[0].message) if inner.in_band else body_message(inner)
    failure = phrase("HTTP {status}: {message}", status=inner.status, message=message)
    if waiting and not outer.head:
        story = phrase("no answer at all for {silent_ms} ms", silent_ms=round(outer.end_ms))
    elif waiting:
        silent = round(outer.end_ms)
        story = phrase("HTTP {status} and silence for {silent_ms} ms", status=outer.status, silent_ms=silent)
    elif not outer.content:
        story = phrase("HTTP {status} and an empty body", status=outer.status)
    else:
        story = phrase(
            "HTTP {status} and a clean end after {count} content events",
            status=outer.status, count=len(outer.content),
        )  # fmt: skip
    yield SILENCED.found(
        outer,
        "error",
        inner=inner,
        at_ms=outer.end_ms,
        inner_failure=failure,
        words={"outer_story": story},
        inner_status=inner.status,
        outer_status=outer.status,
    )


def _apologises(inner: View, outer: View) -> bool:
    """Whether the outer answer, a short one, is about the inner failure: its status, its message, or an excuse."""
    text = " ".join(outer.stream.text().split())
    message = str(body_message(inner))[:MESSAGE_CHARS]
    about = str(inner.status) in text or (len(message) == MESSAGE_CHARS and message in text)
    return len(text) <= EXCUSE_CHARS and (about or excuses(text))


def body_message(view: View) -> str:
    """What an error body says, in one line: the message of JSON errors, the title of HTML pages."""
    raw = (view.stream.body or view.capture.body or b"")[:4000].decode("utf-8", "replace").strip()
    try:
        data = json.loads(raw)
    except ValueError:
        title = re.search(r"<title>(.*?)</title>", raw, re.S | re.I)
        return _short(title.group(1) if title else re.sub(r"<[^>]+>", " ", raw)) or phrase("(no body)")
    for key in ("error", "detail", "message", "msg", "statusText"):
        if isinstance(data, dict) and data.get(key):
            inner = data[key]
            return _short(str(inner.get("message", inner)) if isinstance(inner, dict) else str(inner))
    return _short(raw)


def _short(text: str) -> str:
    text = " ".join(str(text).split())
    return text if len(text) <= 160 else text[:157] + "…"


def _chars_before(view: View, event: int | None) -> int:
    return sum(len(text) for at, _, text in view.stream.deltas() if event is None or at < event)
