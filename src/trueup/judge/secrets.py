"""Keeps the key out of everything that is stored, logged or shown."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable

_LOOKS_LIKE_A_KEY = re.compile(
    r"\bsk-[A-Za-z0-9_*.\-]{8,}|\b(?:Bearer|Basic)\s+[A-Za-z0-9._~+/=\-]{6,}"
)
_LIBRARIES = ("openai", "httpx2", "httpx", "httpcore2", "httpcore", "aiohttp")


def redactor(*secrets: str | None) -> Callable[[str], str]:
    """A function that takes these secrets, and whatever looks like a key, out of a text."""
    known = sorted({s for s in secrets if s and len(s) > 3}, key=len, reverse=True)

    def redact(text: str) -> str:
        for secret in known:
            text = text.replace(secret, "[key]")
        return _LOOKS_LIKE_A_KEY.sub("[key]", text)

    return redact


class RedactingFilter(logging.Filter):
    """Redacts whole log records. It rewrites a record, it never drops one."""

    def __init__(self, redact: Callable[[str], str]) -> None:
        super().__init__()
        self._redact = redact

    def filter(self, record: logging.LogRecord) -> bool:
        """Put the redacted message in place of the message and its arguments."""
        try:
            message = record.getMessage()
        except (TypeError, ValueError):  # a malformed record is the handler's to report
            return True
        redacted = self._redact(message)
        if redacted != message:
            record.msg, record.args = redacted, ()
        if record.exc_info:
            text = logging.Formatter().formatException(record.exc_info)
            record.exc_info, record.exc_text = None, self._redact(text)
        return True


def guard_logs(redact: Callable[[str], str]) -> Callable[[], None]:
    """Put a redacting filter on every logger of the HTTP libraries; returns its removal.

    A filter of a logger does not see what its children log, hence each existing child gets it.
    """
    names = [n for n in logging.root.manager.loggerDict if n.partition(".")[0] in _LIBRARIES]
    loggers = [logging.getLogger(n) for n in {*names, *_LIBRARIES}]
    guard = RedactingFilter(redact)
    for logger in loggers:
        logger.addFilter(guard)

    def remove() -> None:
        for logger in loggers:
            logger.removeFilter(guard)

    return remove
