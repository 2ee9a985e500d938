"""Every route there is, also before a database exists."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from harness.errors import InputError, UnknownRoute
from harness.models import StoredRoute
from harness.routes.toml import dump, parse
from harness.runs.catalogue import all_routes, find, store_routes, stored_routes

TEXT = '[[route]]\nname = "{}"\nmodel = "{}"\n  [[route.hop]]\n  url = "http://h/v1"\n'
VARIABLES = ("HARNESS_GATEWAY_URL", "HARNESS_BACKEND_URL", "HARNESS_GATEWAY_WIRE", "HARNESS_BACKEND_WIRE")


@pytest.fixture(autouse=True)
def own_place(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DATA_DIR = tmp_path
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


def test_without_a_database_there_are_the_lab_routes_and_still_no_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "none.sqlite3"
    monkeypatch.setitem(connection.settings_dict, "NAME", str(file))
    assert stored_routes() == []
    assert find("lab-steady").origin == "lab"
    assert not file.exists()


@pytest.mark.django_db
def test_stored_routes_come_in_their_order_and_a_later_load_wins_by_name() -> None:
    store_routes([*parse(TEXT.format("b", "1")), *parse(TEXT.format("a", "1"))])
    store_routes([*parse(TEXT.format("c", "1")), *parse(TEXT.format("b", "2"))])
    assert [(route.name, route.model) for route in stored_routes()] == [("b", "2"), ("a", "1"), ("c", "1")]
    assert parse(dump(stored_routes())) == stored_routes()


@pytest.mark.django_db
def test_environment_routes_come_first_and_win_over_a_stored_one(monkeypatch: pytest.MonkeyPatch) -> None:
    store_routes(parse(TEXT.format("gateway", "stored")))
    store_routes(parse(TEXT.format("mine", "m")))
    monkeypatch.setenv("HARNESS_GATEWAY_URL", "http://gw/v1")
    found = [(route.name, route.origin) for route in all_routes()]
    assert found[:3] == [("gateway", "env"), ("mine", "file"), ("lab-steady", "lab")]
    assert [name for name, _ in found].count("gateway") == 1


@pytest.mark.django_db
def test_a_stored_route_of_another_version_is_left_out_and_told(caplog: pytest.LogCaptureFixture) -> None:
    StoredRoute.objects.create(name="odd", spec={"name": "odd", "hops": []})
    store_routes(parse(TEXT.format("fine", "m")))
    assert [route.name for route in stored_routes()] == ["fine"]
    assert 'unknown key "hops"' in caplog.text


@pytest.mark.django_db
def test_a_wrong_variable_and_an_unknown_route_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnknownRoute, match="Did you mean lab-steady"):
        find("lab-stedy")
    monkeypatch.setenv("HARNESS_BACKEND_URL", "gpu")
    with pytest.raises(InputError, match="HARNESS_BACKEND_URL='gpu'"):
        all_routes()
