"""`trueup serve`: the labelling screen in a browser, on loopback, behind a token that works once.

textual-serve runs one process of the screen for each page; this puts a door before it. The address
with the token opens the door for one browser (a cookie, not readable by scripts) and is then void;
requests from elsewhere, or for another host name, are refused. The page loads nothing from outside.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from aiohttp import web
from textual_serve.server import Server

PAGE = Path(__file__).parent / "web"
COOKIE = "trueup"
LOOPBACK = "127.0.0.1"
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; "
    "img-src 'self' data:; connect-src 'self' ws://{host}; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class ScreenServer(Server):
    """Serves one command on loopback. `address` holds the token that opens it, once.

    `say` is told the address when the server listens.
    """

    def __init__(self, command: str, port: int, title: str, say: Callable[[str], None]) -> None:
        super().__init__(command, host=LOOPBACK, port=port, title=title, templates_path=PAGE)
        self._token: str | None = secrets.token_urlsafe(24)
        self._cookie = secrets.token_urlsafe(24)
        self._say = say

    @property
    def address(self) -> str:
        """The address to open, with the token while it is good."""
        return f"{self.public_url}/?token={self._token}"

    def initialize_logging(self) -> None:
        """Requests are not logged: the address holds the token."""

    async def on_startup(self, app: web.Application) -> None:
        """Tell where to look; the base class would print to stdout."""
        del app
        self._say(self.address)

    async def _make_app(self) -> web.Application:
        app = await super()._make_app()
        app.middlewares.append(self._door)
        app.router.add_static("/page", PAGE)
        return app

    @web.middleware
    async def _door(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        """Let in who has the cookie; give it to the first who brings the token."""
        hosts = {f"{name}:{self.port}" for name in (LOOPBACK, "localhost")}
        origin = request.headers.get("Origin")
        foreign = origin is not None and origin not in {f"http://{h}" for h in hosts}
        if request.host not in hosts or foreign:
            raise web.HTTPForbidden(text="This server answers on loopback only.\n")
        if not _same(request.cookies.get(COOKIE), self._cookie):
            return self._admit(request)
        response = await handler(request)
        if not response.prepared:
            response.headers["Content-Security-Policy"] = _POLICY.format(host=request.host)
            response.headers["Referrer-Policy"] = "no-referrer"
            response.headers["Cache-Control"] = "no-store"
        return response

    def _admit(self, request: web.Request) -> web.StreamResponse:
        if self._token is None or not _same(request.query.get("token"), self._token):
            raise web.HTTPForbidden(
                text="Open the address that `trueup serve` printed; its token works once.\n"
            )
        self._token = None
        # A redirect, so that the address bar loses the token.
        response = web.Response(status=303, headers={"Location": "/"})
        response.set_cookie(COOKIE, self._cookie, httponly=True, samesite="Strict", path="/")
        return response


def _same(given: str | None, wanted: str) -> bool:
    return given is not None and hmac.compare_digest(given.encode(), wanted.encode())


def serve(command: str, *, port: int, title: str, say: Callable[[str], None]) -> Any:
    """Serve until interrupted."""
    ScreenServer(command, port, title, say).serve()
