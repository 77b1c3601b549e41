"""Stored replies, for reading them again under another evidence rule or a newer reader."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row, select

from trueup.domain.judging import Reply, Usage
from trueup.domain.model import JudgeSpec
from trueup.store.base import StoreBase
from trueup.store.reading import PAGE, R, U
from trueup.store.sink import C, StoreSink, unpack


@dataclass(frozen=True, slots=True)
class StoredReply:
    """One stored call: where it belongs, what was asked, and the reply or its failure.

    `asked` holds the unit keys in the order of the prompt's numbers. `reply` is None for a failure.
    """

    record: str
    metric: str
    call_fingerprint: str
    repeat: int
    part: int
    asked: tuple[str, ...]
    reply: Reply | None
    failure: str | None
    cost: float | None
    seconds: float
    attempts: int
    at: datetime


class Replies(StoreBase):
    """The part of the store that keeps calls and their replies."""

    def sink(self, spec: JudgeSpec) -> StoreSink:
        """Where a run of this judge commits; stores the judge."""
        return StoreSink(self.db, spec)

    def replies(self, *, metric: str, call_fingerprint: str) -> Iterator[StoredReply]:
        """Stored calls of a metric and call fingerprint, in the order in which they were stored."""
        query = (
            select(C, R.c.key.label("record_key"))
            .join(R, R.c.id == C.c.record_id)
            .where(C.c.metric == metric, C.c.call == call_fingerprint)
            .order_by(C.c.id)
            .limit(PAGE)
        )
        last = 0
        while True:
            with self.db.reading() as connection:
                rows = connection.execute(query.where(C.c.id > last)).all()
                wanted = {unit for row in rows for unit in row.info["asked"]}
                found = select(U.c.id, U.c.key).where(U.c.id.in_(wanted))
                keys = {row.id: row.key for row in connection.execute(found)}
            for row in rows:
                yield _stored(row, tuple(keys[unit] for unit in row.info["asked"]))
            if len(rows) < PAGE:
                return
            last = rows[-1].id


def _stored(row: Row[Any], asked: tuple[str, ...]) -> StoredReply:
    more = row.info.get("reply", {})
    reply = None
    if row.body is not None:
        reply = Reply(
            text=unpack(row.body),
            finish_reason=more["finish_reason"],
            refusal=more["refusal"],
            answered_model=row.answered_model,
            system_fingerprint=more["system_fingerprint"],
            usage=Usage(more["input_tokens"], more["output_tokens"]),
            notes=more["notes"],
        )
    return StoredReply(
        record=row.record_key,
        metric=row.metric,
        call_fingerprint=row.call,
        repeat=row.repeat,
        part=row.part,
        asked=asked,
        reply=reply,
        failure=row.failure,
        cost=row.info["cost"],
        seconds=row.info["seconds"],
        attempts=row.info["attempts"],
        at=row.at,
    )
