"""Appends label events: idempotent by their id, in one order for all readers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, select, text

from trueup.domain.display import sanitise_stored
from trueup.domain.model import Label
from trueup.store.bulk import batches, insert_rows
from trueup.store.columns import dump_json, is_storable, to_microseconds
from trueup.store.tables import LabelRow

L = LabelRow.__table__
_COLUMNS = (
    "event", "unit_id", "metric", "annotator", "repeat", "label", "at", "blind", "origin",
    "sample", "note", "quote", "policy_sha256", "ms", "meta",
)  # fmt: skip
_TEXTS = ("id", "annotator", "note", "quote", "sample", "policy_sha256")
Refuse = Callable[[int, Label], None]


def append(
    connection: Connection, labels: Sequence[Label], units: Mapping[str, int], refuse: Refuse
) -> int:
    """Append the events that are not there; returns how many were new.

    `units` maps unit keys to rows. `refuse(i, label)` is called for an event whose id is there with
    another content. On PostgreSQL writers take turns, so that a reader who has seen `seq` n has
    seen all before it.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text('LOCK TABLE "label" IN SHARE ROW EXCLUSIVE MODE'))
    events = _storable_all(labels)
    rows = [_row(label, units[label.unit]) for label in events]
    new = insert_rows(
        connection, LabelRow, _COLUMNS, rows, conflict="ON CONFLICT (event) DO NOTHING"
    )
    if new < len(rows):
        there = _there(connection, [label.id for label in events])
        for i, row in enumerate(rows):
            if there[events[i].id] != row[1:6]:
                refuse(i, events[i])
    return new


def _there(connection: Connection, events: Sequence[str]) -> dict[str, tuple[Any, ...]]:
    found: dict[str, tuple[Any, ...]] = {}
    for batch in batches(events):
        query = select(
            L.c.event, L.c.unit_id, L.c.metric, L.c.annotator, L.c.repeat, L.c.label
        ).where(L.c.event.in_(batch))
        found.update((row[0], tuple(row[1:])) for row in connection.execute(query))
    return found


def _storable_all(labels: Sequence[Label]) -> Sequence[Label]:
    """The events as every database takes them: one look at all where they are so already."""
    texts = (text for label in labels for name in _TEXTS if (text := getattr(label, name)))
    return labels if is_storable("".join(texts)) else [_storable(label) for label in labels]


def _storable(label: Label) -> Label:
    """The event with its texts as every database takes them."""
    texts = {name: getattr(label, name) for name in _TEXTS}
    dirty: dict[str, Any] = {
        n: sanitise_stored(t) for n, t in texts.items() if t and not is_storable(t)
    }
    return replace(label, **dirty) if dirty else label


def _row(label: Label, unit: int) -> tuple[Any, ...]:
    return (
        label.id, unit, label.metric, label.annotator, label.repeat, label.label,
        to_microseconds(label.at), label.blind, label.origin, label.sample, label.note,
        label.quote, label.policy_sha256, label.ms,
        dump_json(dict(label.meta)) if label.meta else None,
    )  # fmt: skip
