"""Samples, small notes, and what the store holds in numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, func, select

from trueup.domain.ids import content_id
from trueup.domain.model import Sample, SampleMember
from trueup.errors import ConflictError, StoreError
from trueup.store.base import StoreBase
from trueup.store.bulk import batches, insert_rows
from trueup.store.reading import R, S, U
from trueup.store.tables import (
    JudgeRow,
    LabelRow,
    MemberRow,
    NoteRow,
    Row,
    SampleRow,
    VerdictRow,
)

A = SampleRow.__table__
M = MemberRow.__table__
N = NoteRow.__table__
_MEMBER_COLUMNS = ("sample_id", "place", "record_id", "probability", "stratum", "overlap", "again")


@dataclass(frozen=True, slots=True)
class StoreCounts:
    """How much there is: current records and their current units, label events, verdicts, …"""

    records: int
    units: int
    labels: int
    verdicts: int
    judges: int
    samples: int


class Samples(StoreBase):
    """The part of the store that keeps samples and notes."""

    def save_sample(self, sample: Sample) -> None:
        """Store a sample. The same again changes nothing; another of that name is a conflict."""
        content = _content(sample)
        with self.db.writing() as connection:
            there = connection.execute(select(A.c.content).where(A.c.name == sample.name)).scalar()
            if there is not None:
                if there != content:
                    raise ConflictError(
                        f"sample {sample.name!r} is there with other records or another design",
                        hint="give the new one another name",
                    )
                return
            self._insert(connection, sample, content)

    def _insert(self, connection: Connection, sample: Sample, content: str) -> None:
        insert = A.insert().values(
            name=sample.name, metric=sample.metric, design=sample.design, seed=sample.seed,
            population=sample.population, content=content, at=datetime.now(UTC),
            extras={
                "judge_fingerprints": list(sample.judge_fingerprints),
                "strata": dict(sample.strata),
                "notes": list(sample.notes),
            },
        )  # fmt: skip
        number = connection.execute(insert.returning(A.c.id)).scalar_one()
        rows: dict[str, int] = {}
        for batch in batches({m.record for m in sample.members}):
            query = select(R.c.key, R.c.id).where(R.c.key.in_(batch))
            rows.update((row.key, row.id) for row in connection.execute(query))
        if missing := [m.record for m in sample.members if m.record not in rows]:
            raise StoreError(f"no record has the key {missing[0]}")
        members = [
            (number, m.order, rows[m.record], m.probability, m.stratum, m.overlap, m.repeat)
            for m in sample.members
        ]
        insert_rows(connection, MemberRow, _MEMBER_COLUMNS, members)

    def sample(self, name: str) -> Sample | None:
        """The sample of that name, or None."""
        return next(iter(self._samples(name)), None)

    def samples(self) -> list[Sample]:
        """All samples, in the order in which they were drawn."""
        return self._samples(None)

    def _samples(self, name: str | None) -> list[Sample]:
        query = select(A).order_by(A.c.id)
        members = select(M, R.c.key).join(R, R.c.id == M.c.record_id).order_by(M.c.place)
        with self.db.reading() as connection:
            rows = connection.execute(
                query if name is None else query.where(A.c.name == name)
            ).all()
            return [
                _sample(row, connection.execute(members.where(M.c.sample_id == row.id)).all())
                for row in rows
            ]

    def counts(self) -> StoreCounts:
        """How much the store holds."""
        units = (
            select(func.count())
            .select_from(U)
            .join(S, S.c.id == U.c.claim_set_id)
            .join(R, R.c.id == S.c.record_id)
            .where(S.c.current, R.c.current, U.c.provisional.is_(False))
        )
        with self.db.reading() as connection:

            def count(table: type[Row]) -> int:
                query = select(func.count()).select_from(table.__table__)
                return int(connection.execute(query).scalar_one())

            records = select(func.count()).select_from(R).where(R.c.current)
            return StoreCounts(
                records=int(connection.execute(records).scalar_one()),
                units=int(connection.execute(units).scalar_one()),
                labels=count(LabelRow),
                verdicts=count(VerdictRow),
                judges=count(JudgeRow),
                samples=count(SampleRow),
            )

    def note(self, key: str, value: str) -> None:
        """Keep a small setting that belongs to the store itself; the last value stays."""
        with self.db.writing() as connection:
            changed = connection.execute(N.update().where(N.c.name == key).values(value=value))
            if not changed.rowcount:
                connection.execute(N.insert().values(name=key, value=value))

    def note_of(self, key: str) -> str | None:
        """A setting kept by `note`, or None."""
        with self.db.reading() as connection:
            return connection.execute(select(N.c.value).where(N.c.name == key)).scalar()


def _content(sample: Sample) -> str:
    """What must be the same for two samples to be one (notes may differ)."""
    members = [
        [m.record, m.probability, m.stratum, m.order, m.overlap, m.repeat] for m in sample.members
    ]
    return content_id(
        "sample",
        [
            sample.name, sample.metric, sample.design, sample.seed, sample.population, members,
            list(sample.judge_fingerprints), dict(sample.strata),
        ],
    )  # fmt: skip


def _sample(row: Any, members: Any) -> Sample:
    extras: Mapping[str, Any] = row.extras
    return Sample(
        name=row.name,
        metric=row.metric,
        design=row.design,
        seed=row.seed,
        population=row.population,
        members=tuple(
            SampleMember(
                record=m.key,
                probability=m.probability,
                stratum=m.stratum,
                order=m.place,
                overlap=m.overlap,
                repeat=m.again,
            )
            for m in members
        ),
        judge_fingerprints=tuple(extras["judge_fingerprints"]),
        strata=extras["strata"],
        notes=tuple(extras["notes"]),
    )
