"""Writes the records of one batch: new ones, updates with history, conflicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, select

from trueup.domain.display import sanitise_stored
from trueup.domain.model import Record
from trueup.domain.transfer import ImportedRecord
from trueup.store.bulk import Structure, batches, insert_rows
from trueup.store.columns import dump_json
from trueup.store.conflicts import Conflicts, differing_fields, origin
from trueup.store.reading import R, load_records, record_extras
from trueup.store.tables import ChunkRow, HistoryRow, RecordRow, SourceRow

_COLUMNS = (
    "id", "key", "version", "name", "release", "current", "question_id", "answer_id",
    "reference_id", "has_context", "failing", "extras", "source_id", "line",
)  # fmt: skip
_SOURCE = SourceRow.__table__


@dataclass(slots=True)
class Known:
    """A record that is stored, or about to be."""

    id: int
    key: str
    version: str
    source: int | None
    line: int | None
    fresh: bool = False
    """Stored by this very import."""


class RecordWriter:
    """Gives each imported record its row. One instance per import."""

    def __init__(self, structure: Structure, conflicts: Conflicts, *, update: bool) -> None:
        self.structure = structure
        self.connection: Connection = structure.connection
        self.conflicts = conflicts
        self.update = update
        self.new = self.unchanged = self.updated = 0
        self._first_id = structure.upcoming(RecordRow)
        self._sources: dict[str, int] = {}

    def write(self, batch: Sequence[ImportedRecord]) -> list[int | None]:
        """Row ids in the order of the batch; None for a record in conflict."""
        named = self._current({item.record.id for item in batch})
        keyed = self._by_key({item.record.key for item in batch})
        new: list[tuple[int, ImportedRecord]] = []
        ids: list[int | None] = []
        for item in batch:
            record = item.record
            name = (sanitise_stored(record.id), sanitise_stored(record.release))
            known = named.get(name)
            if known is None:
                number = self.structure.next_id(RecordRow)
                new.append((number, item))
                self.new += 1
            elif known.version == record.version_id:
                number = known.id
                self.unchanged += 1
            elif known.fresh or not self.update:
                self._conflict(known, item, dict(new))
                ids.append(None)
                continue
            else:
                number = self._replace(known, keyed.get(record.key), item, new)
                self.updated += 1
            ids.append(number)
            if known is None or known.id != number or known.version != record.version_id:
                named[name] = Known(
                    number, record.key, record.version_id, self._source(item.path), item.line, True
                )
        self._insert(new)
        return ids

    def _current(self, names: set[str]) -> dict[tuple[str, str], Known]:
        found = {}
        for batch in batches(names):
            query = select(R).where(R.c.current, R.c.name.in_(batch))
            for row in self.connection.execute(query):
                found[row.name, row.release] = self._known(row)
        return found

    def _by_key(self, keys: set[str]) -> dict[str, Known]:
        if not self.update:
            return {}
        found = {}
        for batch in batches(keys):
            for row in self.connection.execute(select(R).where(R.c.key.in_(batch))):
                found[row.key] = self._known(row)
        return found

    def _known(self, row: Any) -> Known:
        fresh = row.id >= self._first_id
        return Known(row.id, row.key, row.version, row.source_id, row.line, fresh)

    def _source(self, path: str) -> int | None:
        if not path:
            return None
        if path not in self._sources:
            query = select(_SOURCE.c.id).where(_SOURCE.c.path == path)
            found = self.connection.execute(query).scalar()
            if found is None:
                insert = _SOURCE.insert().values(path=path).returning(_SOURCE.c.id)
                found = self.connection.execute(insert).scalar_one()
            self._sources[path] = found
        return self._sources[path]

    def _conflict(self, known: Known, item: ImportedRecord, new: dict[int, ImportedRecord]) -> None:
        if known.id in new:
            old = new[known.id].record
            path: str | None = new[known.id].path
        else:
            old = self._load(known.id)
            query = select(_SOURCE.c.path).where(_SOURCE.c.id == known.source)
            path = self.connection.execute(query).scalar()
        where = origin(path, known.line)
        fields = differing_fields(old, item.record)
        what = f"{fields} differ{'' if ',' in fields else 's'} from the one stored"
        if where:
            what += f" from {where}"
        helps = not known.fresh
        self.conflicts.add(item.path, item.line, item.record.id, what, update_helps=helps)

    def _load(self, number: int) -> Record:
        rows = self.connection.execute(select(R).where(R.c.id == number)).all()
        return load_records(self.connection, rows)[0]

    def _replace(
        self,
        known: Known,
        earlier: Known | None,
        item: ImportedRecord,
        new: list[tuple[int, ImportedRecord]],
    ) -> int:
        """Make the item's content current. Texts as before: same row. Other texts: another row."""
        self._keep(known)
        if known.key == item.record.key:
            self._annotate(known.id, item)
            return known.id
        self.connection.execute(R.update().where(R.c.id == known.id).values(current=False))
        if earlier is not None:  # the texts of an older version came back
            self._annotate(earlier.id, item)
            return earlier.id
        number = self.structure.next_id(RecordRow)
        new.append((number, item))
        return number

    def _keep(self, known: Known) -> None:
        old = self._load(known.id)
        payload = {
            "version": known.version,
            "failing": old.failing,
            "extras": record_extras(old),
            "chunks": [[c.source, dict(c.meta)] for c in old.context or ()],
        }
        self.connection.execute(
            HistoryRow.__table__.insert().values(
                record_id=known.id, what="record", payload=payload, at=datetime.now(UTC)
            )
        )

    def _annotate(self, number: int, item: ImportedRecord) -> None:
        record = item.record
        self.connection.execute(
            R.update()
            .where(R.c.id == number)
            .values(
                current=True,
                version=record.version_id,
                failing=record.failing,
                extras=record_extras(record),
                source_id=self._source(item.path),
                line=item.line,
            )
        )
        chunks = ChunkRow.__table__
        for rank, chunk in enumerate(record.context or ()):
            self.connection.execute(
                chunks.update()
                .where(chunks.c.record_id == number, chunks.c.rank == rank)
                .values(source=chunk.source, meta=dict(chunk.meta) or None)
            )

    def _insert(self, new: Sequence[tuple[int, ImportedRecord]]) -> None:
        texts = self.structure.intern(c.text for _, item in new for c in item.record.context or ())
        own = self._own_texts([item.record for _, item in new])
        rows, chunks = [], []
        for number, item in new:
            r = item.record
            extras = record_extras(r)
            rows.append(
                (
                    number, bytes.fromhex(r.key), bytes.fromhex(r.version_id),
                    sanitise_stored(r.id), sanitise_stored(r.release), True,
                    *(None if text is None else next(own)
                      for text in (r.question, r.answer, r.reference)),
                    r.context is not None, r.failing,
                    None if extras is None else dump_json(extras),
                    self._source(item.path), item.line,
                )
            )  # fmt: skip
            for rank, c in enumerate(r.context or ()):
                source = None if c.source is None else sanitise_stored(c.source)
                meta = dump_json(dict(c.meta)) if c.meta else None
                chunks.append((number, rank, sanitise_stored(c.id), texts[c.text], source, meta))
        insert_rows(self.connection, RecordRow, _COLUMNS, rows)
        columns = ("record_id", "rank", "name", "text_id", "source", "meta")
        insert_rows(self.connection, ChunkRow, columns, chunks)

    def _own_texts(self, records: Sequence[Record]) -> Iterator[int]:
        """Ids of the questions, answers and references that are there, in that order."""
        bodies = (b for r in records for b in (r.question, r.answer, r.reference))
        return iter(self.structure.add_texts([b for b in bodies if b is not None]))
