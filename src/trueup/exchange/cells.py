"""What stands in a column of a known field, as trueup JSONL has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trueup.exchange.base import id_text
from trueup.exchange.entries import FieldError
from trueup.exchange.fields import DOTTED, IGNORED
from trueup.exchange.literals import boolean, structured
from trueup.exchange.parquet_read import whole_number

_TEXTS = frozenset({"question", "answer", "reference"})
_IDS = frozenset({"id", "release", "claim_id"})
_LISTS = frozenset({"context", "gold", "gold_context", "retrieved", "claims", "claim_sets"})
_OBJECTS = frozenset({"slices", "meta", "judges"})
_NUMBERS = frozenset({"start", "end"})


def record_value(row: Mapping[str, Any], fields: Mapping[str, str]) -> dict[str, Any]:
    """The record of a row: known columns under the names of their fields, the rest as metadata.

    An empty cell is a field that is not given; the column `empty` names those that are given and
    empty. Raises FieldError with the name of the column.
    """
    record: dict[str, Any] = {}
    for column, value in row.items():
        field = fields.get(column)
        if column == "labels" and isinstance(value, list):  # only rows of JSON have it
            record[column] = value
            continue
        if field is None:
            if not _blank(value):
                record.setdefault("meta", {})[column] = value
            continue
        part, _, name = field.partition(".")
        if name and part in DOTTED[2:]:
            if not _blank(value):
                record.setdefault(part, {})[name] = value
            continue
        found = cell(column, field, value)
        if part in _OBJECTS and not name and found is not None:
            record[part] = {**found, **record.get(part, {})}
        elif found is not None and not name and field != IGNORED:
            record[field] = found
    for name in str(record.pop("empty", "")).split():
        record.setdefault(name, "")
    return record


def _blank(value: Any) -> bool:
    return value is None or value == "" or value != value


def cell(column: str, field: str, value: Any) -> Any:
    """The value of one cell; None where it says nothing. Raises FieldError naming the column."""
    if _blank(value) and field != "answer":
        return None
    try:
        return _read(column, field, value)
    except FieldError as error:
        raise FieldError(column, error.message, hint=error.hint) from None


def _read(column: str, field: str, value: Any) -> Any:
    if field == "failing":
        return boolean(value)
    if field in _IDS:
        return id_text(whole_number(value))
    if field in _LISTS:
        return _list(field, value)
    if field in _OBJECTS:
        found = structured(value) if isinstance(value, str) else value
        if not isinstance(found, dict):
            raise FieldError("", "must be an object in JSON")
        return found
    if field in _NUMBERS:
        return _whole(value)
    if field == "reference" and column != "reference" and isinstance(value, str):
        found = structured(value)
        return found if isinstance(found, list) and _all(found, str) else value
    if field in _TEXTS:
        return _text(value)
    return value


def _text(value: Any) -> Any:
    """A text; what a column of numbers holds becomes its digits."""
    if value is None:
        return ""
    if isinstance(value, (str, list)):
        return value
    text = id_text(value)
    if text is None:
        raise FieldError("", f"must be a text, not {type(value).__name__}")
    return text


def _list(field: str, value: Any) -> Any:
    found = structured(value) if isinstance(value, str) else value
    if field == "context":
        if isinstance(found, dict):
            return [found]
        return found if isinstance(found, list) and _all(found, str, dict) else value
    if field in {"gold", "retrieved"}:
        if isinstance(found, list) and _all(found, str, int):
            return found
        return [id_text(whole_number(value)) if not isinstance(value, str) else value]
    if field == "gold_context":
        return found if isinstance(found, list) and _all(found, str) else value
    if not isinstance(found, list):
        raise FieldError("", "must be a list in JSON")
    return found


def _all(items: list[Any], *kinds: type) -> bool:
    return all(isinstance(item, kinds) and not isinstance(item, bool) for item in items)


def _whole(value: Any) -> int:
    number = whole_number(value)
    if isinstance(number, int) and not isinstance(number, bool):
        return number
    text = str(value).strip()
    if not text.isascii() or not text.isdigit() or len(text) > 12:
        raise FieldError("", f"must be a whole number, not {text[:40]!r}")
    return int(text)
