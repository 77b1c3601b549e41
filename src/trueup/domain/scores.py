"""From verdicts to a record's score: a number, or null with the reason.

The score is the share of decided units with a yes. What a record lacks decides first (nothing
claimed, nothing retrieved, no reference); then at least `min_decided` of its units must be decided.
A failure of the judge never becomes a number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from trueup.domain.metrics import METRICS
from trueup.domain.model import Metric

ANSWER_CORRECTNESS = "answer_correctness"
"""F1 of `correctness_precision` and `correctness_recall`: derived, and never asked of a judge."""
SCORED_METRICS = (*METRICS, ANSWER_CORRECTNESS)

ABSTAINED, NO_CLAIMS, EMPTY_CONTEXT = "abstained", "no_claims", "empty_context"
NO_CONTEXT, NO_REFERENCE, INCOMPLETE = "no_context", "no_reference", "incomplete"
BY_MEANING = frozenset({ABSTAINED, NO_CLAIMS, EMPTY_CONTEXT, NO_CONTEXT, NO_REFERENCE})
"""Reasons of null that follow from the record; every other one is a failure of the judge."""


@dataclass(frozen=True, slots=True)
class ScorePolicy:
    """[workspace] of trueup.toml. `no_claims` is the groundedness of an answer without claims."""

    min_decided: float = 0.8
    no_claims: float | None = None


@dataclass(frozen=True, slots=True, order=True)
class Tally:
    """What a judge made of one record: `units` in its claim set, and how many were decided how.

    `state` is one of BY_MEANING that holds of the record, whatever the judge did, or "". `reason`
    is why its undecided units are, where all agree ("" where they differ or none is).
    """

    units: int
    entailed: int = 0
    not_entailed: int = 0
    state: str = ""
    reason: str = ""

    @property
    def decided(self) -> int:
        """Units with an entailed or not entailed verdict."""
        return self.entailed + self.not_entailed

    @property
    def undecided(self) -> int:
        """Units with an undecided verdict, or with none."""
        return self.units - self.decided


@dataclass(frozen=True, slots=True)
class RecordScore:
    """`value` in [0, 1], or None with a `reason` of the closed list. `flag` names a value that
    follows from the record instead of from verdicts: `empty_context`, `abstained`, `no_claims`."""

    value: float | None
    reason: str | None = None
    flag: str | None = None


def record_score(metric: Metric, tally: Tally, policy: ScorePolicy) -> RecordScore:
    """The score of one record under a metric.

    Groundedness and contextual recall of a record with `context: []` are 0 without a call: nothing
    arrived. An answer that only declines has no groundedness (or the classic 1.0 of
    `no_claims = 1.0`) and relevancy 0. Fewer than `min_decided` of the units decided: null, with
    the judge's reason where one is behind all of it, else `incomplete`.
    """
    if tally.units == 0:
        return _without_units(metric, tally.state, policy)
    if tally.state == EMPTY_CONTEXT and METRICS[metric].against == "context":
        return RecordScore(0.0, flag=EMPTY_CONTEXT)
    decided = tally.decided
    if decided == 0 or decided < policy.min_decided * tally.units:
        whole = (tally.reason or tally.state) if decided == 0 else ""
        return RecordScore(None, whole or INCOMPLETE)
    return RecordScore(tally.entailed / decided)


def _without_units(metric: Metric, state: str, policy: ScorePolicy) -> RecordScore:
    if metric == "answer_relevancy" and state == ABSTAINED:
        return RecordScore(0.0, flag=ABSTAINED)
    if (
        metric == "groundedness"
        and policy.no_claims is not None
        and state in (ABSTAINED, NO_CLAIMS)
    ):
        return RecordScore(policy.no_claims, flag=state)
    return RecordScore(None, state or NO_CLAIMS)


def correctness(precision: Tally, recall: Tally, policy: ScorePolicy) -> RecordScore:
    """`answer_correctness`: F1 of both scores; 0 where both are 0.

    An answer that claims nothing states nothing of the reference: 0, as the counts say
    (2·TP/(2·TP + FP + FN) with TP = FP = 0). Null where either is null otherwise.
    """
    p = record_score("correctness_precision", precision, policy)
    r = record_score("correctness_recall", recall, policy)
    if r.value is None:
        return RecordScore(None, r.reason)
    if p.value is None:
        if p.reason in (ABSTAINED, NO_CLAIMS):
            return RecordScore(0.0, flag=p.reason)
        return RecordScore(None, p.reason)
    total = p.value + r.value
    return RecordScore(2 * p.value * r.value / total if total else 0.0)


def state_of(
    metric: Metric,
    *,
    units: int,
    abstained: bool,
    has_reference: bool,
    context: int | None,
) -> str:
    """The state of a record under a metric; `context` counts chunks with text (None: not given)."""
    spec = METRICS[metric]
    if (units and spec.against == "context") or spec.units == "chunk":
        if context is None:
            return NO_CONTEXT
        if context == 0:
            return EMPTY_CONTEXT
    if not has_reference and "reference" in (spec.against, spec.units.removesuffix("_claim")):
        return NO_REFERENCE
    if units:
        return ""
    return ABSTAINED if abstained and spec.units == "answer_claim" else NO_CLAIMS


def null_counts(scores: Mapping[RecordScore, int]) -> dict[str, int]:
    """Null records by reason, the most frequent first."""
    found: dict[str, int] = {}
    for score, n in scores.items():
        if score.value is None:
            found[score.reason or INCOMPLETE] = found.get(score.reason or INCOMPLETE, 0) + n
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))
