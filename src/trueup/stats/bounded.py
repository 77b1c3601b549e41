"""Intervals of rates and means: inside [0, 1], never of width zero, never silently clipped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from trueup.stats.counts import Clusters, FloatArray
from trueup.stats.estimate import Estimate
from trueup.stats.intervals import answer_mean, logit_interval, t_quantile, wilson

INCOMPATIBLE = "incompatible"
"""Flag: the uncorrected figures contradict each other; the unclipped value is outside [0, 1]."""
BOUNDARY_FLAG = "boundary_fallback"

Extra = Mapping[str, float | int | str | None]
_NO_WIDTH = 1e-9


def bounded_rate(
    value: float,
    se: float,
    df: float,
    n: float,
    *,
    method: str,
    scale: Literal["logit", "linear"],
    conf: float = 0.95,
    extra: Extra | None = None,
) -> Estimate:
    """A rate with its interval, from a point estimate that may lie outside [0, 1].

    Inside: expit(logit θ ± t·s/(θ(1−θ))) or θ ± t·s clipped, t with `df`. Outside: the clipped
    value, the clipped linear interval, flag `incompatible`, and `value_unclipped` beside it. Where
    the interval has no width (nothing varies, the rate is 0 or 1, or all of it lies outside),
    Wilson of the clipped value with n units, flag `boundary_fallback`. extra: `low_unclipped` and
    `high_unclipped` of the linear interval wherever it was clipped.
    """
    noted = dict(extra or {})
    flags: tuple[str, ...] = ()
    inside = min(1.0, max(0.0, value))
    half = t_quantile(conf, df) * se
    if inside != value:
        flags = (INCOMPATIBLE,)
        noted["value_unclipped"] = value
    if 0 < value < 1 and se >= _NO_WIDTH and scale == "logit":
        low, high = logit_interval(value, se, df, conf)
    else:
        low, high = max(0.0, value - half), min(1.0, value + half)
        if value - half < 0 or value + half > 1:
            noted |= {"low_unclipped": value - half, "high_unclipped": value + half}
    # at an edge the linear interval shows the error of the point there, not of the rate
    if high - low < _NO_WIDTH or (scale == "logit" and value in (0.0, 1.0)):
        low, high = wilson(inside, n, conf)
        flags = (*flags, BOUNDARY_FLAG)
    return Estimate(inside, low, high, method, se=se, flags=flags, extra=noted)


def mean_over(values: FloatArray, conf: float = 0.95) -> Estimate:
    """Mean of one value in [0, 1] a record or question, (n,), NaN left out; t over them.

    `intervals.answer_mean` for values that are not counted in units.
    """
    n = len(values)
    ones = np.ones(n, np.int64)
    each = Clusters(ones[:, None], ones, np.ones(n), np.zeros(n, np.int64))
    return answer_mean(each, values, conf=conf)
