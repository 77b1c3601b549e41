"""Where every sample stands: answers and claims, each annotator's progress, and what comes next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trueup.domain.model import Label, Sample, Unit
from trueup.services.adjudicating import disputes
from trueup.services.discordance import asked
from trueup.services.progress import status

if TYPE_CHECKING:
    from trueup.store import Store


@dataclass(frozen=True, slots=True)
class AnnotatorProgress:
    """One annotator of a sample. `total` counts the claims of the whole sample."""

    annotator: str
    done: int
    total: int
    pace_s: float | None
    left_s: float | None
    not_blind: int
    outdated: int


@dataclass(frozen=True, slots=True)
class SampleOverview:
    """One sample. `labelled`: claims with a label or flag of anyone; `differ`: claims on which
    people differ and nobody has decided; `overlap`: answers that everyone gets."""

    name: str
    metric: str
    design: str
    answers: int
    overlap: int
    claims: int
    labelled: int
    differ: int
    outdated: int
    annotators: tuple[AnnotatorProgress, ...]

    @property
    def next_step(self) -> str:
        """What to do next, in the words of the commands."""
        if not self.annotators:
            return f"begin: trueup label {self.name}"
        if self.labelled < self.claims:
            return f"{self.claims - self.labelled} claims wait: trueup label {self.name}"
        if self.differ:
            return f"{self.differ} claims to decide: trueup adjudicate {self.name}"
        if self.outdated:
            return f"{self.outdated} labels under an older policy: --requeue-outdated"
        return f"done: trueup report --labels {self.name}"


def overview(store: Store, policy_sha256: str | None = None) -> tuple[SampleOverview, ...]:
    """Every sample in the order in which they were drawn.

    `policy_sha256` is the hash of the present policy: labels under another one are counted.
    """
    return tuple(_of_sample(store, sample, policy_sha256) for sample in store.samples())


def _of_sample(store: Store, sample: Sample, policy: str | None) -> SampleOverview:
    drawn = [m.record for m in sample.members]
    units = {u.key: u for u in asked(store, sample)}
    current = [
        e
        for e in store.current_labels(metric=sample.metric)
        if e.unit in units and e.origin != "constructed"
    ]
    people = [e for e in current if e.origin == "person"]
    rows = status(store, metric=sample.metric, sample=sample.name)
    return SampleOverview(
        name=sample.name,
        metric=sample.metric,
        design=sample.design,
        answers=len(drawn),
        overlap=sum(m.overlap for m in sample.members),
        claims=len(units),
        labelled=len({e.unit for e in people}),
        differ=_undecided(units, current),
        outdated=_outdated(people, policy),
        annotators=tuple(_annotator(row, people, policy) for row in rows if row["annotator"]),
    )


def _annotator(
    row: dict[str, Any], people: Sequence[Label], policy: str | None
) -> AnnotatorProgress:
    mine = [e for e in people if e.annotator == row["annotator"]]
    return AnnotatorProgress(
        annotator=row["annotator"],
        done=row["done"],
        total=row["total"],
        pace_s=row["seconds_per_claim"],
        left_s=row["seconds_left"],
        not_blind=row["unblinded"],
        outdated=_outdated(mine, policy),
    )


def _undecided(units: dict[str, Unit], current: Sequence[Label]) -> int:
    decided = {e.unit for e in current if e.origin == "adjudication"}
    return sum(d.unit.key not in decided for d in disputes(units, current))


def _outdated(labels: Sequence[Label], policy: str | None) -> int:
    if policy is None:
        return 0
    return sum(e.policy_sha256 not in {None, policy} for e in labels)
