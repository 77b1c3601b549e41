"""Means of stored scores over records: nulls are counted beside the mean, never dropped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trueup.errors import UsageError
from trueup.stats.bounded import mean_over
from trueup.stats.counts import FloatArray
from trueup.stats.estimate import Estimate
from trueup.stats.intervals import ONE_ANSWER, T_OVER_ANSWERS, t_quantile

NO_SCORE = "no record has a score"
NO_COMMON = "no record is scored in both"

Scores = Sequence[float | None] | npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ScoreMean:
    """The mean score of the `n` scored records among `total`, with its interval."""

    mean: Estimate
    n: int
    total: int

    @property
    def n_null(self) -> int:
        """Records whose score is null."""
        return self.total - self.n

    @property
    def coverage(self) -> float | None:
        """Share of records with a score; None without records."""
        return self.n / self.total if self.total else None


@dataclass(frozen=True, slots=True)
class ScoreChange:
    """Two runs over the same records: `change` = second − first on the `n` scored in both."""

    change: Estimate
    n: int
    first: ScoreMean
    second: ScoreMean


def _values(scores: Scores) -> FloatArray:
    """Scores (R,) with NaN for null. Raises UsageError outside [0, 1]."""
    given = [np.nan if s is None else s for s in scores] if isinstance(scores, Sequence) else scores
    array = np.asarray(given, dtype=np.float64)
    outside = (array < 0) | (array > 1)
    if outside.any():
        raise UsageError(f"a score lies between 0 and 1, not {array[outside][0]}")
    return array


def mean_score(scores: Scores, *, conf: float = 0.95) -> ScoreMean:
    """Mean over records (R,) of their scores in [0, 1], null as None or NaN, t over records.

    x̄ ± t_{n−1}·s/√n, clipped to [0, 1]; where all scores are equal the Wilson interval with n (flag
    `boundary_fallback`), so that the width is never zero. No score: null. One: no interval.
    """
    values = _values(scores)
    n = int(np.isfinite(values).sum())
    if n == 0:
        return ScoreMean(Estimate.undefined(NO_SCORE, T_OVER_ANSWERS), 0, len(values))
    return ScoreMean(mean_over(values, conf), n, len(values))


def score_change(first: Scores, second: Scores, *, conf: float = 0.95) -> ScoreChange:
    """Mean change of the records scored in both runs (the same records in the same order).

    Paired t over records; a constant change has no interval. Raises UsageError for runs of
    different length.
    """
    a, b = _values(first), _values(second)
    if len(a) != len(b):
        raise UsageError(f"{len(a)} and {len(b)} scores: both runs need one for each record")
    both = np.isfinite(a) & np.isfinite(b)
    d, n = (b - a)[both], int(both.sum())
    means = mean_score(a, conf=conf), mean_score(b, conf=conf)
    if n == 0:
        return ScoreChange(Estimate.undefined(NO_COMMON, T_OVER_ANSWERS), 0, *means)
    change = float(d.mean())
    if n < 2:
        made = Estimate(change, method=T_OVER_ANSWERS, reason=ONE_ANSWER)
        return ScoreChange(made, n, *means)
    se = float(d.std(ddof=1) / np.sqrt(n))
    if se < 1e-9:
        reason = "every record changed by the same amount"
        made = Estimate(change, method=T_OVER_ANSWERS, reason=reason, se=se)
        return ScoreChange(made, n, *means)
    half = t_quantile(conf, n - 1) * se
    low, high = max(-1.0, change - half), min(1.0, change + half)
    return ScoreChange(Estimate(change, low, high, T_OVER_ANSWERS, se=se), n, *means)
