"""Writes the verdicts of recorded judges: new ones, the same again, conflicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, and_

from trueup.domain.judging import RETRY_LATER
from trueup.domain.model import JudgeSpec, Verdict
from trueup.domain.transfer import ImportedRecord
from trueup.errors import InputError
from trueup.store.bulk import insert_rows, select_in
from trueup.store.conflicts import Conflicts
from trueup.store.judges import CODES, VALUES, judge_ids, verdict_extras
from trueup.store.tables import HistoryRow, VerdictExtraRow, VerdictRow

V = VerdictRow.__table__
X = VerdictExtraRow.__table__
VERDICT_COLUMNS = ("judge_id", "repeat", "unit_id", "record_id", "value", "own", "reason")
EXTRA_COLUMNS = ("judge_id", "repeat", "unit_id", "body")
_Key = tuple[int, int, int]


class _Content(NamedTuple):
    """What a verdict says, as it is stored; `extras` is canonical text, and so compared as text."""

    value: int
    own: int | None
    reason: str | None
    extras: str | None


class VerdictWriter:
    """Stores imported verdicts. One instance per import."""

    def __init__(
        self, connection: Connection, conflicts: Conflicts, *, update: bool, first_unit: int
    ) -> None:
        self.connection = connection
        self.conflicts = conflicts
        self.update = update
        self.new = self.new_judges = self.replaced = 0
        self._judges: dict[tuple[str, str], int] = {}
        self._seen: dict[int, JudgeSpec] = {}
        self._next_unit = first_unit

    @property
    def judge_rows(self) -> set[int]:
        """The judges whose verdicts this import brought."""
        return set(self._judges.values())

    def write(
        self,
        batch: Sequence[ImportedRecord],
        units: Mapping[str, int],
        records: Mapping[int, int],
        next_unit: int,
    ) -> None:
        """Store the verdicts of a batch. `next_unit` is the first unit id after this batch's."""
        self._save_judges(batch)
        wanted = [
            (item, key, record, content)
            for item in batch
            for key, record, content in self._rows(item, units, records)
        ]
        # Units that this batch made cannot have verdicts yet.
        there = self._stored({key for _, key, _, _ in wanted if key[2] < self._next_unit})
        mine: dict[_Key, _Content] = {}
        rows, extras = [], []
        for item, key, record, new in wanted:
            if key in mine:
                if mine[key] != new:
                    self._conflict(item, mine[key], new, update_helps=False)
                continue
            if key in there:
                if there[key] != new:
                    self._differs(item, key, record, there[key], new)
                continue
            mine[key] = new
            rows.append((*key, record, new.value, new.own, new.reason))
            if new.extras is not None:
                extras.append((*key, new.extras))
        insert_rows(self.connection, VerdictRow, VERDICT_COLUMNS, rows)
        insert_rows(self.connection, VerdictExtraRow, EXTRA_COLUMNS, extras)
        self.new += len(rows)
        self._next_unit = next_unit

    def _save_judges(self, batch: Sequence[ImportedRecord]) -> None:
        # A file's records share their judges as objects: each is hashed once, not once a record.
        unknown = {id(s): s for item in batch for s in item.judges if id(s) not in self._seen}
        if unknown:
            ids, new = judge_ids(self.connection, list(unknown.values()))
            self._judges |= ids
            self._seen |= unknown
            self.new_judges += new

    def _rows(
        self, item: ImportedRecord, units: Mapping[str, int], records: Mapping[int, int]
    ) -> list[tuple[_Key, int, _Content]]:
        found = []
        for v in item.verdicts:
            unit = units.get(v.unit)
            if unit is None:
                raise InputError("a verdict on an unknown unit", path=item.path, line=item.line)
            judge = self._judge(v, item)
            found.append(((judge, v.repeat, unit), records[unit], _content(v)))
        return found

    def _judge(self, verdict: Verdict, item: ImportedRecord) -> int:
        try:
            return self._judges[verdict.fingerprint, verdict.metric]
        except KeyError:
            raise InputError(
                "a verdict of a judge that is not declared", path=item.path, line=item.line
            ) from None

    def _stored(self, keys: set[_Key]) -> dict[_Key, _Content]:
        by_judge: dict[tuple[int, int], list[int]] = {}
        for judge, repeat, unit in keys:
            by_judge.setdefault((judge, repeat), []).append(unit)
        found: dict[_Key, _Content] = {}
        query = (
            "SELECT v.unit_id, v.value, v.own, v.reason, x.body FROM verdict v "
            "LEFT JOIN verdict_extra x ON x.judge_id = v.judge_id AND x.repeat = v.repeat "
            "AND x.unit_id = v.unit_id WHERE v.judge_id = {} AND v.repeat = {} AND v.unit_id IN"
        )
        for (judge, repeat), units in by_judge.items():
            for unit, *content in select_in(self.connection, query.format(judge, repeat), units):
                found[judge, repeat, unit] = _Content(*content)
        return found

    def _differs(
        self, item: ImportedRecord, key: _Key, record: int, old: _Content, new: _Content
    ) -> None:
        """A failure that passes by itself gives way to any verdict; else it is a conflict."""
        if new.reason in RETRY_LATER:
            return
        if not self.update and old.reason not in RETRY_LATER:
            self._conflict(item, old, new, update_helps=True)
            return
        self.replaced += 1
        judge, repeat, unit = key
        payload: dict[str, Any] = {
            "judge_id": judge, "repeat": repeat, "unit_id": unit, "value": old.value,
            "own": old.own, "reason": old.reason, "extras": old.extras,
        }  # fmt: skip
        history = HistoryRow.__table__.insert()
        self.connection.execute(
            history.values(record_id=record, what="verdict", payload=payload, at=datetime.now(UTC))
        )
        place = {"judge_id": judge, "repeat": repeat, "unit_id": unit}
        for table in (X, V):
            same = and_(*(table.c[name] == value for name, value in place.items()))
            self.connection.execute(table.delete().where(same))
        row = (*key, record, new.value, new.own, new.reason)
        insert_rows(self.connection, VerdictRow, VERDICT_COLUMNS, [row])
        if new.extras is not None:
            insert_rows(self.connection, VerdictExtraRow, EXTRA_COLUMNS, [(*key, new.extras)])

    def _conflict(
        self, item: ImportedRecord, old: _Content, new: _Content, *, update_helps: bool
    ) -> None:
        what = (
            f"a verdict differs from the one stored "
            f"({VALUES[new.value]} instead of {VALUES[old.value]})"
            if new.value != old.value
            else "a verdict's evidence or metadata differs from that stored"
        )
        self.conflicts.add(item.path, item.line, item.record.id, what, update_helps=update_helps)


def _content(verdict: Verdict) -> _Content:
    value, own = CODES[verdict.value], CODES[verdict.own_value]
    return _Content(value, None if own == value else own, verdict.reason, verdict_extras(verdict))
