"""The tables. Rows never leave this package; text is stored once, verdict rows are small.

Nothing here is particular to one database. Ids of `text`, `record`, `claim_set` and `unit` are
given by the writer (`bulk.Structure`), so that bulk inserts need no reading back.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import (
    BigInteger,
    ForeignKeyConstraint,
    Index,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

from trueup.store.columns import Instant, JsonText, Key, Words

NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}
metadata = MetaData(naming_convention=NAMES)
Extras = dict[str, Any]
_CURRENT = text("current")
_HASHED = text("hash IS NOT NULL")


class Row(SQLModel, registry=registry(metadata=metadata)):
    """Base of all tables: one registry, one naming convention."""

    __table__: ClassVar[Table]


class TextRow(Row, table=True):
    """Texts. Those that recur, the chunks, have a hash and are stored once."""

    __tablename__ = "text"
    __table_args__ = (
        Index("uq_text_hash", "hash", unique=True,
              sqlite_where=_HASHED, postgresql_where=_HASHED),
    )  # fmt: skip
    id: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    hash: str | None = Field(default=None, sa_type=Key)
    body: str = Field(sa_type=Words)


class SourceRow(Row, table=True):
    """A file that records came from."""

    __tablename__ = "source"
    id: int | None = Field(default=None, primary_key=True)
    path: str = Field(sa_type=Words, unique=True)


class RecordRow(Row, table=True):
    """One record per content key; `current` is false for one that an update replaced."""

    __tablename__ = "record"
    __table_args__ = (
        Index("uq_record_current", "name", "release", unique=True,
              sqlite_where=_CURRENT, postgresql_where=_CURRENT),
    )  # fmt: skip
    id: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    key: str = Field(sa_type=Key, unique=True)
    version: str = Field(sa_type=Key)
    name: str = Field(sa_type=Words)
    release: str = Field(sa_type=Words, index=True)
    current: bool = True
    question_id: int | None = Field(default=None, foreign_key="text.id")
    answer_id: int = Field(foreign_key="text.id")
    reference_id: int | None = Field(default=None, foreign_key="text.id")
    has_context: bool
    failing: bool | None = None
    extras: Extras | None = Field(default=None, sa_type=JsonText)
    source_id: int | None = Field(default=None, foreign_key="source.id")
    line: int | None = None


class ChunkRow(Row, table=True):
    """The chunks of a record's context, in rank order."""

    __tablename__ = "chunk"
    __table_args__ = {"sqlite_with_rowid": False}
    record_id: int = Field(foreign_key="record.id", primary_key=True)
    rank: int = Field(primary_key=True)
    name: str = Field(sa_type=Words)
    text_id: int = Field(foreign_key="text.id")
    source: str | None = Field(default=None, sa_type=Words)
    meta: Extras | None = Field(default=None, sa_type=JsonText)


class HistoryRow(Row, table=True):
    """What an update replaced: annotations of a record, or a recorded verdict."""

    __tablename__ = "history"
    id: int | None = Field(default=None, primary_key=True)
    record_id: int = Field(foreign_key="record.id", index=True)
    what: str = Field(sa_type=Words)
    payload: Extras = Field(sa_type=JsonText)
    at: datetime = Field(sa_type=Instant)


class ClaimSetRow(Row, table=True):
    """A frozen claim set of a record; empty ones are kept too ("split, no claims")."""

    __tablename__ = "claim_set"
    __table_args__ = (
        UniqueConstraint("record_id", "kind", "version"),
        Index("uq_claim_set_current", "record_id", "kind", unique=True,
              sqlite_where=_CURRENT, postgresql_where=_CURRENT),
    )  # fmt: skip
    id: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    record_id: int = Field(foreign_key="record.id")
    kind: str = Field(sa_type=Words)
    version: int = Field(sa_type=SmallInteger)
    splitter: str = Field(sa_type=Words)
    current: bool = True
    meta: Extras | None = Field(default=None, sa_type=JsonText)


class UnitRow(Row, table=True):
    """What one verdict or label is about."""

    __tablename__ = "unit"
    id: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    key: str = Field(sa_type=Key, unique=True)
    claim_set_id: int = Field(foreign_key="claim_set.id", index=True)
    ordinal: int
    name: str = Field(sa_type=Words)
    text_id: int = Field(foreign_key="text.id")
    span_start: int | None = None
    span_end: int | None = None
    provisional: bool = False
    extras: Extras | None = Field(default=None, sa_type=JsonText)


class JudgeRow(Row, table=True):
    """A judge of one metric. `spec` is the whole JudgeSpec."""

    __tablename__ = "judge"
    __table_args__ = (UniqueConstraint("fingerprint", "metric"),)
    id: int | None = Field(default=None, primary_key=True)
    fingerprint: str = Field(sa_type=Key)
    call: str = Field(sa_type=Key, index=True)
    metric: str = Field(sa_type=Words)
    name: str = Field(sa_type=Words)
    spec: Extras = Field(sa_type=JsonText)


class CallRow(Row, table=True):
    """One call: the raw reply, compressed, or none where it failed.

    One reply serves every evidence rule and every reader of the same call.
    """

    __tablename__ = "call"
    __table_args__ = (UniqueConstraint("record_id", "metric", "call", "repeat", "part"),)
    id: int | None = Field(default=None, primary_key=True)
    record_id: int = Field(foreign_key="record.id")
    metric: str = Field(sa_type=Words)
    call: str = Field(sa_type=Key, index=True)
    repeat: int = Field(sa_type=SmallInteger)
    part: int
    body: bytes | None = Field(default=None, sa_type=LargeBinary)
    failure: str | None = Field(default=None, sa_type=Words)
    answered_model: str | None = Field(default=None, sa_type=Words)
    info: Extras = Field(sa_type=JsonText)
    at: datetime = Field(sa_type=Instant)


class JudgementRow(Row, table=True):
    """One call as one judge reads it: what makes its verdicts exactly-once."""

    __tablename__ = "judgement"
    __table_args__ = (UniqueConstraint("call_id", "judge_id"),)
    id: int | None = Field(default=None, primary_key=True)
    call_id: int = Field(foreign_key="call.id")
    judge_id: int = Field(foreign_key="judge.id", index=True)
    at: datetime = Field(sa_type=Instant)


class VerdictRow(Row, table=True):
    """A verdict in integers: 1 entailed, 0 not entailed, -1 undecided. `own` is null when equal.

    `record_id` repeats the unit's, so that figures by answer need no join over millions of rows.
    """

    __tablename__ = "verdict"
    __table_args__ = {"sqlite_with_rowid": False}
    judge_id: int = Field(primary_key=True, foreign_key="judge.id")
    repeat: int = Field(primary_key=True, sa_type=SmallInteger)
    unit_id: int = Field(primary_key=True, foreign_key="unit.id")
    record_id: int = Field(foreign_key="record.id")
    value: int = Field(sa_type=SmallInteger)
    own: int | None = Field(default=None, sa_type=SmallInteger)
    reason: str | None = Field(default=None, sa_type=Words)
    judgement_id: int | None = Field(default=None, foreign_key="judgement.id")


class VerdictExtraRow(Row, table=True):
    """Evidence, flags and metadata of the verdicts that have any."""

    __tablename__ = "verdict_extra"
    __table_args__ = (
        ForeignKeyConstraint(
            ["judge_id", "repeat", "unit_id"],
            ["verdict.judge_id", "verdict.repeat", "verdict.unit_id"],
        ),
        {"sqlite_with_rowid": False},
    )
    judge_id: int = Field(primary_key=True)
    repeat: int = Field(primary_key=True, sa_type=SmallInteger)
    unit_id: int = Field(primary_key=True)
    body: Extras = Field(sa_type=JsonText)


class LeaseRow(Row, table=True):
    """Who is paying for a call just now, and until when, so that two runners never both pay."""

    __tablename__ = "lease"
    metric: str = Field(primary_key=True, sa_type=Words)
    call: str = Field(primary_key=True, sa_type=Key)
    record_id: int = Field(primary_key=True, foreign_key="record.id")
    repeat: int = Field(primary_key=True, sa_type=SmallInteger)
    owner: str = Field(sa_type=Words)
    until: datetime = Field(sa_type=Instant)


class LabelRow(Row, table=True):
    """One label event: appended, never changed. `seq` is the order in which they were stored."""

    __tablename__ = "label"
    __table_args__ = {"sqlite_autoincrement": True}
    seq: int | None = Field(default=None, primary_key=True)
    event: str = Field(sa_type=Words, unique=True)
    unit_id: int = Field(foreign_key="unit.id", index=True)
    metric: str = Field(sa_type=Words)
    annotator: str = Field(sa_type=Words)
    repeat: int = Field(default=0, sa_type=SmallInteger)
    label: str | None = Field(default=None, sa_type=Words)
    at: datetime = Field(sa_type=Instant)
    blind: bool = True
    origin: str = Field(sa_type=Words)
    sample: str | None = Field(default=None, sa_type=Words)
    note: str | None = Field(default=None, sa_type=Words)
    quote: str | None = Field(default=None, sa_type=Words)
    policy_sha256: str | None = Field(default=None, sa_type=Words)
    ms: int | None = Field(default=None, sa_type=BigInteger)
    meta: Extras | None = Field(default=None, sa_type=JsonText)


class SampleRow(Row, table=True):
    """A sample: its design, without its members."""

    __tablename__ = "sample"
    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(sa_type=Words, unique=True)
    metric: str = Field(sa_type=Words)
    design: str = Field(sa_type=Words)
    seed: int = Field(sa_type=BigInteger)
    population: int
    content: str = Field(sa_type=Key)
    extras: Extras = Field(sa_type=JsonText)
    at: datetime = Field(sa_type=Instant)


class MemberRow(Row, table=True):
    """One drawn record of a sample, with its inclusion probability."""

    __tablename__ = "sample_member"
    sample_id: int = Field(primary_key=True, foreign_key="sample.id")
    place: int = Field(primary_key=True)
    record_id: int = Field(foreign_key="record.id")
    probability: float
    stratum: str = Field(sa_type=Words)
    overlap: bool = False
    again: bool = False


class NoteRow(Row, table=True):
    """Small settings that belong to the store itself."""

    __tablename__ = "note"
    name: str = Field(primary_key=True, sa_type=Words)
    value: str = Field(sa_type=Words)
