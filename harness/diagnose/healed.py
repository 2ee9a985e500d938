"""Breaks that hurt nobody: a hop in front made it good (another upstream answered, or went on), or we had stopped."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from harness.diagnose.answer import Finding
from harness.diagnose.pair import Pair, side_by_side
from harness.diagnose.thresholds import HEAL_PIECES, RESTART_CHARS
from harness.diagnose.view import View

BROKEN = frozenset({"truncation", "reset", "error", "not-streamed"})
EXCUSE_CHARS = 400  # answers that say no more than that something failed are short
EXCUSE = re.compile(
    r"\b(?:an? (?:\w+ )?error (?:has )?occurred|something went wrong|try again|rate limit|overloaded|timed out"
    r"|(?:request|model|service|upstream|call) (?:has )?failed|(?:un|not )available|internal server error"
    r"|(?:stream|connection|response|answer|upstream) (?:was |has been )?(?:interrupted|lost|closed|reset|cut))\b"
    r"|请求失败|出错了|发生错误|服务不可用|稍后重试|调用失败|系统繁忙|连接中断|输出中断",
    re.I,
)


def healed(
    views: Sequence[View], pairs: Sequence[Pair | None], found: Sequence[tuple[int, Finding]]
) -> list[tuple[int, Finding]]:
    """The findings; what broke hurts nobody where a hop in front healed the same exchange, or had been closed before.

    A hop that could not be reached stays a fault: whoever answered did so at another address.
    """
    stops = [pair.inner.index for pair in pairs if pair and _after_stop(pair)]
    stops += [pair.outer.index for pair in pairs if pair and _all_shown(pair)]
    healers = [pair for pair in pairs if pair and pair.sameness != "different" and heals(pair)]
    spared = {view.index: pair.outer for pair in pairs if pair and _whole(pair) for view in _beside(views, pair)}
    out = []
    for index, finding in found:
        healer = next((pair.outer for pair in healers if index <= pair.inner.index), spared.get(index))
        broken = finding.severity == "error" and finding.symptom in BROKEN and finding.code != "error.unreachable"
        if healer and broken:
            evidence = dict(finding.evidence) | {"healed_by": healer.hop}
            finding = replace(finding, severity="warning", evidence=evidence)
        elif index in stops and finding.severity == "error" and finding.symptom in ("reset", "truncation"):
            finding = replace(finding, severity="info")
        out.append((index, finding))
    return out


def _beside(views: Sequence[View], pair: Pair) -> list[View]:
    """The engines of the inner one's pool."""
    return [view for view in views[: pair.outer.index] if side_by_side(view, pair.inner)]


def _whole(pair: Pair) -> bool:
    return all(view.content and view.text_complete for view in (pair.inner, pair.outer))


def _all_shown(pair: Pair) -> bool:
    """Whether a page showed all text: a finish and a terminator show nothing, and need no stamp."""
    told = [{key: text.text for key, text in view.texts.items()} for view in (pair.inner, pair.outer)]
    return pair.outer.capture.tap == "paint" and pair.inner.text_complete and bool(told[0]) and told[0] == told[1]


def _after_stop(pair: Pair) -> bool:
    """Whether the inner hop broke off no sooner than the outer one was closed from its front: that is how it heard."""
    inner, outer = pair.inner, pair.outer
    shift = pair.shift_ms
    if not outer.ours_to_close or inner.end not in ("reset", "truncated") or pair.sameness == "different":
        return False
    return shift is not None and inner.end_ms + shift >= outer.end_ms + pair.bound_ms


def heals(pair: Pair) -> bool:
    """Whether the inner hop broke, and the outer one tells a whole answer all the same that is no excuse."""
    if "heals" not in pair.memo:
        pair.memo["heals"] = _broke(pair.inner) and _goes_on(pair.inner, pair.outer)
    told: bool = pair.memo["heals"]
    return told


def _broke(inner: View) -> bool:
    cut = inner.end in ("truncated", "reset", "complete") and inner.answered and not inner.text_complete
    return not inner.unreached and (inner.clear_refusal or cut or inner.end == "reset")


def _goes_on(inner: View, outer: View) -> bool:
    """Whether all that the inner hop told is how the outer answer begins, which then goes on to a good end."""
    if not (outer.streamed and outer.content and outer.text_complete) or outer.clear_refusal:
        return False
    added, pieces = "", 0
    for key, text in outer.texts.items():
        before = inner.texts[key].text if key in inner.texts else ""
        rest = text.text[len(before) :]
        if not text.text.startswith(before) or _anew(before.strip(), rest.lstrip()):
            return False
        added += rest
        pieces += sum(end > len(before) for end in text.ends)
    whole = all(key in outer.texts for key in inner.texts)
    return whole and (pieces >= HEAL_PIECES or not inner.content) and not excuses(added)


def _anew(before: str, rest: str) -> bool:
    return len(before) >= RESTART_CHARS and rest.startswith(before[: int(RESTART_CHARS)])


def excuses(text: str) -> bool:
    """Whether a short text says that something failed."""
    text = " ".join(text.split())
    return len(text) <= EXCUSE_CHARS and bool(EXCUSE.search(text))
