"""The store as imported records again: what a file, or another store, takes in as the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, select

from trueup.domain.model import JudgeSpec, Label, Record, Unit, UnitKind, Verdict
from trueup.domain.transfer import ClaimSetInfo, ImportedRecord, spec_from_json
from trueup.store.bulk import batches
from trueup.store.judges import J, verdict_of
from trueup.store.labels import label_of, label_query
from trueup.store.reading import R, S, U, unit_of, unit_query
from trueup.store.records import Records
from trueup.store.verdicts import V, repeats_of, verdict_query
from trueup.store.write_labels import L

_PAGE = 128


class Exporting(Records):
    """The part of the store that gives everything out again."""

    def export_records(
        self,
        *,
        releases: Sequence[str] | None = None,
        keys: Sequence[str] | None = None,
        verdicts: bool = True,
        labels: bool = True,
    ) -> Iterator[ImportedRecord]:
        """Current records with all claim sets, provisional units, verdicts and label events.

        In import order, a page at a time. Records that an update replaced stay out, with what was
        said of them.
        """
        for page in batches(self.iter_records(releases=releases, keys=keys), _PAGE):
            with self.db.reading() as connection:
                loaded = _Page(connection, [record.key for record in page])
                if verdicts:
                    loaded.load_verdicts()
                if labels:
                    loaded.load_labels()
            for record in page:
                yield loaded.item(record)


class _Page:
    """What is said of some records, by record key."""

    def __init__(self, connection: Connection, keys: Sequence[str]) -> None:
        self.connection = connection
        self.units: dict[str, dict[UnitKind, list[Unit]]] = {}
        self.sets: dict[str, list[ClaimSetInfo]] = {}
        self.verdicts: dict[str, list[Verdict]] = {}
        self.labels: dict[str, list[Label]] = {}
        self.judges: dict[str, dict[tuple[str, str], JudgeSpec]] = {}
        self._owner: dict[int, tuple[str, str]] = {}
        """Unit row -> (record key, unit key)."""
        for batch in batches(keys):
            self._load_units(batch)

    def _load_units(self, keys: Sequence[str]) -> None:
        order = (S.c.kind, S.c.version, U.c.provisional, U.c.ordinal, U.c.id)
        query = unit_query().where(R.c.key.in_(keys)).order_by(R.c.id, *order)
        for row in self.connection.execute(query):
            self._owner[row.id] = (row.record_key, row.key)
            kinds = self.units.setdefault(row.record_key, {})
            kinds.setdefault(row.kind, []).append(unit_of(row))
        sets = select(S, R.c.key.label("record_key")).join(R, R.c.id == S.c.record_id)
        for row in self.connection.execute(
            sets.where(R.c.key.in_(keys)).order_by(R.c.id, S.c.kind, S.c.version)
        ):
            info = ClaimSetInfo(row.kind, row.version, row.splitter, row.meta or {}, row.current)
            self.sets.setdefault(row.record_key, []).append(info)

    def load_verdicts(self) -> None:
        """Verdicts of every judge, by judge, repeat and unit.

        Judges go by name: the order in which a store met them is not its content.
        """
        judges = self.connection.execute(select(J)).all()
        for judge in sorted(judges, key=lambda j: (j.name, j.metric, j.fingerprint)):
            spec = spec_from_json(judge.spec)
            for repeat in repeats_of(self.connection, judge.id):
                for batch in batches(self._owner):
                    query = verdict_query(judge.id, repeat).where(V.c.unit_id.in_(batch))
                    for row in self.connection.execute(query):
                        self._add_verdict(row, judge.fingerprint, spec, repeat)

    def _add_verdict(self, row: Any, fingerprint: str, spec: JudgeSpec, repeat: int) -> None:
        record, unit = self._owner[row.unit_id]
        codes = (row.value, row.own, row.reason, repeat)
        verdict = verdict_of(unit, spec.metric, fingerprint, codes, row.extras or {})
        self.verdicts.setdefault(record, []).append(verdict)
        self.judges.setdefault(record, {})[fingerprint, spec.metric] = spec

    def load_labels(self) -> None:
        """Label events in stored order."""
        for batch in batches(self._owner):
            query = label_query().where(L.c.unit_id.in_(batch)).order_by(L.c.seq)
            for row in self.connection.execute(query):
                record, _ = self._owner[row.unit_id]
                self.labels.setdefault(record, []).append(label_of(row))

    def item(self, record: Record) -> ImportedRecord:
        """One record with all that was loaded of it."""
        key = record.key
        return ImportedRecord(
            record=record,
            claims={kind: tuple(units) for kind, units in self.units.get(key, {}).items()},
            verdicts=tuple(self.verdicts.get(key, ())),
            labels=tuple(self.labels.get(key, ())),
            judges=tuple(self.judges.get(key, {}).values()),
            sets=tuple(self.sets.get(key, ())),
        )
