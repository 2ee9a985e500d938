"""Keys that a server says back are hidden in what is kept."""

from __future__ import annotations

import pytest

from harness.capture.veil import Veil

KEY = "quite-unlike-any-known-shape"
VEIL = (("authorization", f"Bearer {KEY}"), ("accept", "text/event-stream"), ("x-api-key", "short"))


@pytest.mark.parametrize("cut", range(0, 50, 7))
def test_no_read_gives_the_whole_key_away_and_lengths_stay(cut):
    said = f'{{"error":"the key {KEY} is short of credit"}}'.encode()
    veil = Veil(VEIL)
    kept = veil.hide(said[:cut]) + veil.hide(said[cut:])
    assert KEY.encode() not in kept and len(kept) == len(said)
    assert kept.startswith(b'{"error":"the key ') and kept.endswith(b'is short of credit"}')


def test_a_key_read_byte_by_byte_is_never_whole():
    veil = Veil(VEIL)
    assert KEY.encode() not in b"".join(veil.hide(bytes([byte])) for byte in f"<{KEY}>".encode())


def test_without_a_key_the_same_bytes_come_back():
    data = b"data: short text/event-stream\n\n"
    assert Veil((("accept", "text/event-stream"),)).hide(data) is data
    assert Veil(VEIL).hide(data) is data


def test_a_key_in_a_header_of_any_name_is_hidden():
    assert Veil(VEIL).headers((("x-debug", f"key={KEY}"),)) == (("x-debug", "key=" + "*" * len(KEY)),)
