"""Freezing claims: a text is split once, and everyone rules on the same claims."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from trueup.domain.metrics import METRICS
from trueup.domain.model import Record, Unit, UnitKind
from trueup.domain.units import chunk_units

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trueup.services.workspace import Workspace

_BATCH = 500
_SUFFIX: dict[UnitKind, str] = {"answer_claim": "#", "reference_claim": "#r"}


def freeze_missing(
    workspace: Workspace,
    metric: str,
    *,
    releases: Sequence[str] | None = None,
    tick: Callable[[int], None] = lambda _: None,
) -> int:
    """Split every record that has no units of the metric's kind yet; returns how many.

    An answer without claims is remembered as such: it is not split again.
    """
    kind = METRICS[metric].units
    done = 0
    batch: list[tuple[str, UnitKind, Sequence[Unit], str]] = []
    for record in list(workspace.store.records_without_units(kind, releases=releases)):
        units, splitter = split_record(record, kind)
        batch.append((record.key, kind, units, splitter))
        if len(batch) >= _BATCH:
            workspace.store.freeze_many(batch)
            batch = []
        done += 1
        tick(1)
    if batch:
        workspace.store.freeze_many(batch)
    return done


def split_record(record: Record, kind: UnitKind) -> tuple[tuple[Unit, ...], str]:
    """The units of one record and the name of the splitter that made them."""
    if kind == "chunk":
        return chunk_units(record), "chunks"
    if kind == "answer":
        return (Unit(record.key, record.id, kind, record.answer, 1, splitter="whole"),), "whole"
    from trueup.judge.splitting import SPLITTER_VERSION

    return tuple(_claims(record, kind)), SPLITTER_VERSION


def _claims(record: Record, kind: UnitKind) -> Iterator[Unit]:
    from trueup.judge.splitting import SPLITTER_VERSION, split_claims

    text = record.answer if kind == "answer_claim" else record.reference
    if not text:
        return
    for number, claim in enumerate(split_claims(text).claims, start=1):
        yield Unit(
            record=record.key,
            id=f"{record.id}{_SUFFIX[kind]}{number}",
            kind=kind,
            text=claim.text,
            ordinal=number,
            span=claim.span,
            splitter=SPLITTER_VERSION,
            context=claim.context,
        )
