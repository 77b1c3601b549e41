"""What is kept of scores: tallies by release, calibrations, restated means, self-tests.

Scores themselves follow from verdicts. `score_state` holds them counted by release, so that a year
of releases is read at once; it is made anew where `done` has fallen behind `changes`.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import UniqueConstraint
from sqlmodel import Field

from trueup.store.columns import Instant, JsonText, Key, Words
from trueup.store.tables import Extras, Row


class ScoreStateRow(Row, table=True):
    """A judge's tallies in one release. Every writer of its verdicts or records raises `changes`.

    `partner_id` is 0, or the judge of `correctness_recall` beside that of `correctness_precision`:
    such a row holds `answer_correctness`, and its `done` is the sum of both judges' `changes`.
    """

    __tablename__ = "score_state"
    judge_id: int = Field(primary_key=True, foreign_key="judge.id")
    partner_id: int = Field(primary_key=True)
    release: str = Field(primary_key=True, sa_type=Words)
    changes: int = 0
    done: int = -1
    body: Extras | None = Field(default=None, sa_type=JsonText)


class CalibrationRow(Row, table=True):
    """A judge measured on labels: appended when the labels or the verdicts on them have changed."""

    __tablename__ = "calibration"
    id: int | None = Field(default=None, primary_key=True)
    judge_id: int = Field(foreign_key="judge.id", index=True)
    labels: str = Field(sa_type=Words)
    stamp: str = Field(sa_type=Words)
    body: Extras = Field(sa_type=JsonText)
    at: datetime = Field(sa_type=Instant)


class RebaselineRow(Row, table=True):
    """A release's mean restated from one judge's scale to another's; the newest row counts."""

    __tablename__ = "rebaseline"
    id: int | None = Field(default=None, primary_key=True)
    from_id: int = Field(foreign_key="judge.id")
    to_id: int = Field(foreign_key="judge.id", index=True)
    release: str = Field(sa_type=Words)
    method: str = Field(sa_type=Words)
    body: Extras = Field(sa_type=JsonText)
    at: datetime = Field(sa_type=Instant)


class TrialRow(Row, table=True):
    """What a judge said of a case that is no record: a self-test, or an answer put with gold."""

    __tablename__ = "trial"
    __table_args__ = (UniqueConstraint("judge_id", "kind", "item"),)
    id: int | None = Field(default=None, primary_key=True)
    judge_id: int = Field(foreign_key="judge.id")
    kind: str = Field(sa_type=Words)
    item: str = Field(sa_type=Key)
    body: Extras = Field(sa_type=JsonText)
    at: datetime = Field(sa_type=Instant)


class ProbeRow(Row, table=True):
    """The result of one kind of self-test under a fingerprint; the newest row counts."""

    __tablename__ = "probe"
    id: int | None = Field(default=None, primary_key=True)
    judge_id: int = Field(foreign_key="judge.id", index=True)
    kind: str = Field(sa_type=Words)
    body: Extras = Field(sa_type=JsonText)
    at: datetime = Field(sa_type=Instant)


class DefinitionRow(Row, table=True):
    """What a release's figures meant when it was first measured: the headline of retrieval, …"""

    __tablename__ = "definition"
    release: str = Field(primary_key=True, sa_type=Words)
    body: Extras = Field(sa_type=JsonText)
    at: datetime = Field(sa_type=Instant)
