"""What the readers of one import share: rows with their place, what was left out, what to say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from trueup.domain.model import Record, Unit
from trueup.domain.transfer import ImportedRecord
from trueup.errors import InputError, UsageError
from trueup.exchange.base import BadLine
from trueup.exchange.entries import Entries, FieldError


class Row(NamedTuple):
    """One object of a file: a line of JSONL, an element of a list, a line of a table."""

    path: Path
    line: int | None
    value: dict[str, Any]


class Known(NamedTuple):
    """A record that the workspace has, with its current units."""

    record: Record
    units: tuple[Unit, ...]


def _unknown(record_id: str) -> Sequence[Known]:  # noqa: ARG001 (a look-up that knows nothing)
    return ()


@dataclass(slots=True)
class Reading:
    """One import while its files are read.

    `bad`: lines that cannot be read are added there and left out; without it they are raised.
    `mapping`: `--map`, column -> field. `lookup` finds the records of the workspace with an id (one
    for each release), for files that only add to records (scores, qrels, annotations). `said` is
    what a person should be told at the end, `counted` likewise with a number before it.
    """

    bad: list[BadLine] | None = None
    mapping: Mapping[str, str] = field(default_factory=dict)
    lookup: Callable[[str], Sequence[Known]] = _unknown
    said: list[str] = field(default_factory=list)
    counted: dict[str, int] = field(default_factory=dict)
    entries: Entries = field(default_factory=Entries)
    columns: dict[str, None] = field(default_factory=dict)
    mapped: set[str] = field(default_factory=set)
    """With a mapping: the columns that were seen, and those of the mapping that were found."""

    def check_mapping(self) -> None:
        """Raise UsageError where a column of `--map` is in none of the files."""
        missing = [column for column in self.mapping if column not in self.mapped]
        if missing:
            raise UsageError(
                f"--map: there is no column {missing[0]!r}",
                hint="columns: " + ", ".join(list(self.columns)[:30]),
            )

    def say(self, text: str) -> None:
        """Tell this once, at the end."""
        if text not in self.said:
            self.said.append(text)

    def count(self, what: str, n: int = 1) -> None:
        """Tell at the end how often this came."""
        self.counted[what] = self.counted.get(what, 0) + n

    @property
    def notes(self) -> tuple[str, ...]:
        """Everything to be told, in order."""
        return (*self.said, *(f"{n:,} {what}" for what, n in self.counted.items() if n))

    def refuse(self, path: Path, line: int | None, error: FieldError) -> None:
        """Leave a line out, or raise InputError with its place."""
        if self.bad is None:
            raise InputError(
                error.message, path=path, line=line, field=error.field or None, hint=error.hint
            ) from None
        self.bad.append(BadLine(str(path), line, error.message, error.field or None))

    def each(
        self, rows: Iterator[Row], read: Callable[[Row], ImportedRecord | None]
    ) -> Iterator[ImportedRecord]:
        """The records of rows; None is no record. A FieldError goes to `refuse`."""
        for row in rows:
            try:
                item = read(row)
            except FieldError as error:
                self.refuse(row.path, row.line, error)
                continue
            if item is not None:
                yield item


class Importer(Protocol):
    """Reads files of one format. Raises InputError with file, line and field."""

    def __call__(self, paths: Sequence[Path], reading: Reading, /) -> Iterator[ImportedRecord]: ...
