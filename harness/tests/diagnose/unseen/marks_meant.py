"""Texts that speak of marks, tags and escapes, and mean them."""

from __future__ import annotations

from harness.tests.diagnose.unseen.kit import Unseen, fine
from harness.tests.diagnose.unseen.shapes import call, engine, said, tools

TOOLS = {
    "model": "m",
    "stream": True,
    "tools": [{"type": "function", "function": {"name": "get_weather", "parameters": {}}}],
    "messages": [],
}
CITY = '{"city": "Bergen"}'


CASES: dict[str, Unseen] = {
    "speaks-of-bytes": fine(
        engine(said(["A", " line", " feed", " is", " byte", " 0x0A", ",", " in", " SentencePiece", " `<0x0A>`", "."]))
    ),
    "speaks-maltese": fine(
        engine(said(["Il", "-Ġ", "im", "għa", " tal", "-Ġ", "im", "għa", " hija", " l", "-aħħar", " jum", "."]))
    ),
    "teaches-escapes": fine(
        engine(
            said(
                [
                    "Write",
                    " `\\n`",
                    " for",
                    " a",
                    " line",
                    " end",
                    " and",
                    " `\\u00e9`",
                    " for",
                    " é",
                    ".\n",
                    "That",
                    " is",
                    " all",
                    ".",
                ]
            )
        )
    ),
    "tells-of-windows-paths": fine(
        engine(said(["Copy", " C:\\new", "\\notes", " to", " D:\\backup", "\\new", "\n", "then", " run", " it", "."]))
    ),
    "writes-html": fine(
        engine(
            said(["```html\n", "<p>Fish &amp; chips", " &lt; 5 &euro;</p>\n", "```\n", "shows", " the", " price", "."])
        )
    ),
    "draws-a-small-chart": fine(engine(said(["▁▁▂▃▅▇█▇▅▃▂▁▁", "\n", "▁▁▁▁▂▁▁"]))),
    "json-in-ascii": fine(engine(said(['{"a": "', "\\u5c71", "\\u91cc", "\\u7684", "\\u96fe", '"}']))),
    "calls-what-was-offered": fine(engine(tools(call(0, CITY, name="get_weather", ident="c1")), request=TOOLS)),
    "names-with-dots-and-colons": fine(
        engine(tools(call(0, CITY, name="mcp.weather:get-now/v2", ident="functions.get:0")))
    ),
    "assistant-is-its-subject": fine(
        engine(said(["Assistant", " professors", " teach", " the", " first", " year", "."]))
    ),
}
