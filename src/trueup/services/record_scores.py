"""Scores of single records under one judge: what means, lists of moves and cells are made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from trueup.domain.model import JudgeSpec
from trueup.domain.scores import (
    ANSWER_CORRECTNESS,
    RecordScore,
    ScorePolicy,
    Tally,
    correctness,
    record_score,
)
from trueup.services.counting import HALVES, pairs
from trueup.services.score_series import SeriesRow
from trueup.stats.counts import Clusters

if TYPE_CHECKING:
    from trueup.services.workspace import Workspace
    from trueup.store import RecordTally


@dataclass(frozen=True, slots=True)
class ScoredRecord:
    """One record's score with what it was made of."""

    key: str
    record: str
    release: str
    score: RecordScore
    n_decided: int
    n_undecided: int
    answered_model: str | None

    def to_json(self, row: SeriesRow) -> dict[str, Any]:
        """The score with the identity of its judge beside it."""
        return {
            "record": self.record,
            "release": self.release,
            "metric": row.metric,
            "judge": row.judge,
            "fingerprint": row.fingerprint,
            "model": row.spec.model,
            "answered_model": self.answered_model,
            "prompt_sha256": row.spec.prompt_sha256,
            "score": self.score.value,
            "reason": self.score.reason,
            "flag": self.score.flag,
            "n_decided": self.n_decided,
            "n_undecided": self.n_undecided,
        }


def policy_of(workspace: Workspace) -> ScorePolicy:
    """What trueup.toml says of scores."""
    settings = workspace.settings.workspace
    no_claims = settings.no_claims
    return ScorePolicy(settings.min_decided, None if no_claims == "null" else float(no_claims))


def record_scores(
    workspace: Workspace, row: SeriesRow, policy: ScorePolicy | None = None
) -> list[ScoredRecord]:
    """The scores of a row's records, in import order; under the present policy, or another."""
    policy = policy or policy_of(workspace)
    if row.metric == ANSWER_CORRECTNESS:
        return _correctness(workspace, row, policy)
    return [
        scored_record(t, record_score(row.metric, t.tally, policy))
        for t in tallies_of(workspace, row)
    ]


def scores_of(
    workspace: Workspace,
    metric: str,
    fingerprint: str,
    *,
    releases: Sequence[str] | None = None,
    own: bool = False,
    first: bool = False,
    repeat: int = 0,
) -> list[ScoredRecord]:
    """The scores of every current record under one judge, whichever model answered.

    `own` takes the judge's own verdicts, before the evidence rule; `first` those on the claims that
    it ruled on first.
    """
    policy = policy_of(workspace)
    return [
        scored_record(t, record_score(metric, t.tally, policy))
        for t in workspace.store.record_tallies(
            metric=metric,
            fingerprint=fingerprint,
            releases=releases,
            own=own,
            first=first,
            repeat=repeat,
        )
    ]


def tallies_of(workspace: Workspace, row: SeriesRow) -> list[RecordTally]:
    """The tallies of a row's records: those of its answered model, and those without a call."""
    return [
        t
        for t in workspace.store.record_tallies(
            metric=row.metric, fingerprint=row.fingerprint, releases=[row.release]
        )
        if t.answered_model in (None, row.answered_model)
    ]


def corpus_of(tallies: Iterable[Tally], counts: Iterable[int] | None = None) -> Clusters:
    """Units called entailed and not, per record (U, 2); `counts` says how many have a tally."""
    vectors = [(t.entailed, t.not_entailed) for t in tallies]
    return Clusters.from_counts(
        np.array(vectors, np.int64).reshape(-1, 2),
        multiplicity=None if counts is None else np.array(list(counts), np.int64),
    )


def scored_record(tally: RecordTally, score: RecordScore) -> ScoredRecord:
    """A score beside the record that it is of."""
    counts = tally.tally
    return ScoredRecord(
        tally.key, tally.record, tally.release, score, counts.decided, counts.undecided,
        tally.answered_model,
    )  # fmt: skip


def _correctness(workspace: Workspace, row: SeriesRow, policy: ScorePolicy) -> list[ScoredRecord]:
    from trueup.store import pair_fingerprint

    specs, _ = workspace.store.score_groups(metrics=HALVES, releases=[row.release])
    for one, two in pairs(specs):
        if pair_fingerprint(one.fingerprint, two.fingerprint) == row.fingerprint:
            found = correctness_of(workspace, one, two, [row.release], policy)
            return [s for s in found if s.answered_model in (None, row.answered_model)]
    return []


def correctness_of(
    workspace: Workspace,
    precision: JudgeSpec,
    recall: JudgeSpec,
    releases: Sequence[str] | None,
    policy: ScorePolicy,
) -> list[ScoredRecord]:
    """`answer_correctness` of every record from the two halves of a judge."""
    first, second = (
        workspace.store.record_tallies(
            metric=spec.metric, fingerprint=spec.fingerprint, releases=releases
        )
        for spec in (precision, recall)
    )
    other = {t.key: t for t in second}
    found = []
    for tally in first:
        half = other[tally.key]
        made = scored_record(tally, correctness(tally.tally, half.tally, policy))
        found.append(
            replace(
                made,
                n_decided=made.n_decided + half.tally.decided,
                n_undecided=made.n_undecided + half.tally.undecided,
            )
        )
    return found
