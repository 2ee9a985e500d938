"""The confusion table as a web page. Run as ``python -m harness.lab.confusion_page`` it prints the page."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from html import escape

from harness.lab.confusion import Row, table

STYLE = """
:root { color-scheme: light dark; font: 14px/1.4 system-ui, sans-serif }
body { margin: 2rem; max-width: 80rem }
table { border-collapse: collapse } th, td { padding: .2rem .6rem; text-align: left; border-bottom: 1px solid #8884 }
td.no { background: #d332; font-weight: 600 } td.but { background: #da32 } td.yes { background: #3a32 }
"""


def page(rows: Sequence[Row]) -> str:
    """One row a fault or gateway, one column a place where it was planted; what is not named stands out."""
    places = list(dict.fromkeys((row.way, row.at) for row in rows))
    cases = list(dict.fromkeys(row.case for row in rows))
    cells = {(row.case, row.way, row.at): row for row in rows}
    right = sum(row.right for row in rows)
    head = "".join(f"<th>{escape(way)}<br>{escape(at)}</th>" for way, at in places)
    body = "\n".join(
        f"<tr><th>{escape(case)}</th><td>{escape(_wanted(rows, case))}</td>"
        + "".join(_cell(cells.get((case, *place))) for place in places)
        + "</tr>"
        for case in cases
    )
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Confusion table</title><style>{STYLE}</style></head><body>
<h1>What the diagnosis says of every fault</h1>
<p>{right} of {len(rows)} cases right, {sum(row.named for row in rows)} named. Each fault is planted at each hop of a
ladder (an exchange a hop) and of one chat (all taps of one exchange); each gateway stands before the model it is meant
for. Red: not named. Amber: named, but the verdict points elsewhere.</p>
<table><thead><tr><th>planted</th><th>expected</th>{head}</tr></thead><tbody>
{body}
</tbody></table></body></html>
"""


def _wanted(rows: Sequence[Row], case: str) -> str:
    found = dict.fromkeys(row.expected or "healthy" for row in rows if row.case == case)
    return ", ".join(found)


def _cell(row: Row | None) -> str:
    if row is None:
        return "<td></td>"
    said = (
        f"{row.said} at {row.first_bad_hop}"
        if row.said
        else {True: "healthy", None: "no verdict"}.get(row.healthy, "?")
    )
    if row.right and row.expected and not row.said:
        said = f"{row.expected} (warning)"
    return f'<td class="{"yes" if row.right else "but" if row.named else "no"}">{escape(said)}</td>'


if __name__ == "__main__":
    sys.stdout.write(page(list(table())))
