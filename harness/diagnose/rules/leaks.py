"""encoding, content, malformed: what belongs to tokenisers, templates and escapes, and stands in a text or a name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from harness.diagnose.answer import Finding
from harness.diagnose.fault import Fault
from harness.diagnose.meant import SPELLING, speaks_of
from harness.diagnose.view import Text, View

TOKEN_MARKS = Fault(
    "encoding.token-marks",
    "The tokeniser's own signs stand in the text where blanks belong: {mark}, {times} times.",
    "Tokens are sent as the vocabulary spells them (convert_ids_to_tokens), not decoded.",
    "Decode the token ids with the tokeniser, incrementally over the whole answer.",
)
BYTE_TOKENS = Fault(
    "encoding.byte-tokens",
    "Byte tokens stand in the text as they are spelt: {first} and {times} in all.",
    "The decoder does not put byte fallback tokens together into characters.",
    "Use the tokeniser's incremental decoder, which holds bytes back until a character is whole.",
)
ESCAPES = Fault(
    "encoding.escapes",
    "The text is written in escapes ({times} of the kind {first}): readers see the escapes, not the characters.",
    "The text was escaped twice: once by hand or by another serialiser, once as JSON.",
    "Serialise the chunk once; put the decoded text into it.",
)
LINE_ENDS = Fault(
    "encoding.line-ends",
    "Line ends stand in the text as two letters (\\n), {times} times, and not one as a line end.",
    "The text was escaped twice on its way.",
    "Serialise the chunk once; put the decoded text into it.",
)
ENTITIES = Fault(
    "encoding.entities",
    "The text holds {times} HTML entities and no HTML, first {first}.",
    "A filter or template escapes the text for a page, and it is shown as text.",
    "Escape at the place where the page is built, once.",
)
ROLE = Fault(
    "content.role-word",
    "The answer begins with the word {word} on a line of its own.",
    "The chat template's header is generated with the answer: the prompt does not end with it.",
    "Check the template's generation prompt (add_generation_prompt) at this hop.",
)
THOUGHT_TAG = Fault(
    "content.tag-in-thought",
    "A tag of the thinking stands in the reasoning channel: {tag}.",
    "The reasoning parser splits the channels and leaves its own marks in.",
    "A fixed parser at this hop.",
)
NAME = Fault(
    "malformed.call-name",
    "The name of a tool call is no name: {name}.",
    "The hop's parser takes marks of the template, or the arguments, for the name; nobody can make the call.",
    "A parser that fits the model's call format at this hop.",
)
UNKNOWN = Fault(
    "content.unknown-tool",
    "The answer calls {name}, which the request does not offer ({offered}).",
    "The model made the tool up, or the hop changed its name.",
    "Compare the names at the hop behind; ask with a stricter tool choice.",
)
MARK = re.compile(r"[Ġ▁](?=\w)")
GLUED = re.compile(r"[Ġ▁](?=\w)(?:(?<=[\w.,;:!?].)|(?<=^.))")  # where a blank belongs; in a list of tokens there is one
BARS = re.compile(r"[▂▃▄▅▆▇█]|▁▁")  # a drawing
MARKS_LEAST = 4
BYTE_TOKEN = re.compile(r"(?<!`)<0x[0-9A-F]{2}>")
ESCAPE = re.compile(r"\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}")
OWN_SHARE = 0.8  # of the marks, which make pieces of their own where a decoder or serialiser wrote them
ENTITY = re.compile(r"&(?:#\d{1,6}|#x[0-9a-fA-F]{1,5}|quot|amp|lt|gt|apos|nbsp);")
ROLE_WORD = re.compile(r"\s*(assistant|model|ASSISTANT|<\|assistant\|>)[ \t]*:?[ \t]*\n")
THINK_TAG = re.compile(r"</?(?:mm:|seed:)?think(?:ing)?>|\[/?THINK\]|◁/?think▷")
NO_NAME = re.compile(r"[\s<>|{}()\[\]\"'=]")
THREE = 3  # escapes, byte tokens or entities: fewer may be meant


def alone(view: View) -> Iterator[Finding]:
    if not view.streamed or not view.content:
        return
    for key, text in view.texts.items():
        if key.part == "content":
            yield from _text(view, text)
        elif key.part == "reasoning" and (tag := THINK_TAG.search(text.text)):
            yield THOUGHT_TAG.found(view, "warning", event=text.event_at(tag.start()), tag=tag.group(0))
    yield from _names(view)


def _text(view: View, text: Text) -> Iterator[Finding]:
    whole = text.text
    marks = [] if BARS.search(whole) else GLUED.findall(whole)
    if (
        len(marks) >= MARKS_LEAST
        and len(marks) > whole.count(" ")
        and len(marks) >= OWN_SHARE * len(MARK.findall(whole))
    ):
        severity = "warning" if speaks_of(view, SPELLING) else "error"
        event = text.event_at(whole.index(marks[0]))
        yield TOKEN_MARKS.found(view, severity, event=event, mark=marks[0], times=len(marks))
    if hits := BYTE_TOKEN.findall(whole):
        event = text.event_at(whole.index(hits[0]))
        yield BYTE_TOKENS.found(view, _weight(view, text, BYTE_TOKEN), event=event, first=hits[0], times=len(hits))
    plain = "`" not in whole and whole.lstrip()[:1] not in ("{", "[", '"')  # neither code nor JSON
    escapes = ESCAPE.findall(whole)
    if plain and len(escapes) >= THREE and sum(map(len, escapes)) >= 0.5 * len(whole):
        severity = _weight(view, text, ESCAPE)
        yield ESCAPES.found(view, severity, event=text.event_at(0), first=escapes[0], times=len(escapes))
    ends = whole.count("\\n")
    if plain and ends >= THREE and "\n" not in whole:
        yield LINE_ENDS.found(view, "warning", event=text.event_at(whole.index("\\n")), times=ends)
    entities = ENTITY.findall(whole)
    if plain and len(entities) >= THREE and "<" not in whole:
        event = text.event_at(whole.index(entities[0]))
        yield ENTITIES.found(view, "warning", event=event, first=entities[0], times=len(entities))
    if role := ROLE_WORD.match(whole):
        yield ROLE.found(view, "warning", event=text.event_at(role.start(1)), word=role.group(1))


def _weight(view: View, text: Text, mark: re.Pattern[str]) -> str:
    """An error where a decoder or serialiser wrote the marks, and nobody had asked for them."""
    return "error" if _own(text, mark) >= THREE and not speaks_of(view, SPELLING) else "warning"


def _own(text: Text, mark: re.Pattern[str]) -> int:
    """How many pieces are such marks and nothing else; 0 when others hold marks, or parts of them, that a model wrote
    sign by sign."""
    pieces = text.pieces()
    only = re.compile(rf"\s*(?:(?:{mark.pattern})\s*)+")
    own = [piece for piece in pieces if only.fullmatch(piece)]
    inside = sum(len(mark.findall(piece)) for piece in own)
    return len(own) if inside >= OWN_SHARE * len(mark.findall(text.text)) else 0


def _names(view: View) -> Iterator[Finding]:
    offered = _offered(view.asked)
    for channel in view.stream.channels:
        if not channel.name or not channel.key.part.startswith("tool"):
            continue
        event = view.texts[channel.key].events[0] if channel.key in view.texts else view.content[0]
        if channel.name in offered:
            continue
        if NO_NAME.search(channel.name):
            yield NAME.found(view, "error", event=event, name=repr(channel.name[:80]))
        elif offered:
            yield UNKNOWN.found(view, "warning", event=event, name=channel.name, offered=sorted(offered)[:10])


def _offered(asked: dict[str, Any]) -> set[str]:
    """The tools that the request names; none when one of them has no name (built-in ones)."""
    tools = asked.get("tools")
    names: set[str] = set()
    for tool in tools if isinstance(tools, list) else []:
        inner = tool.get("function") if isinstance(tool, dict) else None
        name = (inner if isinstance(inner, dict) else tool if isinstance(tool, dict) else {}).get("name")
        if not isinstance(name, str):
            return set()
        names.add(name)
    return names
