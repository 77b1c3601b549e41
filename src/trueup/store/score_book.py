"""Records, claim sets and units of some releases in columns: read once, counted for every judge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Connection, Select, and_, exists, func, select

from trueup.domain.model import UnitKind
from trueup.store.bulk import batches
from trueup.store.reading import C as CHUNK
from trueup.store.reading import R, S, T, U

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
_BLANK = " \t\r\n"
_DENSE = 8
"""A range of ids is read whole where at least one id in so many is wanted."""
_PAIR = np.dtype([("id", np.int64), ("value", np.int64)])


@dataclass(frozen=True, slots=True, eq=False)
class SetColumns:
    """Claim sets of one kind (Z): whose they are, and their frozen units (N, sorted by unit id).

    `record` (Z,) is a place in the book's records, `name` (Z,) one in `names` (splitter and
    version); `unit_set` (N,) is the place of a unit's claim set.
    """

    id: Ints
    record: Ints
    version: Ints
    current: Bools
    abstained: Bools
    name: Ints
    names: tuple[str, ...]
    units: Ints
    unit: Ints
    unit_set: Ints


class Book:
    """Current records (of some releases), in import order; columns are read when first needed."""

    def __init__(self, connection: Connection, releases: Sequence[str] | None) -> None:
        self.connection = connection
        self.within: ColumnElement[bool] = (
            R.c.current if releases is None else and_(R.c.current, R.c.release.in_(list(releases)))
        )
        columns = (R.c.id, R.c.key, R.c.name, R.c.release, R.c.has_context, R.c.reference_id)
        query = select(*columns).where(self.within).order_by(R.c.id)
        self.rows = connection.execute(query).all()
        self.id: Ints = np.fromiter((row[0] for row in self.rows), np.int64, len(self.rows))
        self._sets: dict[str, SetColumns] = {}

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def has_context(self) -> Bools:
        """Records whose context is given, if only as an empty list, (R,)."""
        return np.fromiter((bool(row[4]) for row in self.rows), np.bool_, len(self))

    @cached_property
    def has_reference(self) -> Bools:
        """Records with a reference answer, (R,)."""
        return np.fromiter((row[5] is not None for row in self.rows), np.bool_, len(self))

    @cached_property
    def releases(self) -> tuple[str, ...]:
        """The releases of the records, in import order."""
        return tuple(dict.fromkeys(row[3] for row in self.rows))

    @cached_property
    def release(self) -> Ints:
        """The place of each record's release in `releases`, (R,)."""
        codes = {name: i for i, name in enumerate(self.releases)}
        return np.fromiter((codes[row[3]] for row in self.rows), np.int64, len(self))

    def places(self, ids: Ints) -> Ints:
        """The place of each record id, all of which are in the book."""
        return np.searchsorted(self.id, ids).astype(np.int64)

    @cached_property
    def has_text(self) -> Bools:
        """Records with a chunk that holds text, (R,)."""
        some = (
            exists()
            .where(CHUNK.c.record_id == R.c.id, T.c.id == CHUNK.c.text_id)
            .where(func.length(func.trim(T.c.body, _BLANK)) > 0)
        )
        found = self.connection.execute(select(R.c.id).where(self.within, some)).scalars()
        made = np.zeros(len(self), np.bool_)
        made[self.places(np.fromiter(found, np.int64))] = True
        return made

    def sets(self, kind: UnitKind) -> SetColumns:
        """The claim sets of a kind."""
        if kind not in self._sets:
            self._sets[kind] = self._read_sets(kind)
        return self._sets[kind]

    def _read_sets(self, kind: UnitKind) -> SetColumns:
        columns = (S.c.id, S.c.record_id, S.c.version, S.c.current, S.c.splitter, S.c.meta)
        query = (
            select(*columns)
            .join(R, R.c.id == S.c.record_id)
            .where(self.within, S.c.kind == kind)
            .order_by(S.c.id)
        )
        rows = self.connection.execute(query).all()
        ids = np.fromiter((r[0] for r in rows), np.int64, len(rows))
        told = [f"{r[4]}@{r[2]}" for r in rows]
        names = {name: i for i, name in enumerate(dict.fromkeys(told))}
        unit, owner = self._units(ids)
        of = np.searchsorted(ids, owner).astype(np.int64)
        return SetColumns(
            id=ids,
            record=self.places(np.fromiter((r[1] for r in rows), np.int64, len(rows))),
            version=np.fromiter((r[2] for r in rows), np.int64, len(rows)),
            current=np.fromiter((bool(r[3]) for r in rows), np.bool_, len(rows)),
            abstained=np.fromiter(
                (bool(r[5] and r[5].get("abstained")) for r in rows), np.bool_, len(rows)
            ),
            name=np.fromiter((names[t] for t in told), np.int64, len(rows)),
            names=tuple(names),
            units=np.bincount(of, minlength=len(rows)).astype(np.int64),
            unit=unit,
            unit_set=of,
        )

    def _units(self, sets: Ints) -> tuple[Ints, Ints]:
        """(unit ids in order, the claim set of each) of the frozen units of claim sets."""
        query = select(U.c.id, U.c.claim_set_id).where(U.c.provisional.is_(False))
        table = pairs(self.connection, query, U.c.claim_set_id, sets)
        table = table[np.isin(table["value"], sets)]
        table = table[np.argsort(table["id"], kind="stable")]
        return np.ascontiguousarray(table["id"]), np.ascontiguousarray(table["value"])


def pairs(
    connection: Connection, query: Select[Any], column: ColumnElement[int], ids: Ints
) -> NDArray[np.void]:
    """Rows (id, value) of a query, restricted by a column to ids (sorted, N), as an array.

    Ids that lie close together are read as a range, which may bring others too.
    """
    if not len(ids):
        return np.empty(0, _PAIR)
    low, high = int(ids[0]), int(ids[-1])
    if high - low < _DENSE * len(ids):
        return _array(connection, query.where(column.between(low, high)))
    parts = [_array(connection, query.where(column.in_(b))) for b in batches(ids.tolist())]
    return np.concatenate(parts)


def _array(connection: Connection, query: Select[Any]) -> NDArray[np.void]:
    """Rows straight from the driver into an array: no object a row."""
    compiled = query.compile(
        connection.engine, compile_kwargs={"literal_binds": True, "render_postcompile": True}
    )
    driver: Any = connection.connection.driver_connection
    with closing(driver.cursor()) as cursor:
        cursor.execute(str(compiled))
        made: NDArray[np.void] = np.fromiter(_rows(cursor), _PAIR)
    return made


def _rows(cursor: Any) -> Iterator[tuple[int, int]]:
    while rows := cursor.fetchmany(50_000):
        yield from rows
