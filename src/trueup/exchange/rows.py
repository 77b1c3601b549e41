"""The rows of any file that holds objects: JSON, JSON Lines, CSV, Parquet; `--map` applied."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from trueup.errors import InputError
from trueup.exchange.fields import mapped
from trueup.exchange.reading import Reading, Row


def rows_of(paths: Sequence[Path], reading: Reading) -> Iterator[Row]:
    """The rows of the files, in order, columns renamed as `reading.mapping` says.

    Raises InputError where a column of `--map` is in none of them.
    """
    used: set[str] = set()
    seen: dict[str, None] = {}
    for path in paths:
        for row in _raw(path, reading):
            if not reading.mapping:
                yield row
                continue
            seen |= dict.fromkeys(row.value)
            yield row._replace(value=mapped(row.value, reading.mapping, used))
    missing = sorted(set(reading.mapping) - used)
    if seen and missing:
        raise InputError(
            f"--map: there is no column {missing[0]!r}",
            path=paths[0],
            hint="its columns: " + ", ".join(list(seen)[:30]),
        )


def _raw(path: Path, reading: Reading) -> Iterator[Row]:
    try:
        with path.open("rb") as file:
            head = file.read(4096)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from error
    if head.startswith(b"PAR1"):
        from trueup.exchange.parquet_read import read_parquet

        return read_parquet(path, reading)
    if head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in {b"{", b"["}:
        from trueup.exchange.json_read import read_json

        return read_json(path, reading)
    from trueup.exchange.csv_read import read_csv

    return read_csv(path, reading)
