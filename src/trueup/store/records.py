"""Reading records."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, func, select

from trueup.domain.model import Record
from trueup.store.base import StoreBase
from trueup.store.bulk import batches
from trueup.store.reading import PAGE, C, R, T, load_records


@dataclass(frozen=True, slots=True)
class RecordRef:
    """What people call a record: its id and release."""

    id: str
    release: str


class Records(StoreBase):
    """The part of the store that reads records back."""

    def record(self, key: str) -> Record | None:
        """The record of a content key, current or replaced; None where there is none."""
        with self.db.reading() as connection:
            rows = connection.execute(select(R).where(R.c.key == key)).all()
            return load_records(connection, rows)[0] if rows else None

    def find_records(self, record_id: str, release: str | None = None) -> list[Record]:
        """Current records of that id, of one release or of all, in import order."""
        query = select(R).where(R.c.current, R.c.name == record_id).order_by(R.c.id)
        if release is not None:
            query = query.where(R.c.release == release)
        with self.db.reading() as connection:
            return load_records(connection, connection.execute(query).all())

    def iter_records(
        self, *, releases: Sequence[str] | None = None, keys: Sequence[str] | None = None
    ) -> Iterator[Record]:
        """Current records in import order, a page at a time (of these releases; of these keys).

        Records that `keys` names are given whether current or replaced.
        """
        if keys is None:
            yield from self._pages(of_releases(select(R).where(R.c.current), releases))
            return
        ids: list[int] = []
        with self.db.reading() as connection:
            for some in batches(keys):
                query = of_releases(select(R.c.id).where(R.c.key.in_(some)), releases)
                ids += connection.execute(query).scalars()
        for batch in batches(sorted(ids), PAGE):
            with self.db.reading() as connection:
                rows = connection.execute(select(R).where(R.c.id.in_(batch)).order_by(R.c.id))
                page = load_records(connection, rows.all())
            yield from page

    def _pages(self, query: Select[Any]) -> Iterator[Record]:
        """Records of a query over the record table, in order of their ids."""
        last = 0
        while True:
            with self.db.reading() as connection:
                page = query.where(R.c.id > last).order_by(R.c.id).limit(PAGE)
                rows = connection.execute(page).all()
                records = load_records(connection, rows)
            yield from records
            if len(rows) < PAGE:
                return
            last = rows[-1].id

    def record_refs(self, keys: Collection[str] | None = None) -> dict[str, RecordRef]:
        """Id and release by record key, without the texts; of these keys, or of all current."""
        query = select(R.c.key, R.c.name, R.c.release)
        with self.db.reading() as connection:
            if keys is None:
                rows = connection.execute(query.where(R.c.current).order_by(R.c.id)).all()
            else:
                rows = [
                    row
                    for batch in batches(keys)
                    for row in connection.execute(query.where(R.c.key.in_(batch)))
                ]
        return {row.key: RecordRef(row.name, row.release) for row in rows}

    def record_groups(self, *, slices: bool) -> Iterator[tuple[int, str, dict[str, str]]]:
        """(row id, release, slices) of every current record; slices only where asked for."""
        columns = (R.c.id, R.c.release, *((R.c.extras,) if slices else ()))
        query = select(*columns).where(R.c.current).order_by(R.c.id)
        with self.db.reading() as connection:
            rows = connection.execute(query).all()
        for row in rows:
            yield row[0], row[1], ((row[2] or {}).get("slices", {}) if slices else {})

    def chunk_texts(self, names: Collection[str]) -> dict[str, str]:
        """Texts of chunks by their ids, wherever any record's context holds them.

        Of an id with several texts the newest counts; ids that no context holds are absent.
        """
        found: dict[str, str] = {}
        with self.db.reading() as connection:
            for batch in batches(names):
                query = (
                    select(C.c.name, T.c.body)
                    .join(T, T.c.id == C.c.text_id)
                    .where(C.c.name.in_(batch))
                    .order_by(C.c.record_id)
                )
                found.update((row.name, row.body) for row in connection.execute(query))
        return found

    def count_records(self, *, releases: Sequence[str] | None = None) -> int:
        """How many current records there are."""
        query = of_releases(select(func.count()).select_from(R).where(R.c.current), releases)
        with self.db.reading() as connection:
            return int(connection.execute(query).scalar_one())

    def releases(self) -> list[tuple[str, int]]:
        """Releases with their numbers of current records, in order of first import."""
        query = (
            select(R.c.release, func.count())
            .where(R.c.current)
            .group_by(R.c.release)
            .order_by(func.min(R.c.id))
        )
        with self.db.reading() as connection:
            return [(release, count) for release, count in connection.execute(query)]


def of_releases(query: Select[Any], releases: Sequence[str] | None) -> Select[Any]:
    """The query, of some releases only."""
    return query if releases is None else query.where(R.c.release.in_(list(releases)))
