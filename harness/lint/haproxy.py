"""Lint a HAProxy configuration. Measured with 2.6.12: by default chunked events go out in bursts of 200 ms.

``timeout client`` cuts no answer: with 2 s of it, a silence of 5 s from behind passed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from harness.diagnose.answer import Finding
from harness.lint import paths
from harness.lint.duration import seconds
from harness.lint.hint import Spot, hint
from harness.phrase import phrase

_SECTION = re.compile(r"(global|defaults|frontend|backend|listen)(?:\s+(\S+))?(?:\s+from\s+(\S+))?\s*$")
_OTHER = re.compile(
    r"(?:peers|resolvers|userlist|mailers|program|ring|cache|http-errors|fcgi-app|log-forward|crt-list)\b.*$"
)


@dataclass(slots=True)
class Section:
    """A section and the defaults under it; ``lines``: (number, words)."""

    kind: str
    name: str
    line: int
    base: Section | None
    lines: list[tuple[int, list[str]]] = field(default_factory=list)

    def find(self, *words: str) -> tuple[int, list[str]] | None:
        """The last line here, else in the defaults, that begins with these words; ``no option`` undoes an option."""
        count = len(words)
        for number, found in reversed(self.lines):
            if found[:count] == list(words):
                return number, found[count:]
            if found[:1] == ["no"] and found[1 : count + 1] == list(words):
                return None
        return self.base.find(*words) if self.base else None


def sections(text: str) -> list[Section]:
    found: list[Section] = []
    defaults: Section | None = None
    named: dict[str, Section] = {}
    for number, raw in enumerate(text.splitlines(), 1):
        line = re.sub(r"(?<!\\)#.*", "", raw).strip()
        start = _SECTION.match(line)
        if start:
            kind, name, base = start[1], start[2] or "", named.get(start[3] or "", defaults)
            section = Section(kind, name, number, base if kind not in ("global", "defaults") else None)
            found.append(section)
            if kind == "defaults":
                defaults = named[name] = section
        elif _OTHER.match(line):
            found.append(Section("other", "", number, None))
        elif line and found:
            found[-1].lines.append((number, line.split()))
    return found


def lint_haproxy(text: str, file: str, needed: float) -> list[Finding]:
    """Findings at each ``backend`` or ``listen`` that hands HTTP on: those named like an API, or chosen by such a path,
    where there are any."""
    every = sections(text)
    fronts = [s for s in every if s.kind in ("frontend", "listen")]
    found: list[Finding] = []
    for section in paths.streaming(filter(_hands_on, every), lambda s: _named(s, fronts)):
        users = [f for f in fronts if f is not section and _uses(f, section.name)]
        found += _judge(section, users, file, needed)
    return found


def _hands_on(section: Section) -> bool:
    if section.kind not in ("backend", "listen") or (section.find("mode") or (0, ["tcp"]))[1][:1] != ["http"]:
        return False
    return any(words[0] in ("server", "server-template") for _, words in section.lines)


def _named(section: Section, fronts: list[Section]) -> str:
    """The section's name and the conditions under which frontends choose it, their ACLs written out."""
    said = ["/" + section.name]
    for front in fronts:
        for _, words in front.lines:
            if words[:2] == ["use_backend", section.name]:
                tested = {word.lstrip("!") for word in words[2:]}
                said += words[2:]
                said += [" ".join(w[2:]) for _, w in front.lines if w[:1] == ["acl"] and w[1:2] and w[1] in tested]
    return " ".join(said)


def _uses(front: Section, backend: str) -> bool:
    return any(
        words[:1] in (["use_backend"], ["default_backend"]) and words[1:2] == [backend] for _, words in front.lines
    )


def _judge(section: Section, users: list[Section], file: str, needed: float) -> Iterator[Finding]:
    def spot(line: int) -> Spot:
        return Spot(file, line, f"{section.kind} {section.name}".strip(), "HAProxy")

    if not any(s.find("option", "http-no-delay") for s in (section, *users)):
        yield hint(
            "burst.no-delay", "error", spot(section.line), "option http-no-delay is not set.",
            "HAProxy tells the kernel that more is coming (MSG_MORE), so chunked events wait up to 200 ms each.",
            "option http-no-delay in this section or in defaults",
        )  # fmt: skip
    for number, words in section.lines:
        if words[:2] == ["http-response", "wait-for-body"]:
            yield hint(
                "burst.wait-for-body", "error", spot(number), "http-response wait-for-body holds the answer.",
                "The answer waits for so many bytes, or for so long, before anything goes on.", "Remove it for streams",
            )  # fmt: skip
    limit = section.find("timeout", "server")
    silent = seconds(limit[1][0], "ms") if limit and limit[1] else None
    if limit and silent is not None and silent < needed:
        yield hint(
            "truncation.server-timeout", "warning", spot(limit[0]),
            phrase("after {limit} s of silence the stream is cut.", limit=f"{silent:g}"),
            phrase(
                "timeout server is shorter than the {needed} s that a route allows between two reads.",
                needed=f"{needed:g}",
            ),
            f"timeout server {max(needed, 600):g}s", limit_s=silent, needed_s=needed,
        )  # fmt: skip
