"""Importing files: format detection, one transaction, counts of what was new."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from trueup.domain.transfer import ImportCounts, ImportedRecord
from trueup.errors import ConflictError, InputError, UsageError
from trueup.services.counting import refresh

if TYPE_CHECKING:
    from trueup.exchange.base import BadLine
    from trueup.exchange.reading import Known
    from trueup.services.workspace import Workspace


@dataclass(slots=True)
class FileTally:
    """What was read from one file. `kept` counts what became metadata, by name."""

    path: str
    format: str
    records: int = 0
    claims: int = 0
    labels: int = 0
    verdicts: int = 0
    kept: dict[str, int] = field(default_factory=dict)

    def add(self, item: ImportedRecord) -> None:
        """Count one record."""
        self.records += 1
        self.claims += sum(len(units) for kind, units in item.claims.items() if kind != "chunk")
        self.labels += len(item.labels)
        self.verdicts += len(item.verdicts)
        for name in item.record.meta:
            self.kept[name] = self.kept.get(name, 0) + 1


@dataclass(frozen=True, slots=True)
class ImportOutcome:
    """What an import did: counts, what each file held, the lines left out (`--skip-bad`), what a
    person should be told, and (with `dry_run`) the first record that would be stored."""

    counts: ImportCounts
    formats: tuple[tuple[str, str], ...]
    bad: tuple[BadLine, ...]
    seen: int
    files: tuple[FileTally, ...] = ()
    notes: tuple[str, ...] = ()
    first: ImportedRecord | None = None


def import_files(
    workspace: Workspace,
    paths: Sequence[Path],
    *,
    format: str | None = None,  # noqa: A002 (the name users type)
    mapping: Mapping[str, str] | None = None,
    update: bool = False,
    skip_bad: bool = False,
    dry_run: bool = False,
    tick: Callable[[int], None] = lambda _: None,
) -> ImportOutcome:
    """Read files into the store: all of them, or (an error) nothing.

    `mapping` names columns of tables (`--map`). `tick(n)` is called as records pass. With `dry_run`
    everything is read and checked, and nothing stored. Raises InputError (file, line, field),
    ConflictError, and UsageError for a format that cannot be told.
    """
    from trueup.exchange.detect import read_files
    from trueup.exchange.reading import Reading

    _check_paths(paths)
    reading = Reading(
        bad=[] if skip_bad else None,
        mapping=_checked(mapping or {}),
        lookup=_lookup(workspace),
    )
    formats: list[tuple[str, str]] = []
    run = _Run({})

    def stream() -> Iterator[ImportedRecord]:
        for item in read_files(paths, reading, format=format, formats=formats):
            run.take(item, formats)
            tick(1)
            yield item

    if dry_run:
        counts = _count(stream())
    else:
        counts = workspace.store.import_records(stream(), update=update)
        refresh(workspace)
    reading.count("records have an empty answer", run.unanswered)
    return ImportOutcome(
        counts,
        tuple(formats),
        tuple(reading.bad or ()),
        run.seen,
        tuple(run.files.values()),
        reading.notes,
        run.first if dry_run else None,
    )


@dataclass(slots=True)
class _Run:
    """What passes by while an import runs."""

    files: dict[str, FileTally]
    seen: int = 0
    unanswered: int = 0
    first: ImportedRecord | None = None

    def take(self, item: ImportedRecord, formats: Sequence[tuple[str, str]]) -> None:
        if self.first is None:
            self.first = item
        self.seen += 1
        self.unanswered += not item.record.answer.strip()
        if item.path not in self.files:
            self.files[item.path] = FileTally(item.path, dict(formats).get(item.path, ""))
        self.files[item.path].add(item)


def _lookup(workspace: Workspace) -> Callable[[str], list[Known]]:
    """A look-up of records by id. The ids are read when it is first asked: most files never ask,
    and a file of qrels asks for each of its questions."""
    ids: set[str] | None = None

    def lookup(record_id: str) -> list[Known]:
        nonlocal ids
        if ids is None:
            ids = {ref.id for ref in workspace.store.record_refs().values()}
        return _known(workspace, record_id) if record_id in ids else []

    return lookup


def _known(workspace: Workspace, record_id: str) -> list[Known]:
    """The workspace's records of that id, with their units."""
    from trueup.exchange.reading import Known

    store = workspace.store
    return [
        Known(
            record,
            tuple(
                unit
                for kind in ("answer_claim", "reference_claim", "chunk", "answer")
                for unit in store.units(kind, records=[record.key], provisional=True)
            ),
        )
        for record in store.find_records(record_id)
    ]


def _checked(mapping: Mapping[str, str]) -> Mapping[str, str]:
    from trueup.exchange.fields import CLAIM_FIELDS, RECORD_FIELDS, is_field

    for column, name in mapping.items():
        if not is_field(name):
            raise UsageError(
                f"--map {column}={name}: there is no field {name!r}",
                hint="fields: " + ", ".join((*RECORD_FIELDS, *CLAIM_FIELDS))
                + ", human.NAME, judges.NAME, slices.NAME, meta.NAME, - (leave out)",
            )  # fmt: skip
    return {c: f"judges.{n[6:]}" if n.startswith("judge.") else n for c, n in mapping.items()}


def _check_paths(paths: Sequence[Path]) -> None:
    for path in paths:
        if not path.exists():
            raise InputError("no such file", path=path, hint="look at the spelling of the path")
        if path.is_dir():
            raise InputError("is a directory", path=path, hint="name the files in it")


def _count(items: Iterator[ImportedRecord]) -> ImportCounts:
    """Counts without a store. Raises ConflictError for two records of one id, as a store would."""
    seen: dict[tuple[str, str], tuple[str, str, int | None]] = {}
    records = unchanged = units = verdicts = labels = 0
    for item in items:
        name = (item.record.id, item.record.release)
        version = item.record.version_id
        first = seen.setdefault(name, (version, item.path, item.line))
        if first[0] != version:
            raise ConflictError(
                f"record {item.record.id!r} differs from the one of {first[1]}:{first[2]}",
                path=item.path, line=item.line,
                hint="give the records different ids, or take one of them out",
            )  # fmt: skip
        new = first == (version, item.path, item.line)
        records += new
        unchanged += not new
        units += sum(len(c) for c in item.claims.values())
        verdicts += len(item.verdicts)
        labels += len(item.labels)
    return ImportCounts(
        records=records, records_unchanged=unchanged, units=units, verdicts=verdicts, labels=labels
    )
