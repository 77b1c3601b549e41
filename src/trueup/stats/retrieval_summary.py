"""Means over questions of the retrieval metrics, with intervals and what was left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from trueup.errors import UsageError
from trueup.stats.bounded import mean_over
from trueup.stats.counts import FloatArray, IntArray
from trueup.stats.estimate import Estimate
from trueup.stats.intervals import ONE_ANSWER, T_OVER_ANSWERS
from trueup.stats.retrieval import check_cutoff, check_grade
from trueup.stats.retrieval_hits import ABSENT, Hits

NO_QUESTION = "no question with relevant gold ids"
ONE_QUESTION = "fewer than two questions"
T_OVER_QUESTIONS = "t_over_questions"


@dataclass(frozen=True, slots=True)
class AtK:
    """Metrics at one cut-off. Recall and hit rate are never given without one another.

    `ceiling`: mean of min(k,|G|)/|G|, the largest recall that k places allow. `n_short_list`:
    questions of the mean whose list is shorter than k.
    """

    recall: Estimate
    hit_rate: Estimate
    precision: Estimate
    ndcg: Estimate
    ceiling: float | None
    n_short_list: int


@dataclass(frozen=True, slots=True, eq=False)
class RetrievalSummary:
    """Retrieval of one run against gold ids.

    `n_questions` are those of the means; `n_unanswerable` (empty gold set) and `n_unlabelled` (no
    gold given) are in no mean. `n_absent` questions are missing from the run and count 0.
    `n_short_list`: lists shorter than the largest k. `values`: metric → (Q,) with NaN for null, in
    the order of `questions`, under the names `recall@5`, `hit_rate@5`, …, `mrr`.
    """

    at: Mapping[int, AtK]
    mrr: Estimate
    mean_gold: float | None
    n_questions: int
    n_unanswerable: int
    n_unlabelled: int
    n_absent: int
    n_short_list: int
    notes: tuple[str, ...]
    questions: tuple[str, ...]
    n_gold: IntArray
    values: Mapping[str, FloatArray]

    def per_question(self) -> Iterator[dict[str, object]]:
        """One mapping a labelled question: its id, gold-set size, and each metric or None."""
        columns = {
            name: [None if np.isnan(v) else v for v in column.tolist()]
            for name, column in self.values.items()
        }
        for i, question in enumerate(self.questions):
            row: dict[str, object] = {"question": question, "n_gold": int(self.n_gold[i])}
            yield row | {name: column[i] for name, column in columns.items()}


def summarise(
    hits: Hits, ks: Sequence[int] = (1, 5, 10), *, relevant_at: int = 1, conf: float = 0.95
) -> RetrievalSummary:
    """Mean over answerable questions, t interval over questions (`intervals.answer_mean`).

    Per question as in `retrieval`. nDCG takes its gains from all positive grades whatever
    `relevant_at` says, as trec_eval does, so its mean has its own number of questions (`n` in the
    estimate's extra). Raises UsageError for cut-offs or grades below 1.
    """
    if not ks:
        raise UsageError("at least one cut-off k is needed")
    check_grade(relevant_at)
    cutoffs = sorted({check_cutoff(k) for k in ks})
    n = len(hits.questions)
    n_gold = np.bincount(hits.gold_question[hits.gold_grade >= relevant_at], minlength=n)
    values = _values(hits, cutoffs, relevant_at, n_gold)
    counted = n_gold > 0
    size = np.where(counted, n_gold, 1)
    length = np.maximum(hits.n_ranked, 0)
    means = {name: _mean(column, conf) for name, column in values.items()}
    return RetrievalSummary(
        at={
            k: AtK(
                recall=means[f"recall@{k}"],
                hit_rate=means[f"hit_rate@{k}"],
                precision=means[f"precision@{k}"],
                ndcg=means[f"ndcg@{k}"],
                ceiling=_plain_mean((np.minimum(k, n_gold) / size)[counted]),
                n_short_list=int(np.count_nonzero(counted & (length < k))),
            )
            for k in cutoffs
        },
        mrr=means["mrr"],
        mean_gold=_plain_mean(n_gold[counted]),
        n_questions=int(np.count_nonzero(counted)),
        n_unanswerable=int(np.count_nonzero(~counted)),
        n_unlabelled=hits.n_unlabelled,
        n_absent=int(np.count_nonzero(counted & (hits.n_ranked == ABSENT))),
        n_short_list=int(np.count_nonzero(counted & (length < cutoffs[-1]))),
        notes=_notes(hits),
        questions=hits.questions,
        n_gold=n_gold,
        values=values,
    )


def _values(
    hits: Hits, cutoffs: Sequence[int], relevant_at: int, n_gold: IntArray
) -> dict[str, FloatArray]:
    """Every metric per question, NaN where it is undefined."""
    n = len(hits.questions)
    relevant = hits.hit_grade >= relevant_at
    question, rank = hits.hit_question[relevant], hits.hit_rank[relevant]
    size = np.where(n_gold > 0, n_gold, np.nan)
    first = np.full(n, np.inf)
    np.minimum.at(first, question, rank)
    values: dict[str, FloatArray] = {"mrr": np.where(n_gold > 0, 1.0 / first, np.nan)}
    for k in cutoffs:
        found = np.bincount(question[rank <= k], minlength=n)
        values[f"recall@{k}"] = found / size
        values[f"hit_rate@{k}"] = np.where(n_gold > 0, found > 0, np.nan)
        values[f"precision@{k}"] = np.where(n_gold > 0, found / k, np.nan)
        values[f"ndcg@{k}"] = _ndcg(hits, k)
    return values


def _ndcg(hits: Hits, k: int) -> FloatArray:
    n = len(hits.questions)
    top = hits.hit_rank <= k
    gain = hits.hit_grade[top] / np.log2(hits.hit_rank[top] + 1.0)
    gained = np.bincount(hits.hit_question[top], weights=gain, minlength=n)
    place = _ideal_places(hits)
    best = place <= k
    gain = hits.gold_grade[best] / np.log2(place[best] + 1.0)
    ideal = np.bincount(hits.gold_question[best], weights=gain, minlength=n)
    # summed in another order than the ideal, a perfect ranking may pass 1 by one rounding
    with np.errstate(invalid="ignore"):
        return np.minimum(1.0, gained / np.where(ideal > 0, ideal, np.nan))


def _ideal_places(hits: Hits) -> IntArray:
    """Rank (1-based) of each gold id in the best ranking of its question: highest grade first."""
    order = np.lexsort((-hits.gold_grade, hits.gold_question))
    sorted_question = hits.gold_question[order]
    start = np.searchsorted(sorted_question, sorted_question)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order)) - start + 1
    return place


def _mean(column: FloatArray, conf: float) -> Estimate:
    """Mean of the values that are not NaN, in words of questions."""
    if not np.isfinite(column).any():
        return Estimate.undefined(NO_QUESTION, T_OVER_QUESTIONS)
    made = mean_over(column, conf)
    return replace(
        made,
        method=T_OVER_QUESTIONS if made.method == T_OVER_ANSWERS else made.method,
        reason=ONE_QUESTION if made.reason == ONE_ANSWER else made.reason,
    )


def _plain_mean(values: npt.NDArray[np.integer | np.floating]) -> float | None:
    return float(values.mean()) if len(values) else None


def _notes(hits: Hits) -> tuple[str, ...]:
    notes = list(hits.notes)
    if hits.n_repeated_ids:
        notes.append(
            f"{hits.n_repeated_ids} repeated ids in ranked lists: "
            "each counts once, at its first rank"
        )
    if hits.n_gold_unseen:
        least = "at least " if hits.unseen_is_bound else ""
        notes.append(
            f"{least}{hits.n_gold_unseen} gold ids were never retrieved by any question: "
            "where they are many, compare how ids are written in the run and in the gold"
        )
    return tuple(notes)
