"""Objects of a JSON file: JSON Lines, a list of objects, one object, or an object of columns."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trueup.domain.display import sanitise_json
from trueup.errors import InputError
from trueup.exchange.base import parse_json, raw_lines
from trueup.exchange.entries import FieldError
from trueup.exchange.reading import Reading, Row

_DEEPEST = 200
_SPACE = re.compile(r"[ \t\r\n]*")


def read_json(path: Path, reading: Reading) -> Iterator[Row]:
    """The objects of a file, with the line on which each begins.

    Raises InputError for what is no JSON; in JSON Lines a bad line goes to `reading.refuse`.
    """
    first = next(raw_lines(path), None)
    if first is None:
        raise InputError("is empty", path=path)
    if _is_object(first[1]):
        yield from _lines(path, reading)
        return
    text = _text(path)
    if text.lstrip()[:1] == "[":
        yield from _elements(path, text, reading)
        return
    yield from _values(path, text, reading)


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(parse_json(line), dict)
    except ValueError:
        return False


def _lines(path: Path, reading: Reading) -> Iterator[Row]:
    for number, raw in raw_lines(path):
        try:
            try:
                value = parse_json(raw)
            except ValueError as error:
                raise FieldError("", str(error)) from None
            if not isinstance(value, dict):
                raise FieldError("", "must be an object")
        except FieldError as error:
            reading.refuse(path, number, error)
            continue
        yield from _columns(Row(path, number, value))


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 at byte {error.start + 1}", path=path) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from error


def _elements(path: Path, text: str, reading: Reading) -> Iterator[Row]:
    """The objects of a list, one at a time."""
    at = _skip(text, text.index("[") + 1)
    line, counted = 1, 0
    while text[at : at + 1] != "]":
        line += text.count("\n", counted, at)
        counted = at
        value, at = _parsed(path, text, at)
        if isinstance(value, dict):
            yield from _columns(Row(path, line, value))
        else:
            reading.refuse(path, line, FieldError("", "must be an object"))
        at = _skip(text, at)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
            if text[at : at + 1] == "]":
                _parsed(path, text, at)  # a comma promised one more: the parser says where
        elif text[at : at + 1] != "]":
            where = text.count("\n", 0, at) + 1
            raise InputError("not JSON: the list is not closed here", path=path, line=where)


def _values(path: Path, text: str, reading: Reading) -> Iterator[Row]:
    """Objects one after another, each over as many lines as it likes."""
    at = _skip(text, 0)
    line, counted = 1, 0
    while at < len(text):
        line += text.count("\n", counted, at)
        counted = at
        value, end = _parsed(path, text, at)
        if isinstance(value, dict):
            yield from _columns(Row(path, line, value))
        else:
            reading.refuse(path, line, FieldError("", "must be an object"))
        at = _skip(text, end)


def _skip(text: str, at: int) -> int:
    return _SPACE.match(text, at).end()  # type: ignore[union-attr]  # matches nothing, too


def _parsed(path: Path, text: str, at: int) -> tuple[Any, int]:
    try:
        value, end = json.JSONDecoder().raw_decode(text, at)
        if _deeper(value, _DEEPEST):
            raise RecursionError
    except RecursionError:
        line = text.count("\n", 0, at) + 1
        raise InputError("nested too deeply", path=path, line=line) from None
    except ValueError as error:
        line = getattr(error, "lineno", 1)
        raise InputError(
            f"not JSON: {getattr(error, 'msg', error)}", path=path, line=line
        ) from None
    return sanitise_json(value), end


def _deeper(value: Any, than: int) -> bool:
    """Whether lists and objects nest deeper than that, as deep as JSON Lines may."""
    if not isinstance(value, (list, dict)):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return than == 0 or any(_deeper(item, than - 1) for item in inner)


def _columns(row: Row) -> Iterator[Row]:
    """The rows of an object of columns (`{"question": […], "answer": […]}`); else the object."""
    values = list(row.value.values())
    together = (
        len(values) > 1
        and all(isinstance(v, list) for v in values)
        and len({len(v) for v in values}) == 1
        and any(isinstance(item, str) for v in values for item in v[:1])
    )
    if not together:
        yield row
        return
    for cells in zip(*values, strict=True):
        yield Row(row.path, row.line, dict(zip(row.value, cells, strict=True)))


def inside(row: Row, *keys: str) -> Iterator[Row]:
    """The objects of the list under the first of these keys that the row has; else the row."""
    for key in keys:
        found = row.value.get(key)
        if isinstance(found, list):
            for item in found:
                if isinstance(item, dict):
                    yield Row(row.path, row.line, item)
            return
    yield row
