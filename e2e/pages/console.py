"""What a page says on the browser's console: every error that the test did not announce fails it."""

from __future__ import annotations

from playwright.async_api import ConsoleMessage, Page


class Console:
    """Listens to one page from now on. ``expected`` holds parts of the errors that a test announces."""

    def __init__(self, page: Page) -> None:
        self.expected: list[str] = []
        self._errors: list[str] = []
        page.on("console", self._note)
        page.on("pageerror", lambda error: self._errors.append(str(error)))

    def _note(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self._errors.append(f"{message.text} @ {message.location.get('url', '')}")

    def check(self) -> None:
        unexpected = [line for line in self._errors if not any(known in line for known in self.expected)]
        assert not unexpected, f"errors on the browser's console: {unexpected}"
