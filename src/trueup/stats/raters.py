"""Agreement of any number of raters and categories, and of one rater with itself.

Categories are codes 0 … k−1; a missing rating is −1 (or None, NaN in nested lists). NaN marks an
undefined value inside the package; public results are `Estimate`s, null with a reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from trueup.errors import UsageError
from trueup.stats.agreement import NO_UNITS, ONE_LABEL
from trueup.stats.counts import FloatArray, IntArray
from trueup.stats.estimate import Estimate

KappaWeights: TypeAlias = Literal["linear", "quadratic"] | None
Ratings: TypeAlias = Sequence[Sequence[int | bool | None]] | npt.NDArray[np.integer]

NO_PAIRS = "no unit with two ratings"


def codes(ratings: Ratings) -> IntArray:
    """Nested ratings as an integer matrix, missing ones (None, NaN, negative) as −1."""
    if isinstance(ratings, np.ndarray) and np.issubdtype(ratings.dtype, np.integer):
        return np.maximum(ratings.astype(np.int64), -1)
    raw = np.array([[np.nan if x is None else float(x) for x in row] for row in ratings])
    if raw.size == 0:
        return np.full(raw.shape if raw.ndim == 2 else (len(raw), 0), -1, np.int64)
    return np.where(np.isnan(raw) | (raw < 0), -1, np.nan_to_num(raw)).astype(np.int64)


def rating_counts(units_by_raters: Ratings) -> IntArray:
    """Counts (N, k) of each category per unit, from ratings (N, R)."""
    matrix = codes(units_by_raters)
    k = int(matrix.max(initial=1)) + 1
    return np.stack([(matrix == c).sum(axis=1) for c in range(k)], axis=1).astype(np.int64)


@dataclass(frozen=True, slots=True)
class TableKappa:
    """Kappa of a k×k table with its large-sample errors (None where undefined)."""

    kappa: Estimate
    agreement: float | None
    se_fce: float | None
    se_null: float | None


def kappa_table(table: npt.ArrayLike, weights: KappaWeights = None) -> TableKappa:
    """Cohen's (weighted) kappa of a k×k table of counts, rows one rater, columns the other.

    κ_w = (p_o − p_e)/(1 − p_e) with agreement weights w_ij = 1 − |i−j|/(k−1) (linear) or
    1 − (i−j)²/(k−1)² (quadratic), identity by default. `se_fce`: Fleiss, Cohen & Everitt 1969
    (naive: units taken as independent); `se_null` under κ = 0. p_e = 1: null. Cohen 1968.
    """
    counts = np.asarray(table, dtype=np.float64)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1]:
        raise UsageError("a table of two raters must be square")
    n = counts.sum()
    if n == 0:
        return TableKappa(Estimate.undefined(NO_UNITS), None, None, None)
    w = _agreement_weights(len(counts), weights)
    p = counts / n
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    observed, expected = float((w * p).sum()), float(rows @ w @ columns)
    room = 1 - expected
    if room < 1e-15:
        return TableKappa(Estimate.undefined(ONE_LABEL), observed, None, None)
    means = (w @ columns)[:, None] + (rows @ w)[None, :]
    spread = (p * (w * room - means * (1 - observed)) ** 2).sum()
    centre = observed * expected - 2 * expected + observed
    null = (np.outer(rows, columns) * (w - means) ** 2).sum() - expected**2
    return TableKappa(
        Estimate((observed - expected) / room),
        observed,
        _root(spread - centre**2) / (float(np.sqrt(n)) * room**2),
        _root(null) / (float(np.sqrt(n)) * room),
    )


def _agreement_weights(k: int, kind: KappaWeights) -> FloatArray:
    apart = np.abs(np.subtract.outer(np.arange(k), np.arange(k))) / max(k - 1, 1)
    if kind is None:
        return np.eye(k)
    if kind not in ("linear", "quadratic"):
        raise UsageError(f"kappa weights are linear or quadratic, not {kind}")
    return np.asarray(1 - (apart if kind == "linear" else apart**2), dtype=np.float64)


def _root(square: float) -> float:
    """Square root of a variance whose rounding error may stand for 0 (or fall below it)."""
    return 0.0 if square < 1e-15 else float(np.sqrt(square))


def kappa_fce_se(n11: float, n10: float, n01: float, n00: float) -> float | None:
    """Naive (item-level) standard error of kappa of a 2×2 table; None where kappa is undefined."""
    return kappa_table([[n11, n10], [n01, n00]]).se_fce


def _pair_shares(counts: IntArray) -> tuple[float, FloatArray] | None:
    """Mean share of agreeing pairs over units with two ratings, and the mean category shares."""
    n = counts.sum(axis=1)
    counts, n = counts[n > 0], n[n > 0]
    pairs = n > 1
    if not pairs.any():
        return None
    c, m = counts[pairs], n[pairs]
    agree = float(((c * (c - 1)).sum(axis=1) / (m * (m - 1))).mean())
    return agree, np.asarray((counts / n[:, None]).mean(axis=0), dtype=np.float64)


def fleiss_kappa(counts: npt.ArrayLike) -> Estimate:
    """Fleiss' kappa from counts (N, k) of each category per unit. Fleiss 1971.

    p_o: mean share of agreeing pairs over units with at least two ratings; p_e = Σ π_j², π_j the
    mean share of category j over units with a rating (units may have different numbers of ratings:
    Gwet 2014, 2.4). One category used: null.
    """
    shares = _pair_shares(np.asarray(counts, dtype=np.int64))
    if shares is None:
        return Estimate.undefined(NO_PAIRS)
    observed, categories = shares
    expected = float((categories**2).sum())
    if 1 - expected < 1e-15:
        return Estimate.undefined(ONE_LABEL)
    return Estimate((observed - expected) / (1 - expected))


def multi_ac1(counts: npt.ArrayLike) -> Estimate:
    """Gwet's AC1 for any number of raters, from counts (N, k): p_e = Σ π_j(1 − π_j)/(k − 1).

    Gwet 2008; units with one rating inform π_j only. k is the number of columns (at least 2).
    """
    table = np.asarray(counts, dtype=np.int64)
    shares = _pair_shares(table)
    if shares is None:
        return Estimate.undefined(NO_PAIRS)
    observed, categories = shares
    expected = float((categories * (1 - categories)).sum()) / max(table.shape[1] - 1, 1)
    return Estimate((observed - expected) / (1 - expected))


def alpha_from_counts(counts: npt.ArrayLike) -> Estimate:
    """Krippendorff's nominal alpha from counts (N, k) of each category per unit.

    α = 1 − (n − 1)·Σ_{c≠k} o_ck / Σ_{c≠k} n_c·n_k, o_ck = Σ_u n_uc·n_uk/(m_u − 1) over units with
    m_u ≥ 2 ratings, n their number. Krippendorff 2011. One value in those units: null.
    """
    table = np.asarray(counts, dtype=np.float64)
    if table.size == 0:
        return Estimate.undefined(NO_PAIRS)
    m = table.sum(axis=1)
    table, m = table[m > 1], m[m > 1]
    if len(m) == 0:
        return Estimate.undefined(NO_PAIRS)
    disagreeing = float(((m**2 - (table**2).sum(axis=1)) / (m - 1)).sum())
    values = table.sum(axis=0)
    n = float(values.sum())
    chance = n * n - float((values**2).sum())
    if chance == 0:
        return Estimate.undefined(ONE_LABEL)
    return Estimate(1 - (n - 1) * disagreeing / chance)


def krippendorff_alpha(raters_by_units: Ratings) -> Estimate:
    """Krippendorff's nominal alpha of ratings (R, N), missing ones as None, NaN or −1."""
    matrix = codes(raters_by_units)
    return alpha_from_counts(rating_counts(matrix.T)) if matrix.size else alpha_from_counts([])


@dataclass(frozen=True, slots=True)
class Retest:
    """One rater's repeats: units with a flip, pairs that flip, kappa of the rater with itself."""

    any_flip: Estimate
    pairwise_flip: Estimate
    kappa: Estimate
    n_units: int


def retest(units_by_runs: Ratings) -> Retest:
    """Self-agreement of repeated verdicts (N, R): any-flip and pairwise flip rate, Fleiss' kappa.

    Units with fewer than two decided runs are left out. The intra-judge kappa is a ceiling of the
    judge-human kappa. No such unit: all null.
    """
    counts = rating_counts(units_by_runs)
    m = counts.sum(axis=1)
    counts, m = counts[m > 1], m[m > 1]
    if len(m) == 0:
        none = Estimate.undefined(NO_PAIRS)
        return Retest(none, none, none, 0)
    flipped = counts.max(axis=1) < m
    pairs = m * (m - 1)
    flips = pairs - (counts * (counts - 1)).sum(axis=1)
    return Retest(
        Estimate(float(flipped.mean())),
        Estimate(float(flips.sum() / pairs.sum())),
        fleiss_kappa(counts),
        len(m),
    )
