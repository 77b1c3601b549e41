"""Rows of a Parquet file, with the types that it declares; read a batch at a time."""

from __future__ import annotations

import datetime as dt
import decimal
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trueup.domain.display import sanitise_json
from trueup.errors import InputError
from trueup.exchange.entries import FieldError
from trueup.exchange.reading import Reading, Row

_BATCH = 256
_EXACT = 2**53


def columns_of(path: Path) -> tuple[str, ...]:
    """The names of the columns. Raises InputError for a file that is no Parquet file."""
    with _opened(path) as file:
        return tuple(file.schema_arrow.names)


def read_parquet(path: Path, reading: Reading) -> Iterator[Row]:
    """Each row as an object; its number (from 1) stands for the line.

    Whole numbers keep their digits, also beside nulls. A null is absent; NaN counts as null.
    """
    number = 0
    with _opened(path) as file:
        try:
            for batch in file.iter_batches(_BATCH):
                for values in batch.to_pylist():
                    number += 1
                    try:
                        yield Row(path, number, _row(values))
                    except FieldError as error:
                        reading.refuse(path, number, error)
        except _errors() as error:
            raise InputError(f"cannot be read as Parquet: {error}", path=path) from error


def _opened(path: Path) -> Any:
    import pyarrow.parquet as pq

    try:
        return pq.ParquetFile(path)
    except _errors() as error:
        raise InputError(
            f"is no Parquet file that can be read: {str(error).splitlines()[0]}", path=path
        ) from error


def _errors() -> tuple[type[Exception], ...]:
    import pyarrow as pa

    return (pa.ArrowException, OSError, UnicodeDecodeError)


def _row(values: dict[str, Any]) -> dict[str, Any]:
    row = {}
    for name, value in values.items():
        if value is None or (isinstance(value, float) and math.isnan(value)):
            continue
        try:
            row[name] = _plain(value)
        except ValueError as error:
            raise FieldError(name, str(error)) from None
    found: Any = sanitise_json(row)
    return dict(found)


def _plain(value: Any) -> Any:
    """A value of a Parquet file as JSON has it. Raises ValueError for what it has not."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            raise ValueError("holds bytes that are no UTF-8 text") from None
    if isinstance(value, (dt.datetime, dt.date, dt.time)):
        return value.isoformat()
    if isinstance(value, (decimal.Decimal, dt.timedelta)):
        return str(value)
    raise ValueError(f"holds {type(value).__name__}, which is no text")


def whole_number(value: Any) -> Any:
    """A float that stands for a whole number as that number.

    Other programs turn a column of whole numbers with a gap into floats. Raises FieldError where
    that has already rounded it.
    """
    if not isinstance(value, float) or not value.is_integer():
        return value
    if abs(value) >= _EXACT:
        raise FieldError("", f"is a number that was rounded when it was stored: {value:.0f}",
                         hint="write the column as text")  # fmt: skip
    return int(value)
