"""Where scores come from: calibrations, restated means, definitions, and what judges said of cases
that are no records. Results are appended; the newest counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, func, select

from trueup.domain.model import Metric
from trueup.errors import StoreError
from trueup.store.base import StoreBase
from trueup.store.bulk import batches, insert_rows
from trueup.store.columns import dump_json, to_microseconds
from trueup.store.judges import J, judge_id
from trueup.store.score_tables import (
    CalibrationRow,
    DefinitionRow,
    ProbeRow,
    RebaselineRow,
    TrialRow,
)
from trueup.store.tables import LabelRow
from trueup.store.touching import Z

_CALIBRATION = CalibrationRow.__table__
_DEFINITION = DefinitionRow.__table__
_PROBE = ProbeRow.__table__
_REBASELINE = RebaselineRow.__table__
_TRIAL = TrialRow.__table__
_LABEL = LabelRow.__table__


@dataclass(frozen=True, slots=True)
class StoredCalibration:
    """A judge measured on labels. `stamp` says which state of labels and verdicts it is of."""

    fingerprint: str
    metric: Metric
    labels: str
    stamp: str
    body: Mapping[str, Any]
    at: datetime


@dataclass(frozen=True, slots=True)
class StoredRebaseline:
    """A release's mean restated from a judge's scale to another's (fingerprints)."""

    metric: Metric
    source: str
    target: str
    release: str
    method: str
    body: Mapping[str, Any]
    at: datetime


@dataclass(frozen=True, slots=True)
class StoredProbe:
    """The newest result of one kind of self-test of a judge."""

    fingerprint: str
    metric: Metric
    kind: str
    body: Mapping[str, Any]
    at: datetime


class Lineage(StoreBase):
    """The part of the store that keeps where scores come from."""

    def save_calibration(
        self, fingerprint: str, metric: Metric, labels: str, stamp: str, body: Mapping[str, Any]
    ) -> datetime:
        """Append a calibration; returns its time.

        One that says the same as the newest on these labels only moves that one's stamp.
        """
        now = datetime.now(UTC)
        table = _CALIBRATION
        with self.db.writing() as connection:
            judge = _judge(connection, fingerprint, metric)
            newest = connection.execute(
                select(table.c.id, table.c.body, table.c.at)
                .where(table.c.judge_id == judge, table.c.labels == labels)
                .order_by(table.c.id.desc())
                .limit(1)
            ).first()
            if newest is not None and dump_json(newest.body) == dump_json(dict(body)):
                same = table.update().where(table.c.id == newest.id)
                connection.execute(same.values(stamp=stamp))
                return newest.at  # type: ignore[no-any-return]
            row = {"labels": labels, "stamp": stamp, "body": dict(body), "at": now}
            connection.execute(table.insert().values(judge_id=judge, **row))
        return now

    def calibrations(self) -> list[StoredCalibration]:
        """Every calibration, oldest first."""
        query = (
            select(_CALIBRATION, J.c.fingerprint, J.c.metric)
            .join(J, J.c.id == _CALIBRATION.c.judge_id)
            .order_by(_CALIBRATION.c.id)
        )
        with self.db.reading() as connection:
            return [
                StoredCalibration(r.fingerprint, r.metric, r.labels, r.stamp, r.body, r.at)
                for r in connection.execute(query)
            ]

    def label_stamp(self, metric: Metric) -> int:
        """A number that grows with each label event of a metric; 0 where there is none."""
        query = select(func.max(_LABEL.c.seq)).where(_LABEL.c.metric == metric)
        with self.db.reading() as connection:
            return int(connection.execute(query).scalar() or 0)

    def verdict_stamps(self, metric: Metric) -> dict[str, int]:
        """Fingerprint → a number that grows with each write of the judge's verdicts or records."""
        query = (
            select(J.c.fingerprint, func.sum(Z.c.changes))
            .join(Z, Z.c.judge_id == J.c.id)
            .where(J.c.metric == metric, Z.c.partner_id == 0)
            .group_by(J.c.fingerprint)
        )
        with self.db.reading() as connection:
            return {name: int(n) for name, n in connection.execute(query)}

    def save_rebaselines(
        self,
        metric: Metric,
        source: str,
        target: str,
        rows: Sequence[tuple[str, str, Mapping[str, Any]]],
    ) -> None:
        """Append restated releases: (release, method, body) each, in one transaction."""
        now = datetime.now(UTC)
        with self.db.writing() as connection:
            ids = {
                "from_id": _judge(connection, source, metric),
                "to_id": _judge(connection, target, metric),
            }
            for release, method, body in rows:
                row = {"release": release, "method": method, "body": dict(body), "at": now}
                connection.execute(_REBASELINE.insert().values(**ids, **row))

    def rebaselines(self) -> list[StoredRebaseline]:
        """The newest restatement of each release from each judge to each, oldest first."""
        one, two = J.alias("one"), J.alias("two")
        query = (
            select(_REBASELINE, one.c.fingerprint.label("source"), one.c.metric,
                   two.c.fingerprint.label("target"))
            .join(one, one.c.id == _REBASELINE.c.from_id)
            .join(two, two.c.id == _REBASELINE.c.to_id)
            .order_by(_REBASELINE.c.id)
        )  # fmt: skip
        newest: dict[tuple[str, str, str, str], StoredRebaseline] = {}
        with self.db.reading() as connection:
            for r in connection.execute(query):
                key = (r.metric, r.source, r.target, r.release)
                newest.pop(key, None)
                newest[key] = StoredRebaseline(*key, r.method, r.body, r.at)
        return list(newest.values())

    def define(self, releases: Iterable[str], body: Mapping[str, Any]) -> None:
        """Keep what the figures of these releases mean; what was kept before stays."""
        now = to_microseconds(datetime.now(UTC))
        rows = [(release, dump_json(dict(body)), now) for release in releases]
        with self.db.writing() as connection:
            insert_rows(
                connection, DefinitionRow, ("release", "body", "at"), rows,
                conflict="ON CONFLICT DO NOTHING",
            )  # fmt: skip

    def definitions(self) -> dict[str, Mapping[str, Any]]:
        """Release → what its figures meant when it was first measured."""
        with self.db.reading() as connection:
            return {row.release: row.body for row in connection.execute(select(_DEFINITION))}

    def save_trials(
        self, fingerprint: str, metric: Metric, kind: str, bodies: Mapping[str, Mapping[str, Any]]
    ) -> None:
        """Keep what a judge said of cases (content id → body); one that is there stays."""
        now = to_microseconds(datetime.now(UTC))
        with self.db.writing() as connection:
            judge = _judge(connection, fingerprint, metric)
            rows = [
                (judge, kind, bytes.fromhex(item), dump_json(dict(body)), now)
                for item, body in bodies.items()
            ]
            insert_rows(
                connection, TrialRow, ("judge_id", "kind", "item", "body", "at"), rows,
                conflict="ON CONFLICT DO NOTHING",
            )  # fmt: skip

    def trials(
        self, fingerprint: str, metric: Metric, kind: str, items: Iterable[str]
    ) -> dict[str, Mapping[str, Any]]:
        """What a judge said of these cases; those it was not asked about are absent."""
        found: dict[str, Mapping[str, Any]] = {}
        with self.db.reading() as connection:
            judge = judge_id(connection, fingerprint, metric)
            for batch in batches(items):
                query = select(_TRIAL.c.item, _TRIAL.c.body).where(
                    _TRIAL.c.judge_id == judge, _TRIAL.c.kind == kind, _TRIAL.c.item.in_(batch)
                )
                found.update((row.item, row.body) for row in connection.execute(query))
        return found

    def save_probe(
        self, fingerprint: str, metric: Metric, kind: str, body: Mapping[str, Any]
    ) -> None:
        """Append the result of one kind of self-test."""
        now = datetime.now(UTC)
        with self.db.writing() as connection:
            judge = _judge(connection, fingerprint, metric)
            values = {"judge_id": judge, "kind": kind, "body": dict(body), "at": now}
            connection.execute(_PROBE.insert().values(values))

    def probes(self, *, metric: Metric, fingerprint: str) -> list[StoredProbe]:
        """The newest result of each kind of self-test of a judge."""
        query = (
            select(_PROBE)
            .join(J, J.c.id == _PROBE.c.judge_id)
            .where(J.c.metric == metric, J.c.fingerprint == fingerprint)
            .order_by(_PROBE.c.id)
        )
        with self.db.reading() as connection:
            rows = {row.kind: row for row in connection.execute(query)}
        return [StoredProbe(fingerprint, metric, k, r.body, r.at) for k, r in rows.items()]


def _judge(connection: Connection, fingerprint: str, metric: Metric) -> int:
    found = judge_id(connection, fingerprint, metric)
    if found is None:
        raise StoreError(f"no judge of {metric} has the fingerprint {fingerprint}")
    return found
