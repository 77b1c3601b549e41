"""A chat-completions endpoint that answers every request with the same reply after a fixed time.

Written on the bare protocol, so that it costs a small part of what a client costs.
"""

from __future__ import annotations

import asyncio
import json
import sys

CLAIMS = 5


def claim(number: int) -> str:
    """The text of claim `number` (from 1) in every record of the benchmark."""
    return f"The depot at kilometre {number * 7} keeps spare parts for {number + 20} days."


def body(*, evidence: bool = True) -> bytes:
    """The response: a verdict for each claim, with a verbatim quote where quotes are asked for."""
    return _completion({"claims": _entries(evidence=evidence)})


def peer_body(asked: bytes) -> bytes:
    """A response in the shape that a peer asks for: ragas' two steps, or deepeval's three."""
    texts = [claim(n) for n in range(1, CLAIMS + 1)]
    if b"statements" not in asked:
        verdicts = [{"verdict": "yes", "reason": None}] * CLAIMS
        return _completion({"claims": texts, "truths": texts, "verdicts": verdicts})
    if b"verdict" not in asked:
        return _completion({"statements": texts})
    ruled = [{"statement": t, "reason": "It is stated.", "verdict": 1} for t in texts]
    return _completion({"statements": ruled})


def _entries(*, evidence: bool) -> list[dict[str, object]]:
    return [
        {"number": n, "claim": claim(n), "entailed": n % 2 == 1}
        | ({"evidence": quotes(n)} if evidence else {})
        for n in range(1, CLAIMS + 1)
    ]


def _completion(value: object) -> bytes:
    message = {"role": "assistant", "content": json.dumps(value), "refusal": None}
    return json.dumps(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": "stub",
            "system_fingerprint": "fp_1",
            "choices": [
                {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
            ],
            "usage": {"prompt_tokens": 900, "completion_tokens": 200, "total_tokens": 1100},
        }
    ).encode()


def quotes(number: int) -> list[str]:
    """Evidence for the claims that the stub calls entailed."""
    return [claim(number)] if number % 2 == 1 else []


class Endpoint(asyncio.Protocol):
    """Reads requests by their Content-Length and answers each after the latency."""

    def __init__(self, latency: float, plain: bytes, quoted: bytes) -> None:
        self._latency = latency
        self._plain, self._quoted = plain, quoted
        self._loop = asyncio.get_running_loop()
        self._data = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._data += data
        while (end := self._data.find(b"\r\n\r\n")) >= 0:
            head = self._data[:end].lower()
            at = head.find(b"content-length:")
            size = int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
            if len(self._data) < end + 4 + size:
                return
            asked = self._data[end + 4 : end + 4 + size]
            self._data = self._data[end + 4 + size :]
            self.asked(asked)
            response = self._quoted if b'"evidence"' in asked else self._plain
            if b'"peer"' in asked:
                response = http(peer_body(asked))
            self._loop.call_later(self._latency, self._answer, response)

    def asked(self, body: bytes) -> None:
        """Called with the body of each request."""

    def _answer(self, response: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(response)


def http(content: bytes) -> bytes:
    """A response with this JSON."""
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(content)}"
    return head.encode() + b"\r\n\r\n" + content


async def serve(latency_ms: float) -> None:
    """Listen on a free loopback port, print it, and serve until the input is closed."""
    plain, quoted = http(body(evidence=False)), http(body())
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: Endpoint(latency_ms / 1000, plain, quoted), "127.0.0.1", 0, backlog=4096
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1])))
