"""The backend against a server of our own: bytes on the wire, good and bad."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest

from judge_support import CLAIMS, QUICK, honest, judged, spec, task
from trueup.domain.judging import JudgeTask
from trueup.errors import UsageError
from trueup.judge.base import CallFailed
from trueup.judge.openai_backend import MAX_BODY, MAX_PACKED, OpenAIBackend

Handler = Callable[[dict[str, Any], int], bytes | None]


@dataclass
class Wire:
    """A server that answers each request with the bytes that `handler` makes of it.

    The handler gets the request's JSON and its number (from 1); None never answers.
    """

    url: str = ""
    handler: Handler = field(default=lambda _body, _n: http(200, b"{}"))
    bodies: list[dict[str, Any]] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Requests of one connection."""
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                size = int(head.lower().split("content-length:")[1].split("\r\n")[0])
                self.heads.append(head)
                self.bodies.append(json.loads(await reader.readexactly(size)))
                answer = self.handler(self.bodies[-1], len(self.bodies))
                if answer is None:
                    await asyncio.Event().wait()
                else:
                    writer.write(answer)
                    await writer.drain()
                    if b"connection: close" in answer[:300].lower():
                        break
        except (asyncio.IncompleteReadError, ConnectionError, IndexError):
            pass
        finally:
            writer.close()


@pytest.fixture
async def wire() -> AsyncIterator[Wire]:
    """A running server."""
    here = Wire()
    tasks: set[asyncio.Task[None]] = set()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.add(asyncio.create_task(here.serve(reader, writer)))

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    here.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    yield here
    server.close()
    for one in tasks:
        one.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def http(status: int, body: bytes, kind: str = "application/json", extra: str = "") -> bytes:
    """A response."""
    head = f"HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n{extra}"
    return head.encode() + b"\r\n" + body


def verdicts(_body: dict[str, Any], _n: int) -> bytes:
    """An honest completion about the claims of `task()`."""
    message = {"content": honest(task()).text}
    choices = [{"message": message, "finish_reason": "stop"}]
    usage = {"prompt_tokens": 5, "completion_tokens": 5}
    return http(200, json.dumps({"model": "m", "choices": choices, "usage": usage}).encode())


def error(status: int, **said: Any) -> bytes:
    """An error in OpenAI's shape."""
    return http(status, json.dumps({"error": said}).encode())


async def ask(url: str, asked: JudgeTask | None = None, **fields: Any) -> Any:
    """One call."""
    backend = OpenAIBackend(url)
    try:
        return await backend.complete(spec(**fields), asked or task())
    finally:
        await backend.aclose()


async def test_what_is_sent(wire: Wire) -> None:
    """Model, messages, parameters, a strict schema, no key where there is none."""
    wire.handler = verdicts
    got = await ask(wire.url, model="some-model", params={"temperature": 0.5})

    (body,) = wire.bodies
    assert (body["model"], body["temperature"]) == ("some-model", 0.5)
    assert body["response_format"]["type"] == "json_schema"
    assert CLAIMS[0] in body["messages"][1]["content"]
    assert wire.heads[0].startswith("POST /v1/chat/completions ")
    assert got.answered_model == "m"


async def test_unicode_arrives_as_it_is(wire: Wire) -> None:
    """As UTF-8, not as escapes."""
    wire.handler = verdicts
    await ask(wire.url, task(context="Кот спит. 塔は1958年。 \u0664\u0660\u0660"))

    assert "Кот спит. 塔は1958年。 \u0664\u0660\u0660" in wire.bodies[0]["messages"][1]["content"]


async def test_a_refused_parameter_costs_one_request_for_the_whole_run(wire: Wire) -> None:
    """It is learned from the first call, which goes alone, and noted."""

    def picky(body: dict[str, Any], n: int) -> bytes:
        if "temperature" in body:
            return error(400, message="no temperature", param="temperature")
        return verdicts(body, n)

    wire.handler = picky
    backend = OpenAIBackend(wire.url)
    judge = spec(params={"temperature": 0})
    run, sink = await judged(backend, [task(record=f"r{i}") for i in range(10)], judge)
    await backend.aclose()

    assert len(wire.bodies) == 11
    assert run.summary is not None
    assert run.summary.notes == {"temperature": "not sent"}
    assert all(j.notes == {"temperature": "not sent"} for j in sink.judgements)


async def test_a_server_that_refuses_everything_is_not_asked_for_ever(wire: Wire) -> None:
    """Each parameter once, then the record has failed."""
    wire.handler = lambda _b, _n: error(400, message="temperature seed response_format max_tokens")
    with pytest.raises(CallFailed) as failed:
        await ask(wire.url, params={"temperature": 0, "seed": 1, "max_output_tokens": 9})

    assert (failed.value.reason, failed.value.scope) == ("bad_response", "record")
    assert len(wire.bodies) < 10


@pytest.mark.parametrize(
    ("answer", "reason", "scope"),
    [
        (b"SSH-2.0-OpenSSH_9.2\r\n connection: close", "bad_response", "retry"),
        (b"connection: close", "bad_response", "retry"),
        (http(200, b'{"choices": [', extra="connection: close\r\n"), "bad_response", "retry"),
        (b"HTTP/1.1 200 X\r\ncontent-length: 99\r\nconnection: close\r\n\r\n{", "bad_response",
         "retry"),
        (http(200, b"", "text/html"), "bad_response", "retry"),
        (http(200, b"<html>login", "text/html"), "bad_response", "record"),
        (http(502, b"<html>Bad Gateway", "text/html"), "bad_response", "retry"),
        (error(401, message="wrong key"), "auth", "run"),
        (error(404, message="no such model"), "not_found", "run"),
        (error(429, code="insufficient_quota"), "quota", "run"),
    ],
)  # fmt: skip
async def test_what_is_no_answer_is_named(
    wire: Wire, answer: bytes, reason: str, scope: str
) -> None:
    """Bytes that are no HTTP, half a body, errors: each is a failure of its kind."""
    wire.handler = lambda _body, _n: answer
    with pytest.raises(CallFailed) as failed:
        await ask(wire.url)

    assert (failed.value.reason, failed.value.scope) == (reason, scope)
    assert not failed.value.unreachable


async def test_nobody_there() -> None:
    """No connection came about, and the message says where to."""
    with pytest.raises(CallFailed, match=r"127\.0\.0\.1:9") as failed:
        await ask("http://127.0.0.1:9/v1")

    assert (failed.value.reason, failed.value.unreachable) == ("bad_response", True)


async def test_a_flood_is_not_read_to_its_end(wire: Wire) -> None:
    """Neither one that announces its size nor one that does not."""
    wire.handler = lambda _b, _n: (
        f"HTTP/1.1 200 X\r\ncontent-length: {MAX_BODY + 1}\r\n\r\n".encode()
    )
    with pytest.raises(CallFailed, match="larger than"):
        await ask(wire.url)

    piece = b"x" * 65536
    chunk = f"{len(piece):x}\r\n".encode() + piece + b"\r\n"
    many = chunk * (MAX_BODY // len(piece) + 2)
    wire.handler = lambda _b, _n: b"HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n" + many
    with pytest.raises(CallFailed, match="larger than"):
        await ask(wire.url)


async def test_a_packed_flood_is_not_unpacked(wire: Wire) -> None:
    """A compressed body is held to less, and to what was asked for."""
    assert "gzip, deflate" in await _head(wire)
    noise = gzip.compress(Random(1).randbytes(MAX_PACKED + 1))
    for extra in ("content-encoding: gzip\r\n", "content-encoding: zstd\r\n"):
        packed = http(200, noise, extra=extra)
        wire.handler = lambda _b, _n, packed=packed: packed
        with pytest.raises(CallFailed, match=r"larger than|packed as zstd"):
            await ask(wire.url)


async def _head(wire: Wire) -> str:
    wire.handler = verdicts
    await ask(wire.url)
    return wire.heads[0].lower()


async def test_a_dripping_server_meets_the_deadline(wire: Wire) -> None:
    """The deadline is of the whole call, not of the time between bytes."""
    wire.handler = lambda _b, _n: None
    backend = OpenAIBackend(wire.url)
    run, _ = await judged(backend, [task()], timeout_s=0.05, retry=QUICK)
    await backend.aclose()

    assert run.summary is not None
    assert run.summary.undecided == {"timeout": 3}
    assert len(wire.bodies) == QUICK.retries + 1


async def test_the_key_goes_to_the_server_and_nowhere_else(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that repeats it is redacted."""
    key = "secret-0123456789"
    monkeypatch.setenv("SOME_KEY", key)
    wire.handler = lambda _b, _n: error(401, message=f"{key} is wrong, {key}")
    backend = OpenAIBackend(wire.url, api_key_env="SOME_KEY")
    with pytest.raises(CallFailed) as failed:
        await backend.complete(spec(), task())
    await backend.aclose()

    assert f"Bearer {key}" in wire.heads[0]
    assert key not in repr(failed.value) + failed.value.message
    assert failed.value.__suppress_context__ or key not in repr(failed.value.__context__)
    assert key not in json.dumps(wire.bodies)


def test_openai_itself_needs_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the variable to set; a server of one's own needs none."""
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("SOME_KEY", raising=False)

    with pytest.raises(UsageError, match="SOME_KEY"):
        OpenAIBackend(api_key_env="SOME_KEY")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("http://127.0.0.1:8000/v1/", "http://127.0.0.1:8000/v1"),
        ("http://127.0.0.1:8000/v1//", "http://127.0.0.1:8000/v1"),
        ("http://me:secret@host:1/v1", "http://host:1/v1"),
        (None, "http://from.the.environment/v1"),
    ],
)
async def test_the_address_is_normalised(
    given: str | None, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No user info, no slash too many; else the variable's."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://from.the.environment/v1/")
    backend = OpenAIBackend(given)
    await backend.aclose()

    assert backend.base_url == expected


def test_an_address_that_is_none_is_refused() -> None:
    """Before anything is sent."""
    with pytest.raises(UsageError, match="base URL"):
        OpenAIBackend("localhost:8000")
