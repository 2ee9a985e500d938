"""The table: each case's way to health and its fault. Words: see Entry."""

from __future__ import annotations

from collections.abc import Iterable

from harness.tests.diagnose.twins import content as c
from harness.tests.diagnose.twins import heals as h
from harness.tests.diagnose.twins import timing as t
from harness.tests.diagnose.twins.entry import Entry

END = t.held(blocks=1)
GZIP = t.held(coding="held")
LITE = "R147/1"
ERROR = b'data: {"error":{"message":"blocked by policy","type":"guardrail","code":"400"}}\n\n'
PAGE = b"<html><head><title>502 Bad Gateway</title></head></html>"
CORE = b'data: {"error": {"message": "EngineCore encountered an issue", "type": "InternalServerError", "param": null, "code": 500}}\n\n'  # noqa: E501
KEY = (
    (401, b'{"error":{"message":"invalid key","type":"invalid_request_error","code":"invalid_api_key"}}'),
    (403, b'{"object":"error","message":"this key may not use the model","type":"PermissionDenied","code":403}'),
    (429, b'{"detail":"Too many requests: 60 a minute"}'),
)
BAD = (
    (502, b'{"error":{"message":"bad gateway","type":"x"}}'),
    (503, b"<html><head><title>503 Service Unavailable</title></head></html>"),
    (500, b'{"error":"CUDA out of memory"}'),
)
FAILURES = (
    b'data: {"error":{"message":"TimeoutError","type":"GatewayTimeout","code":504}}\n\n',
    b'data: {"error":{"message":"CUDA out of memory","type":"server_error","param":null,"code":null}}\n\n',
    b'event: error\ndata: {"error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
)
FLOW = (
    b'event: error\ndata: {"message":"upstream request failed"}\n\n',
    'event: error\ndata: {"code":429,"statusText":"rateLimit","message":"请求过多","data":null}\n\n'.encode(),
    'event: error\ndata: {"message":"AI 模型无响应"}\n\n'.encode(),
)


def held(hurt: t.Hurt) -> Entry:
    return Entry(hurt=hurt, free=True)


def healthy(hurt: t.Hurt, symptoms: str, at: int, severity: str = "error", **more: object) -> Entry:
    return Entry(hurt=hurt, sick=(severity, symptoms, at), **more)  # type: ignore[arg-type]


def several(idents: Iterable[str], entry: Entry) -> dict[str, Entry]:
    return dict.fromkeys(idents, entry)


FIELD: dict[str, Entry] = {
    "F01": Entry(h.sooner(4_000), t.silent("reset", 60_000, inner=1.2), free=True),
    "F03": Entry(h.sooner(6_000), t.silent("reset", 300_000, inner=1.1), free=True),
    "F05": Entry(
        h.filled("F51"),
        c.refused(
            *KEY,
            hidden=c.by_turn(
                t.silent("open", 30_000), t.silent("timeout", 30_000), t.silent("open", 30_000, head=False)
            ),
        ),
    ),
    "F06": Entry(h.filled("F29", lead=3_000), t.silent("timeout", 15_000, head=False, detail="our limit"), free=True),
    "F08": Entry(h.filled("F51"), t.silent("timeout", 150_000, head=False, detail="our limit"), free=True),
    "F09": Entry(h.finished(), t.stalled(30_000, to_end=True), free=True),
    "F11": Entry(
        h.inner(h.closed),
        lambda ladder, plan: [tape.ended("open", tape.last_ms() + 25_000) for tape in ladder],
        free=True,
    ),
    "F12": Entry(h.finished(), t.stalled(30_000, to_end=True, errors=ERROR)),
    "F14": held(t.held(every=550)),
    "F15": held(END),
    **several(("F17", "F18", "F19", "F21", "F22"), Entry(h.outer(h.flushed), GZIP, free=True)),
    "F25": held(t.held(blocks=3)),
    "F27": held(t.behind),
    "F28": held(t.held(blocks=2)),
    **several(("F29", "F30", "F36"), held(END)),
    "F33": Entry(h.spread(90, 400), t.at_once(12_500), free=True),
    "F35": Entry(h.finished(), t.silent("open", 20_500, beats=b": ping\n\n"), free=True),
    "F37": Entry(
        h.outer(lambda tape: tape.headed(drop=("content-length",))),
        c.both(t.cut("complete"), c.headed(("content-length", "{length}"))),
        free=True,
    ),
    "F39": Entry(h.finished(), t.cut("reset"), free=True),
    "F40": Entry(h.filled("F51"), c.refused(*BAD, hidden=t.silent("complete", 120))),
    "F41": Entry(h.asis, t.silent("truncated", 5_000), free=True),
    "F44": Entry(h.finished(), c.unended),
    "F45": Entry(hurt=c.ended_early),
    "F46": Entry(hurt=c.ended_with_words),
    "F49": Entry(h.filled("F51"), t.cut("truncated", keep="role"), free=True),
    "F50": Entry(h.asis, c.failed(b'data: {"error":{"message":"invalid utf-8"}}\n\n'), wide=True),
    "F51": Entry(h.asis, t.cut(total=10_000), free=True),
    "F52": Entry(h.asis, t.cut("complete", total=15_000), free=True),
    "F53": Entry(h.asis, t.cut("reset", total=60_000), free=True, pace=0.7),
    "F54": Entry(h.sooner(8_000), t.cut(total=300_000), free=True, pace=0.7),
    "F57": Entry(h.sooner(1_000, 2_500), t.cut("reset", idle=5_000), free=True),
    "F58": Entry(hurt=t.cut(), free=True),
    "F59": healthy(c.swapped, "reorder", 0, counts=True),
    "F60": Entry(hurt=c.swapped, free=True),
    "F62": healthy(c.dropped, "loss", 0, counts=True),
    "F64": Entry(hurt=c.ended_twice),
    "F65": Entry(hurt=c.snapshots, free=True),
    "F66": Entry(hurt=c.doubled, anew={1: ""}),
    "F69": Entry(hurt=c.one_choice),
    "F70": Entry(hurt=c.one_tool),
    "F71": healthy(c.one_tool, "interleave|malformed|rewrite", 0),
    "F73": Entry(hurt=c.two_turns),
    "F74": Entry(h.texts(list("一二三四")), c.replaced, free=True),
    "F75": Entry(h.texts(["ok ", "then ", "\U0001f642", " so"]), c.replaced_escaped),
    "F76": healthy(c.replaced, "encoding", 0, wide=True),
    "F78": Entry(hurt=c.split_surrogates),
    "F80": Entry(h.texts(["10 ", "11 ", "12 ", "13 "]), c.glued),
    "F81": Entry(hurt=c.unclosed),
    "F82": Entry(hurt=c.pings_as_data),
    "F83": Entry(h.swap(b',"reference":{"score":NaN}', b""), c.not_a_number),
    "F85": Entry(h.arguments('"}'), c.unclosed_arguments),
    "F87": Entry(h.swap(b'"finish_reason":""', b'"finish_reason":null'), c.reasonless),
    "F88": Entry(h.retold(lambda row: row if b"content_filter" not in row.data else None), c.filter_event),
    "F91": healthy(c.glued, "malformed|interleave", 0),
    "F92": healthy(c.broken_at_ends, "malformed", 0),
    "F94": healthy(t.cut(), "truncation|reset", 0),
    "F95": healthy(t.cut("complete"), "truncation|reset", 0),
    "F97": healthy(c.broken_at_ends, "malformed", 0),
    "F98": healthy(c.broken_at_ends, "malformed", 0),
    "F100": healthy(c.document, "not-streamed", 0),
    "F101": healthy(c.broken_at_ends, "malformed", 0),
    "F104": Entry(h.asis, t.unstopped(), free=True, lives=t.stopped),
    "F105": Entry(h.asis, t.unstopped(), free=True, lives=t.stopped),
    "F107": Entry(h.filled("F51"), t.silent("open", 30_000), free=True),
    "F108": Entry(h.filled("F114"), c.nothing_said),
    "F110": Entry(
        h.filled("F51"),
        c.failed(*FAILURES, done=True, first=True),
    ),
    "F111": Entry(
        h.chain(h.finished("tool_calls"), h.arguments("}")),
        c.failed(*FAILURES, done=True),
    ),
    "F112": Entry(h.finished(), c.failed(*FLOW)),
    "F113": healthy(c.failed(CORE), "error|truncation", 0),
    "F114": healthy(t.cut("complete"), "truncation", 0),
    "F117": Entry(h.retold(h.unthought), c.thinking_aloud),
    "F118": Entry(hurt=c.first_word_lost),
    "F119": Entry(h.openai_calls, c.objects, anew={1: ""}),
    "F120": Entry(h.finished(), c.failed(b'{"error":"an error was encountered while running the model"}\n')),
    "F122": Entry(
        h.outer(lambda tape: tape.headed(drop=("content-length",))),
        c.headed(("content-length", "{length}"), ("transfer-encoding", "chunked")),
        free=True,
    ),
    "F125": Entry(h.inner(h.chat_again), h.misplaced),
}
REAL: dict[str, Entry] = {
    "R03": healthy(t.held(size=4096), "burst|not-streamed", 1, free=True),
    "R06": healthy(END, "burst|not-streamed", 1, free=True),
    "R09": healthy(t.held(blocks=2), "burst|not-streamed", 1, free=True),
    "R12": healthy(t.cut("complete", inner="reset"), "truncation|reset", 0, free=True),
    **several(("R15", "R27", "R30"), healthy(GZIP, "burst|not-streamed", 1, free=True)),
    "R18": healthy(c.two_turns, "interleave", 1),
    "R21": healthy(c.one_choice, "interleave|rewrite", 1),
    "R24": healthy(c.glued, "malformed|loss|interleave", 1),
    "R33": healthy(t.cut("complete"), "truncation", 1),
    "R36": held(t.held(size=4096)),
    "R39": held(t.held(size=4096)),
    **several(("R42", "R45"), held(END)),
    "R48": Entry(h.outer(h.flushed), t.held(size=1, coding="members"), free=True),
    "R51": held(t.held(every=240)),
    "R54": Entry(h.sooner(25, 60), t.stalled(4_000), free=True),
    "R57": Entry(h.finished(), t.cut(total=1_000, inner="aborted", lag=1_000), free=True),
    "R60": Entry(h.finished(), t.cut(idle=1_000, inner="aborted", lag=5), free=True),
    **several(
        ("R63", "R66", "R69", "R72", "R75"),
        Entry(h.finished(), t.cut("reset", detail="connection reset by peer"), free=True),
    ),
    "R78": Entry(
        h.finished(),
        c.both(t.cut(idle=900, inner="aborted"), t.silent("truncated", 1_325)),
        free=True,
    ),
    "R81": Entry(h.finished(), t.cut("truncated"), free=True),
    "R84": Entry(h.finished("length"), t.cut("truncated"), anew={1: LITE}),
    "R87": Entry(h.opened("R132"), t.unstopped(nothing=True), free=True, lives=t.stopped),
    "R90": Entry(h.chain(h.filled("R12"), h.opened("R12")), c.refused(*KEY)),
    "R93": Entry(
        h.chain(h.filled("R03"), h.opened("R03")),
        t.unreached(PAGE),
    ),
    "R96": Entry(h.finished(), c.failed(CORE, done=True)),
    "R99": Entry(
        h.finished("length"),
        c.failed(b'data: {"error": {"message": "litellm.APIError", "type": null, "code": "500"}}\n\n'),
        anew={1: LITE},
    ),
    "R102": healthy(c.one_tool, "interleave|malformed|rewrite", 1, anew={1: ""}),
    "R105": healthy(t.held(blocks=1, length=True), "burst|not-streamed", 1, free=True),
    "R108": healthy(c.dropped, "loss", 1, anew={1: ""}),
    "R111": healthy(c.swapped, "reorder", 1),
    "R114": Entry(h.spread(115, 200), END, free=True, pace=0.8),
    "R117": Entry(h.chain(h.filled("R135"), h.opened("R57")), t.given_up(504, b"upstream request timeout", 15_000)),
    "R120": Entry(h.outer(h.flushed), GZIP, free=True),
    "R123": healthy(c.pings_as_data, "malformed|rewrite", 1, "warning"),
    "R126": healthy(t.cut(), "truncation|reset", 1, free=True),
    "R129": healthy(t.late(6_000), "first-byte", 1, free=True),
    "R132": Entry(h.finished("length"), t.cut(total=3_000, inner="aborted"), free=True),
    "R135": healthy(GZIP, "burst|not-streamed", 1, free=True),
    "R138": Entry(h.outer(h.flushed), t.held(every=210, coding="gzip"), free=True),
    "R141": Entry(h.finished("length"), t.cut("complete"), anew={1: LITE}),
    "R144": held(t.held(size=4096)),
    "R147": healthy(t.frozen(3_000), "stall|burst", 1, anew={1: ""}),
    "R150": Entry(hurt=t.frozen(3_000), anew={1: ""}),
    "R153": healthy(t.stalled(4_000), "stall", 0, free=True),
}
ENTRIES = FIELD | REAL
