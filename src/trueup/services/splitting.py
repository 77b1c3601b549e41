"""Freezing claims: a text is split once, and everyone rules on the same claims."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from trueup.domain.metrics import METRICS
from trueup.domain.model import Json, Record, Span, Unit, UnitKind
from trueup.domain.units import CHUNK_SPLITTER, chunk_units

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trueup.judge.splitting import Claim
    from trueup.services.workspace import Workspace

_BATCH = 500
_SHORT = 4
"""Words of an answer that is a claim only with its question."""
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
    meta: dict[str, Mapping[str, Json]] = {}
    for record in list(workspace.store.records_without_units(kind, releases=releases)):
        split = split_record(record, kind)
        batch.append((record.key, kind, split.units, split.splitter))
        if split.abstained:
            meta[record.key] = {"abstained": True}
        if len(batch) >= _BATCH:
            workspace.store.freeze_many(batch, meta=meta)
            batch, meta = [], {}
        done += 1
        tick(1)
    if batch:
        workspace.store.freeze_many(batch, meta=meta)
    return done


def _short_answer(text: str, question: str | None) -> tuple[Claim, ...]:
    """“Seven.” states something once the question is read with it: then it is a claim.

    Without a question, or longer than a few words, a text that states nothing stays without.
    """
    from trueup.judge.splitting import Claim

    words = text.split()
    if question is None or not 0 < len(words) <= _SHORT or text.rstrip().endswith(("?", "!", ":")):
        return ()
    if not any(c.isalnum() for c in text):
        return ()
    start = len(text) - len(text.lstrip())
    span = Span(start, start + len(text.strip()))
    return (Claim(text.strip(), span, span, question),)


@dataclass(frozen=True, slots=True)
class Split:
    """The units of one record, who made them, and whether the answer only declines."""

    units: tuple[Unit, ...]
    splitter: str
    abstained: bool = False


def split_record(record: Record, kind: UnitKind) -> Split:
    """The units of one record."""
    if kind == "chunk":
        return Split(chunk_units(record), CHUNK_SPLITTER)
    if kind == "answer":
        whole = Unit(record.key, record.id, kind, record.answer, 1, splitter="whole")
        return Split((whole,), "whole")
    from trueup.judge.splitting import SPLITTER_VERSION, split_claims

    of: Literal["answer", "reference"] = "answer" if kind == "answer_claim" else "reference"
    text = record.answer if of == "answer" else record.reference
    if not text:
        return Split((), SPLITTER_VERSION)
    found = split_claims(text, of=of)
    if of == "answer" and not found.claims and not found.abstained:
        found = replace(found, claims=_short_answer(text, record.question))
    units = tuple(
        Unit(
            record=record.key,
            id=f"{record.id}{_SUFFIX[kind]}{number}",
            kind=kind,
            text=claim.text,
            ordinal=number,
            span=claim.span,
            splitter=SPLITTER_VERSION,
            context=claim.context,
        )
        for number, claim in enumerate(found.claims, start=1)
    )
    return Split(units, SPLITTER_VERSION, found.abstained)
