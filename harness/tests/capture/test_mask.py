"""Secrets leave headers, addresses and bodies; the rest stays byte for byte."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.capture.mask import mask_body, mask_headers, mask_url

KEY = "sk-abcdef0123456789abcdef"


@pytest.mark.parametrize(
    ("name", "value", "masked"),
    [
        ("Authorization", f"Bearer {KEY}", "Bearer ***"),
        ("authorization", "Basic dXNlcjpwdw==", "Basic ***"),
        ("proxy-authorization", "secret", "***"),
        ("x-api-key", "abc", "***"),
        ("api-key", "abc", "***"),
        ("x-goog-api-key", "abc", "***"),
        ("cookie", "sid=1; theme=dark", "***"),
        ("set-cookie", "sid=1; Path=/", "***"),
        ("x-auth-token", "abc", "***"),
        ("x-amz-security-token", "abc", "***"),
        ("x-litellm-thing", KEY, "***"),
        ("x-custom", "Bearer abc", "Bearer ***"),
        ("referer", "http://u:p@host/?api_key=abc&page=2", "http://***@host/?api_key=***&page=2"),
    ],
)
def test_secret_headers_are_masked(name: str, value: str, masked: str) -> None:
    assert mask_headers([(name, value)]) == ((name.lower(), masked),)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("content-type", "text/event-stream"),
        ("x-ratelimit-remaining-tokens", "1000"),
        ("www-authenticate", 'Bearer-less realm="x"'),
        ("x-request-id", "d3b07384-d113-4ec6-a7f1-2c4e8c2b1a00"),
        ("idempotency-key", "41"),
        ("authorization", ""),
        ("user-agent", "curl/7.88.1"),
    ],
)
def test_other_headers_stay(name: str, value: str) -> None:
    assert mask_headers([(name, value)]) == ((name, value),)


@pytest.mark.parametrize(
    ("url", "masked"),
    [
        ("http://gw/v1/chat?key=abc&n=1", "http://gw/v1/chat?key=***&n=1"),
        ("http://gw/v1?n=1&access_token=a%20b#top", "http://gw/v1?n=1&access_token=***#top"),
        ("http://gw/v1?api%5Fkey=abc", "http://gw/v1?api%5Fkey=***"),
        ("https://user:pw@gw:8443/v1", "https://***@gw:8443/v1"),
        (f"http://gw/{KEY}/chat", "http://gw/***/chat"),
        ("http://gw/cb#access_token=abc&state=1", "http://gw/cb#access_token=***&state=1"),
        ("http://gw/v1?max_tokens=5&q=a=b", "http://gw/v1?max_tokens=5&q=a=b"),
        ("http://[::1]:8000/v1/chat/completions", "http://[::1]:8000/v1/chat/completions"),
        ("/relative?sig=1;token=2", "/relative?sig=***;token=***"),
    ],
)
def test_addresses_lose_only_their_secrets(url: str, masked: str) -> None:
    assert mask_url(url) == masked


def test_bodies_lose_keys_at_any_depth_and_keep_prompts() -> None:
    body = {
        "model": "m",
        "max_tokens": 5,
        "apiKey": "abc",
        "messages": [{"role": "user", "content": f"is {KEY} a key?"}],
        "variables": {"fastgptToken": "x", "uid": "fastgpt-abcdefgh12345678", "secrets": 1},
        "auth": {"user": "me", "pw": ["x", 3]},
    }
    assert mask_body(body) == {
        "model": "m",
        "max_tokens": 5,
        "apiKey": "***",
        "messages": [{"role": "user", "content": f"is {KEY} a key?"}],
        "variables": {"fastgptToken": "***", "uid": "***", "secrets": 1},
        "auth": {"user": "***", "pw": ["***", 3]},
    }


@pytest.mark.parametrize(
    ("body", "masked"),
    [
        ('{"api_key": "a\\"b", "n": "1"}', '{"api_key": "***", "n": "1"}'),
        ('{"api_key": "abc", "cut off', '{"api_key": "***", "cut off'),
        ("api_key=abc&n=1", "api_key=***&n=1"),
        ("say token=abc aloud", "say token=abc aloud"),
        (KEY, "***"),
        (None, None),
    ],
)
def test_bodies_that_came_as_text_are_masked_too(body: str | None, masked: str | None) -> None:
    assert mask_body(body) == masked


json_values = st.recursive(
    st.none() | st.integers() | st.text() | st.sampled_from([KEY, f"Bearer {KEY}", "a=b&token=c", '{"token": "x"}']),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text() | st.just("apiKey"), inner, max_size=3),
)


@given(json_values)
def test_masking_a_body_twice_changes_nothing_more(body: object) -> None:
    once = mask_body(body)
    assert mask_body(once) == once


@given(st.text() | st.from_regex(r"https?://[a-z:@]*/?[a-z/]*\?(?:[a-z_]*(?:token|key)=\w*&?)*#?\w*", fullmatch=True))
def test_masking_an_address_or_header_twice_changes_nothing_more(text: str) -> None:
    once = mask_url(text)
    assert mask_url(once) == once
    for name in ("authorization", "referer", "cookie"):
        headers = mask_headers([(name, text)])
        assert mask_headers(headers) == headers
