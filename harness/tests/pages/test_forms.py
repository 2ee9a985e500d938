"""Twisted reads no form on the event loop; Django still gets the whole body."""

import daphne.http_protocol as protocol
import pytest
from twisted.web.test.requesthelper import DummyChannel

from harness.pages.forms import leave_forms_to_django

BODY = b'--x\r\nContent-Disposition: form-data; name="route"\r\n\r\nr\r\n--x--\r\n'


@pytest.fixture
def request_class(monkeypatch: pytest.MonkeyPatch) -> type[protocol.WebRequest]:
    """Daphne's own, as it was before anybody changed it; what a test does to it is undone."""
    made = type("WebRequest", (protocol.WebRequest,), {"__init__": protocol.http.Request.__init__})
    monkeypatch.setattr(protocol, "WebRequest", made)
    return made


@pytest.mark.parametrize("left", [False, True])
def test_a_form_is_left_to_django(request_class: type[protocol.WebRequest], left: bool) -> None:
    if left:
        leave_forms_to_django()
        leave_forms_to_django()
    request = request_class(DummyChannel())
    request.process = lambda: None
    request.gotLength(len(BODY))
    request.requestHeaders.setRawHeaders(b"content-type", [b"multipart/form-data; boundary=x"])
    request.handleContentChunk(BODY)
    request.requestReceived(b"POST", b"/diagnose/", b"HTTP/1.1")
    assert request.args == ({} if left else {b"route": [b"r"]})
    assert request.content.read() == BODY
