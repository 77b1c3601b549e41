"""Any OpenAI-compatible endpoint, through the openai package: one client and pool for a whole run.

The package sends and receives; what a reply or an error means is read here, so that a server that
lies about its shape meets one strict reader. Retries, deadlines and concurrency are the runner's.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from functools import cache
from typing import TYPE_CHECKING, Any

from trueup.domain.judging import JudgeTask, Reply
from trueup.domain.model import JudgeSpec
from trueup.errors import UsageError
from trueup.judge.base import CallFailed
from trueup.judge.openai_errors import classify, read_error
from trueup.judge.openai_params import Accepted
from trueup.judge.openai_reply import read_body
from trueup.judge.render import render
from trueup.judge.secrets import guard_logs, redactor

if TYPE_CHECKING:
    from openai import AsyncOpenAI

DEFAULT_BASE_URL = "https://api.openai.com/v1"
MAX_BODY = 32_000_000
"""Bytes of a reply beyond which a server is not read any further."""
MAX_PACKED = 256_000
"""The same for a compressed reply, which may unpack to a thousand times as much."""

_MAX_LESSONS = 10


def base_url_of(base_url: str | None) -> str:
    """The endpoint that is meant: given, else OPENAI_BASE_URL, else OpenAI's own; normalised."""
    from trueup.config import normalise_base_url

    given = base_url or os.environ.get("OPENAI_BASE_URL") or DEFAULT_BASE_URL
    try:
        return normalise_base_url(given)
    except ValueError as error:
        raise UsageError(f"base URL of the judge: {error}") from None


class OpenAIBackend:
    """Asks an endpoint. `api_key_env` is the name of the variable that holds the key.

    Raises UsageError when OpenAI itself is to be asked and there is no key; a server of one's own
    needs none. `timeout_s` bounds what is asked outside of a run, where nobody else keeps a
    deadline. `client` is the package's own, for what is no chat completion.
    """

    def __init__(
        self,
        base_url: str | None = None,
        *,
        api_key_env: str = "OPENAI_API_KEY",
        concurrency: int = 32,
        timeout_s: float = 60.0,
    ) -> None:
        self.base_url = base_url_of(base_url)
        key = os.environ.get(api_key_env) or None
        if key is None and self.base_url == DEFAULT_BASE_URL:
            raise UsageError(
                f"no key for {self.base_url}: {api_key_env} is not set",
                hint=f"set {api_key_env}, or base_url for a server of your own",
            )
        self._key = key
        self.timeout_s = timeout_s
        # An absolute address spares the package putting it together for each call.
        self._url = f"{self.base_url}/chat/completions"
        self._redact = redactor(key)
        self._accepted: dict[str, Accepted] = {}
        self._unguard = guard_logs(self._redact)
        self.client, self._response = _connect(self.base_url, key, concurrency)

    async def complete(self, spec: JudgeSpec, task: JudgeTask) -> Reply:
        """One chat completion; a refused parameter is left out and the call made anew."""
        prompt = render(spec.prompt_text, task)
        accepted = self._accepted.setdefault(spec.model, Accepted())
        for _ in range(_MAX_LESSONS):
            body = accepted.body(spec, prompt)
            status, headers, content = await self._post(body)
            if status < 300:
                kind = headers.get("content-type", "")
                return read_body(content, kind, dict(accepted.notes), self._redact)
            error = read_error(status, content)
            failed = classify(status, headers, error, self._redact)
            refused = status in {400, 422} and failed.reason == "bad_response"
            if not refused or not accepted.learn(error, body):
                raise failed
        raise failed

    def failure(self, error: Exception) -> CallFailed:
        """What an error of the package means; for callers of `client`."""
        import openai

        if isinstance(error, openai.APIStatusError):
            said = read_error(error.status_code, error.response.content)
            return classify(error.status_code, error.response.headers, said, self._redact)
        return self._no_response(error)

    async def aclose(self) -> None:
        """Close the connections."""
        self._unguard()
        await self.client.close()

    async def _post(self, body: dict[str, Any]) -> tuple[int, Any, bytes]:
        """(status, headers, body) of a request. Raises CallFailed where no response came."""
        import openai

        try:
            response = await self.client.post(self._url, cast_to=self._response, body=body)
        except openai.APIStatusError as error:
            return error.status_code, error.response.headers, error.response.content
        except (CallFailed, asyncio.CancelledError):
            raise
        except Exception as error:  # noqa: BLE001 (bytes that are no HTTP reach us as whatever error)
            raise self._no_response(error) from None
        return response.status_code, response.headers, response.content

    def _no_response(self, error: BaseException) -> CallFailed:
        causes: list[BaseException] = []
        cause: BaseException | None = error
        while cause is not None and len(causes) < 6:
            causes.append(cause)
            cause = cause.__cause__ or cause.__context__
        names = {type(c).__name__ for c in causes}
        text = next((str(c) for c in reversed(causes) if str(c)), "no connection")
        unreachable = bool(names & {"ConnectError", "ClientConnectorError", "gaierror"})
        message = f"{self.base_url}: {self._redact(text)[:200]}"
        return CallFailed("bad_response", message, unreachable=unreachable)


def _connect(base_url: str, key: str | None, concurrency: int) -> tuple[AsyncOpenAI, Any]:
    """(client with a pool as large as the concurrency, its HTTP library's response class)."""
    import openai

    try:
        import httpx2 as httpx
    except ImportError:  # openai 2 stands on the first httpx
        import httpx  # type: ignore[import-not-found, no-redef]
    options: dict[str, Any] = {
        "limits": httpx.Limits(max_connections=concurrency, max_keepalive_connections=concurrency),
        "timeout": None,
        "headers": {"accept-encoding": "gzip, deflate"},
        "event_hooks": {"response": [_cap]},
    }
    try:
        http: Any = openai.DefaultAioHttpClient(**options)
    except (RuntimeError, AttributeError):  # aiohttp is not installed
        http = openai.DefaultAsyncHttpxClient(**options)
    client = openai.AsyncOpenAI(
        api_key=key or "none", base_url=base_url, max_retries=0, timeout=None, http_client=http
    )
    return client, httpx.Response


async def _cap(response: Any) -> None:
    """Stop reading a body that grows beyond all measure."""
    encoding = response.headers.get("content-encoding", "identity").lower()
    if encoding not in {"identity", "gzip", "deflate"}:
        raise CallFailed("bad_response", f"the reply is packed as {encoding[:20]}, unasked")
    most = MAX_BODY if encoding == "identity" else MAX_PACKED
    if int(response.headers.get("content-length") or 0) > most:
        raise _too_large(most)
    response.stream = _capped(type(response.stream).__mro__[1])(response.stream, most)


def _too_large(most: int) -> CallFailed:
    return CallFailed("bad_response", f"the reply is larger than {most} bytes")


@cache
def _capped(stream: Any) -> Any:
    """A byte stream of the HTTP library at hand that ends with an error at the cap."""

    class Capped(stream):  # type: ignore[misc]
        def __init__(self, inner: Any, most: int) -> None:
            self._inner = inner
            self._most = most

        async def __aiter__(self) -> AsyncIterator[bytes]:
            size = 0
            async for piece in self._inner:
                size += len(piece)
                if size > self._most:
                    raise _too_large(self._most)
                yield piece

        async def aclose(self) -> None:
            await self._inner.aclose()

    return Capped
