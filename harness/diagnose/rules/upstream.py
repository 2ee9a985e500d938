"""content, duplicate: another model goes on in the middle, an answer that begins anew, one that was stored."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise

from harness.diagnose.answer import Finding
from harness.diagnose.fault import Fault
from harness.diagnose.pair import moment
from harness.diagnose.thresholds import BURST_JOIN_MS, REPLAY_EVENTS, REPLAY_MS, REPLAY_RATIO, RESTART_CHARS, RETRIES
from harness.diagnose.view import View
from harness.phrase import phrase
from harness.wire.stream import Kind

MODEL = Fault(
    "content.model-changed",
    "From event {event_no} on the frames name another {field} ({was} → {now}) under one id: another engine goes on.",
    "A fallback or a balancer in the middle of the answer, or engines of one pool that are not alike.",
    "Check that the text goes on without a seam; pin one answer to one engine; log retries at this hop.",
)
RESTART = Fault(
    "duplicate.restart",
    "The answer begins anew at event {event_no}: {chars} characters are told again after {before} characters ({seam}).",
    "A retry in the middle: the upstream broke and was asked again, and what had been sent already came once more.",
    "Retry only before the first piece has been sent; later, end with an error and let the client decide.",
)
STORED = Fault(
    "content.cache-hit",
    "The response says that it comes out of a cache: {mark}.",
    "A cache in front plays an answer back that was made for another request.",
    "Forbid caching of streams (Cache-Control: no-store) where answers must be fresh.",
)
AT_ONCE = Fault(
    "content.replay-alone",
    "All {content_events} pieces came at once, {at} ms after the request{made_words}: no model is that fast.",
    "A stored answer was played back (a gateway's answer cache, a proxy's), or the source is a mock.",
    "Look for a cache at this hop; forbid it (Cache-Control: no-store) where answers must be fresh.",
)
REPEATED = Fault(
    "content.replay-repeat",
    "Repeat {repeat_no} bears the id and time of repeat {first_no} and took {took_ms} ms where that one took "
    "{first_ms} ms: a stored answer was played back.",
    "A cache at this hop or behind it answers repeats of one prompt.",
    "Forbid caching of streams where answers must be fresh; vary the prompt when you measure.",
)
CACHES = ("x-cache", "x-cache-status", "cf-cache-status", "x-proxy-cache", "x-nginx-cache", "x-litellm-cache-hit")
WEEK_S = 7 * 86_400  # an older time than what caches keep is a made-up one
MINUTE_S = 60  # clocks of two machines differ by less


def alone(view: View) -> Iterator[Finding]:
    if not view.streamed:
        return
    yield from _model(view)
    yield from _restart(view)
    yield from _stored(view)


def _model(view: View) -> Iterator[Finding]:
    if len(view.choices) > 1:
        return
    for old, new in pairwise(view.stream.identities):
        if old.id != new.id or not _between(view, new.event):
            continue
        for field in ("model", "fingerprint"):
            was, now = getattr(old, field), getattr(new, field)
            if was and now and was != now:
                words = {"event_no": new.event}
                yield MODEL.found(view, "warning", event=new.event, field=field, was=was, now=now, words=words)
                return


def _between(view: View, event: int) -> bool:
    return bool(view.content) and view.content[0] < event <= view.content[-1]


def _restart(view: View) -> Iterator[Finding]:
    """At a seam (another identity, another role chunk) the text so far begins to be told again.

    A model that turns in a circle tells its text again too: seams that come all the time prove nothing, and neither
    does ``created``, which some engines write anew each second.
    """
    changes = [
        new.event
        for old, new in pairwise(view.stream.identities)
        if (old.id, old.model, old.fingerprint) != (new.id, new.model, new.fingerprint)
    ]
    silent = (Kind.ROLE, Kind.EMPTY, Kind.HEARTBEAT)
    roles = [i for i, kind in enumerate(view.stream.kinds) if kind in silent and b'"role"' in view.stream.raw(i)]
    seams = dict.fromkeys(roles if len(roles) <= RETRIES + 1 else [], phrase("a second role chunk opens it"))
    seams |= dict.fromkeys(changes if len(changes) <= RETRIES else [], phrase("its identity changes there"))
    for text in view.texts.values():
        for event in sorted(seams):
            at = bisect_left(text.events, event)
            start = text.ends[at - 1] if at else 0
            if at == len(text.events) or not text.text.startswith(text.text[: int(RESTART_CHARS)], start):
                continue
            rest = zip(text.text[:start], text.text[start:], strict=False)
            again = next((i for i, (a, b) in enumerate(rest) if a != b), min(start, len(text.text) - start))
            if again >= RESTART_CHARS and again >= 0.5 * min(start, len(text.text) - start):
                words = {"event_no": event, "seam": seams[event]}
                yield RESTART.found(view, "error", event=text.events[at], chars=again, before=start, words=words)
                return


def _stored(view: View) -> Iterator[Finding]:
    mark = next((f"{name}: {view.header(name)}" for name in CACHES if _hit(view.header(name))), "")
    age = view.header("age")
    waited_s = (view.head.t if view.head else 0.0) / 1000  # Varnish counts its own fetch: no older than this exchange
    if not mark and age.isdigit() and int(age) > waited_s + 1:
        mark = f"age: {age}"
    if mark:
        yield STORED.found(view, "warning", event=view.content[0] if view.content else None, mark=mark)
        return
    times = view.content_ms
    if len(times) < REPLAY_EVENTS or times[-1] > REPLAY_MS or times[-1] - times[0] > BURST_JOIN_MS:
        return
    asked, made = moment(view.capture.sent_at), next((row.created for row in view.stream.identities if row.created), 0)
    old = asked / 1000 - made if asked and made else 0.0
    told = MINUTE_S < old < WEEK_S
    before = phrase(", and bear a time {seconds} s before it", seconds=f"{old:.0f}")
    words = {"made_words": before if told else ""}
    yield AT_ONCE.found(
        view, "warning", event=view.content[0], content_events=len(times), at=times[-1], words=words,
        made_before_s=old if told else None,
    )  # fmt: skip


def _hit(value: str) -> bool:
    return value.lower().split(" ")[0] in ("hit", "true", "updating", "stale") or "hit from" in value.lower()


class Repeats:
    """Answers of a later repeat that are an earlier one played back: same id and time, in a fraction of its time."""

    def __init__(self) -> None:
        self.first: dict[tuple[str, str, int | None], tuple[int | None, float]] = {}

    def of(self, repeat: int | None, views: Sequence[View]) -> Iterator[Finding]:
        """What the views of this repeat play back, given the repeats before it."""
        for view in views:
            row = next((row for row in view.stream.identities if row.id), None)
            if row is None or not view.content_ms or not view.text_complete:
                continue
            key, took = (view.hop, row.id, row.created), view.content_ms[-1]
            number, before = self.first.setdefault(key, (repeat, took))
            if number != repeat and took < REPLAY_RATIO * before:
                words = {"repeat_no": repeat, "first_no": number}
                event = view.content[0]
                yield REPEATED.found(
                    view, "warning", event=event, words=words, id=row.id, took_ms=took, first_ms=before
                )
