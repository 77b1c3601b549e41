"""Imports: one transaction over everything, streaming, idempotent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sqlalchemy import Connection

from trueup.domain.model import Label, Unit, UnitKind
from trueup.domain.transfer import ClaimSetInfo, ImportCounts, ImportedRecord
from trueup.errors import InputError
from trueup.store.base import StoreBase
from trueup.store.bulk import Structure
from trueup.store.conflicts import Conflicts
from trueup.store.tables import RecordRow, UnitRow
from trueup.store.touching import touch_releases, touch_verdicts
from trueup.store.units import unit_rows
from trueup.store.write_labels import append
from trueup.store.write_records import RecordWriter
from trueup.store.write_units import Draft, Sets, UnitWriter
from trueup.store.write_verdicts import VerdictWriter

_BATCH_RECORDS = 400
_BATCH_CHARACTERS = 8_000_000


class Importing(StoreBase):
    """The part of the store that takes in records, claims, recorded verdicts and labels."""

    def import_records(
        self, items: Iterable[ImportedRecord], *, update: bool = False
    ) -> ImportCounts:
        """Store everything, or (on any error, here or in the iterable) nothing.

        What is there already with the same content is left as it is. Other content under the same
        id and release raises ConflictError naming the records; with `update` it is taken, and the
        old is kept: annotations and recorded verdicts as history, texts as an older record, claims
        as an older claim-set version.
        """
        with self.db.writing() as connection:
            run = _Import(connection, update=update)
            for batch in _batches(items):
                run.take(batch)
            run.conflicts.check()
            run.touch()
            return run.counts()


class _Import:
    def __init__(self, connection: Connection, *, update: bool) -> None:
        self.connection = connection
        self.update = update
        self.conflicts = Conflicts()
        self.structure = Structure(connection)
        self.records = RecordWriter(self.structure, self.conflicts, update=update)
        self.units = UnitWriter(self.structure)
        self.verdicts = VerdictWriter(
            connection,
            self.conflicts,
            update=update,
            first_unit=self.structure.upcoming(UnitRow),
        )
        self.labels = 0
        self.releases: set[str] = set()

    def take(self, batch: Sequence[ImportedRecord]) -> None:
        """Store one batch; conflicts are gathered, and what conflicts is passed over."""
        self.releases |= {item.record.release for item in batch}
        first = self.structure.upcoming(RecordRow)
        rows = self.records.write(batch)
        good = [(item, row) for item, row in zip(batch, rows, strict=True) if row is not None]
        self.units.ids, self.units.records = {}, {}
        # A record that this batch made has no claim set yet.
        sets = self.units.stored([row for item, row in good if row < first and _has_sets(item)])
        good = [(item, row) for item, row in good if self._claims(item, row, sets)]
        self.units.flush()
        items = [item for item, _ in good]
        self._resolve(items)
        self.verdicts.write(
            items, self.units.ids, self.units.records, self.structure.upcoming(UnitRow)
        )
        self._labels(items)

    def touch(self) -> None:
        """Say that scores of these releases are behind, where anything they follow from is new."""
        made = self.records, self.units, self.verdicts
        if any(writer.new for writer in made) or self.records.updated or self.verdicts.replaced:
            judges = self.verdicts.judge_rows
            pairs = ((judge, release) for judge in judges for release in self.releases)
            touch_releases(self.connection, self.releases)
            touch_verdicts(self.connection, pairs)

    def _claims(self, item: ImportedRecord, row: int, sets: Sets) -> bool:
        for draft in _drafts(item, row):
            versions = sets.setdefault((row, draft.info.kind), {})
            if not self.units.put(draft, versions, update=self.update):
                what = f"its {draft.info.kind} units differ from those stored"
                self.conflicts.add(item.path, item.line, item.record.id, what)
                return False
        return True

    def _resolve(self, items: Sequence[ImportedRecord]) -> None:
        """Find the rows of units that are referred to and not given here."""
        wanted = {v.unit for item in items for v in item.verdicts}
        wanted |= {label.unit for item in items for label in item.labels}
        for key, (unit, record) in unit_rows(
            self.connection, wanted - self.units.ids.keys()
        ).items():
            self.units.ids[key] = unit
            self.units.records[unit] = record

    def _labels(self, items: Sequence[ImportedRecord]) -> None:
        labels = [label for item in items for label in item.labels]
        owners = [item for item in items for _ in item.labels]
        for label, item in zip(labels, owners, strict=True):
            if label.unit not in self.units.ids:
                raise InputError("a label on an unknown unit", path=item.path, line=item.line)

        def refuse(i: int, label: Label) -> None:
            what = f"label event {label.id!r} is there with other content"
            item = owners[i]
            self.conflicts.add(item.path, item.line, item.record.id, what, update_helps=False)

        if labels:
            self.labels += append(self.connection, labels, self.units.ids, refuse)

    def counts(self) -> ImportCounts:
        """What this import did."""
        return ImportCounts(
            records=self.records.new,
            records_unchanged=self.records.unchanged,
            records_updated=self.records.updated,
            units=self.units.new,
            verdicts=self.verdicts.new,
            labels=self.labels,
            judges=self.verdicts.new_judges,
        )


def _has_sets(item: ImportedRecord) -> bool:
    return bool(item.claims or item.sets)


def _drafts(item: ImportedRecord, row: int) -> list[Draft]:
    """The claim sets of an item, oldest version first."""
    if not item.sets and all(u.claim_set == 1 for us in item.claims.values() for u in us):
        return [
            Draft(row, ClaimSetInfo(kind, 1, _splitter(units)), units)
            for kind, units in item.claims.items()
        ]
    infos: dict[tuple[UnitKind, int], ClaimSetInfo] = {(s.kind, s.version): s for s in item.sets}
    groups: dict[tuple[UnitKind, int], list[int]] = {key: [] for key in infos}
    for kind, units in item.claims.items():
        for i, unit in enumerate(units):
            groups.setdefault((kind, unit.claim_set), []).append(i)
    drafts = []
    for (kind, version), places in sorted(groups.items()):
        units = tuple(item.claims[kind][i] for i in places)
        info = infos.get((kind, version)) or ClaimSetInfo(kind, version, _splitter(units))
        versioned = version != 1 or sum(k == kind for k, _ in groups) > 1
        drafts.append(Draft(row, info, units, versioned))
    return drafts


def _splitter(units: Sequence[Unit]) -> str:
    return next((u.splitter for u in units if not u.provisional), "given")


def _batches(items: Iterable[ImportedRecord]) -> Iterator[list[ImportedRecord]]:
    """Batches bounded in records and in characters, whichever comes first."""
    batch: list[ImportedRecord] = []
    size = 0
    for item in items:
        batch.append(item)
        record = item.record
        size += len(record.answer) + sum(len(c.text) for c in record.context or ())
        if len(batch) >= _BATCH_RECORDS or size >= _BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
