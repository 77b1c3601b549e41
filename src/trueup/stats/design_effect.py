"""How much clustering of units in answers costs: intraclass correlation and design effect."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from trueup.stats.counts import Clusters


def icc_anova(clusters: Clusters, hits: Sequence[int], base: Sequence[int]) -> float | None:
    """Intraclass correlation of a yes/no property of units within answers, one-way ANOVA.

    MSB = Σ m_i(p_i − p)²/(K−1), MSW = Σ m_i p_i(1−p_i)/(N−K), n₀ = (N − Σm²/N)/(K−1);
    ICC = (MSB − MSW)/(MSB + (n₀−1)·MSW). May be negative. Unweighted. None where no answer has two
    units, K < 2, or nothing varies. Donner 1986; Ridout, Demétrio & Firth 1999.
    """
    x = clusters.vectors[:, list(hits)].sum(axis=1).astype(np.float64)
    m = clusters.vectors[:, list(base)].sum(axis=1).astype(np.float64)
    used = m > 0
    x, m, times = x[used], m[used], clusters.multiplicity[used]
    k, n = float(times.sum()), float(times @ m)
    if k < 2 or n <= k:
        return None
    p, share = float(times @ x) / n, x / m
    between = float(times @ (m * (share - p) ** 2)) / (k - 1)
    within = float(times @ (m * share * (1 - share))) / (n - k)
    n0 = (n - float(times @ m**2) / n) / (k - 1)
    below = between + (n0 - 1) * within
    return (between - within) / below if below > 0 else None


def size_moments(clusters: Clusters) -> tuple[float, float]:
    """Mean number of units per answer, and the squared coefficient of variation of that number.

    (0, 0) without answers. The variance is that of the answers at hand (divided by K).
    """
    m, times = clusters.sizes.astype(np.float64), clusters.multiplicity * (clusters.sizes > 0)
    if times.sum() == 0:
        return 0.0, 0.0
    mean = float(times @ m) / float(times.sum())
    spread = float(times @ (m - mean) ** 2) / float(times.sum())
    return mean, spread / mean**2
