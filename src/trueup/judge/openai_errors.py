"""What an OpenAI-compatible server's error means: for the call, for the record, for the run."""

from __future__ import annotations

import email.utils
import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from trueup.judge.base import CallFailed, Scope

_MAX_MESSAGE = 300
_TOO_LONG = re.compile(
    r"context[ _]length|context window|maximum context|too many tokens|prompt is too long"
    r"|exceeds? .{0,40}context|input is too long",
    re.IGNORECASE,
)
_FILTERED = re.compile(r"content[ _]?(?:filter|management|policy)|safety system", re.IGNORECASE)
_QUOTA = re.compile(r"insufficient[_ ]quota|exceeded your current quota|billing", re.IGNORECASE)

_BY_STATUS: dict[int, tuple[str, Scope]] = {
    401: ("auth", "run"),
    402: ("quota", "run"),
    403: ("auth", "run"),
    404: ("not_found", "run"),
    405: ("not_found", "run"),
    408: ("bad_response", "retry"),
    409: ("bad_response", "retry"),
    413: ("context_length", "record"),
    425: ("bad_response", "retry"),
    429: ("rate_limit", "retry"),
}


@dataclass(frozen=True, slots=True)
class ServerError:
    """An error body, read as far as it can be: `fields` are parameter names that it points at."""

    message: str
    code: str = ""
    param: str = ""
    fields: tuple[str, ...] = field(default=())


def read_error(status: int, content: bytes) -> ServerError:
    """The error of a body in OpenAI's, Azure's or FastAPI's shape, or of whatever text it is."""
    text = content[:20_000].decode("utf-8", "replace")
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return ServerError(_plain(text) or f"HTTP {status}")
    if isinstance(body, dict) and isinstance(body.get("detail"), list):
        return _fastapi(body["detail"], status)
    error = body.get("error", body) if isinstance(body, dict) else body
    if not isinstance(error, dict):
        return ServerError(_plain(str(error)) or f"HTTP {status}")
    return ServerError(
        message=_plain(str(error.get("message") or error.get("detail") or f"HTTP {status}")),
        code=f"{error.get('code') or ''} {error.get('type') or ''}".strip(),
        param=str(error.get("param") or ""),
    )


def classify(
    status: int, headers: Mapping[str, str], error: ServerError, redact: Callable[[str], str]
) -> CallFailed:
    """The failure that a status and its error body stand for."""
    said = f"{error.code} {error.message}"
    reason, scope = _BY_STATUS.get(status, ("bad_response", "record"))
    if status >= 500:
        reason, scope = "bad_response", "retry"
    elif status == 429 and _QUOTA.search(said):
        reason, scope = "quota", "run"
    elif status in {400, 413, 422} and _TOO_LONG.search(said):
        reason, scope = "context_length", "record"
    elif status in {400, 403} and _FILTERED.search(said):
        reason, scope = "content_filter", "record"
    message = redact(f"HTTP {status}: {error.message}")[:_MAX_MESSAGE]
    return CallFailed(reason, message, scope=scope, retry_after=retry_after(headers))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the server asks to wait: milliseconds, seconds, or a date by its own clock."""
    for name, scale in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        number = _number(headers.get(name, ""))
        if number is not None:
            return number / scale
    when = _date(headers.get("retry-after", ""))
    if when is None:
        return None
    now = _date(headers.get("date", "")) or datetime.now(UTC)
    return max(0.0, (when - now).total_seconds())


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _date(text: str) -> datetime | None:
    try:
        when = email.utils.parsedate_to_datetime(text)
    except ValueError:
        return None
    return when if when.tzinfo else when.replace(tzinfo=UTC)


def _fastapi(detail: list[Any], status: int) -> ServerError:
    entries = [d for d in detail if isinstance(d, dict)]
    fields = tuple(str(d["loc"][1]) for d in entries if len(d.get("loc") or ()) > 1)
    messages = "; ".join(f"{d.get('loc')}: {d.get('msg')}" for d in entries[:5])
    kinds = " ".join(str(d.get("type", "")) for d in entries)
    return ServerError(messages or f"HTTP {status}", code=kinds, fields=fields)


def _plain(text: str) -> str:
    """One line without tags: what can be shown of a proxy's page."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", text)).strip()[:_MAX_MESSAGE]
