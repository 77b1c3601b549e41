"""A small OpenAI-compatible endpoint on loopback that entails every other claim, with its quote."""

from __future__ import annotations

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Endpoint:
    """Counts the calls it answered; `url` is its base URL."""

    def __init__(self, quote: str = "not in the context at all") -> None:
        self.calls = 0
        self.quote = quote
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.calls += 1
                self._send(outer.answer(body))

            def do_GET(self) -> None:
                self._send({"object": "list", "data": []})

            def _send(self, value: Any) -> None:
                data = json.dumps(value).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        """A completion: a verdict for each numbered claim of the prompt."""
        prompt = body["messages"][-1]["content"]
        listed = prompt.rpartition("CLAIMS:")[2]
        claims = [
            {"number": int(n), "claim": text, "entailed": True, "evidence": self.quote}
            for n, text in re.findall(r"^(\d+)\. (.+)$", listed, re.MULTILINE)
        ]
        message = {"role": "assistant", "content": json.dumps({"claims": claims})}
        return {
            "id": "c", "object": "chat.completion", "created": 1, "model": body["model"],
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
        }  # fmt: skip

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
