"""Units and claim sets: frozen once, read in the order of import."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from sqlalchemy import Connection, exists, func, select

from trueup.domain.model import Json, Record, Unit, UnitKind
from trueup.domain.transfer import ClaimSetInfo
from trueup.errors import InputError, StoreError
from trueup.store.bulk import Structure, batches, select_in
from trueup.store.reading import R, S, U, unit_of, unit_query
from trueup.store.records import Records, of_releases
from trueup.store.touching import releases_of, touch_releases
from trueup.store.write_units import Draft, UnitWriter

FreezeItem = tuple[str, UnitKind, Sequence[Unit], str]
"""Record key, kind, units (none: split, and nothing claimed), splitter."""


class Units(Records):
    """The part of the store that keeps units."""

    def units(
        self,
        kind: UnitKind,
        *,
        records: Sequence[str] | None = None,
        releases: Sequence[str] | None = None,
        provisional: bool = False,
    ) -> list[Unit]:
        """Units of the current claim sets of current records, in import order, then by ordinal.

        `provisional` adds children of bad splits and missed claims, after the claims of their set.
        """
        base = of_releases(unit_query().where(S.c.kind == kind, S.c.current), releases)
        if not provisional:
            base = base.where(U.c.provisional.is_(False))
        order = (R.c.id, U.c.provisional, U.c.ordinal, U.c.id)
        with self.db.reading() as connection:
            if records is None:
                query = base.where(R.c.current).order_by(*order)
                return [unit_of(row) for row in connection.execute(query)]
            rows = [
                row
                for batch in batches(dict.fromkeys(records))
                for row in connection.execute(base.where(R.c.key.in_(batch)))
            ]
        rows.sort(key=lambda r: (r.record_id, r.provisional, r.ordinal, r.id))
        return [unit_of(row) for row in rows]

    def count_units(self, kind: UnitKind, *, releases: Sequence[str] | None = None) -> int:
        """How many current units of a kind there are, provisional ones aside."""
        query = (
            select(func.count())
            .select_from(U)
            .join(S, S.c.id == U.c.claim_set_id)
            .join(R, R.c.id == S.c.record_id)
            .where(R.c.current, S.c.kind == kind, S.c.current, U.c.provisional.is_(False))
        )
        with self.db.reading() as connection:
            return int(connection.execute(of_releases(query, releases)).scalar_one())

    def units_by_key(self, keys: Collection[str]) -> dict[str, Unit]:
        """Units by content key, of any claim set; keys that no unit has are absent."""
        found: dict[str, Unit] = {}
        with self.db.reading() as connection:
            for batch in batches(keys):
                for row in connection.execute(unit_query().where(U.c.key.in_(batch))):
                    found[row.key] = unit_of(row)
        return found

    def find_unit(self, unit_id_or_key: str) -> list[Unit]:
        """Units with that visible id (current ones, in import order), or that content key."""
        by_id = unit_query().where(U.c.name == unit_id_or_key, S.c.current, R.c.current)
        with self.db.reading() as connection:
            rows = connection.execute(by_id.order_by(R.c.id, U.c.id)).all()
            if not rows and _is_key(unit_id_or_key):
                rows = connection.execute(unit_query().where(U.c.key == unit_id_or_key)).all()
        return [unit_of(row) for row in rows]

    def records_without_units(
        self, kind: UnitKind, *, releases: Sequence[str] | None = None
    ) -> Iterator[Record]:
        """Current records whose claim set of that kind was not made yet, in import order."""
        made = exists().where(S.c.record_id == R.c.id, S.c.kind == kind)
        return self._pages(of_releases(select(R).where(R.c.current, ~made), releases))

    def freeze_units(
        self,
        record: str,
        kind: UnitKind,
        units: Sequence[Unit],
        splitter: str,
        *,
        meta: Mapping[str, Json] | None = None,
    ) -> list[Unit]:
        """Store the first claim set of a record; one that is there stays. Returns what is stored.

        An empty set is remembered: split, and nothing claimed. `meta` belongs to the claim set
        (`{"abstained": True}`).
        """
        self.freeze_many([(record, kind, units, splitter)], meta={record: meta} if meta else None)
        return self.units(kind, records=[record])

    def freeze_many(
        self,
        items: Sequence[FreezeItem],
        *,
        meta: Mapping[str, Mapping[str, Json]] | None = None,
    ) -> None:
        """Store the first claim sets of many records at once; `meta` by record key."""
        with self.db.writing() as connection:
            structure = Structure(connection)
            writer = UnitWriter(structure)
            rows = record_rows(connection, [record for record, *_ in items])
            sets = writer.stored(list(rows.values()))
            for record, kind, units, splitter in items:
                versions = sets.setdefault((rows[record], kind), {})
                if versions:
                    continue
                info = ClaimSetInfo(kind, 1, splitter, (meta or {}).get(record, {}))
                writer.put(Draft(rows[record], info, tuple(units)), versions, update=False)
            writer.flush()
            touch_releases(connection, releases_of(connection, rows.values()))

    def claim_set(self, record: str, kind: UnitKind) -> ClaimSetInfo | None:
        """The current claim set of a record, without its units; None where none was made."""
        sets = self.claim_sets([record], kinds=[kind])
        return next((s for s in sets.get(record, ()) if s.current), None)

    def claim_sets(
        self, records: Sequence[str], *, kinds: Sequence[UnitKind] | None = None
    ) -> dict[str, tuple[ClaimSetInfo, ...]]:
        """All claim sets of records, by record key; by kind and version."""
        found: dict[str, list[ClaimSetInfo]] = {}
        query = select(S, R.c.key.label("record_key")).join(R, R.c.id == S.c.record_id)
        if kinds is not None:
            query = query.where(S.c.kind.in_(list(kinds)))
        with self.db.reading() as connection:
            for batch in batches(records):
                rows = connection.execute(
                    query.where(R.c.key.in_(batch)).order_by(S.c.kind, S.c.version)
                )
                for row in rows:
                    info = ClaimSetInfo(
                        row.kind, row.version, row.splitter, row.meta or {}, row.current
                    )
                    found.setdefault(row.record_key, []).append(info)
        return {key: tuple(infos) for key, infos in found.items()}

    def add_provisional(self, units: Sequence[Unit]) -> None:
        """Add children of a bad split and missed claims to the claim set that they name.

        Raises InputError where the record has no such claim set.
        """
        with self.db.writing() as connection:
            writer = UnitWriter(Structure(connection))
            rows = record_rows(connection, [u.record for u in units])
            sets = writer.stored(list(rows.values()))
            for unit in units:
                if not unit.provisional:
                    raise InputError(f"unit {unit.id!r} is not provisional")
                to = sets.get((rows[unit.record], unit.kind), {}).get(unit.claim_set)
                if to is None:
                    raise InputError(f"unit {unit.id!r}: its record has no such claim set")
                writer.add_loose(unit, to, rows[unit.record])
            writer.flush()


def unit_rows(connection: Connection, keys: Collection[str]) -> dict[str, tuple[int, int]]:
    """Unit key -> (unit row, record row)."""
    query = (
        "SELECT u.key, u.id, s.record_id FROM unit u JOIN claim_set s ON s.id = u.claim_set_id "
        "WHERE u.key IN"
    )
    raw = [bytes.fromhex(key) for key in keys]
    return {
        bytes(key).hex(): (unit, record) for key, unit, record in select_in(connection, query, raw)
    }


def record_rows(connection: Connection, keys: Iterable[str]) -> dict[str, int]:
    """Record key -> row. Raises StoreError for a key that no record has."""
    wanted = set(keys)
    raw = [bytes.fromhex(key) for key in wanted]
    rows = select_in(connection, "SELECT key, id FROM record WHERE key IN", raw)
    found: dict[str, int] = {bytes(key).hex(): number for key, number in rows}
    if missing := wanted - found.keys():
        raise StoreError(f"no record has the key {min(missing)}")
    return found


def _is_key(text: str) -> bool:
    return len(text) == 32 and all(c in "0123456789abcdef" for c in text)
