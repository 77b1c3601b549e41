"""Importing files: format detection, one transaction, counts of what was new."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from trueup.domain.transfer import ImportCounts, ImportedRecord
from trueup.errors import InputError

if TYPE_CHECKING:
    from trueup.exchange.base import BadLine
    from trueup.services.workspace import Workspace


@dataclass(frozen=True, slots=True)
class ImportOutcome:
    """What an import did: counts, the format of each file, the lines left out (`--skip-bad`)."""

    counts: ImportCounts
    formats: tuple[tuple[str, str], ...]
    bad: tuple[BadLine, ...]
    seen: int


def import_files(
    workspace: Workspace,
    paths: Sequence[Path],
    *,
    format: str | None = None,  # noqa: A002 (the name users type)
    update: bool = False,
    skip_bad: bool = False,
    dry_run: bool = False,
    tick: Callable[[int], None] = lambda _: None,
) -> ImportOutcome:
    """Read files into the store: all of them, or (an error) nothing.

    `tick(n)` is called as records pass. With `dry_run` everything is read and checked, and nothing
    stored. Raises InputError (file, line, field), ConflictError, and UsageError for a format that
    cannot be told.
    """
    from trueup.exchange.detect import reader_for

    bad: list[BadLine] = []
    formats: list[tuple[str, str]] = []
    seen = 0

    def stream() -> Iterator[ImportedRecord]:
        nonlocal seen
        for path in paths:
            name, reader = reader_for(path, format)
            formats.append((str(path), name))
            for item in reader(path, bad=bad if skip_bad else None):
                seen += 1
                tick(1)
                yield item

    _check_paths(paths)
    if dry_run:
        counts = _count(stream())
    else:
        counts = workspace.store.import_records(stream(), update=update)
    return ImportOutcome(counts, tuple(formats), tuple(bad), seen)


def _check_paths(paths: Sequence[Path]) -> None:
    for path in paths:
        if not path.exists():
            raise InputError("no such file", path=path)
        if path.is_dir():
            raise InputError("is a directory", path=path, hint="name the files in it")


def _count(items: Iterator[ImportedRecord]) -> ImportCounts:
    records = units = verdicts = labels = 0
    for item in items:
        records += 1
        units += sum(len(c) for c in item.claims.values())
        verdicts += len(item.verdicts)
        labels += len(item.labels)
    return ImportCounts(records=records, units=units, verdicts=verdicts, labels=labels)
