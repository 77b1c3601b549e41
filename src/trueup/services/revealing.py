"""What a labeller may see only after asking: the judges' verdicts and other people's labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trueup.domain.metrics import metric
from trueup.domain.model import Label, Record, Unit, Verdict

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


def reveal_unit(
    store: Store, record: Record, unit: Unit, metric_name: str, annotator: str
) -> Revealed:
    """What was said of one unit by every judge and by everyone but this annotator."""
    names = {j.fingerprint: j.spec.name for j in store.judges(metric=metric_name)}
    verdicts = sorted(
        store.verdicts(metric=metric_name, units=[unit.key]),
        key=lambda v: (names.get(v.fingerprint, ""), v.fingerprint),
    )
    labels = [
        e
        for e in store.current_labels(metric=metric_name, units=[unit.key])
        if e.annotator != annotator
    ]
    return Revealed(
        tuple(
            JudgeSays(names.get(v.fingerprint, v.fingerprint[:8]), locate_evidence(v, record, unit))
            for v in verdicts
        ),
        tuple(sorted(labels, key=lambda e: (e.annotator, e.repeat))),
    )


def locate_evidence(verdict: Verdict, record: Record, unit: Unit) -> Verdict:
    """The verdict with quotes that were stored as they came now located in what it ruled on."""
    if all(e.match != "unlocated" for e in verdict.evidence):
        return verdict
    from trueup.report.texts import located, texts_against

    texts = texts_against(metric(verdict.metric), record, unit)
    return replace(verdict, evidence=tuple(located(e, texts) for e in verdict.evidence))
