"""What a labeller may see only after asking: the judges' verdicts and other people's labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trueup.domain.model import Chunk, Evidence, Label, Record, Unit, Verdict

if TYPE_CHECKING:
    from trueup.store import Store


@dataclass(frozen=True, slots=True)
class JudgeSays:
    """One judge's verdict on a claim, its evidence located in the chunks."""

    judge: str
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Revealed:
    """The judges' verdicts, by name, and other people's current labels."""

    judges: tuple[JudgeSays, ...]
    labels: tuple[Label, ...]


def reveal_unit(store: Store, record: Record, unit: Unit, metric: str, annotator: str) -> Revealed:
    """What was said of one unit by every judge and by everyone but this annotator."""
    names = {j.fingerprint: j.spec.name for j in store.judges(metric=metric)}
    verdicts = sorted(
        store.verdicts(metric=metric, units=[unit.key]),
        key=lambda v: (names.get(v.fingerprint, ""), v.fingerprint),
    )
    labels = [
        e for e in store.current_labels(metric=metric, units=[unit.key]) if e.annotator != annotator
    ]
    return Revealed(
        tuple(
            JudgeSays(names.get(v.fingerprint, v.fingerprint[:8]), locate_evidence(v, record))
            for v in verdicts
        ),
        tuple(sorted(labels, key=lambda e: (e.annotator, e.repeat))),
    )


def locate_evidence(verdict: Verdict, record: Record) -> Verdict:
    """The verdict with quotes that were stored as they came now located in the context."""
    if all(e.match != "unlocated" for e in verdict.evidence):
        return verdict
    chunks = record.context or ()
    return replace(verdict, evidence=tuple(_located(e, chunks) for e in verdict.evidence))


def _located(evidence: Evidence, chunks: Sequence[Chunk]) -> Evidence:
    if evidence.match != "unlocated":
        return evidence
    from trueup.domain.text import locate_in_chunks

    return locate_in_chunks(evidence.quote, chunks)
