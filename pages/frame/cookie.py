"""A cookie that tells one browser from another, so that a reload keeps a person's name."""

from __future__ import annotations

import secrets
from http.cookies import SimpleCookie

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.components.session import BROWSER_COOKIE


class BrowserCookie:
    """ASGI middleware that gives a browser a random cookie with the first page it loads.

    The cookie says nothing and opens nothing: it is the key under which the server remembers
    the name and the language that were typed in this browser.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, adding the cookie to a page that has none yet."""
        if scope["type"] != "http" or _has_cookie(scope):
            await self.app(scope, receive, send)
            return

        async def with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    headers.append(
                        "set-cookie",
                        f"{BROWSER_COOKIE}={secrets.token_urlsafe(16)}; Path=/; HttpOnly; "
                        "SameSite=Strict; Max-Age=31536000",
                    )
            await send(message)

        await self.app(scope, receive, with_cookie)


def _has_cookie(scope: Scope) -> bool:
    for name, value in scope.get("headers", []):
        if name == b"cookie" and BROWSER_COOKIE in SimpleCookie(value.decode("latin-1")):
            return True
    return False
