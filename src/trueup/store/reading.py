"""Records and units: from rows to dataclasses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, Row, Select, select

from trueup.domain.model import Chunk, Record, Span, Unit
from trueup.store.bulk import batches
from trueup.store.tables import ChunkRow, ClaimSetRow, RecordRow, TextRow, UnitRow

R = RecordRow.__table__
C = ChunkRow.__table__
T = TextRow.__table__
S = ClaimSetRow.__table__
U = UnitRow.__table__
PAGE = 256
"""Records read at once: a page is one short transaction, so that no reader holds up a writer."""


def load_records(connection: Connection, rows: Sequence[Row[Any]]) -> list[Record]:
    """Records of rows of the record table, with their texts and chunks, in the same order."""
    ids = [row.id for row in rows]
    chunks = _chunks(connection, ids)
    wanted = {n for row in rows for n in (row.question_id, row.answer_id, row.reference_id) if n}
    texts = load_texts(connection, wanted)
    return [_record(row, chunks.get(row.id, ()), texts) for row in rows]


def load_texts(connection: Connection, ids: Iterable[int]) -> dict[int, str]:
    """Texts by id."""
    found: dict[int, str] = {}
    for batch in batches(ids):
        query = select(T.c.id, T.c.body).where(T.c.id.in_(batch))
        found.update((row.id, row.body) for row in connection.execute(query))
    return found


def _chunks(connection: Connection, ids: Sequence[int]) -> dict[int, tuple[Chunk, ...]]:
    found: dict[int, list[Chunk]] = {}
    for batch in batches(ids):
        query = (
            select(C.c.record_id, C.c.name, T.c.body, C.c.source, C.c.meta)
            .join(T, T.c.id == C.c.text_id)
            .where(C.c.record_id.in_(batch))
            .order_by(C.c.record_id, C.c.rank)
        )
        for row in connection.execute(query):
            chunk = Chunk(row.name, row.body, row.source, row.meta or {})
            found.setdefault(row.record_id, []).append(chunk)
    return {number: tuple(chunks) for number, chunks in found.items()}


def _record(row: Row[Any], chunks: tuple[Chunk, ...], texts: dict[int, str]) -> Record:
    extras = row.extras or {}
    record = Record(
        id=row.name,
        answer=texts[row.answer_id],
        question=None if row.question_id is None else texts[row.question_id],
        context=chunks if row.has_context else None,
        reference=None if row.reference_id is None else texts[row.reference_id],
        gold=_texts(extras, "gold"),
        gold_context=_texts(extras, "gold_context"),
        retrieved=_texts(extras, "retrieved"),
        release=row.release,
        failing=row.failing,
        slices=extras.get("slices", {}),
        meta=extras.get("meta", {}),
    )
    object.__setattr__(record, "_key", row.key)  # stored: no need to hash the texts again
    return record


def _texts(extras: dict[str, Any], name: str) -> tuple[str, ...] | None:
    value = extras.get(name)
    return None if value is None else tuple(value)


def record_extras(record: Record) -> dict[str, Any] | None:
    """What the record table keeps as JSON."""
    extras: dict[str, Any] = {
        name: list(value)
        for name in ("gold", "gold_context", "retrieved")
        if (value := getattr(record, name)) is not None
    }
    if record.slices:
        extras["slices"] = dict(record.slices)
    if record.meta:
        extras["meta"] = dict(record.meta)
    return extras or None


def unit_query() -> Select[Any]:
    """Units with all that `unit_of` needs; add conditions and an order."""
    return (
        select(
            U.c.id, U.c.key, U.c.ordinal, U.c.name, U.c.span_start, U.c.span_end,
            U.c.provisional, U.c.extras,
            S.c.kind, S.c.version, S.c.splitter, S.c.record_id,
            R.c.key.label("record_key"), T.c.body,
        )
        .join(S, S.c.id == U.c.claim_set_id)
        .join(R, R.c.id == S.c.record_id)
        .join(T, T.c.id == U.c.text_id)
    )  # fmt: skip


def unit_of(row: Row[Any]) -> Unit:
    """A unit from a row of `unit_query`."""
    extras = row.extras or {}
    unit = Unit(
        record=row.record_key,
        id=row.name,
        kind=row.kind,
        text=row.body,
        ordinal=row.ordinal,
        span=None if row.span_start is None else Span(row.span_start, row.span_end),
        claim_set=row.version,
        splitter=extras.get("splitter", row.splitter),
        parent=extras.get("parent"),
        provisional=row.provisional,
        context=extras.get("context"),
        meta=extras.get("meta", {}),
    )
    object.__setattr__(unit, "_key", row.key)
    return unit


def unit_extras(unit: Unit, splitter: str) -> dict[str, Any] | None:
    """What the unit table keeps as JSON; the splitter only where it is not the claim set's."""
    extras: dict[str, Any] = {}
    if unit.parent is not None:
        extras["parent"] = unit.parent
    if unit.context is not None:
        extras["context"] = unit.context
    if unit.meta:
        extras["meta"] = dict(unit.meta)
    if unit.splitter != splitter:
        extras["splitter"] = unit.splitter
    return extras or None
