"""Writes tables: CSV whose cells no spreadsheet runs, and Parquet; both read back as the same."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias

from trueup.domain.transfer import ImportedRecord
from trueup.errors import UsageError
from trueup.exchange.csv_safety import QUOTING, protect
from trueup.exchange.jsonl_write import item_line

Kind: TypeAlias = Literal["text", "bool", "int", "float", "json"]
Columns: TypeAlias = Mapping[str, Kind]

RECORD_COLUMNS: Columns = {
    "id": "text", "question": "text", "context": "json", "answer": "text", "reference": "text",
    "gold": "json", "gold_context": "json", "retrieved": "json", "release": "text",
    "failing": "bool", "slices": "json", "meta": "json", "claims": "json", "claim_sets": "json",
    "judges": "json", "empty": "text",
}  # fmt: skip
"""A record in a row: what is a list or an object stands in its cell as JSON. `empty` names the
texts that are given and empty, since an empty cell is a field that is not given."""
_MAY_BE_EMPTY = ("question", "reference")
_BATCH = 1000


def record_rows(items: Iterable[ImportedRecord]) -> Iterator[dict[str, Any]]:
    """A row for each record, with everything that is said of it."""
    for item in items:
        line = item_line(item)
        empty = [name for name in _MAY_BE_EMPTY if line.get(name) == ""]
        yield {**line, **({"empty": " ".join(empty)} if empty else {})}


def jsonl_lines(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """One JSON object a line."""
    for row in rows:
        yield json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n"


def csv_lines(rows: Iterable[Mapping[str, Any]], columns: Columns) -> Iterator[str]:
    """The header, then a row at a time. Texts are protected and quoted, numbers are numbers."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n", quoting=QUOTING)
    writer.writerow(columns)
    for row in rows:
        yield _taken(buffer)
        writer.writerow([_cell(row.get(name), kind) for name, kind in columns.items()])
    yield _taken(buffer)


def _taken(buffer: io.StringIO) -> str:
    text = buffer.getvalue()
    buffer.seek(0)
    buffer.truncate()
    return text


def _cell(value: Any, kind: Kind) -> Any:
    if value is None:
        return ""
    if kind == "bool":
        return "true" if value else "false"
    if kind in {"int", "float"}:
        return value
    return protect(_json(value) if kind == "json" else str(value))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def write_parquet(path: Path, rows: Iterable[Mapping[str, Any]], columns: Columns) -> int:
    """Write rows whole or not at all; returns how many. Nulls are nulls. Raises UsageError."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    types = {
        "text": pa.string(), "json": pa.string(), "bool": pa.bool_(), "int": pa.int64(),
        "float": pa.float64(),
    }  # fmt: skip
    schema = pa.schema([(name, types[kind]) for name, kind in columns.items()])
    draft = path.with_name(path.name + ".part")
    count = 0
    try:
        with pq.ParquetWriter(draft, schema) as writer:
            for batch in _batches(rows):
                values = {
                    name: [_stored(row.get(name), kind) for row in batch]
                    for name, kind in columns.items()
                }
                writer.write_table(pa.table(values, schema=schema))
                count += len(batch)
        draft.replace(path)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        draft.unlink(missing_ok=True)
    return count


def _stored(value: Any, kind: Kind) -> Any:
    return _json(value) if kind == "json" and value is not None else value


def _batches(rows: Iterable[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    batch: list[Mapping[str, Any]] = []
    for row in rows:
        batch.append(row)
        if len(batch) >= _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
