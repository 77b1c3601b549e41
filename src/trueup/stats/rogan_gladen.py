"""The true rate behind a judge whose error rates are believed stable: Rogan and Gladen.

θ = (q + TNR − 1)/(TPR + TNR − 1), with q the judge's rate in the corpus and TPR, TNR from labels
that may come from another mix of classes. Refused where TPR + TNR ≤ 1: such a judge carries no
signal, and the formula would turn its noise upside down.
"""

from __future__ import annotations

import math

import numpy as np

from trueup.errors import UsageError
from trueup.stats.agreement import NO_NEGATIVES, NO_POSITIVES
from trueup.stats.bounded import bounded_rate
from trueup.stats.counts import Clusters, FloatArray
from trueup.stats.estimate import Estimate
from trueup.stats.intervals import ONE_ANSWER, variance, wilson, z_quantile

METHOD = "rogan_gladen_delta_t"
LEE = "rogan_gladen_lee"
NO_SIGNAL = "the judge is no better than guessing (TPR + TNR is at most 1): nothing to correct by"
NO_CORPUS = "the corpus holds no decided verdict"

_LEAST_YOUDEN = 1e-9


def rogan_gladen(judge_rate: float, tpr: float, tnr: float) -> Estimate:
    """Point estimate from three rates, clipped to [0, 1]; no interval.

    extra: `youden` = TPR + TNR − 1 and `value_unclipped`. Null with a reason where Youden's index
    is not above 0. Rogan & Gladen 1978. Raises UsageError for rates outside [0, 1].
    """
    for name, rate in (("judge_rate", judge_rate), ("tpr", tpr), ("tnr", tnr)):
        if not 0 <= rate <= 1:
            raise UsageError(f"{name} must lie in [0, 1], not {rate}")
    youden = tpr + tnr - 1
    if youden <= _LEAST_YOUDEN:
        return Estimate(None, method=METHOD, reason=NO_SIGNAL, extra={"youden": youden})
    value = (judge_rate + tnr - 1) / youden
    inside = min(1.0, max(0.0, value))
    return Estimate(
        inside,
        method=METHOD,
        flags=() if inside == value else ("incompatible",),
        extra={"youden": youden, "value_unclipped": value},
    )


def rogan_gladen_lee(
    judge_rate: float, tpr: float, tnr: float, n: int, m0: int, m1: int, *, conf: float = 0.95
) -> Estimate:
    """Interval for independent units: Lee et al. 2025 (arXiv 2511.21140), eq. of their section 4.

    q, TNR, TPR are pulled towards ½ (z²/2, 1 and 1 added successes, z², 2 and 2 trials); with them
    θ̃ + 2z²(−(1−θ̃)·TNR(1−TNR)/m0 + θ̃·TPR(1−TPR)/m1) ± z·s. `n` units in the corpus, `m0` and
    `m1` labelled units that people call not entailed and entailed. The value is the plain estimate.
    Their code returns [0, 0] where all of the interval lies below 0; here that is Wilson of the
    clipped value over the labelled units, with flags, and extra `low_unclipped`, `high_unclipped`.
    """
    point = rogan_gladen(judge_rate, tpr, tnr)
    if point.value is None:
        return point
    if min(n, m0, m1) < 1:
        raise UsageError("units of the corpus and of both classes are needed")
    z = z_quantile(conf)
    q = (n * judge_rate + z * z / 2) / (n + z * z)
    spec, sens = (m0 * tnr + 1) / (m0 + 2), (m1 * tpr + 1) / (m1 + 2)
    youden = spec + sens - 1
    if youden <= _LEAST_YOUDEN:
        return Estimate(point.value, method=LEE, reason=NO_SIGNAL, extra=point.extra)
    theta = (q + spec - 1) / youden
    v0, v1 = spec * (1 - spec) / (m0 + 2), sens * (1 - sens) / (m1 + 2)
    shift = 2 * z * z * (theta * v1 - (1 - theta) * v0)
    square = q * (1 - q) / (n + z * z) + (1 - theta) ** 2 * v0 + theta**2 * v1
    low, high = (theta + shift + side * z * math.sqrt(square) / youden for side in (-1, 1))
    kept_low, kept_high = max(0.0, low), min(1.0, high)
    flags = point.flags
    if kept_high <= kept_low:
        kept_low, kept_high = wilson(point.value, m0 + m1, conf)
        flags = (*flags, "boundary_fallback")
    return Estimate(
        point.value,
        kept_low,
        kept_high,
        LEE,
        flags=flags,
        extra={**point.extra, "low_unclipped": low, "high_unclipped": high},
    )


def rogan_gladen_rate(labelled: Clusters, corpus: Clusters, *, conf: float = 0.95) -> Estimate:
    """Clustered Rogan–Gladen: θ ± t_df·s, clipped as in `bounded_rate`.

    `labelled` (U, 4): cells n11, n10, n01, n00 per answer, weighted where the sample is (an
    unweighted score-band sample is biased: coverage 17 % at 200 answers, measured). `corpus`
    (U', 2): units that the judge calls entailed and not, per answer; q is their share, with its own
    sampling error over answers. s² = v(labels) + v(q)/J², with z_i = −θ/J·z_i(TPR) + (1−θ)/J·
    z_i(TNR) and v as in `intervals.variance`; df that of the labels. Null with a reason for an
    empty class, TPR + TNR ≤ 1, or fewer than two answers (then only the interval).
    """
    parts = components(labelled, corpus)
    if isinstance(parts, Estimate):
        return parts
    value, z_label, z_corpus, extra = parts
    labels = variance(labelled, z_label)
    judged = variance(corpus, z_corpus)
    if labels is None or judged is None:
        inside = min(1.0, max(0.0, value))
        return Estimate(inside, method=METHOD, reason=ONE_ANSWER, extra=extra)
    return bounded_rate(
        value,
        math.sqrt(labels.value + judged.value),
        labels.df,
        labelled.n_answers,
        method=METHOD,
        scale="linear",
        conf=conf,
        extra=extra,
    )


def components(
    labelled: Clusters, corpus: Clusters
) -> tuple[float, FloatArray, FloatArray, dict[str, float | int | str | None]] | Estimate:
    """Unclipped θ, its linearised contributions of labels (U,) and corpus (U',), and the rates.

    An undefined Estimate where there is no θ.
    """
    n11, n10, n01, n00 = labelled.totals.tolist()
    if corpus.n_units == 0:
        return Estimate.undefined(NO_CORPUS, METHOD)
    if n01 + n00 == 0:
        return Estimate.undefined(NO_NEGATIVES, METHOD)
    if n11 + n10 == 0:
        return Estimate.undefined(NO_POSITIVES, METHOD)
    tpr, tnr = n11 / (n11 + n10), n00 / (n01 + n00)
    entailed, other = corpus.totals.tolist()
    q = entailed / (entailed + other)
    youden = tpr + tnr - 1
    extra: dict[str, float | int | str | None] = {
        "judge_rate": q,
        "tpr": tpr,
        "tnr": tnr,
        "youden": youden,
    }
    if youden <= _LEAST_YOUDEN:
        return Estimate(None, method=METHOD, reason=NO_SIGNAL, extra=extra)
    value = (q + tnr - 1) / youden
    cells = labelled.vectors
    z_tpr = (cells[:, 0] - tpr * (cells[:, 0] + cells[:, 1])) / (n11 + n10)
    z_tnr = (cells[:, 3] - tnr * (cells[:, 2] + cells[:, 3])) / (n01 + n00)
    z_label = labelled.weight * ((1 - value) * z_tnr - value * z_tpr) / youden
    judged = corpus.vectors
    z_corpus = corpus.weight * (judged[:, 0] - q * judged.sum(axis=1)) / (entailed + other) / youden
    return value, z_label, np.asarray(z_corpus, dtype=np.float64), extra
