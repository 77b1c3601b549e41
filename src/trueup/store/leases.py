"""Leases on calls, so that two runs never both pay for one (judge.base.LeasingSink)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from sqlalchemy import Connection, and_, func, or_, select

from trueup.domain.judging import RETRY_LATER, JudgeTask
from trueup.domain.model import JudgeSpec
from trueup.store.bulk import batches, insert_rows
from trueup.store.columns import to_microseconds
from trueup.store.engine import Database
from trueup.store.judges import judge_id
from trueup.store.tables import CallRow, LeaseRow, VerdictRow
from trueup.store.units import record_rows, unit_rows

C = CallRow.__table__
V = VerdictRow.__table__
E = LeaseRow.__table__


class LeaseLike(Protocol):
    """What the sink needs of a lease (judge.base.Lease)."""

    @property
    def owner(self) -> str: ...
    @property
    def ttl_s(self) -> float: ...
    def dead(self, owner: str) -> bool:
        """Whether the process behind an owner is known to be gone."""
        ...


class Leases:
    """The leasing half of a sink."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def claim(
        self, tasks: Sequence[JudgeTask], spec: JudgeSpec, lease: LeaseLike
    ) -> list[JudgeTask]:
        """Take the tasks that nobody else holds, with the units that still lack a verdict.

        Leases that ended, and those of owners known to be dead, are dropped first. The order of the
        tasks is kept; `part` is one more than the highest stored one.
        """
        if not tasks:
            return []
        with self.db.writing() as connection:
            records = record_rows(connection, {t.record for t in tasks})
            now = datetime.now(UTC)
            connection.execute(E.delete().where(E.c.until <= now))
            _drop_dead(connection, spec, lease)
            rows = [
                (
                    spec.metric, bytes.fromhex(spec.call_fingerprint), records[t.record], t.repeat,
                    lease.owner, to_microseconds(now + timedelta(seconds=lease.ttl_s)),
                )
                for t in tasks
            ]  # fmt: skip
            columns = ("metric", "call", "record_id", "repeat", "owner", "until")
            unique = sorted(set(rows), key=lambda row: row[2:4])
            insert_rows(connection, LeaseRow, columns, unique, conflict="ON CONFLICT DO NOTHING")
            mine = _holders(connection, spec, records.values())
            owned = [t for t in tasks if mine.get((records[t.record], t.repeat)) == lease.owner]
            left = _unruled(connection, owned, spec, records)
            done = [t for t, kept in zip(owned, left, strict=True) if kept is None]
            _delete(connection, done, spec, lease, records)
        return [t for t in left if t is not None]

    def held(
        self, tasks: Sequence[JudgeTask], spec: JudgeSpec, lease: LeaseLike
    ) -> list[JudgeTask]:
        """Those of the tasks on which another live owner still holds a lease."""
        with self.db.reading() as connection:
            records = record_rows(connection, {t.record for t in tasks})
            holders = _holders(connection, spec, records.values(), after=datetime.now(UTC))
        others = {o for o in holders.values() if o != lease.owner and not lease.dead(o)}
        return [t for t in tasks if holders.get((records[t.record], t.repeat)) in others]

    def renew(self, lease: LeaseLike) -> None:
        """Move the end of all leases of this owner to now + ttl_s."""
        until = datetime.now(UTC) + timedelta(seconds=lease.ttl_s)
        with self.db.writing() as connection:
            connection.execute(E.update().where(E.c.owner == lease.owner).values(until=until))

    def release(self, tasks: Sequence[JudgeTask], spec: JudgeSpec, lease: LeaseLike) -> None:
        """Give back the leases of this owner on these tasks."""
        with self.db.writing() as connection:
            records = record_rows(connection, {t.record for t in tasks})
            _delete(connection, tasks, spec, lease, records)


def _unruled(
    connection: Connection,
    tasks: Sequence[JudgeTask],
    spec: JudgeSpec,
    records: dict[str, int],
) -> list[JudgeTask | None]:
    """The tasks with the units that lack a verdict; None for one that has none left."""
    units = unit_rows(connection, {u.key for t in tasks for u in t.units})
    judge = judge_id(connection, spec.fingerprint, spec.metric)
    ruled: set[tuple[int, int]] = set()
    for batch in batches({unit for unit, _ in units.values()}):
        query = select(V.c.unit_id, V.c.repeat).where(
            V.c.judge_id == judge,
            V.c.unit_id.in_(batch),
            or_(V.c.reason.is_(None), V.c.reason.not_in(RETRY_LATER)),
        )
        ruled.update((row.unit_id, row.repeat) for row in connection.execute(query))
    parts = _next_parts(connection, spec, {records[t.record] for t in tasks})
    left: list[JudgeTask | None] = []
    for t in tasks:
        kept = tuple(u for u in t.units if (units[u.key][0], t.repeat) not in ruled)
        part = parts.get((records[t.record], t.repeat), 0)
        left.append(replace(t, units=kept, part=part) if kept else None)
    return left


def _call_is(table: Any, spec: JudgeSpec) -> Any:
    return and_(table.c.metric == spec.metric, table.c.call == spec.call_fingerprint)


def _drop_dead(connection: Connection, spec: JudgeSpec, lease: LeaseLike) -> None:
    owners = connection.execute(select(E.c.owner).where(_call_is(E, spec)).distinct()).scalars()
    dead = [owner for owner in owners if owner != lease.owner and lease.dead(owner)]
    if dead:
        connection.execute(E.delete().where(E.c.owner.in_(dead)))


def _holders(
    connection: Connection, spec: JudgeSpec, records: Iterable[int], after: datetime | None = None
) -> dict[tuple[int, int], str]:
    """(record, repeat) -> who holds it (until later than `after`)."""
    found: dict[tuple[int, int], str] = {}
    for batch in batches(records):
        query = select(E).where(_call_is(E, spec), E.c.record_id.in_(batch))
        if after is not None:
            query = query.where(E.c.until > after)
        found.update(((r.record_id, r.repeat), r.owner) for r in connection.execute(query))
    return found


def _delete(
    connection: Connection,
    tasks: Sequence[JudgeTask],
    spec: JudgeSpec,
    lease: LeaseLike,
    records: dict[str, int],
) -> None:
    by_repeat: dict[int, list[int]] = {}
    for t in tasks:
        by_repeat.setdefault(t.repeat, []).append(records[t.record])
    for repeat, rows in by_repeat.items():
        for batch in batches(rows):
            here = and_(_call_is(E, spec), E.c.repeat == repeat, E.c.record_id.in_(batch))
            connection.execute(E.delete().where(here, E.c.owner == lease.owner))


def _next_parts(
    connection: Connection, spec: JudgeSpec, records: Iterable[int]
) -> dict[tuple[int, int], int]:
    found: dict[tuple[int, int], int] = {}
    for batch in batches(records):
        query = (
            select(C.c.record_id, C.c.repeat, func.max(C.c.part))
            .where(_call_is(C, spec), C.c.record_id.in_(batch))
            .group_by(C.c.record_id, C.c.repeat)
        )
        found.update(
            ((record, repeat), top + 1) for record, repeat, top in connection.execute(query)
        )
    return found
