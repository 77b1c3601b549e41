"""Reads the body of a chat completion, whatever shape a server gives it, or names what is wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from trueup.domain.judging import Reply, Usage
from trueup.judge.base import CallFailed
from trueup.judge.parse import clean

_CHARSET = re.compile(r"charset=\"?([\w.:-]+)", re.IGNORECASE)


def read_body(
    content: bytes,
    content_type: str,
    notes: Mapping[str, str],
    redact: Callable[[str], str],
) -> Reply:
    """The reply in a 200. Raises CallFailed (`bad_response`) for what is no chat completion."""
    text = _decode(content, content_type)
    if "event-stream" in content_type or text.startswith("data:"):
        return read_completion(_joined(text), notes, redact)
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        raise _no_json(text, redact) from None
    return read_completion(body, notes, redact)


def _decode(content: bytes, content_type: str) -> str:
    charset = _CHARSET.search(content_type)
    try:
        return content.decode(charset[1] if charset else "utf-8", "replace")
    except LookupError:
        return content.decode("utf-8", "replace")


def _no_json(text: str, redact: Callable[[str], str]) -> CallFailed:
    if not text.strip():
        return CallFailed("bad_response", "the server sent an empty body")
    start = redact(re.sub(r"\s+", " ", text[:120])).strip()
    page = text.lstrip()[:1] == "<"
    hint = " (a web page: is base_url right, is there a proxy?)" if page else ""
    return CallFailed(
        "bad_response", f"not JSON{hint}: {start}", scope="record" if page else "retry"
    )


def read_completion(body: Any, notes: Mapping[str, str], redact: Callable[[str], str]) -> Reply:
    """The reply in a decoded chat completion. Raises CallFailed where it is none."""
    if not isinstance(body, dict):
        raise CallFailed("bad_response", f"the server sent {redact(str(body)[:120])!r}")
    usage = _usage(body.get("usage"))
    given = body.get("choices")
    choices = given if isinstance(given, list) else []
    first = choices[0] if choices else None
    message = first.get("message") if isinstance(first, dict) else None
    if not isinstance(first, dict) or not isinstance(message, dict):
        raise CallFailed("bad_response", _no_choice(body, redact), usage=usage)
    if len(choices) > 1:
        notes = {**notes, "choices": f"{len(choices)} came, the first counts"}
    return Reply(
        text=clean(_text(message.get("content"))),
        finish_reason=_string(first.get("finish_reason")),
        refusal=_string(message.get("refusal")),
        answered_model=_string(body.get("model")),
        system_fingerprint=_string(body.get("system_fingerprint")),
        usage=usage,
        notes=notes,
    )


def _no_choice(body: dict[str, Any], redact: Callable[[str], str]) -> str:
    error = body.get("error")
    said = error.get("message") if isinstance(error, dict) else error
    if said:
        return f"the server sent an error with status 200: {redact(str(said))[:200]}"
    return "the reply has no choices"


def _text(content: Any) -> str:
    """The content: a string, or a list of parts of which the text ones count."""
    if isinstance(content, list):
        return "".join(_text(p.get("text")) if isinstance(p, dict) else _text(p) for p in content)
    return content if isinstance(content, str) else ""


def _string(value: Any) -> str | None:
    return clean(value) if isinstance(value, str) and value else None


def _usage(usage: Any) -> Usage:
    """Token counts. A prompt of 0 tokens does not exist: a server that says so does not know."""
    if not isinstance(usage, dict):
        return Usage()
    sent = _count(usage.get("prompt_tokens"))
    return Usage(sent, _count(usage.get("completion_tokens"))) if sent else Usage()


def _count(value: Any) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit():
        return int(value[:18])
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _joined(text: str) -> dict[str, Any]:
    """One completion from an event stream that nobody asked for."""
    body: dict[str, Any] = {}
    content, refusal, finish = "", "", None
    for line in text.splitlines():
        data = line.removeprefix("data:").strip()
        if not line.startswith("data:") or data == "[DONE]":
            continue
        try:
            event = json.loads(data)
        except (ValueError, RecursionError):
            raise CallFailed("bad_response", "an event of the stream is not JSON") from None
        if not isinstance(event, dict):
            continue
        body.update({k: v for k, v in event.items() if k != "choices" and v is not None})
        for choice in event.get("choices") or ():
            delta = choice.get("delta") or {}
            content += _text(delta.get("content"))
            refusal += _text(delta.get("refusal"))
            finish = choice.get("finish_reason") or finish
    if finish is None:
        raise CallFailed("bad_response", "the stream ended before the reply was finished")
    message = {"content": content, "refusal": refusal or None}
    return {**body, "choices": [{"message": message, "finish_reason": finish}]}
