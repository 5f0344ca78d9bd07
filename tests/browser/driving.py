"""Small moves in the app's window: wait until it rests, press keys, read what stands there."""

from __future__ import annotations

from typing import Any

IDLE = """() => {
  const app = document.querySelector('.stApp');
  return app && app.dataset.testScriptState === 'notRunning'
    && app.dataset.testConnectionState === 'CONNECTED';
}"""


QUIET_LOOKS = 4
LOOK_MS = 150


def settle(page: Any) -> None:
    """Wait until the page has a title and has been at rest for a while."""
    page.wait_for_selector("h1", timeout=90_000)
    page.wait_for_timeout(LOOK_MS)
    quiet = 0
    while quiet < QUIET_LOOKS:
        page.wait_for_function(IDLE, timeout=90_000)
        page.wait_for_timeout(LOOK_MS)
        quiet = quiet + 1 if page.evaluate(IDLE) else 0


def button(page: Any, name: str) -> Any:
    """A button by the beginning of its name (a shortcut may stand behind it)."""
    return page.locator(f'button:has-text("{name}")').first


def press(page: Any, name: str) -> None:
    """Click a button and wait until the page rests."""
    button(page, name).click()
    settle(page)


def key(page: Any, shortcut: str) -> None:
    """Press a key, as somebody who has no hand on the mouse, and wait until the page rests."""
    page.evaluate("() => document.activeElement && document.activeElement.blur()")
    page.keyboard.press(shortcut)
    settle(page)


def words(page: Any) -> str:
    """All text that is visible in the main part of the window."""
    return str(page.inner_text(".stMain"))
