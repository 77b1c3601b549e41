"""What every importer shares: bad lines, streaming of lines, JSON that may be dirty."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pydantic_core import from_json

from trueup.domain.display import sanitise_json
from trueup.domain.transfer import ImportedRecord
from trueup.errors import InputError

_BOM = b"\xef\xbb\xbf"
_AT = re.compile(r" at line \d+ column (\d+)$")


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that was left out (`--skip-bad`), with the reason and the field, where it is one."""

    path: str
    line: int | None
    reason: str
    field: str | None = None


class Reader(Protocol):
    """Reads a file: yields records; bad lines go to `bad` where it is given, else are raised."""

    def __call__(
        self, path: Path, /, *, bad: list[BadLine] | None = None
    ) -> Iterator[ImportedRecord]: ...


def raw_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """(number, bytes) of the lines that are not blank, split on `\\n` only, without a BOM.

    Raises InputError where the file cannot be read.
    """
    try:
        with path.open("rb") as file:
            for number, raw in enumerate(file, 1):
                line = raw.removeprefix(_BOM) if number == 1 else raw
                if not line.isspace() and line:
                    yield number, line
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from error


def parse_json(raw: bytes) -> Any:
    """The value of one JSON text, its texts as they can be stored (`sanitise_stored`).

    NaN is a float. Integers keep every digit. Raises ValueError with a message for a person: what
    is wrong, and the column.
    """
    try:
        value = from_json(raw, cache_strings="keys")
    except ValueError as error:
        return _parse_dirty(raw, error)
    return sanitise_json(value) if b"\\u0000" in raw else value


def _parse_dirty(raw: bytes, first: ValueError) -> Any:
    """The slower parser knows lone surrogates; where it fails too, the first error is told."""
    message = str(first)
    if "recursion" in message:
        raise ValueError("nested too deeply") from None
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 at byte {error.start + 1}") from None
    if "hex escape" in message or "surrogate" in message:
        try:
            return sanitise_json(json.loads(text))
        except RecursionError:
            raise ValueError("nested too deeply") from None
        except ValueError:
            pass
    at = _AT.search(message)
    where = f" at column {at[1]}" if at else ""
    raise ValueError(f"not JSON: {_AT.sub('', message)}{where}") from None


def finite(value: Any) -> Any:
    """The value with NaN and infinities (which are no JSON) replaced by null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list):
        return [finite(item) for item in value]
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    return value


def id_text(value: Any) -> str | None:
    """An id as text: a number becomes its digits. None for what is no id (null, NaN, true, "")."""
    if isinstance(value, str):
        return value or None
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float) and math.isfinite(value):
        return repr(value)
    return None
