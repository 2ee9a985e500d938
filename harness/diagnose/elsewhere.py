"""Text that a hop takes out of a channel without losing it: told in another one, or a mark for machines."""

from __future__ import annotations

import re

from harness.diagnose.pair import Pair
from harness.wire.stream import ChannelKey

MARKS = re.compile(
    r"</?(?:(?:mm:|seed:)?think|thinking|reasoning|thought)>|\[/?THINK\]|\[[0-9a-f]{24}\]\((?:CITE|QUOTE)\)"
    r"|<\|\w{2,30}\|>|<｜[^｜\s]{2,30}｜>|</?s>|<(?:start|end)_of_turn>|<(?:bos|eos|pad)>",
    re.I,
)
"""Tags around thinking, FastGPT's marks of the passages that an answer rests on, and the templates' own signs."""


def stands_elsewhere(pair: Pair, key: ChannelKey, text: str) -> bool:
    """Whether ``text``, which the outer hop does not say in channel ``key``, is told in a channel that the inner hop
    does not have (thinking made a field of its own), or is marks alone."""
    words = MARKS.sub("", text).split()
    if not words:
        return MARKS.search(text) is not None
    own = (t.text for k, t in pair.outer.texts.items() if k.choice == key.choice and k not in pair.inner.texts)
    return any(" ".join(words) in " ".join(other.split()) for other in own)
