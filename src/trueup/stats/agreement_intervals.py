"""One judge against people: each measure of a table with its interval, from clusters of answers.

Clusters hold the four cells n11, n10, n01, n00 of each answer. Shares get a cluster Wilson
interval, chance-corrected measures Fisher's z, F1 the logit; see `stats.intervals`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from trueup.stats.agreement import (
    MEASURES,
    NO_UNITS,
    Measure,
    constant_raters,
    expected_agreement,
    percent_agreement,
)
from trueup.stats.counts import Clusters, FloatArray
from trueup.stats.estimate import Estimate
from trueup.stats.intervals import (
    BOUNDARY,
    CLUSTER_WILSON,
    DELTA_LOGIT,
    DELTA_Z,
    JACKKNIFE_LOGIT,
    JACKKNIFE_Z,
    Statistic,
    at_edge,
    fisher_z,
    logit_interval,
    proportion,
    standard_error,
    wilson,
    z_quantile,
)
from trueup.stats.raters import kappa_fce_se

SKEWED = "high_expected_agreement"
CONSTANT = "one_rater_constant"
SKEWED_FROM = 0.8


def estimate(clusters: Clusters, name: str, *, conf: float = 0.95, fpc: bool = False) -> Estimate:
    """The measure `name` (a key of MEASURES) of the clusters (U, 4), with its interval.

    Undefined: null with the measure's reason. Fewer than two answers, or an undefined jackknife
    replicate (the only answer with negatives deleted): the value without an interval. `fpc`: the
    finite-population correction, for rates of the corpus only.
    """
    spec = MEASURES[name]
    if spec.kind == "share":
        return proportion(
            clusters,
            spec.hits,
            spec.base,
            conf=conf,
            fpc=fpc,
            undefined=spec.undefined if clusters.n_units else NO_UNITS,
        )
    scaled = clusters.normalised()
    if not np.isfinite(spec.kernel(scaled.totals)):
        return Estimate.undefined(spec.undefined if clusters.n_units else NO_UNITS)
    if name == "pabak":
        return _pabak(clusters, conf)
    if spec.kind == "chance":
        return _chance(scaled, spec, conf)
    if spec.kind == "f1":
        return _f1(scaled, spec, conf)
    return Estimate(float(spec.kernel(scaled.totals)))


def _pabak(clusters: Clusters, conf: float) -> Estimate:
    """2p_o − 1: a line through the agreement, so its cluster Wilson interval carries over."""
    share = estimate(clusters, "percent_agreement", conf=conf)
    assert share.value is not None
    return Estimate(
        2 * share.value - 1,
        None if share.low is None else 2 * share.low - 1,
        None if share.high is None else 2 * share.high - 1,
        CLUSTER_WILSON,
        share.reason,
        None if share.se is None else 2 * share.se,
        share.flags,
    )


def _chance(clusters: Clusters, spec: Measure, conf: float) -> Estimate:
    assert spec.at is not None
    made = chance_interval(clusters, spec.kernel, percent_agreement, spec.at, conf=conf)
    return _with_kappa_notes(made, clusters, conf) if spec.name == "kappa" else made


def chance_interval(
    clusters: Clusters,
    statistic: Statistic,
    agreement: Statistic,
    at: Callable[[FloatArray, float], float],
    *,
    conf: float = 0.95,
) -> Estimate:
    """Fisher's z around a defined chance-corrected statistic in [−1, 1] of cell totals.

    At the boundary (|θ| = 1, or nothing varies) the Wilson interval of the `agreement` with
    n_eff = K is mapped by `at(totals, agreement)`: kappa_lo = 1 − (1 − A_lo)/(1 − p_e), high
    likewise, clipped to [−1, 1], flag `boundary_fallback`. An undefined jackknife replicate comes
    before the boundary: no interval, `jackknife_undefined`.
    """
    error = standard_error(clusters, statistic)
    method = DELTA_Z if clusters.designed else JACKKNIFE_Z
    extra: dict[str, float | int | str | None] = {"df": error.df}
    if error.se is None:
        return Estimate(error.value, method=method, reason=error.reason)
    if not at_edge(error.value, error.se):
        low, high = fisher_z(error.value, error.se, error.df, conf)
        return Estimate(error.value, low, high, method, se=error.se, extra=extra)
    totals = clusters.totals
    ends = wilson(float(agreement(totals)), clusters.n_answers, conf)
    low, high = (float(np.clip(at(totals, end), -1.0, 1.0)) for end in ends)
    flags = (BOUNDARY,)
    return Estimate(error.value, low, high, BOUNDARY, se=error.se, flags=flags, extra=extra)


def _with_kappa_notes(made: Estimate, clusters: Clusters, conf: float) -> Estimate:
    """Flags and the naive column of kappa: Fleiss-Cohen-Everitt error, units as if independent."""
    totals, raw = clusters.totals, clusters.raw_totals
    flags = list(made.flags)
    if any(constant_raters(totals)):
        flags.append(CONSTANT)
    if float(expected_agreement(totals)) > SKEWED_FROM:
        flags.append(SKEWED)
    extra = dict(made.extra)
    naive = kappa_fce_se(*(float(x) for x in raw))
    naive_value = MEASURES["kappa"].kernel(raw)
    if naive is not None:
        half = z_quantile(conf) * naive
        if made.value is None or abs(float(naive_value) - made.value) > 1e-12:
            extra["naive_value"] = float(naive_value)
        extra["naive_low"] = max(-1.0, float(naive_value) - half)
        extra["naive_high"] = min(1.0, float(naive_value) + half)
        extra["design_effect"] = (made.se / naive) ** 2 if naive and made.se is not None else None
    return replace(made, flags=tuple(flags), extra=extra)


def _f1(clusters: Clusters, spec: Measure, conf: float) -> Estimate:
    """Logit interval around F1; none at 0 or 1, where no agreement can stand in for it."""
    error = standard_error(clusters, spec.kernel)
    method = DELTA_LOGIT if clusters.designed else JACKKNIFE_LOGIT
    if error.se is None:
        return Estimate(error.value, method=method, reason=error.reason)
    if at_edge(error.value, error.se) or error.value <= 0:
        return Estimate(error.value, method=method, reason="no interval at the boundary")
    low, high = logit_interval(error.value, error.se, error.df, conf)
    return Estimate(error.value, low, high, method, se=error.se, extra={"df": error.df})
