"""Intervals for statistics of units inside answers.

The answer is the sampling unit. Proportions get a cluster Wilson interval (Korn & Graubard 1998;
Dean & Pagano 2015), chance-corrected statistics a delete-one-answer jackknife (or, for a designed
sample, a linearised) standard error on Fisher's z scale, all with t quantiles. Nothing here draws
random numbers.

A *statistic* is a function of cell totals: it takes an array (..., C) and gives an array (...,),
NaN where it is undefined. NaN never leaves this package: an `Estimate` is null with a reason.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from trueup.stats.counts import Clusters, FloatArray
from trueup.stats.estimate import Estimate

Statistic: TypeAlias = Callable[[npt.NDArray[Any]], npt.NDArray[Any]]
Interval: TypeAlias = tuple[float, float]

CLUSTER_WILSON = "cluster_wilson"
JACKKNIFE_Z = "fisher_z_jackknife_t"
DELTA_Z = "fisher_z_delta_t"
JACKKNIFE_LOGIT = "logit_jackknife_t"
DELTA_LOGIT = "logit_delta_t"
BOUNDARY = "boundary_fallback"
T_OVER_ANSWERS = "t_over_answers"

ONE_ANSWER = "fewer than two answers"
JACKKNIFE_UNDEFINED = "jackknife_undefined"

_NO_SPREAD = 1e-9
_EDGE = 1e-12


def z_quantile(conf: float) -> float:
    """Standard normal quantile of a two-sided interval: Φ⁻¹((1 + conf)/2)."""
    from scipy.special import ndtri

    return float(ndtri((1 + conf) / 2))


@lru_cache(maxsize=4096)
def t_quantile(conf: float, df: float) -> float:
    """Student quantile of a two-sided interval; infinite df gives the normal one."""
    from scipy.special import betaincinv

    if not np.isfinite(df):
        return z_quantile(conf)
    # Through the incomplete beta function: scipy's own inverse (stdtrit) is good to nine digits
    # only in some of the versions that we accept.
    y = float(betaincinv(0.5, df / 2, conf))
    return float(np.sqrt(df * y / (1 - y)))


def wilson(p: float, n: float, conf: float = 0.95) -> Interval:
    """Wilson score interval of a share p of n > 0 (n may be an effective, fractional, size).

    (p + z²/2n ± z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n), clipped to [0, 1]. Wilson 1927; Newcombe
    1998, method 3.
    """
    z = z_quantile(conf)
    shrink = 1 + z * z / n
    centre = (p + z * z / (2 * n)) / shrink
    half = z * float(np.sqrt(max(p * (1 - p), 0.0) / n + z * z / (4 * n * n))) / shrink
    low = 0.0 if p <= 0 else max(0.0, centre - half)
    high = 1.0 if p >= 1 else min(1.0, centre + half)
    return low, high


def iid_wilson(successes: float, n: float, conf: float = 0.95) -> Estimate:
    """Share of n independent units with its Wilson interval; n = 0 is undefined."""
    if n <= 0:
        return Estimate.undefined("no units", "wilson")
    low, high = wilson(successes / n, n, conf)
    return Estimate(successes / n, low, high, "wilson")


@dataclass(frozen=True, slots=True)
class Variance:
    """Variance of a sum of one value per answer, its degrees of freedom, and what was merged."""

    value: float
    df: float
    merged_strata: int = 0

    @property
    def se(self) -> float:
        """Standard error."""
        return float(np.sqrt(self.value))


def variance(
    clusters: Clusters,
    z: FloatArray,
    *,
    present: npt.NDArray[np.bool_] | None = None,
    fpc: bool = False,
) -> Variance | None:
    """Variance of Σ z over answers, z (U,) being each answer's (weighted) contribution.

    Plain sample: K/(K−1)·Σ(z − z̄)², df = K − 1, over the answers in `present` (U,). Designed
    sample: Σ_h n_h/(n_h−1)·Σ(z − z̄_h)², df = K − H, where the answers outside `present` stay in
    their strata; single-answer strata are merged with a neighbour. `fpc` multiplies stratum h by
    1 − n_h/N_h where `clusters.population` is known: only for rates of the finite corpus. None
    where df < 1. Cochran 1977, 2.9 and 5.6.
    """
    merged = 0
    if clusters.designed:
        clusters, merged = clusters.thin_strata_merged()
        codes, n_strata = clusters.stratum, int(clusters.stratum.max(initial=-1)) + 1
        times = clusters.multiplicity.astype(np.float64)
    else:
        codes, n_strata = np.zeros(len(z), np.int64), 1
        keep = clusters.sizes > 0 if present is None else present
        times = np.where(keep, clusters.multiplicity, 0).astype(np.float64)
    n = np.bincount(codes, weights=times, minlength=n_strata)
    df = float(n.sum() - np.count_nonzero(n))
    if df < 1:
        return None
    some = np.maximum(n, 1)
    mean = np.bincount(codes, weights=times * z, minlength=n_strata) / some
    squares = np.bincount(codes, weights=times * (z - mean[codes]) ** 2, minlength=n_strata)
    parts = squares * n / np.maximum(n - 1, 1)
    if fpc and clusters.population is not None:
        parts = parts * np.clip(1 - n / clusters.population, 0.0, 1.0)
    return Variance(float(parts.sum()), df, merged)


def proportion(
    clusters: Clusters,
    hits: Sequence[int],
    base: Sequence[int],
    *,
    conf: float = 0.95,
    fpc: bool = False,
    undefined: str = "no labelled units",
) -> Estimate:
    """Share of the units in the cells `hits` among those in the cells `base`, cluster Wilson.

    p = Σ w x / Σ w m; z_i = w_i (x_i − p m_i)/Σ w m; v as in `variance`; n_eff = min(m, p(1−p)/v ·
    (z/t_df)²) with m the units of the base; interval = Wilson(p, n_eff). v = 0: n_eff = answers
    with a unit in the base. K counts answers with m_i > 0; K < 2: no interval. An empty base is
    undefined, with the given reason. Korn & Graubard 1998; Dean & Pagano 2015.

    extra: `n_eff`, `df`, `design_effect` (v over p(1−p)/m; null where p is 0 or 1), and the naive
    item-level Wilson interval `naive_low`, `naive_high` of the unweighted units (around
    `naive_value` where weights move it).
    """
    x = clusters.vectors[:, list(hits)].sum(axis=1)
    m = clusters.vectors[:, list(base)].sum(axis=1)
    raw = int(clusters.multiplicity @ m)
    if raw == 0:
        return Estimate.undefined(undefined, CLUSTER_WILSON)
    total = float(clusters.mass @ m)
    p = float(clusters.mass @ x) / total
    spread = variance(clusters, clusters.weight * (x - p * m) / total, present=m > 0, fpc=fpc)
    naive_p = float(clusters.multiplicity @ x) / raw
    naive = wilson(naive_p, raw, conf)
    extra: dict[str, float | int | str | None] = {"naive_low": naive[0], "naive_high": naive[1]}
    if abs(naive_p - p) > _EDGE:
        extra["naive_value"] = naive_p
    n_base = int(clusters.multiplicity[m > 0].sum())
    extra["df"] = 0 if spread is None else spread.df
    if spread is None or n_base < 2:
        return Estimate(p, method=CLUSTER_WILSON, reason=ONE_ANSWER, extra=extra)
    n_eff = _effective(p, spread, raw, n_base, conf)
    low, high = wilson(p, n_eff, conf)
    iid = p * (1 - p) / raw
    extra |= {"n_eff": n_eff, "design_effect": spread.value / iid if iid else None}
    flags = ("strata_merged",) if spread.merged_strata else ()
    return Estimate(p, low, high, CLUSTER_WILSON, se=spread.se, flags=flags, extra=extra)


def _effective(p: float, spread: Variance, raw: int, n_base: int, conf: float) -> float:
    """Effective number of units: never more than there are; the answers where nothing varies."""
    if spread.se < _NO_SPREAD:
        return float(n_base)
    shrink = (z_quantile(conf) / t_quantile(conf, spread.df)) ** 2
    return min(float(raw), p * (1 - p) / spread.value * shrink)


@dataclass(frozen=True, slots=True, eq=False)
class Jackknife:
    """Delete-one-answer jackknife: `replicates` (U,), one for each distinct vector.

    `se` is None where K < 2 or a replicate is undefined.
    """

    value: float
    se: float | None
    df: float
    replicates: FloatArray
    reason: str | None = None


def jackknife(clusters: Clusters, statistic: Statistic) -> Jackknife:
    """s² = (K−1)/K·Σ(θ_(−i) − mean)², one evaluation per distinct vector.

    K counts the answers with a unit. `value` is NaN where the statistic itself is undefined.
    Efron & Tibshirani 1993, ch. 11.
    """
    full = clusters.without_empty()
    totals = full.totals
    value = float(statistic(totals))
    n = int(full.multiplicity.sum())
    replicates = np.asarray(statistic(totals - full.weight[:, None] * full.vectors), np.float64)
    if n < 2:
        return Jackknife(value, None, n - 1, replicates, ONE_ANSWER)
    if not np.isfinite(replicates).all():
        return Jackknife(value, None, n - 1, replicates, JACKKNIFE_UNDEFINED)
    mean = full.multiplicity @ replicates / n
    square = (n - 1) / n * float(full.multiplicity @ (replicates - mean) ** 2)
    return Jackknife(value, float(np.sqrt(square)), n - 1, replicates)


def gradient(statistic: Statistic, totals: FloatArray) -> FloatArray:
    """∂θ/∂T_c at the totals (C,), exact to rounding by a complex step (Squire & Trapp 1998).

    The statistic must be made of arithmetic that works on complex arrays.
    """
    step = 1e-30 * max(1.0, float(np.abs(totals).max(initial=0.0)))
    shifted = totals[None, :] + 1j * step * np.eye(len(totals))
    return np.asarray(np.imag(statistic(shifted)) / step, dtype=np.float64)


def linearised(clusters: Clusters, statistic: Statistic) -> Jackknife:
    """Delta-method counterpart of `jackknife`: z_i = w_i ∇θ·c_i, v as in `variance`.

    Used for designed samples (strata, weights), df = K − H; there are no replicates. Binder 1983.
    """
    totals = clusters.totals
    value = float(statistic(totals))
    none = np.zeros(0)
    if not np.isfinite(value):
        return Jackknife(value, None, 0, none)
    z = clusters.weight * (clusters.vectors @ gradient(statistic, totals))
    spread = variance(clusters, z)
    if spread is None:
        return Jackknife(value, None, 0, none, ONE_ANSWER)
    return Jackknife(value, spread.se, spread.df, none)


def standard_error(clusters: Clusters, statistic: Statistic) -> Jackknife:
    """The jackknife for a plain sample, the linearised error for a designed one.

    In both, a statistic that is undefined without one of the answers has no error
    (`jackknife_undefined`): a derivative would only hide that one answer carries it.
    """
    plain = jackknife(clusters, statistic)
    if plain.se is None or not clusters.designed:
        return plain
    return linearised(clusters, statistic)


def fisher_z(value: float, se: float, df: float, conf: float = 0.95) -> Interval:
    """tanh(atanh θ ± t·s/(1−θ²)) for |θ| < 1: never beyond −1 or 1. Fisher 1921."""
    half = t_quantile(conf, df) * se / (1 - value * value)
    centre = np.arctanh(value)
    return float(np.tanh(centre - half)), float(np.tanh(centre + half))


def logit_interval(value: float, se: float, df: float, conf: float = 0.95) -> Interval:
    """expit(logit θ ± t·s/(θ(1−θ))) for 0 < θ < 1."""
    from scipy.special import expit, logit

    half = t_quantile(conf, df) * se / (value * (1 - value))
    centre = logit(value)
    return float(expit(centre - half)), float(expit(centre + half))


def at_edge(value: float, se: float) -> bool:
    """Boundary: |θ| = 1, or nothing varies (s < 1e−9); no scale can carry the interval there."""
    return abs(value) >= 1 - _EDGE or se < _NO_SPREAD


def answer_mean(
    clusters: Clusters, values: FloatArray, *, conf: float = 0.95, fpc: bool = False
) -> Estimate:
    """Mean over answers of one value in [0, 1] each (U,), with a t interval over answers.

    ȳ ± t_df·s, clipped to [0, 1] and never of width zero: where nothing varies, Wilson with
    n_eff = K (flag `boundary_fallback`). Answers with NaN are left out; K < 2: no interval.
    """
    defined = np.isfinite(values)
    mass = np.where(defined, clusters.mass, 0.0)
    n = int(clusters.multiplicity[defined].sum())
    if n == 0:
        return Estimate.undefined("no answer with a decided unit", T_OVER_ANSWERS)
    y = np.where(defined, values, 0.0)
    mean = float(mass @ y / mass.sum())
    z = np.where(defined, clusters.weight * (y - mean), 0.0) / mass.sum()
    spread = variance(clusters, z, present=defined, fpc=fpc)
    extra: dict[str, float | int | str | None] = {"n": n}
    if spread is None or n < 2:
        return Estimate(mean, method=T_OVER_ANSWERS, reason=ONE_ANSWER, extra=extra)
    extra["df"] = spread.df
    if spread.se < _NO_SPREAD:
        low, high = wilson(min(max(mean, 0.0), 1.0), n, conf)
        flags = (BOUNDARY,)
        return Estimate(mean, low, high, BOUNDARY, se=spread.se, flags=flags, extra=extra)
    half = t_quantile(conf, spread.df) * spread.se
    return Estimate(
        mean,
        max(0.0, mean - half),
        min(1.0, mean + half),
        T_OVER_ANSWERS,
        se=spread.se,
        extra=extra,
    )
