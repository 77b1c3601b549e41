"""Exact and clustered tests of paired right/wrong verdicts, and Holm's adjustment.

b counts units that only the second judge has right, c those that only the first has right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trueup.errors import UsageError
from trueup.stats.counts import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class PValue:
    """A two-sided p-value and its mid-p variant."""

    p: float
    mid_p: float


@dataclass(frozen=True, slots=True)
class McNemar:
    """McNemar's test of b and c: exact, mid-p, and chi-square (None where b + c = 0)."""

    b: int
    c: int
    p_exact: float
    p_midp: float
    chi2: float | None
    p_chi2: float


def mcnemar(b: int, c: int) -> McNemar:
    """Exact McNemar: min(1, 2·P(Bin(b+c, ½) ≤ min(b, c))); mid-p takes off P(= min). McNemar 1947;
    Fagerland, Lydersen & Laake 2013.

    b + c = 0: p = 1. Naive where several units share an answer.
    """
    from scipy.special import bdtr, chdtrc

    n, least = b + c, min(b, c)
    if n == 0:
        return McNemar(b, c, 1.0, 1.0, None, 1.0)
    tail = 2 * float(bdtr(least, n, 0.5))
    below = 2 * float(bdtr(least - 1, n, 0.5)) if least > 0 else 0.0
    chi2 = (b - c) ** 2 / n
    p_exact = 1.0 if b == c else min(1.0, tail)
    p_midp = 1.0 if b == c else min(1.0, (tail + below) / 2)
    return McNemar(b, c, p_exact, p_midp, chi2, float(chdtrc(1, chi2)))


def sign_flip(differences: npt.ArrayLike, multiplicity: npt.ArrayLike | None = None) -> PValue:
    """Exact two-sided cluster sign-flip test of Σ d_i = 0, d_i = b_i − c_i whole numbers (U,).

    Under exchangeable judges every answer's d_i is as likely −d_i: p = P(|Σ ±d_i| ≥ |Σ d_i|).
    Equal to exact McNemar when no answer has more than one discordant unit. No d ≠ 0: p = 1.
    Fisher 1935; Winkler et al. 2014 for whole-block sign flips.

    The distribution of the flipped sum is computed whole, by one FFT, tilted so that the observed
    sum is its mean: relative precision then holds in the far tail, and the cost is that of a
    transform over Σ|d_i| points.
    """
    d = np.asarray(differences, dtype=np.int64)
    times = np.ones(len(d), np.int64) if multiplicity is None else np.asarray(multiplicity)
    observed = abs(int(times @ d))
    sizes, inverse = np.unique(np.abs(d), return_inverse=True)
    counts = np.bincount(inverse, weights=times, minlength=len(sizes)).astype(np.float64)
    counts, sizes = counts[sizes > 0], sizes[sizes > 0]
    if observed == 0 or len(sizes) == 0:
        return PValue(1.0, 1.0)
    step = int(np.gcd.reduce(sizes))
    return _upper_tail(sizes // step, counts, observed // step)


def _upper_tail(sizes: IntArray, counts: FloatArray, observed: int) -> PValue:
    """2·P(S ≥ observed) and its mid-p for S = Σ ±sizes, `counts` answers of each size."""
    reach = int(sizes @ counts)
    tilt = _tilt(sizes, counts, observed, reach)
    # S = 2Y − reach with Y = Σ size·Bernoulli(½); the tilted Bernoulli has log-odds 2·tilt·size.
    chance = 1 / (1 + np.exp(-2 * tilt * sizes))
    points = 1 << int(reach).bit_length()
    roots = np.exp(2j * np.pi * np.arange(points) / points)
    half = np.arange(points // 2 + 1, dtype=np.int64)
    transform = np.zeros(len(half), np.complex128)
    with np.errstate(divide="ignore"):
        for size, count, p in zip(sizes, counts, chance, strict=True):
            transform += count * np.log(1 - p + p * roots[(half * size) % points])
    mass = np.fft.irfft(np.exp(np.conj(transform)), points)[: reach + 1]
    place = (observed + reach) // 2
    sums = 2 * np.arange(place, reach + 1) - reach
    log_scale = float(counts @ _log_cosh((tilt * sizes).astype(np.float64)))
    weights = np.maximum(mass[place:], 0.0) * np.exp(log_scale - tilt * sums)
    tail = 2 * float(weights.sum())
    return PValue(min(1.0, tail), min(1.0, tail - float(weights[0])))


def _log_cosh(x: FloatArray) -> FloatArray:
    a = np.abs(x)
    return np.asarray(a + np.log1p(np.exp(-2 * a)) - np.log(2), dtype=np.float64)


def _tilt(sizes: IntArray, counts: FloatArray, observed: int, reach: int) -> float:
    """θ with Σ count·size·tanh(θ·size) = observed, by bisection (kept finite at the very end)."""
    target = min(float(observed), reach * (1 - 1e-9))
    low, high = 0.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        if float((counts * sizes * np.tanh(middle * sizes)).sum()) < target:
            low = middle
        else:
            high = middle
    return (low + high) / 2


@dataclass(frozen=True, slots=True)
class ClusteredMcNemar:
    """Clustered McNemar statistics (χ², 1 df) with their p; None where nothing is discordant."""

    b: int
    c: int
    obuchowski: float | None
    obuchowski_p: float
    durkalski: float | None
    durkalski_p: float
    yang: float | None
    yang_p: float
    eliasziw: float | None
    eliasziw_p: float


def clustered_mcnemar(
    both_right: npt.ArrayLike, b: npt.ArrayLike, c: npt.ArrayLike, both_wrong: npt.ArrayLike
) -> ClusteredMcNemar:
    """Four clustered forms of McNemar's test, counts (K,) per answer; answers without units drop.

    d = b − c, n the units of an answer. Obuchowski 1998: (Σd)²/(K/(K−1)·Σd²). Durkalski et al.
    2003: (Σd/n)²/Σ(d/n)². Yang et al. 2010: (Σd)²/(K/(K−1)·½Σ[d² + (d − n·Σd/Σn)²]). Eliasziw &
    Donner 1991: McNemar's χ² over a design effect of the discordant units. Cross-checks; the
    product's own test is `sign_flip`.
    """
    cells = np.stack([np.asarray(x, np.float64) for x in (both_right, b, c, both_wrong)], axis=1)
    cells = cells[cells.sum(axis=1) > 0]
    d, n, k = cells[:, 1] - cells[:, 2], cells.sum(axis=1), len(cells)
    total, inflate = float(d.sum()) ** 2, k / (k - 1) if k > 1 else None
    shifted = d - n * d.sum() / max(float(n.sum()), 1.0)
    shares = d / n
    obuchowski = _over(total, inflate and inflate * float((d**2).sum()))
    durkalski = _over(float(shares.sum()) ** 2, float((shares**2).sum()))
    yang = _over(total, inflate and inflate * float((d**2 + shifted**2).sum()) / 2)
    eliasziw = _eliasziw(cells, total)
    return ClusteredMcNemar(
        int(cells[:, 1].sum()),
        int(cells[:, 2].sum()),
        obuchowski,
        _chi_p(obuchowski),
        durkalski,
        _chi_p(durkalski),
        yang,
        _chi_p(yang),
        eliasziw,
        _chi_p(eliasziw),
    )


def _over(above: float, below: float | None) -> float | None:
    return above / below if below else None


def _chi_p(chi2: float | None) -> float:
    from scipy.special import chdtrc

    return 1.0 if chi2 is None else float(chdtrc(1, chi2))


def _eliasziw(cells: FloatArray, total: float) -> float | None:
    """χ² of McNemar divided by 1 + (n_c − 1)ρ, ρ the correlation of discordant units."""
    n, discordant = cells.sum(axis=1), cells[:, 1] + cells[:, 2]
    k, touched = len(cells), int((discordant > 0).sum())
    if touched == 0:
        return None
    mean = float(n.mean())
    if k < 2 or mean <= 1:
        return total / float(discordant.sum())
    n0 = mean - float(((n - mean) ** 2).sum()) / (k * (k - 1) * mean)
    share = cells.sum(axis=0) / n.sum()
    between = float(((cells - n[:, None] * share) ** 2 / n[:, None]).sum()) / k
    within = float((cells * (n[:, None] - cells) / n[:, None]).sum()) / (k * (mean - 1))
    below = between + (n0 - 1) * within
    pooled = (between - within) / below if below else 0.0
    odds = float(share[1] + share[2]) * (1 - pooled)
    rho = pooled / (pooled + odds) if pooled + odds else 0.0
    s = float(discordant.sum()) / touched
    spread = float(((discordant - s) ** 2).sum()) - (k - touched) * s * s
    s0 = s - spread / (touched * (touched - 1) * s) if touched > 1 else s
    n_c = s0 + touched * (s - s0)
    inflation = 1 + (n_c - 1) * rho
    return total / float(discordant.sum()) / inflation if inflation > 0 else None


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down adjusted p: max over the sorted of min(1, (m − i)·p_(i)). Holm 1979.

    None (undefined) stays None and is not counted among the m. Raises UsageError outside [0, 1].
    """
    known = [(p, i) for i, p in enumerate(p_values) if p is not None]
    if any(not 0 <= p <= 1 for p, _ in known):
        raise UsageError("p-values lie between 0 and 1")
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, i) in enumerate(sorted(known)):
        highest = max(highest, min(1.0, (len(known) - rank) * p))
        adjusted[i] = highest
    return adjusted
