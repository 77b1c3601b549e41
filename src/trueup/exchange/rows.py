"""The rows of any file that holds objects: JSON, JSON Lines, CSV, Parquet; `--map` applied."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from trueup.errors import InputError
from trueup.exchange.fields import mapped
from trueup.exchange.reading import Reading, Row


def rows_of(paths: Sequence[Path], reading: Reading) -> Iterator[Row]:
    """The rows of the files, in order, columns renamed as `reading.mapping` says."""
    for path in paths:
        for row in _raw(path, reading):
            if not reading.mapping:
                yield row
                continue
            reading.columns |= dict.fromkeys(row.value)
            yield row._replace(value=mapped(row.value, reading.mapping, reading.mapped))


def is_json(path: Path) -> bool:
    """Whether a file begins as JSON does. Raises InputError where it cannot be read."""
    return _head(path).removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in {b"{", b"["}


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(4096)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from error


def _raw(path: Path, reading: Reading) -> Iterator[Row]:
    if _head(path).startswith(b"PAR1"):
        from trueup.exchange.parquet_read import read_parquet

        return read_parquet(path, reading)
    if is_json(path):
        from trueup.exchange.json_read import read_json

        return read_json(path, reading)
    from trueup.exchange.csv_read import read_csv

    return read_csv(path, reading)
