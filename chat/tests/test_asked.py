"""What a chat request may look like, and how each misfit is refused."""

from __future__ import annotations

import json

import pytest
from django.test import RequestFactory

from chat.asked import LIMIT, Refused, read

GOOD = {"exchange": "e-1", "route": "r", "messages": [{"role": "user", "content": "hi"}]}


def posted(body: object, kind: str = "application/json"):
    data = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
    return RequestFactory().generic("POST", "/chat/stream", data, kind, CONTENT_TYPE=kind)


def test_a_good_request_is_taken_as_it_is():
    asked = read(posted(GOOD, "application/json; charset=utf-8"))
    assert (asked.exchange, asked.route, asked.messages) == ("e-1", "r", GOOD["messages"])


def test_a_request_without_an_id_gets_one():
    first, second = (read(posted({**GOOD, "exchange": None})).exchange for _ in range(2))
    assert len(first) == 32 and first != second


def test_a_prompt_of_one_megabyte_is_no_problem():
    prompt = "é" * 500_000
    assert read(posted({**GOOD, "messages": [{"role": "user", "content": prompt}]})).messages[0]["content"] == prompt


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"", "empty"),
        (b"{", "not JSON"),
        (b'{"route": "\\ud800"}', "not JSON"),
        (b"[]", "not a JSON object"),
        (b"null", "not a JSON object"),
        ({**GOOD, "route": None}, "route is missing"),
        ({**GOOD, "route": "  "}, "route is missing"),
        ({**GOOD, "route": 7}, "route is missing"),
        ({**GOOD, "messages": []}, "messages is missing or empty"),
        ({**GOOD, "messages": {"role": "user"}}, "messages is missing or empty"),
        ({**GOOD, "messages": ["hi"]}, "message 0"),
        ({**GOOD, "messages": [{"content": "hi"}]}, "message 0"),
        ({**GOOD, "messages": [{"role": "user", "content": " \n"}]}, "prompt is empty"),
        ({**GOOD, "messages": [{"role": "user"}]}, "prompt is empty"),
        ({**GOOD, "exchange": "../../etc"}, "exchange is not an id"),
        ({**GOOD, "exchange": "x" * 101}, "exchange is not an id"),
        ({**GOOD, "exchange": 5}, "exchange is not an id"),
    ],
    ids=str,
)
def test_what_is_malformed_or_empty_is_a_400_that_says_what(body, says):
    with pytest.raises(Refused) as refused:
        read(posted(body))
    assert refused.value.status == 400 and says in refused.value.error.what and refused.value.error.do


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_another_content_type_is_a_415(kind):
    with pytest.raises(Refused) as refused:
        read(posted(GOOD, kind))
    assert refused.value.status == 415


def test_more_than_two_megabytes_are_a_413():
    with pytest.raises(Refused) as refused:
        read(posted(b" " * (LIMIT + 1)))
    assert refused.value.status == 413


def test_another_method_is_a_405():
    with pytest.raises(Refused) as refused:
        read(RequestFactory().get("/chat/stream"))
    assert refused.value.status == 405
