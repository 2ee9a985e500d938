"""How a streamed text differs from the one it should be: order, loss, doubling, mixture, or another sample."""

from __future__ import annotations

from collections.abc import Sequence

from harness.timeline.align import align

MIXED = 8  # characters of foreign text that must stand in another answer to call it a mixture
START = 24  # characters by which a beginning is known again
OTHER = 0.6  # below this share of the reference in order, the text is another one


def unlike(text: str, reference: str, others: Sequence[str] = (), *, samples: bool = False) -> str:
    """``equal``, ``reorder``, ``loss``, ``duplicate``, ``mixture``, ``sampling``, ``truncation`` or ``rewrite``.

    ``others``: texts of other exchanges, from which foreign pieces may come. ``samples``: this way gives different
    texts by itself, so that a text that runs off somewhere is another sample and no damage.
    """
    if text == reference:
        return "equal"
    if text and reference.startswith(text):
        return "truncation"
    start = reference[:START]
    if len(start) == START and text.count(start) > max(1, reference.count(start)):
        return "duplicate"  # it began again: an upstream was asked anew in the middle
    found = align(reference, text)
    size = dict.fromkeys(("lost", "doubled", "moved", "foreign", "changed"), 0)
    for edit in found.edits:
        part, kind = text[edit.b : edit.b_end].strip(), edit.kind
        if kind == "foreign" and len(part) >= MIXED and part in reference:
            kind = "doubled"
        if kind in size:
            size[kind] += max(edit.a_end - edit.a, edit.b_end - edit.b)
    strange = [text[e.b : e.b_end].strip() for e in found.of("foreign", "changed") if e.b_end > e.b]
    strange = [part for part in strange if len(part) >= MIXED and part not in reference]
    if any(part in other for part in strange for other in others if other != text):
        return "mixture" if found.share() >= OTHER or not samples else "sampling"
    if samples and size["foreign"] + size["changed"] > max(size["moved"], size["doubled"]):
        return "sampling"
    if found.share() < OTHER and size["foreign"] + size["changed"] > size["moved"]:
        return "sampling"
    kinds = {"reorder": size["moved"], "duplicate": size["doubled"], "loss": size["lost"]}
    kinds["rewrite"] = size["foreign"] + size["changed"]
    return max(kinds, key=lambda kind: kinds[kind])
