"""Where a judge run commits: each call once, each verdict once, whoever else is writing."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, and_, select
from sqlalchemy.dialects import postgresql, sqlite

from trueup.domain.judging import RETRY_LATER, Judgement
from trueup.domain.model import JudgeSpec
from trueup.errors import StoreError
from trueup.store.bulk import batches, insert_rows, select_in
from trueup.store.engine import Database
from trueup.store.judges import CODES, judge_ids, verdict_extras
from trueup.store.leases import Leases
from trueup.store.tables import CallRow, JudgementRow, VerdictExtraRow, VerdictRow
from trueup.store.touching import releases_of, touch_verdicts
from trueup.store.units import record_rows, unit_rows

C = CallRow.__table__
G = JudgementRow.__table__
V = VerdictRow.__table__
X = VerdictExtraRow.__table__
_VERDICT_COLUMNS = (
    "judge_id", "repeat", "unit_id", "record_id", "value", "own", "reason", "judgement_id",
)  # fmt: skip
_Key = tuple[int, int, int]
"""Judge, repeat and unit: what a verdict is unique by."""
Units = dict[str, tuple[int, int]]
"""Unit key -> (unit row, record row)."""
_EXTRA_COLUMNS = ("judge_id", "repeat", "unit_id", "body")
_RETRY = ", ".join(f"'{reason}'" for reason in sorted(RETRY_LATER))
_UPSERT = (
    "ON CONFLICT (judge_id, repeat, unit_id) DO UPDATE SET value = excluded.value, "
    "own = excluded.own, reason = excluded.reason, judgement_id = excluded.judgement_id "
    f"WHERE verdict.reason IN ({_RETRY})"
)


class StoreSink(Leases):
    """Commits judgements of one judge, and keeps its leases (judge.base.LeasingSink)."""

    def __init__(self, db: Database, spec: JudgeSpec) -> None:
        super().__init__(db)
        with db.writing() as connection:
            self._judges, _ = judge_ids(connection, [spec])

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
            records = record_rows(connection, {j.record for j in batch})
            units = unit_rows(connection, _units_of(batch))
            kept = self._calls(connection, batch, records, units)
            self._verdicts(connection, kept, records, units)
            touched = releases_of(connection, [records[j.record] for _, j in kept])
            judges = {self._judge(j) for _, j in kept}
            touch_verdicts(connection, ((j, release) for j in judges for release in touched))

    def _calls(
        self,
        connection: Connection,
        batch: Sequence[Judgement],
        records: dict[str, int],
        units: Units,
    ) -> list[tuple[int, Judgement]]:
        """(judgement row, judgement) of the readings that this commit inserted."""
        now = datetime.now(UTC)
        values = {
            (records[j.record], j.metric, j.call_fingerprint, j.repeat, j.part): _call_values(
                j, records[j.record], [units[key][0] for key in j.asked], now
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
        units: Units,
    ) -> None:
        chosen: dict[_Key, tuple[Any, ...]] = {}
        bodies: dict[_Key, str | None] = {}
        for judgement, j in kept:
            for v in j.verdicts:
                key = (self._judge(j), v.repeat, units[v.unit][0])
                if key in chosen and chosen[key][6] not in RETRY_LATER:
                    continue  # two parts of one batch ruled on it: the first stands
                value, own = CODES[v.value], CODES[v.own_value]
                chosen[key] = (
                    *key, records[j.record], value, None if own == value else own, v.reason,
                    judgement,
                )  # fmt: skip
                bodies[key] = verdict_extras(v)
        rows = [chosen[key] for key in sorted(chosen)]
        _clear_extras(connection, [row[:3] for row in rows])
        insert_rows(connection, VerdictRow, _VERDICT_COLUMNS, rows, conflict=_UPSERT)
        extras = [(*key, body) for key, body in sorted(bodies.items()) if body is not None]
        own_keys = _owned(connection, rows) if extras else set()
        mine = [row for row in extras if row[:3] in own_keys]
        insert_rows(connection, VerdictExtraRow, _EXTRA_COLUMNS, mine)


def _units_of(batch: Sequence[Judgement]) -> set[str]:
    return {key for j in batch for key in (*j.asked, *(v.unit for v in j.verdicts))}


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


def _clear_extras(connection: Connection, keys: Sequence[_Key]) -> None:
    """Take away what verdicts that will be replaced carried beside them."""
    for (judge, repeat), units in _by_judge(keys).items():
        query = (
            f"SELECT unit_id FROM verdict WHERE judge_id = {judge} AND repeat = {repeat} "  # noqa: S608
            f"AND reason IN ({_RETRY}) AND unit_id IN"
        )
        old = [unit for (unit,) in select_in(connection, query, units)]
        for batch in batches(old):
            here = and_(X.c.judge_id == judge, X.c.repeat == repeat, X.c.unit_id.in_(batch))
            connection.execute(X.delete().where(here))


def _owned(connection: Connection, rows: Sequence[tuple[Any, ...]]) -> set[_Key]:
    """Which of the verdict rows that we wanted to write are now ours, by (judge, repeat, unit)."""
    wanted = {row[:3]: row[-1] for row in rows}
    found: set[_Key] = set()
    for (judge, repeat), units in _by_judge(wanted).items():
        query = (
            "SELECT unit_id, judgement_id FROM verdict "  # noqa: S608 (whole numbers)
            f"WHERE judge_id = {judge} AND repeat = {repeat} AND unit_id IN"
        )
        for unit, judgement in select_in(connection, query, units):
            if wanted[judge, repeat, unit] == judgement:
                found.add((judge, repeat, unit))
    return found


def _by_judge(keys: Iterable[_Key]) -> dict[tuple[int, int], list[int]]:
    """(judge, repeat) -> units."""
    found: dict[tuple[int, int], list[int]] = {}
    for judge, repeat, unit in keys:
        found.setdefault((judge, repeat), []).append(unit)
    return found
