"""Restating a release's mean score on another judge's scale from an overlap of rejudged records.

Of the N records of a release that the old judge scored, m are scored by the new judge too. The new
mean of all N is estimated from the m, helped by the old scores of all: a regression (or difference)
estimator, Cochran 1977, ch. 7. Each release has its own overlap; estimates are never chained
(A → B → C is re-anchored from A to C, not composed). Single scores are not rewritten.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trueup.errors import UsageError
from trueup.stats.bounded import bounded_rate
from trueup.stats.counts import Clusters, FloatArray
from trueup.stats.estimate import Estimate
from trueup.stats.intervals import variance

REGRESSION = "overlap_regression_t"
DIFFERENCE = "overlap_difference_t"
RATIO = "overlap_ratio"
LEAST_OVERLAP = 30
"""Rejudged records below which a release is null, and the slope is not fitted."""
TOO_FEW = "fewer than {} rejudged records"


@dataclass(frozen=True, slots=True)
class Restated:
    """The estimators of one new mean; `best` is reported, null where the overlap is thin."""

    best: Estimate
    regression: Estimate
    difference: Estimate
    ratio: Estimate


def restated_mean(
    old: npt.ArrayLike,
    new: npt.ArrayLike,
    *,
    old_all_mean: float,
    n_total: int,
    stratum: npt.ArrayLike | None = None,
    stratum_sizes: npt.ArrayLike | None = None,
    conf: float = 0.95,
    least: int = LEAST_OVERLAP,
) -> Restated:
    """The new mean of all N records, from m rejudged ones.

    `old`, `new` (m,) scores of the overlap; `old_all_mean` X̄ over all N; `stratum` (m,) of a
    stratified overlap with `stratum_sizes` (H,) in the order of sorted strata. With W_h = N_h/N:

    - regression ȳ + β(X̄ − x̄), β the slope within strata, v = Σ W_h²(1 − n_h/N_h)·s²_eh/n_h with
      one more degree of freedom spent on β; one stratum: (1 − m/N)·s_e²/m, t_{m−2};
    - difference X̄ + d̄ with d = new − old, likewise with s_d², t_{m−H};
    - ratio X̄·ȳ/x̄, for checks only.

    `best`: regression; difference where m < 30 or the old scores do not vary; null below `least`.
    Clipped to [0, 1] and never of width zero (`bounded.bounded_rate`). extra of the regression:
    `slope`, `correlation` (within strata). Raises UsageError for lengths that do not fit, scores
    that are not finite, or more overlap than records.
    """
    x, y = _scores(old), _scores(new)
    m = len(x)
    if len(y) != m or m > n_total:
        raise UsageError("one old and one new score for each rejudged record, at most one a record")
    few = Estimate.undefined(TOO_FEW.format(max(least, 2)), REGRESSION)
    if m < max(least, 2):
        return Restated(few, few, few, few)
    overlap = _overlap(m, n_total, stratum, stratum_sizes)
    regression = _regression(overlap, x, y, old_all_mean, conf)
    difference = _difference(overlap, x, y, old_all_mean, conf)
    fitted = m >= LEAST_OVERLAP and regression.value is not None
    best = regression if fitted else difference
    return Restated(best, regression, difference, _ratio(overlap, x, y, old_all_mean))


def _scores(values: npt.ArrayLike) -> FloatArray:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or not np.isfinite(array).all():
        raise UsageError("scores must be a flat list of numbers; leave undecided records out")
    return array


def _overlap(
    m: int, n_total: int, stratum: npt.ArrayLike | None, sizes: npt.ArrayLike | None
) -> Clusters:
    """The overlap as one designed answer a record, weight N_h/n_h."""
    codes = np.zeros(m, np.int64)
    population = np.array([float(n_total)])
    if stratum is not None:
        names, codes = np.unique(np.asarray(stratum), return_inverse=True)
        population = np.asarray(sizes, dtype=np.float64)
        if population.shape != (len(names),) or not math.isclose(population.sum(), n_total):
            raise UsageError("one size for each stratum of the overlap, N in all, is needed")
    drawn = np.bincount(codes, minlength=len(population))
    return Clusters(
        np.ones((m, 1), np.int64),
        np.ones(m, np.int64),
        (population / np.maximum(drawn, 1))[codes],
        codes.astype(np.int64),
        designed=True,
        population=population,
    )


def _mean(overlap: Clusters, values: FloatArray) -> float:
    return float(overlap.weight @ values / overlap.weight.sum())


def _variance(overlap: Clusters, values: FloatArray) -> tuple[float, float]:
    """Variance of the weighted mean, with the finite-population correction, and its df."""
    made = variance(overlap, overlap.weight * values / overlap.weight.sum(), fpc=True)
    return (0.0, 0.0) if made is None else (made.value, made.df)


def _regression(
    overlap: Clusters, x: FloatArray, y: FloatArray, old_all_mean: float, conf: float
) -> Estimate:
    over_x, df = _variance(overlap, x)
    if df < 2:
        return Estimate.undefined(TOO_FEW.format(3), REGRESSION)
    over_y, over_sum = _variance(overlap, y)[0], _variance(overlap, x + y)[0]
    # with all records rejudged, the correction leaves no variance to fit a slope to
    if over_x < 1e-15:
        return Estimate.undefined("the old scores do not vary", REGRESSION)
    together = (over_sum - over_x - over_y) / 2
    slope = together / over_x
    over_error = _variance(overlap, y - slope * x)[0] * df / (df - 1)
    extra: dict[str, float | int | str | None] = {"slope": slope, "df": df - 1}
    if over_y > 0:
        extra["correlation"] = max(-1.0, min(1.0, together / math.sqrt(over_x * over_y)))
    value = _mean(overlap, y) + slope * (old_all_mean - _mean(overlap, x))
    return _bounded(value, math.sqrt(over_error), df - 1, len(x), REGRESSION, conf, extra)


def _difference(
    overlap: Clusters, x: FloatArray, y: FloatArray, old_all_mean: float, conf: float
) -> Estimate:
    over, df = _variance(overlap, y - x)
    if df < 1:
        return Estimate.undefined(TOO_FEW.format(2), DIFFERENCE)
    value = old_all_mean + _mean(overlap, y - x)
    return _bounded(value, math.sqrt(over), df, len(x), DIFFERENCE, conf, {"df": df})


def _ratio(overlap: Clusters, x: FloatArray, y: FloatArray, old_all_mean: float) -> Estimate:
    below = _mean(overlap, x)
    if below <= 0:
        return Estimate.undefined("the old scores are all 0", RATIO)
    by = _mean(overlap, y) / below
    se = math.sqrt(_variance(overlap, y - by * x)[0]) * old_all_mean / below
    return Estimate(by * old_all_mean, method=RATIO, se=se)


def _bounded(
    value: float,
    se: float,
    df: float,
    m: int,
    method: str,
    conf: float,
    extra: dict[str, float | int | str | None],
) -> Estimate:
    return bounded_rate(value, se, df, m, method=method, scale="linear", conf=conf, extra=extra)
