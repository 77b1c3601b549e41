"""Column types that hold the same thing on SQLite and PostgreSQL."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import BigInteger, Dialect, LargeBinary, Text
from sqlalchemy.types import TypeDecorator

from trueup.domain.display import sanitise_json, sanitise_stored
from trueup.domain.ids import canonical_json

_EPOCH = datetime.fromtimestamp(0, UTC)
_MICROSECOND = timedelta(microseconds=1)


class Key(TypeDecorator[str]):
    """A content id: hex text outside, 16 bytes inside (half the size, and compared as bytes)."""

    impl = LargeBinary(16)
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> bytes | None:
        return None if value is None else bytes.fromhex(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> str | None:
        return None if value is None else bytes(value).hex()


class Instant(TypeDecorator[datetime]):
    """An instant: an aware datetime outside, microseconds since 1970 (UTC) inside.

    A number has no zone that a driver could shift. A datetime without a zone is refused.
    """

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        return None if value is None else to_microseconds(value)

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:
        return None if value is None else from_microseconds(value)


class Words(TypeDecorator[str]):
    """A text in the form that every database takes: see `sanitise_stored`."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else sanitise_stored(value)


class JsonText(TypeDecorator[Any]):
    """A JSON value as canonical text. SQL NULL is None, never the JSON null."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        return None if value is None else dump_json(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        return None if value is None else json.loads(value)


def dump_json(value: Any) -> str:
    """Canonical JSON text that every database takes; NaN and infinities raise ValueError."""
    text = canonical_json(value)
    if "\\u0000" in text or not is_storable(text):
        return canonical_json(sanitise_json(value))
    return text


def is_storable(text: str) -> bool:
    """Whether both databases take a text as it is: no NUL, no lone surrogate."""
    if text.isascii():
        return "\x00" not in text
    try:
        return b"\x00" not in text.encode()
    except UnicodeEncodeError:
        return False


def storable(text: str) -> str:
    """A text in the form that every database takes; the same object where it is that already."""
    return text if is_storable(text) else sanitise_stored(text)


def to_microseconds(value: datetime) -> int:
    """Microseconds since 1970 of an aware datetime; ValueError for one without a zone."""
    if value.tzinfo is None:
        raise ValueError(f"a time without a zone is no instant: {value!r}")
    return (value - _EPOCH) // _MICROSECOND


def from_microseconds(value: int) -> datetime:
    """The instant, in UTC."""
    return _EPOCH + value * _MICROSECOND
