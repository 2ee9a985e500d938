"""Addresses that somebody mistyped, and methods that a page does not have."""

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("asked", "leads"),
    [
        ("/runs", "/runs/"), ("/diagnose?route=a%2Fb", "/diagnose/?route=a%2Fb"), ("/runs/x1", "/runs/x1/"),
        ("/runs/x1?a=1", "/runs/x1/?a=1"), ("/taps", "/taps/"),
    ],
)  # fmt: skip
def test_a_page_is_found_without_its_last_slash(client: Client, asked: str, leads: str) -> None:
    done = client.get(asked)
    assert (done.status_code, done["Location"]) == (302, leads)
    assert client.post(asked).status_code == 405


@pytest.mark.parametrize("path", ["/api/runs/a%2Fb", "/api/runs/", "/api/", "/api", "/api/nothing/of/it"])
def test_the_api_says_in_json_what_it_does_not_have(client: Client, path: str) -> None:
    done = client.get(path)
    assert done.status_code == 404 and set(done.json()) == {"what", "where", "do"}


def test_the_health_is_asked_and_not_told(client: Client) -> None:
    statuses = {method: client.generic(method, "/healthz").status_code for method in ("GET", "HEAD", "PUT", "POST")}
    assert statuses == {"GET": 200, "HEAD": 200, "PUT": 405, "POST": 405}
