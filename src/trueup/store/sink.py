"""Where a judge run commits: each call once, each verdict once, whoever else is writing."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from sqlalchemy import Connection, and_, func, select
from sqlalchemy.dialects import postgresql, sqlite

from trueup.domain.judging import RETRY_LATER, Judgement, JudgeTask
from trueup.domain.model import JudgeSpec
from trueup.errors import StoreError
from trueup.store.bulk import batches, insert_rows
from trueup.store.columns import to_microseconds
from trueup.store.engine import Database
from trueup.store.judges import CODES, judge_ids, verdict_extras
from trueup.store.reading import R
from trueup.store.tables import CallRow, JudgementRow, LeaseRow, VerdictExtraRow, VerdictRow
from trueup.store.units import unit_rows

C = CallRow.__table__
G = JudgementRow.__table__
V = VerdictRow.__table__
X = VerdictExtraRow.__table__
E = LeaseRow.__table__
_VERDICT_COLUMNS = (
    "judge_id", "repeat", "unit_id", "record_id", "value", "own", "reason", "judgement_id",
)  # fmt: skip
_RETRY = ", ".join(f"'{reason}'" for reason in sorted(RETRY_LATER))
_UPSERT = (
    "ON CONFLICT (judge_id, repeat, unit_id) DO UPDATE SET value = excluded.value, "
    "own = excluded.own, reason = excluded.reason, judgement_id = excluded.judgement_id "
    f"WHERE verdict.reason IN ({_RETRY})"
)


class LeaseLike(Protocol):
    """What the sink needs of a lease (judge.base.Lease)."""

    @property
    def owner(self) -> str: ...
    @property
    def ttl_s(self) -> float: ...
    def dead(self, owner: str) -> bool:
        """Whether the process behind an owner is known to be gone."""
        ...


class StoreSink:
    """Commits judgements of one judge, and keeps its leases (judge.base.LeasingSink)."""

    def __init__(self, db: Database, spec: JudgeSpec) -> None:
        self.db = db
        self.spec = spec
        with db.writing() as connection:
            ids, _ = judge_ids(connection, [spec])
        self._judges = ids

    def commit(self, batch: Sequence[Judgement]) -> None:
        """Store a batch in one transaction: calls, their readings, and the readings' verdicts.

        Of two runners with the same call the first is kept whole; the other's reply and verdicts
        are dropped together. A verdict that is there stays, unless it is undecided for a reason of
        RETRY_LATER.
        """
        if not batch:
            return
        # One order for all writers, or two of them could each wait for the other.
        batch = sorted(batch, key=lambda j: (j.record, j.repeat, j.part))
        with self.db.writing() as connection:
            records = _record_rows(connection, {j.record for j in batch})
            kept = self._calls(connection, batch, records)
            self._verdicts(connection, kept, records)

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
            records = _record_rows(connection, {t.record for t in tasks})
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
            left = self._unruled(connection, owned, spec, records)
            done = [t for t, kept in zip(owned, left, strict=True) if kept is None]
            _delete(connection, done, spec, lease, records)
        return [t for t in left if t is not None]

    def held(
        self, tasks: Sequence[JudgeTask], spec: JudgeSpec, lease: LeaseLike
    ) -> list[JudgeTask]:
        """Those of the tasks on which another live owner still holds a lease."""
        with self.db.reading() as connection:
            records = _record_rows(connection, {t.record for t in tasks})
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
            records = _record_rows(connection, {t.record for t in tasks})
            _delete(connection, tasks, spec, lease, records)

    def _calls(
        self, connection: Connection, batch: Sequence[Judgement], records: dict[str, int]
    ) -> list[tuple[int, Judgement]]:
        """(judgement row, judgement) of the readings that this commit inserted."""
        now = datetime.now(UTC)
        asked = unit_rows(connection, {key for j in batch for key in j.asked})
        values = {
            (records[j.record], j.metric, j.call_fingerprint, j.repeat, j.part): _call_values(
                j, records[j.record], [asked[key][0] for key in j.asked], now
            )
            for j in batch
        }
        found = _insert_new(
            connection, C, list(values.values()),
            ("id", "record_id", "metric", "call", "repeat", "part"),
        )  # fmt: skip
        calls = {tuple(row[1:]): int(row[0]) for row in found}
        calls |= _same_calls(connection, values, calls)
        readings: dict[tuple[int, int], Judgement] = {}
        for j in batch:
            call = calls.get((records[j.record], j.metric, j.call_fingerprint, j.repeat, j.part))
            if call is not None:
                readings.setdefault((call, self._judge(j)), j)
        rows = [{"call_id": call, "judge_id": judge, "at": now} for call, judge in readings]
        new = _insert_new(connection, G, rows, ("id", "call_id", "judge_id"))
        return [(int(row[0]), readings[row[1], row[2]]) for row in new]

    def _judge(self, judgement: Judgement) -> int:
        try:
            return self._judges[judgement.fingerprint, judgement.metric]
        except KeyError:
            raise StoreError("a judgement of another judge than the sink's") from None

    def _verdicts(
        self,
        connection: Connection,
        kept: Sequence[tuple[int, Judgement]],
        records: dict[str, int],
    ) -> None:
        units = unit_rows(connection, {v.unit for _, j in kept for v in j.verdicts})
        rows, extras = [], []
        for judgement, j in kept:
            for v in j.verdicts:
                value, own = CODES[v.value], CODES[v.own_value]
                key = (self._judge(j), v.repeat, units[v.unit][0])
                rows.append(
                    (
                        *key, records[j.record], value, None if own == value else own, v.reason,
                        judgement,
                    )
                )  # fmt: skip
                if (body := verdict_extras(v)) is not None:
                    extras.append((*key, body))
        rows.sort(key=lambda row: row[:3])
        _clear_extras(connection, [row[:3] for row in rows])
        insert_rows(connection, VerdictRow, _VERDICT_COLUMNS, rows, conflict=_UPSERT)
        own_keys = _owned(connection, rows)
        columns = ("judge_id", "repeat", "unit_id", "body")
        mine = sorted(row for row in extras if row[:3] in own_keys)
        insert_rows(connection, VerdictExtraRow, columns, mine)

    def _unruled(
        self,
        connection: Connection,
        tasks: Sequence[JudgeTask],
        spec: JudgeSpec,
        records: dict[str, int],
    ) -> list[JudgeTask | None]:
        """The tasks with the units that lack a verdict; None for one that has none left."""
        units = unit_rows(connection, {u.key for t in tasks for u in t.units})
        judge = self._judges.get((spec.fingerprint, spec.metric))
        ruled: set[tuple[int, int]] = set()
        for batch in batches({unit for unit, _ in units.values()}):
            query = select(V.c.unit_id, V.c.repeat).where(
                V.c.judge_id == judge,
                V.c.unit_id.in_(batch),
                V.c.reason.is_(None) | V.c.reason.not_in(RETRY_LATER),
            )
            ruled.update((row.unit_id, row.repeat) for row in connection.execute(query))
        parts = _next_parts(connection, spec, {records[t.record] for t in tasks})
        left: list[JudgeTask | None] = []
        for t in tasks:
            kept = tuple(u for u in t.units if (units[u.key][0], t.repeat) not in ruled)
            part = parts.get((records[t.record], t.repeat), 0)
            left.append(replace(t, units=kept, part=part) if kept else None)
        return left


def _call_values(j: Judgement, record: int, asked: Sequence[int], now: datetime) -> dict[str, Any]:
    reply = j.reply
    info: dict[str, Any] = {
        "cost": j.cost, "seconds": j.seconds, "attempts": j.attempts, "notes": dict(j.notes),
        "asked": list(asked),
    }  # fmt: skip
    if reply is not None:
        info["reply"] = {
            "finish_reason": reply.finish_reason,
            "refusal": reply.refusal,
            "system_fingerprint": reply.system_fingerprint,
            "input_tokens": reply.usage.input_tokens,
            "output_tokens": reply.usage.output_tokens,
            "notes": dict(reply.notes),
        }
    return {
        "record_id": record, "metric": j.metric, "call": j.call_fingerprint, "repeat": j.repeat,
        "part": j.part, "body": None if reply is None else pack(reply.text), "failure": j.failure,
        "answered_model": None if reply is None else reply.answered_model, "info": info, "at": now,
    }  # fmt: skip


def pack(body: str) -> bytes:
    """A reply as it is stored: UTF-8, compressed."""
    return zlib.compress(body.encode("utf-8", "surrogatepass"), 6)


def unpack(body: bytes) -> str:
    """A stored reply's text."""
    return zlib.decompress(body).decode("utf-8", "surrogatepass")


def _insert_new(
    connection: Connection, table: Any, rows: Sequence[dict[str, Any]], back: Sequence[str]
) -> list[Any]:
    """Insert the rows that are not there; the columns `back` of those that this call inserted."""
    if not rows:
        return []
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    insert = dialect.insert(table).on_conflict_do_nothing()
    return list(connection.execute(insert.returning(*(table.c[n] for n in back)), list(rows)))


def _same_calls(
    connection: Connection, values: dict[tuple[Any, ...], dict[str, Any]], mine: dict[Any, int]
) -> dict[Any, int]:
    """Stored calls with the very reply (or failure) that we hold: another judge's reading of it."""
    others = [key for key in values if key not in mine]
    found = {}
    for batch in batches({key[0] for key in others}):
        query = select(C).where(C.c.record_id.in_(batch))
        for row in connection.execute(query):
            key = (row.record_id, row.metric, row.call, row.repeat, row.part)
            if key in values and key not in mine:
                ours = values[key]
                if _text_of(row.body) == _text_of(ours["body"]) and row.failure == ours["failure"]:
                    found[key] = row.id
    return found


def _text_of(body: bytes | None) -> str | None:
    return None if body is None else unpack(body)


def _clear_extras(connection: Connection, keys: Sequence[tuple[Any, ...]]) -> None:
    """Take away what verdicts that will be replaced carried beside them."""
    for judge, repeat in {key[:2] for key in keys}:
        units = [key[2] for key in keys if key[:2] == (judge, repeat)]
        for batch in batches(units):
            here = and_(V.c.judge_id == judge, V.c.repeat == repeat, V.c.unit_id.in_(batch))
            old = connection.execute(
                select(V.c.unit_id).where(here, V.c.reason.in_(RETRY_LATER))
            ).scalars().all()  # fmt: skip
            if old:
                connection.execute(
                    X.delete().where(
                        X.c.judge_id == judge, X.c.repeat == repeat, X.c.unit_id.in_(old)
                    )
                )


def _owned(connection: Connection, rows: Sequence[tuple[Any, ...]]) -> set[tuple[int, int, int]]:
    """Which of the verdict rows that we wanted to write are now ours, by (judge, repeat, unit)."""
    wanted = {row[:3]: row[-1] for row in rows}
    found: set[tuple[int, int, int]] = set()
    for judge, repeat in {key[:2] for key in wanted}:
        units = [key[2] for key in wanted if key[:2] == (judge, repeat)]
        for batch in batches(units):
            query = select(V.c.unit_id, V.c.judgement_id).where(
                V.c.judge_id == judge, V.c.repeat == repeat, V.c.unit_id.in_(batch)
            )
            for unit, judgement in connection.execute(query):
                if wanted[judge, repeat, unit] == judgement:
                    found.add((judge, repeat, unit))
    return found


def _record_rows(connection: Connection, keys: Iterable[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    wanted = set(keys)
    for batch in batches(wanted):
        query = select(R.c.key, R.c.id).where(R.c.key.in_(batch))
        found.update((row.key, row.id) for row in connection.execute(query))
    if missing := wanted - found.keys():
        raise StoreError(f"no record has the key {min(missing)}")
    return found


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
