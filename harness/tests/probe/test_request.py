"""What is asked of each wire: a chat as it is, a probe with our own parameters, an app by its inner route."""

from __future__ import annotations

import pytest

from harness.errors import RouteError
from harness.probe.request import api_hop, ask
from harness.routes.model import Hop, Route

SAID = [{"role": "user", "content": "hi"}]


def asked(hop: Hop, **more):
    route = Route("r", (hop,), "m")
    return ask(route, hop, SAID, exchange_id="e", **more)


def test_a_chat_goes_without_a_parameter_of_ours():
    wish = asked(Hop("g", url="http://h/v1/", body={"chatId": "c", "stream": True}))
    assert wish.url == "http://h/v1/chat/completions"
    assert wish.body == {"model": "m", "messages": SAID, "stream": True, "chatId": "c"}
    headers = dict(wish.headers)
    assert headers["x-exchange-id"] == "e" and headers["accept-encoding"] == "identity"
    assert "authorization" not in headers


@pytest.mark.parametrize(
    ("wire", "stream", "extra"),
    [
        ("openai", True, {"temperature": 0, "stream_options": {"include_usage": True}}),
        ("openai", False, {"temperature": 0}),
        ("fastgpt", True, {"temperature": 0}),
        ("ollama", True, {"options": {"temperature": 0}}),
    ],
)
def test_a_probe_asks_for_the_same_answer_each_time(wire, stream, extra):
    body = asked(Hop("g", wire=wire, url="http://h"), probing=True, stream=stream).body
    assert body == {"model": "m", "messages": SAID, "stream": stream} | extra


def test_the_hop_s_own_body_and_the_caller_s_win():
    wish = asked(Hop("g", url="http://h", model="own", body={"temperature": 1}), probing=True, body_extra={"seed": 3})
    assert (wish.body["temperature"], wish.body["seed"], wish.body["model"]) == (1, 3, "own")


def test_the_hop_s_headers_win_and_a_key_comes_from_the_environment(monkeypatch):
    monkeypatch.setenv("K", " secret\n")
    headers = dict(asked(Hop("g", url="http://h", api_key_env="K", headers={"Accept": "*/*"})).headers)
    assert (headers["authorization"], headers["accept"]) == ("Bearer secret", "*/*")


ENGINE, GATEWAY = Hop("engine", url="http://e/v1"), Hop("gw", "gateway", "fastgpt", "http://g/v1")
APP, PROXY = Hop("app", "app", "chat", "http://a"), Hop("front", "proxy", "chat", "http://p")


@pytest.mark.parametrize("hop", [APP, PROXY], ids=["app", "proxy"])
def test_an_app_is_asked_for_the_route_below_it(hop):
    """The proxy is asked for the same as the app behind it: asked for ``r/app``, the app would ask itself."""
    wish = ask(Route("r", (ENGINE, GATEWAY, APP, PROXY), "m"), hop, SAID, exchange_id="e", probing=True)
    assert wish.url == hop.url + "/chat/stream"
    assert wish.body == {"exchange": "e", "route": "r/gw", "messages": SAID}
    assert wish.wire == "fastgpt"


def test_a_route_without_a_model_s_api_is_refused():
    with pytest.raises(RouteError, match="no hop"):
        api_hop(Route("r", (APP,), "m"))
