"""Label events: appended, read back in the order in which they were stored."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Row, Select, select

from trueup.domain.model import Label
from trueup.errors import ConflictError, StoreError
from trueup.store.base import StoreBase
from trueup.store.bulk import batches
from trueup.store.reading import U
from trueup.store.units import unit_rows
from trueup.store.write_labels import L, append

_UNDONE = -128
_EVENT = np.dtype(
    [
        ("unit", np.int64),
        ("record", np.int64),
        ("annotator", np.int32),
        ("value", np.int8),
        ("blind", np.bool_),
        ("repeat", np.int8),
        ("origin", np.int8),
    ]
)
ORIGINS = ("person", "constructed", "adjudication")
LABEL_CODES = {"entailed": 1, "not_entailed": 0, "unsure": -1, "bad_split": -2, "not_a_claim": -3}


@dataclass(frozen=True, slots=True)
class StoredLabel:
    """A label event with its place in the order of events."""

    seq: int
    label: Label


@dataclass(frozen=True, slots=True)
class LabelArrays:
    """Current labels of a metric as arrays of one length.

    `unit` and `record` are row ids (int64), as in VerdictArrays; `annotator` indexes `annotators`;
    `value` is 1 entailed, 0 not entailed, -1 unsure, -2 bad split, -3 not a claim; `repeat` is 1
    for a second showing; `origin` indexes ORIGINS.
    """

    unit: NDArray[np.int64]
    record: NDArray[np.int64]
    annotator: NDArray[np.int32]
    value: NDArray[np.int8]
    blind: NDArray[np.bool_]
    repeat: NDArray[np.int8]
    origin: NDArray[np.int8]
    annotators: tuple[str, ...]


class Labels(StoreBase):
    """The part of the store that keeps label events."""

    def append_label(self, label: Label) -> None:
        """Append one event; on return it is on disk. An event that is there is left as it is."""
        self.append_labels([label])

    def append_labels(self, labels: Iterable[Label]) -> int:
        """Append events in one transaction; returns how many were new.

        Raises StoreError for a unit that is not stored, ConflictError for an event id that is there
        with another content.
        """
        events = list(labels)
        if not events:
            return 0
        with self.db.writing() as connection:
            units = {k: v for k, (v, _) in unit_rows(connection, {e.unit for e in events}).items()}
            if missing := [e.unit for e in events if e.unit not in units]:
                raise StoreError(f"no unit has the key {missing[0]}")
            return append(connection, events, units, _refuse)

    def label_events(
        self,
        *,
        metric: str | None = None,
        annotator: str | None = None,
        sample: str | None = None,
        units: Collection[str] | None = None,
        after_seq: int = 0,
    ) -> list[StoredLabel]:
        """All events (undo events too) in the order in which they were stored."""
        query = label_query()
        for column, value in (
            (L.c.metric, metric),
            (L.c.annotator, annotator),
            (L.c.sample, sample),
        ):
            if value is not None:
                query = query.where(column == value)
        if after_seq:
            query = query.where(L.c.seq > after_seq)
        with self.db.reading() as connection:
            if units is None:
                rows = connection.execute(query.order_by(L.c.seq)).all()
            else:
                found = [
                    row
                    for batch in batches(set(units))
                    for row in connection.execute(query.where(U.c.key.in_(batch)))
                ]
                rows = sorted(found, key=lambda row: row.seq)
        return [StoredLabel(row.seq, label_of(row)) for row in rows]

    def current_labels(
        self,
        *,
        metric: str | None = None,
        annotator: str | None = None,
        units: Collection[str] | None = None,
    ) -> list[Label]:
        """The last event per (unit, metric, annotator, repeat, origin); undone ones are absent.

        The origin counts, so that who adjudicates a claim does not lose the label given before.
        """
        last: dict[tuple[str, str, str, int, str], StoredLabel] = {}
        for event in self.label_events(metric=metric, annotator=annotator, units=units):
            one = event.label
            last[one.unit, one.metric, one.annotator, one.repeat, one.origin] = event
        kept = sorted(last.values(), key=lambda e: e.seq)
        return [e.label for e in kept if e.label.label is not None]

    def label_arrays(self, *, metric: str) -> LabelArrays:
        """Current labels of a metric as arrays, in stored order, from the driver's own rows."""
        with self.db.reading() as connection:
            names = select(L.c.annotator).where(L.c.metric == metric).distinct()
            annotators = tuple(sorted(connection.execute(names).scalars()))
            events = _event_array(connection, metric, {n: i for i, n in enumerate(annotators)})
        last = events[_last_of_each(events)]
        kept = last[last["value"] != _UNDONE]
        return LabelArrays(
            **{name: np.ascontiguousarray(kept[name]) for name in _EVENT.names or ()},
            annotators=annotators,
        )


def _event_array(
    connection: Connection, metric: str, annotators: dict[str, int]
) -> NDArray[np.void]:
    """All events of a metric as rows of codes, in stored order."""
    mark = "?" if connection.dialect.name == "sqlite" else "%s"
    driver: Any = connection.connection.driver_connection
    with closing(driver.cursor()) as cursor:
        cursor.execute(
            "SELECT l.unit_id, s.record_id, l.annotator, l.label, l.blind, l.repeat, l.origin "  # noqa: S608
            "FROM label l JOIN unit u ON u.id = l.unit_id "
            "JOIN claim_set s ON s.id = u.claim_set_id "
            f"WHERE l.metric = {mark} ORDER BY l.seq",
            (metric,),
        )
        origins = {origin: i for i, origin in enumerate(ORIGINS)}
        return np.fromiter(
            (
                (unit, record, annotators[who], _code(label), blind, repeat, origins[origin])
                for unit, record, who, label, blind, repeat, origin in cursor
            ),
            _EVENT,
        )


def _code(label: str | None) -> int:
    return _UNDONE if label is None else LABEL_CODES[label]


def _last_of_each(events: NDArray[np.void]) -> NDArray[np.int64]:
    """Places of the last event per (unit, annotator, repeat, origin), in order."""
    keys = [events[name] for name in ("origin", "repeat", "annotator", "unit")]
    order = np.lexsort(keys)  # stable: within a key the stored order stays
    changes = np.zeros(len(order), np.bool_)
    for key in keys:
        changes[:-1] |= np.diff(key[order]) != 0
    changes[-1:] = True
    return np.sort(order[changes])


def _refuse(_: int, label: Label) -> None:
    raise ConflictError(f"label event {label.id!r} is there with other content")


def label_query() -> Select[Any]:
    """Label events with all that `label_of` needs; add conditions and an order."""
    return select(L, U.c.key.label("unit_key")).join(U, U.c.id == L.c.unit_id)


def label_of(row: Row[Any]) -> Label:
    """A label from a row of `label_query`."""
    return Label(
        id=row.event,
        unit=row.unit_key,
        metric=row.metric,
        annotator=row.annotator,
        label=row.label,
        at=row.at,
        blind=row.blind,
        note=row.note,
        quote=row.quote,
        policy_sha256=row.policy_sha256,
        ms=row.ms,
        origin=row.origin,
        sample=row.sample,
        repeat=row.repeat,
        meta=row.meta or {},
    )
