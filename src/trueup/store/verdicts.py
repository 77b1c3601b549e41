"""Judges and their verdicts, read back; what a judge has not ruled on yet."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    and_,
    exists,
    func,
    or_,
    select,
)

from trueup.domain.judging import RETRY_LATER
from trueup.domain.model import JudgeSpec, Record, Unit, UnitKind, Verdict
from trueup.domain.transfer import spec_from_json
from trueup.store.bulk import batches
from trueup.store.judges import J, judge_id, judge_ids, verdict_of
from trueup.store.reading import PAGE, R, S, U, load_records, unit_of, unit_query
from trueup.store.records import Records, of_releases
from trueup.store.tables import CallRow, JudgementRow, VerdictExtraRow, VerdictRow
from trueup.store.units import unit_rows

V = VerdictRow.__table__
X = VerdictExtraRow.__table__
C = CallRow.__table__
G = JudgementRow.__table__
_PAGE = 5000
_ROW = np.dtype([("unit", np.int64), ("record", np.int64), ("value", np.int8)])


@dataclass(frozen=True, slots=True)
class StoredJudge:
    """A judge with what the store knows of it; times are of its first and last stored call."""

    spec: JudgeSpec
    fingerprint: str
    n_verdicts: int
    answered_models: tuple[str, ...]
    first_at: datetime | None
    last_at: datetime | None


@dataclass(frozen=True, slots=True)
class VerdictArrays:
    """Verdicts of one judge on current units, as arrays of one length, in order of units.

    `unit` and `record` are row ids (int64); `value` is 1 entailed, 0 not entailed, -1 undecided.
    """

    unit: NDArray[np.int64]
    record: NDArray[np.int64]
    value: NDArray[np.int8]


class Verdicts(Records):
    """The part of the store that reads judges and verdicts back."""

    def save_judge(self, spec: JudgeSpec) -> None:
        """Store a judge; one that is there is left as it is."""
        with self.db.writing() as connection:
            judge_ids(connection, [spec])

    def judges(self, *, metric: str | None = None) -> list[StoredJudge]:
        """All judges (of a metric), in the order in which they were stored."""
        query = select(J).order_by(J.c.id)
        if metric is not None:
            query = query.where(J.c.metric == metric)
        with self.db.reading() as connection:
            count = select(V.c.judge_id, func.count()).group_by(V.c.judge_id)
            counts = {judge: int(n) for judge, n in connection.execute(count)}
            return [
                StoredJudge(
                    spec_from_json(row.spec),
                    row.fingerprint,
                    counts.get(row.id, 0),
                    *_calls_of(connection, row.id),
                )
                for row in connection.execute(query).all()
            ]

    def missing(
        self,
        *,
        kind: UnitKind,
        metric: str,
        fingerprint: str,
        repeat: int = 0,
        releases: Sequence[str] | None = None,
        limit: int | None = None,
    ) -> Iterator[tuple[Record, tuple[Unit, ...]]]:
        """Records with those of their current units that lack a verdict of a judge.

        A verdict that is undecided for a reason of RETRY_LATER counts as lacking. At most `limit`
        records, in import order, a page at a time: what is stored meanwhile may or may not show.
        """
        with self.db.reading() as connection:
            judge = judge_id(connection, fingerprint, metric)
        lacking = _lacking(judge, kind, repeat)
        units = select(U.c.id).join(S, S.c.id == U.c.claim_set_id).where(lacking)
        records = of_releases(
            select(R.c.id).where(R.c.current, units.where(S.c.record_id == R.c.id).exists()),
            releases,
        )
        last, left = 0, limit
        while left is None or left > 0:
            size = PAGE if left is None else min(PAGE, left)
            with self.db.reading() as connection:
                page = records.where(R.c.id > last).order_by(R.c.id).limit(size)
                ids = list(connection.execute(page).scalars())
                found = _with_units(connection, ids, lacking)
            yield from found
            if len(ids) < size:
                return
            last, left = ids[-1], None if left is None else left - len(ids)

    def verdicts(
        self,
        *,
        metric: str,
        fingerprints: Sequence[str] | None = None,
        units: Collection[str] | None = None,
        repeat: int | None = 0,
    ) -> Iterator[Verdict]:
        """Verdicts with their evidence, by judge and unit; `repeat=None` gives every repeat.

        Without `units` those on current units; with it those on these, of any claim-set version.
        """
        judges = select(J.c.id, J.c.fingerprint).where(J.c.metric == metric).order_by(J.c.id)
        if fingerprints is not None:
            judges = judges.where(J.c.fingerprint.in_(list(fingerprints)))
        with self.db.reading() as connection:
            found = connection.execute(judges).all()
            rows = None if units is None else _unit_ids(connection, units)
        for judge in found:
            yield from self._verdicts_of(judge.id, judge.fingerprint, metric, rows, repeat)

    def _verdicts_of(
        self,
        judge: int,
        fingerprint: str,
        metric: str,
        units: Sequence[int] | None,
        repeat: int | None,
    ) -> Iterator[Verdict]:
        with self.db.reading() as connection:
            repeats = repeats_of(connection, judge) if repeat is None else [repeat]
        for one in repeats:
            base = verdict_query(judge, one)
            pages = (
                self._current_pages(base)
                if units is None
                else self._pages_of([base.where(V.c.unit_id.in_(b)) for b in batches(units)])
            )
            for page in pages:
                for row in page:
                    codes = (row.value, row.own, row.reason, one)
                    yield verdict_of(row.key, metric, fingerprint, codes, row.extras or {})

    def _pages_of(self, queries: Sequence[Select[Any]]) -> Iterator[Sequence[Row[Any]]]:
        for query in queries:
            with self.db.reading() as connection:
                page = connection.execute(query).all()
            yield page

    def _current_pages(self, base: Select[Any]) -> Iterator[Sequence[Row[Any]]]:
        query = (
            base.join(S, S.c.id == U.c.claim_set_id)
            .join(R, R.c.id == S.c.record_id)
            .where(S.c.current, R.c.current)
        )
        last = 0
        while True:
            with self.db.reading() as connection:
                page = connection.execute(query.where(V.c.unit_id > last).limit(_PAGE)).all()
            yield page
            if len(page) < _PAGE:
                return
            last = page[-1].unit_id

    def verdict_arrays(self, *, metric: str, fingerprint: str, repeat: int = 0) -> VerdictArrays:
        """Verdicts of a judge on current units as arrays: rows go straight from the driver."""
        old = (
            select(U.c.id)
            .join(S, S.c.id == U.c.claim_set_id)
            .join(R, R.c.id == S.c.record_id)
            .where(or_(~S.c.current, ~R.c.current))
        )
        with self.db.reading() as connection:
            judge = judge_id(connection, fingerprint, metric)
            table = _rows_as_array(connection, judge, repeat)
            replaced = np.fromiter(connection.execute(old).scalars(), np.int64)
        if len(replaced):
            table = table[~np.isin(table["unit"], replaced)]
        return VerdictArrays(
            np.ascontiguousarray(table["unit"]),
            np.ascontiguousarray(table["record"]),
            np.ascontiguousarray(table["value"]),
        )


def _rows_as_array(connection: Connection, judge: int | None, repeat: int) -> NDArray[np.void]:
    driver: Any = connection.connection.driver_connection
    if connection.dialect.name == "postgresql":
        # A server-side cursor, or the driver would hold every row before the first is read.
        cursor, mark = driver.cursor("trueup_verdicts"), "%s"
        cursor.itersize = 50_000
    else:
        cursor, mark = driver.cursor(), "?"
    with closing(cursor):
        cursor.execute(
            "SELECT unit_id, record_id, value FROM verdict "  # noqa: S608 (the driver's own mark)
            f"WHERE judge_id = {mark} AND repeat = {mark} ORDER BY unit_id",
            (judge, repeat),
        )
        table: NDArray[np.void] = np.fromiter(cursor, _ROW)
    return table


def _lacking(judge: int | None, kind: UnitKind, repeat: int) -> ColumnElement[bool]:
    """Current units of a kind without a verdict that stays."""
    units = and_(S.c.kind == kind, S.c.current, U.c.provisional.is_(False))
    if judge is None:
        return units
    ruled = exists().where(
        V.c.judge_id == judge,
        V.c.repeat == repeat,
        V.c.unit_id == U.c.id,
        or_(V.c.reason.is_(None), V.c.reason.not_in(RETRY_LATER)),
    )
    return and_(units, ~ruled)


def _with_units(
    connection: Connection, ids: Sequence[int], which: ColumnElement[bool]
) -> list[tuple[Record, tuple[Unit, ...]]]:
    rows = connection.execute(select(R).where(R.c.id.in_(ids)).order_by(R.c.id)).all()
    query = unit_query().where(R.c.id.in_(ids), which).order_by(R.c.id, U.c.ordinal, U.c.id)
    units: dict[int, list[Unit]] = {}
    for row in connection.execute(query):
        units.setdefault(row.record_id, []).append(unit_of(row))
    records = load_records(connection, rows)
    return [(record, tuple(units[row.id])) for record, row in zip(records, rows, strict=True)]


def verdict_query(judge: int, repeat: int) -> Select[Any]:
    """Verdicts of a judge with their extras, in order of units; add conditions."""
    same = and_(X.c.judge_id == V.c.judge_id, X.c.repeat == V.c.repeat, X.c.unit_id == V.c.unit_id)
    return (
        select(V.c.unit_id, U.c.key, V.c.value, V.c.own, V.c.reason, X.c.body.label("extras"))
        .select_from(V.join(U, U.c.id == V.c.unit_id).outerjoin(X, same))
        .where(V.c.judge_id == judge, V.c.repeat == repeat)
        .order_by(V.c.unit_id)
    )


def repeats_of(connection: Connection, judge: int) -> list[int]:
    """The repeats that a judge has verdicts of: one step in the index each, not one per verdict."""
    found: list[int] = []
    while True:
        query = select(func.min(V.c.repeat)).where(V.c.judge_id == judge)
        later = query.where(V.c.repeat > found[-1]) if found else query
        repeat = connection.execute(later).scalar()
        if repeat is None:
            return found
        found.append(repeat)


def _unit_ids(connection: Connection, keys: Collection[str]) -> list[int]:
    return sorted(unit for unit, _ in unit_rows(connection, keys).values())


def _calls_of(
    connection: Connection, judge: int
) -> tuple[tuple[str, ...], datetime | None, datetime | None]:
    """Models that answered, and the times of the first and the last stored call of a judge."""
    first, last = connection.execute(
        select(func.min(G.c.at), func.max(G.c.at)).where(G.c.judge_id == judge)
    ).one()
    if first is None:
        return (), None, None
    models = (
        select(C.c.answered_model)
        .join(G, G.c.call_id == C.c.id)
        .where(G.c.judge_id == judge, C.c.answered_model.is_not(None))
        .distinct()
    )
    return tuple(sorted(connection.execute(models).scalars())), first, last
