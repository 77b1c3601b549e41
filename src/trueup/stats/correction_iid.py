"""Corrected rates for independent units: reference forms, for one-claim answers and for checks."""

from __future__ import annotations

import math
from dataclasses import dataclass

from trueup.errors import UsageError
from trueup.stats.estimate import Estimate
from trueup.stats.intervals import z_quantile
from trueup.stats.rogan_gladen import rogan_gladen


@dataclass(frozen=True, slots=True)
class IidCorrection:
    """Four corrections of one 2×2 table by one count of unlabelled verdicts."""

    rogan_gladen: Estimate
    post_stratified: Estimate
    ppi: Estimate
    ppi_plus_plus: Estimate


def corrected_rate_iid(
    n11: int,
    n10: int,
    n01: int,
    n00: int,
    unlabelled_entailed: int,
    unlabelled_n: int,
    *,
    conf: float = 0.95,
) -> IidCorrection:
    """True rate of n labelled and N unlabelled independent units.

    - Rogan–Gladen with q from the unlabelled units; no interval.
    - Post-stratified: Σ_f q_f·P(entailed | verdict f), q_f from all units: the maximum likelihood
      of double sampling (Tenenbein 1970); delta standard error, normal interval.
    - PPI: λ = 1; PPI++: λ = cov(y, f)/((1 + n/N)·v(f)), v over all units with N + n − 1, clipped to
      [0, 1] (Angelopoulos et al. 2023); s² = v(y − λf)/n + λ²·v(F)/N, normal interval.

    Intervals are clipped to [0, 1]. The extra of PPI++ holds `lambda`. A verdict value that no
    labelled unit has leaves the post-stratified rate null. Raises UsageError without units.
    """
    n, big = n11 + n10 + n01 + n00, unlabelled_n
    if min(n11, n10, n01, n00, unlabelled_entailed) < 0 or n < 1 or big < 1:
        raise UsageError("labelled and unlabelled units are needed, and counts of at least 0")
    if unlabelled_entailed > big:
        raise UsageError("more unlabelled units are entailed than there are")
    y, f, q = (n11 + n10) / n, (n11 + n01) / n, unlabelled_entailed / big
    together = n11 / n - y * f
    pooled = (n11 + n01 + unlabelled_entailed) / (n + big)
    around = pooled * (1 - pooled) * (n + big) / (n + big - 1)
    slope = min(1.0, max(0.0, together / ((1 + n / big) * around))) if around > 0 else 0.0

    def ppi(by: float, name: str) -> Estimate:
        inner = y * (1 - y) + by * by * f * (1 - f) - 2 * by * together
        square = max(inner, 0.0) / n + by * by * q * (1 - q) / big
        return _normal(y + by * (q - f), math.sqrt(square), name, conf, {"lambda": by})

    gladen = Estimate.undefined("an empty class", "rogan_gladen")
    if n11 + n10 and n01 + n00:
        gladen = rogan_gladen(q, n11 / (n11 + n10), n00 / (n01 + n00))
    return IidCorrection(
        gladen,
        _post_stratified(n11, n10, n01, n00, pooled, n + big, conf),
        ppi(1.0, "ppi"),
        ppi(slope, "ppi_plus_plus"),
    )


def _post_stratified(
    n11: int, n10: int, n01: int, n00: int, pooled: float, total: int, conf: float
) -> Estimate:
    yes, no = n11 + n01, n10 + n00
    if not yes or not no:
        return Estimate.undefined("a verdict without any label", "post_stratified")
    among_yes, among_no = n11 / yes, n10 / no
    square = (
        pooled**2 * among_yes * (1 - among_yes) / yes
        + (1 - pooled) ** 2 * among_no * (1 - among_no) / no
        + (among_yes - among_no) ** 2 * pooled * (1 - pooled) / total
    )
    value = pooled * among_yes + (1 - pooled) * among_no
    return _normal(value, math.sqrt(square), "post_stratified", conf, {})


def _normal(
    value: float, se: float, method: str, conf: float, extra: dict[str, float | int | str | None]
) -> Estimate:
    half = z_quantile(conf) * se
    low, high = max(0.0, value - half), min(1.0, value + half)
    inside = min(1.0, max(0.0, value))
    flags = () if inside == value else ("incompatible",)
    return Estimate(inside, low, high, method, se=se, flags=flags, extra=extra)
