"""The chat page's shell: its contract's ids, its route picker, and nothing inline."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from chat.pages import options
from harness.routes.model import Hop, Route

ONE = Route("one", (Hop("engine"),))
TWO = Route("two", (Hop("engine"), Hop("gateway", "gateway")))


def test_each_route_is_offered_whole_and_cut_off_at_each_hop() -> None:
    rows = list(options([TWO]))
    assert [(row["value"], row["way"]) for row in rows] == [
        ("two", ["engine", "gateway"]),
        ("two/engine", ["engine"]),
        ("two/gateway", ["engine", "gateway"]),
    ]
    assert not any(row["hidden"] for row in rows)


def test_a_cut_that_leaves_a_one_hop_route_as_it_is_can_be_named_but_is_not_shown() -> None:
    assert [(row["value"], row["hidden"]) for row in options([ONE])] == [("one", False), ("one/engine", True)]


@pytest.mark.django_db
def test_the_page_bears_every_test_id_once_and_a_template_for_the_turns() -> None:
    html = Client().get("/").content.decode()
    shell, _, turn = html.partition("<template")
    for name in ("route", "prompt", "send", "stop", "state"):
        assert shell.count(f'data-testid="{name}"') == 1
    for name in ("answer", "verdict"):
        assert (shell.count(f'data-testid="{name}"'), turn.count(f'data-testid="{name}"')) == (0, 1)
    assert 'data-state="idle"' in shell


@pytest.mark.django_db
def test_the_page_offers_the_labs_routes_and_their_cuts() -> None:
    values = re.findall(r'<option value="([^"]+)"', Client().get("/").content.decode())
    assert {"lab-steady", "lab-passthrough", "lab-passthrough/engine"} <= set(values)


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/", "/runs/", "/no/such/page"])
def test_a_page_has_no_inline_script_style_or_handler(path: str) -> None:
    html = Client().get(path).content.decode()
    assert "<main" in html
    assert not re.search(r"<script(?![^>]*(src=|application/json))|<style|\sstyle=|\son\w+=", html)


@pytest.mark.django_db
def test_only_reading_is_answered() -> None:
    assert Client().post("/").status_code == 405
