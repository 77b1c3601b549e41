"""The browser's door: loopback only, a token that works once, nothing from outside."""

from __future__ import annotations

import re
import socket
from collections.abc import AsyncIterator

import pytest
from aiohttp import ClientSession, CookieJar
from aiohttp.test_utils import TestServer

from trueup_tui.serving import PAGE, ScreenServer

COMMAND = "never run here"


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


@pytest.fixture
async def served() -> AsyncIterator[ScreenServer]:
    """A server that listens; what it said is in `server.said`."""
    said: list[str] = []
    server = ScreenServer(COMMAND, free_port(), "test", said.append)
    listening = TestServer(await server._make_app(), host="127.0.0.1", port=server.port)
    await listening.start_server()
    assert said == [server.address]
    yield server
    await listening.close()


@pytest.fixture
async def browser() -> AsyncIterator[ClientSession]:
    async with ClientSession(cookie_jar=CookieJar(unsafe=True)) as client:
        yield client


async def test_without_the_token_nothing_is_served(
    served: ScreenServer, browser: ClientSession
) -> None:
    """Neither the page, nor its files, nor the screen."""
    for path in ("/", "/?token=guess", "/static/js/textual.js", "/page/page.css", "/ws"):
        async with browser.get(served.public_url + path) as answer:
            assert answer.status == 403, path


async def test_the_token_opens_for_one_browser_once(
    served: ScreenServer, browser: ClientSession
) -> None:
    """The address bar loses the token, the cookie stays, and a second browser is refused."""
    address = served.address
    async with browser.get(address) as answer:
        assert (answer.status, str(answer.url)) == (200, f"{served.public_url}/")
    async with browser.get(served.public_url) as again:
        assert again.status == 200
    async with ClientSession() as other, other.get(address) as refused:
        assert refused.status == 403


@pytest.mark.parametrize(
    "headers", [{"Host": "evil.test"}, {"Origin": "http://evil.test"}], ids=["host", "origin"]
)
async def test_other_hosts_and_pages_are_refused(
    served: ScreenServer, browser: ClientSession, headers: dict[str, str]
) -> None:
    """A name that was made to point here (DNS rebinding) or a foreign page gets nothing."""
    async with browser.get(served.address, headers=headers) as answer:
        assert answer.status == 403
    async with browser.get(served.address) as good:
        assert good.status == 200


async def test_the_page_loads_nothing_from_outside(
    served: ScreenServer, browser: ClientSession
) -> None:
    """A strict policy, and no other address in the page or its style."""
    async with browser.get(served.address) as answer:
        page = await answer.text()
        policy = answer.headers["Content-Security-Policy"]

    assert "default-src 'none'" in policy
    outside = set(re.findall(r"https?://[^/\"']+", page)) - {served.public_url}
    assert outside == set()
    assert "http" not in (PAGE / "page.css").read_text("utf-8")
