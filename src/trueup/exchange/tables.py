"""Tables of records, or of claims: CSV, Parquet, and any JSON whose columns `--map` names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from trueup.domain.transfer import ImportedRecord
from trueup.errors import InputError
from trueup.exchange.cells import record_value
from trueup.exchange.claim_rows import gather, is_claim_table
from trueup.exchange.entries import FieldError
from trueup.exchange.fields import check_shape, fields_of
from trueup.exchange.json_read import inside
from trueup.exchange.jsonl import read_object
from trueup.exchange.reading import Reading, Row
from trueup.exchange.rows import rows_of

_LABEL_FILE = frozenset({"unit", "record", "annotator", "label"})


def read_tables(paths: Sequence[Path], reading: Reading) -> Iterator[ImportedRecord]:
    """The records of tables. Rows that hold a claim each are gathered by record."""
    for path in paths:
        yield from _table(path, reading)


def plain_rows(path: Path, reading: Reading) -> Iterator[Row]:
    """The rows; where an object of a JSON file has one list of objects and nothing that we know,
    those of the list."""
    for row in rows_of([path], reading):
        lists = [k for k, v in row.value.items() if isinstance(v, list) and _objects(v)]
        if len(lists) == 1 and not {"answer", "claim"} & set(fields_of(row.value).values()):
            yield from inside(row, *lists)
        else:
            yield row


def _objects(items: list[object]) -> bool:
    return bool(items) and isinstance(items[0], dict)


def _table(path: Path, reading: Reading) -> Iterator[ImportedRecord]:
    rows = plain_rows(path, reading)
    first = next(rows, None)
    if first is None:
        return
    try:
        _check(first)
    except FieldError as error:
        reading.check_mapping()
        raise InputError(error.message, path=path, hint=error.hint) from None
    every = chain([first], rows)
    if is_claim_table(fields_of(first.value).values()):
        yield from gather(every, reading)
        return
    yield from reading.each(every, lambda row: _record(row, reading))


def _check(row: Row) -> None:
    if row.value.keys() >= _LABEL_FILE:
        raise FieldError(
            "", "holds labels on units, not records",
            hint=f"import the records first, then: trueup labels import {row.path}",
        )  # fmt: skip
    check_shape(fields_of(row.value).values(), list(row.value))


def _record(row: Row, reading: Reading) -> ImportedRecord:
    """One row as one record."""
    fields = fields_of(row.value)
    value = record_value(row.value, fields)
    if "claims" not in value:
        value.setdefault("answer", "")
    return read_object(value, reading.entries, str(row.path), row.line)
