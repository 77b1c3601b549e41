"""People against people: overlap, pairwise kappa, alpha, the ceiling, and self-agreement.

Only each annotator's own labels count here (blind ones unless the frame was asked otherwise); an
adjudicated label is nobody's vote. Intervals treat the answer as the sampling unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from trueup.stats.agreement import (
    ONE_LABEL,
    expected_agreement,
    kappa,
    percent_agreement,
    ratio,
)
from trueup.stats.agreement_intervals import chance_interval, estimate
from trueup.stats.binary import CodeArray
from trueup.stats.counts import Clusters, FloatArray, IntArray, count_matrix
from trueup.stats.estimate import Estimate
from trueup.stats.frame import Frame
from trueup.stats.intervals import (
    jackknife,
    proportion,
    t_quantile,
)
from trueup.stats.raters import NO_PAIRS, rating_counts, retest

JACKKNIFE_T = "jackknife_t"
NO_COMMON = "no claim labelled by two people and decided by the judge"


@dataclass(frozen=True, slots=True)
class PairOfPeople:
    """Two annotators on the units that both decided."""

    a: str
    b: str
    n_units: int
    percent_agreement: Estimate
    kappa: Estimate


@dataclass(frozen=True, slots=True)
class SelfAgreement:
    """A rater's repeats: units with a flip (cluster Wilson), pairs that flip, kappa with itself."""

    rater: str
    n_units: int
    any_flip: Estimate
    pairwise_flip: Estimate
    kappa: Estimate


@dataclass(frozen=True, slots=True)
class People:
    """`kappa` is the human ceiling: the mean kappa of pairs of people on the same claims."""

    n_doubly_labelled: int
    kappa: Estimate
    krippendorff_alpha: Estimate
    pairs: tuple[PairOfPeople, ...]
    self_agreement: tuple[SelfAgreement, ...]

    def to_json(self) -> dict[str, object]:
        """The contract's object under `human`."""
        return {
            "n_doubly_labelled": self.n_doubly_labelled,
            "kappa": self.kappa.to_json(),
            "krippendorff_alpha": self.krippendorff_alpha.to_json(),
            "pairs": [
                {
                    "a": p.a,
                    "b": p.b,
                    "n_units": p.n_units,
                    "percent_agreement": p.percent_agreement.to_json(),
                    "kappa": p.kappa.to_json(),
                }
                for p in self.pairs
            ],
            "self_agreement": [
                {
                    "annotator": s.rater,
                    "n_units": s.n_units,
                    "any_flip": s.any_flip.to_json(),
                    "pairwise_flip": s.pairwise_flip.to_json(),
                    "kappa": s.kappa.to_json(),
                }
                for s in self.self_agreement
            ],
        }


@dataclass(frozen=True, slots=True)
class Ceiling:
    """A judge against the human ceiling on the units that it and two people decided.

    `judge`: mean kappa of the judge with each person; `human`: mean kappa of pairs of people;
    `difference` = judge − human, with the paired jackknife.
    """

    n_units: int
    judge: Estimate
    human: Estimate
    difference: Estimate


def people(frame: Frame, *, conf: float = 0.95) -> People:
    """Agreement of people with each other and with themselves. Nobody in common: nulls."""
    votes = _votes(frame)
    doubly = (votes >= 0).sum(axis=0) >= 2
    pairs = []
    for i, j in combinations(range(len(votes)), 2):
        both = (votes[i] >= 0) & (votes[j] >= 0)
        if both.any():
            clusters = _pair_clusters(frame.answer[both], votes[i][both], votes[j][both])
            pairs.append(
                PairOfPeople(
                    frame.annotators[i],
                    frame.annotators[j],
                    clusters.n_units,
                    estimate(clusters, "percent_agreement", conf=conf),
                    estimate(clusters, "kappa", conf=conf),
                )
            )
    return People(
        int(doubly.sum()),
        _mean_kappa(_tables(frame.answer, votes), conf),
        _alpha(frame.answer[doubly], votes[:, doubly], conf),
        tuple(pairs),
        _selves(frame, votes, conf),
    )


def against_ceiling(frame: Frame, judge: str, *, conf: float = 0.95) -> Ceiling:
    """The judge's mean kappa with people against people's mean kappa with each other.

    Both on the units that the judge and at least two people decided; pairs whose kappa is
    undefined (there, or in a jackknife replicate) are left out of either mean. Paired
    delete-one-answer jackknife, t_{K−1}.
    """
    votes, said = _votes(frame), frame.verdict(judge)
    used = ((votes >= 0).sum(axis=0) >= 2) & (said >= 0)
    answer, votes, said = frame.answer[used], votes[:, used], said[used]
    human, judged = _tables(answer, votes), _tables(answer, votes, said)
    n = int(used.sum())
    if human is None or judged is None:
        none = Estimate.undefined(NO_COMMON)
        return Ceiling(n, none, none, none)
    split = human.shape[1]
    both = Clusters.from_counts(np.concatenate([human, judged], axis=1))

    def difference(cells: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.asarray(_kappa_of(cells[..., split:]) - _kappa_of(cells[..., :split]))

    return Ceiling(
        n, _mean_kappa(judged, conf), _mean_kappa(human, conf), _difference(both, difference, conf)
    )


def _difference(clusters: Clusters, statistic: Any, conf: float) -> Estimate:
    error = jackknife(clusters, statistic)
    if not np.isfinite(error.value):
        return Estimate.undefined(ONE_LABEL, JACKKNIFE_T)
    if error.se is None:
        return Estimate(error.value, method=JACKKNIFE_T, reason=error.reason)
    if error.se < 1e-9:
        reason = "no variation between answers"
        return Estimate(error.value, method=JACKKNIFE_T, reason=reason, se=error.se)
    half = t_quantile(conf, error.df) * error.se
    low, high = max(-2.0, error.value - half), min(2.0, error.value + half)
    return Estimate(error.value, low, high, JACKKNIFE_T, se=error.se)


def _votes(frame: Frame) -> CodeArray:
    if frame.votes is None:
        return np.zeros((0, len(frame.human)), np.int8)
    return frame.votes


def _cells(first: CodeArray, second: CodeArray) -> IntArray:
    """Cell of each unit in the table of two raters, −1 where either abstains."""
    cell = 2 * (1 - first.astype(np.int64)) + 1 - second
    return np.where((first >= 0) & (second >= 0), cell, -1)


def _pair_clusters(answer: IntArray, first: CodeArray, second: CodeArray) -> Clusters:
    return Clusters.from_units(answer, _cells(first, second), 4)


def _tables(answer: IntArray, votes: CodeArray, judge: CodeArray | None = None) -> IntArray | None:
    """Counts (K, 4P) of the tables of P pairs: people with each other, or each with the judge.

    Pairs without a common unit, or with one label only, are left out; None where none is left.
    """
    pairs: Sequence[tuple[CodeArray, CodeArray]]
    if judge is None:
        pairs = [(votes[i], votes[j]) for i, j in combinations(range(len(votes)), 2)]
    else:
        pairs = [(person, judge) for person in votes]
    k = int(answer.max(initial=-1)) + 1
    found = [count_matrix(answer, _cells(a, b), 4, k) for a, b in pairs]
    kept = [t for t in found if np.isfinite(kappa(t.sum(axis=0)))]
    return np.concatenate(kept, axis=1) if kept else None


def _as_tables(cells: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return cells.reshape(*cells.shape[:-1], -1, 4)


def _kappa_of(cells: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Mean kappa of the tables side by side in (..., 4P), over those where it is defined."""
    return _mean_defined(kappa(_as_tables(cells)))


def _agreement_of(cells: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return _mean_defined(percent_agreement(_as_tables(cells)))


def _mean_defined(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Mean over the last axis without NaN; NaN where nothing is left."""
    defined = np.isfinite(values)
    return ratio(np.where(defined, values, 0.0).sum(axis=-1), defined.sum(axis=-1))


def _mean_kappa(counts: IntArray | None, conf: float) -> Estimate:
    if counts is None:
        return Estimate.undefined(NO_PAIRS)
    clusters = Clusters.from_counts(counts)

    def at(totals: FloatArray, agreement: float) -> float:
        by_chance = float(_mean_defined(expected_agreement(_as_tables(totals))))
        return 1 - (1 - agreement) / (1 - by_chance)

    return chance_interval(clusters, _kappa_of, _agreement_of, at, conf=conf)


def _alpha(answer: IntArray, votes: CodeArray, conf: float) -> Estimate:
    """Krippendorff's alpha with its jackknife interval, from counts of (yes, no) types of units."""
    if votes.shape[1] == 0:
        return Estimate.undefined(NO_PAIRS)
    yes, no = (votes == 1).sum(axis=0), (votes == 0).sum(axis=0)
    types, kind = np.unique(np.stack([yes, no], axis=1), axis=0, return_inverse=True)
    clusters = Clusters.from_units(answer, kind.reshape(-1), len(types))
    ones, zeros = types[:, 0].astype(np.float64), types[:, 1].astype(np.float64)
    apart = 2 * ones * zeros / (ones + zeros - 1)

    def disagreement(cells: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return ratio(cells @ apart, cells @ (ones + zeros))

    def by_chance(cells: npt.NDArray[Any]) -> npt.NDArray[Any]:
        n = cells @ (ones + zeros)
        return ratio(2 * (cells @ ones) * (cells @ zeros), n * (n - 1))

    def alpha(cells: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return 1 - ratio(disagreement(cells), by_chance(cells))

    if not np.isfinite(alpha(clusters.totals)):
        return Estimate.undefined(ONE_LABEL)
    return chance_interval(
        clusters,
        alpha,
        lambda cells: 1 - disagreement(cells),
        lambda totals, agreement: float(1 - (1 - agreement) / by_chance(totals)),
        conf=conf,
    )


def _selves(frame: Frame, votes: CodeArray, conf: float) -> tuple[SelfAgreement, ...]:
    if frame.second is None:
        return ()
    found = []
    for name, first, second in zip(frame.annotators, votes, frame.second, strict=True):
        runs = np.stack([first, second], axis=1)
        one = self_agreement(name, frame.answer, np.maximum(runs, -1), conf=conf)
        if one.n_units:
            found.append(one)
    return tuple(found)


def self_agreement(
    rater: str, answer: IntArray, runs: CodeArray, *, conf: float = 0.95
) -> SelfAgreement:
    """A rater's repeats (n, R), −1 where undecided: flips with a cluster Wilson interval, kappa.

    `any_flip`: share of units whose runs are not all the same; `pairwise_flip`: share of pairs of
    runs that differ (also cluster Wilson, pairs within answers); kappa: Fleiss over runs with a
    jackknife over answers. Units with fewer than two decided runs are left out.
    """
    counts = rating_counts(runs)
    used = counts.sum(axis=1) >= 2
    counts, answer = counts[used], answer[used]
    plain = retest(runs)
    if plain.n_units == 0:
        return SelfAgreement(rater, 0, plain.any_flip, plain.pairwise_flip, plain.kappa)
    steady = counts.max(axis=1) == counts.sum(axis=1)
    flips = Clusters.from_units(answer, steady.astype(np.int64), 2)
    m = counts.sum(axis=1)
    agreeing = (counts * (counts - 1)).sum(axis=1) // 2
    pairs = np.zeros((int(answer.max()) + 1, 2), np.int64)
    np.add.at(pairs, answer, np.stack([m * (m - 1) // 2 - agreeing, agreeing], axis=1))
    return SelfAgreement(
        rater,
        plain.n_units,
        proportion(flips, [0], [0, 1], conf=conf),
        proportion(Clusters.from_counts(pairs), [0], [0, 1], conf=conf),
        _self_kappa(answer, counts, plain.kappa, conf),
    )


def _self_kappa(answer: IntArray, counts: IntArray, point: Estimate, conf: float) -> Estimate:
    """Fleiss' kappa of repeats with an interval, from counts of (yes, no) types of units."""
    if point.value is None:
        return point
    types, kind = np.unique(counts, axis=0, return_inverse=True)
    clusters = Clusters.from_units(answer, kind.reshape(-1), len(types))
    m = types.sum(axis=1)
    agree = (types * (types - 1)).sum(axis=1) / (m * (m - 1))
    share = types / m[:, None]

    def observed(cells: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return ratio(cells @ agree, cells.sum(axis=-1))

    def by_chance(cells: npt.NDArray[Any]) -> npt.NDArray[Any]:
        n = cells.sum(axis=-1)[..., None]
        return np.asarray((ratio(cells @ share, n) ** 2).sum(axis=-1))

    def statistic(cells: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return 1 - ratio(1 - observed(cells), 1 - by_chance(cells))

    return chance_interval(
        clusters,
        statistic,
        observed,
        lambda totals, agreement: float(1 - (1 - agreement) / (1 - by_chance(totals))),
        conf=conf,
    )
