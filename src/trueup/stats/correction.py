"""The true rate of a corpus behind an imperfect judge, from a random sample of labels: PPI++.

The judge has ruled on every answer of the corpus, people on a few. The people's rate in the sample
is moved by how much the judge's rate in the sample missed its rate in the corpus:

    θ = ȳ + λ·(F − f̄)

with ȳ, f̄ the people's and the judge's rate (units over units, a ratio estimator over answers) in
the labelled sample and F the judge's rate in the corpus. λ is the slope that makes the error
smallest, clipped to [0, 1]; a useless judge gets 0 and leaves the plain human rate. Angelopoulos,
Duchi & Zrnic 2023 (arXiv 2311.01453); as a regression estimator, Cochran 1977, 7.3–7.4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from trueup.stats.agreement import NO_UNITS
from trueup.stats.bounded import bounded_rate
from trueup.stats.counts import Clusters, FloatArray, IntArray
from trueup.stats.estimate import Estimate
from trueup.stats.intervals import ONE_ANSWER, variance
from trueup.stats.rogan_gladen import NO_CORPUS, components, rogan_gladen_rate

METHOD = "ppi_plus_plus_logit_jackknife_t"
NOT_A_SAMPLE = "the labels are not a probability sample of the corpus"
SHIFT = "shift"
"""Flag and warning: PPI++ and Rogan–Gladen differ by more than two standard errors."""

_ROUNDING = 1e-12
_YES = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 1, 1]]).T
"""Cells (4,) → people entailed, judge entailed, units (3,)."""


@dataclass(frozen=True, slots=True)
class Correction:
    """Both corrected rates. `rate` is PPI++ for a probability sample, else Rogan–Gladen.

    `shifted`: they differ by more than two standard errors of their difference, so the judge's
    error rates on the labels are not those in the corpus, or the sample is not random.
    """

    rate: Estimate
    alt: Estimate
    shifted: bool


@dataclass(frozen=True, slots=True, eq=False)
class _Sample:
    """Weighted sums of (people entailed, judge entailed, units) over the labelled answers.

    `values` (U, 3), `times` (U,), `stratum` (U,); `size` (H,) answers drawn of each stratum,
    `open` (H,) share of the stratum that was not drawn (1 without finite-population correction).
    """

    values: FloatArray
    times: FloatArray
    stratum: IntArray
    size: FloatArray
    open: FloatArray

    @classmethod
    def of(cls, labelled: Clusters, *, finite: bool) -> _Sample:
        if labelled.designed:
            labelled, _ = labelled.thin_strata_merged()
            stratum, n_strata = labelled.stratum, int(labelled.stratum.max(initial=-1)) + 1
        else:
            labelled = labelled.without_empty()
            stratum, n_strata = np.zeros(len(labelled.weight), np.int64), 1
        times = labelled.multiplicity.astype(np.float64)
        size = np.bincount(stratum, weights=times, minlength=n_strata)
        share = np.ones(n_strata)
        if finite and labelled.population is not None:
            share = np.clip(1 - size / labelled.population, 0.0, 1.0)
        values = labelled.weight[:, None] * (labelled.vectors @ _YES)
        return cls(values, times, stratum, size.astype(np.float64), share)

    @property
    def df(self) -> float:
        return float(self.size.sum() - np.count_nonzero(self.size))

    def sums(self) -> FloatArray:
        """Sums by stratum, (H, 3)."""
        out = np.zeros((len(self.size), 3))
        np.add.at(out, self.stratum, self.times[:, None] * self.values)
        return out

    def deviations(self) -> FloatArray:
        """Each answer's values less the mean of its stratum, (U, 3)."""
        mean = self.sums() / np.maximum(self.size, 1)[:, None]
        return self.values - mean[self.stratum]

    def scatter(self) -> FloatArray:
        """Σ (v − v̄)(v − v̄)ᵀ by stratum, (H, 3, 3)."""
        d = self.deviations()
        out = np.zeros((len(self.size), 3, 3))
        np.add.at(out, self.stratum, self.times[:, None, None] * d[:, :, None] * d[:, None, :])
        return out

    def spread(self) -> FloatArray:
        """Covariance of the three sums, (3, 3): Σ_h open·n/(n−1)·scatter."""
        factor = self.open * self.size / np.maximum(self.size - 1, 1)
        return np.asarray((factor[:, None, None] * self.scatter()).sum(axis=0))

    def without_each(self) -> tuple[FloatArray, FloatArray]:
        """Sums (U, 3) and covariances (U, 3, 3) without one answer of each distinct vector.

        The other answers of its stratum take over its weight (factor n/(n−1)).
        """
        n = self.size[self.stratum]
        raised = n / np.maximum(n - 1, 1)
        by_stratum = self.sums()
        own = by_stratum[self.stratum]
        sums = by_stratum.sum(axis=0) - own + raised[:, None] * (own - self.values)
        d = self.deviations()
        scatter = self.scatter()
        factor = self.open * self.size / np.maximum(self.size - 1, 1)
        before = (factor[:, None, None] * scatter)[self.stratum]
        rest = scatter[self.stratum] - raised[:, None, None] * d[:, :, None] * d[:, None, :]
        left = self.open[self.stratum] * (n - 1) / np.maximum(n - 2, 1) * raised**2
        return sums, self.spread() - before + left[:, None, None] * rest

    def jackknife_variance(self, replicates: FloatArray) -> float:
        """Σ_h open·(n−1)/n·Σ (θ_(hi) − mean_h)². Jones 1974; plain for one stratum."""
        some = np.maximum(self.size, 1)
        total = np.bincount(self.stratum, weights=self.times * replicates, minlength=len(some))
        off = (replicates - (total / some)[self.stratum]) ** 2
        squares = np.bincount(self.stratum, weights=self.times * off, minlength=len(some))
        return float((self.open * (some - 1) / some * squares).sum())


def _point(
    sums: FloatArray,
    spread: FloatArray,
    scale: FloatArray,
    corpus_rate: float,
    corpus_variance: float,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """θ, λ and the delta-method variance of the labels' part, for sums (..., 3).

    `scale` (3, 3) is the spread of the whole sample: a variance that is nothing beside it is
    rounding, and a slope made of it would be too.
    """
    units = sums[..., 2]
    human, judge = sums[..., 0] / units, sums[..., 1] / units
    one, zero = np.ones_like(units), np.zeros_like(units)
    a = np.stack([one, zero, -human], axis=-1) / units[..., None]
    b = np.stack([zero, one, -judge], axis=-1) / units[..., None]
    together = np.einsum("...i,...ij,...j->...", a, spread, b)
    judged = np.einsum("...i,...ij,...j->...", b, spread, b)
    noise = _ROUNDING * np.einsum("...i,ij,...j->...", np.abs(b), np.abs(scale), np.abs(b))
    alone = np.where(judged > noise, judged, 0.0) + corpus_variance
    slope = np.clip(together / np.where(alone > 0, alone, np.inf), 0.0, 1.0)
    rest = a - slope[..., None] * b
    labels = np.maximum(np.einsum("...i,...ij,...j->...", rest, spread, rest), 0.0)
    return human + slope * (corpus_rate - judge), slope, labels


def ppi_rate(
    labelled: Clusters, corpus: Clusters, *, within: bool = True, conf: float = 0.95
) -> Estimate:
    """Corrected rate of entailed units, PPI++ over answers; logit interval, t_df.

    `labelled` (U, 4): cells n11, n10, n01, n00 per answer, a probability sample with its weights
    and strata. `corpus` (U', 2): units that the judge calls entailed and not, per answer.
    `within`: the corpus includes the labelled answers and is itself what the rate is about: F has
    no error and the finite-population correction 1 − n_h/N_h applies where `labelled.population`
    is known. Otherwise the corpus is a separate sample of answers from the same source, and F has
    the variance v(F) of its own.

    λ = cov(ȳ, f̄)/(v(f̄) + v(F)), clipped to [0, 1]; s² = jackknife over labelled answers with λ
    refitted (within strata) + λ²·v(F). extra: `lambda`, `judge_rate` (F), `judge_rate_labelled`,
    `human_rate`, `df`, `se_delta`, and `label_gain`: how many times as many labels the human rate
    alone would need for the same variance. Outside [0, 1] and at the edges: `bounded.bounded_rate`.
    Fewer than two labelled answers: no interval. No labelled or judged unit: null.
    """
    if labelled.n_units == 0:
        return Estimate.undefined(NO_UNITS, METHOD)
    if corpus.n_units == 0:
        return Estimate.undefined(NO_CORPUS, METHOD)
    entailed, other = corpus.totals.tolist()
    rate = entailed / (entailed + other)
    judged = _corpus_variance(corpus, within)
    sample = _Sample.of(labelled, finite=within)
    sums, spread = sample.sums().sum(axis=0), sample.spread()
    point, slope, labels = (float(x) for x in _point(sums, spread, spread, rate, judged or 0.0))
    extra: dict[str, float | int | str | None] = {
        "lambda": slope,
        "judge_rate": rate,
        "judge_rate_labelled": float(sums[1] / sums[2]),
        "human_rate": float(sums[0] / sums[2]),
        "df": sample.df,
    }
    if sample.df < 1 or judged is None:
        inside = min(1.0, max(0.0, point))
        return Estimate(inside, method=METHOD, reason=ONE_ANSWER, extra=extra)
    replicates, _, _ = _point(*sample.without_each(), spread, rate, judged)
    square = sample.jackknife_variance(replicates) + slope**2 * judged
    delta = labels + slope**2 * judged
    alone = _human_variance(sums, spread)
    extra |= {"se_delta": math.sqrt(delta), "label_gain": alone / delta if delta > 0 else None}
    return bounded_rate(
        point,
        math.sqrt(square),
        sample.df,
        labelled.n_answers,
        method=METHOD,
        scale="logit",
        conf=conf,
        extra=extra,
    )


def _corpus_variance(corpus: Clusters, within: bool) -> float | None:
    """Variance of the judge's rate: 0 where the corpus is all there is, None for one answer."""
    if within:
        return 0.0
    units = corpus.vectors.sum(axis=1)
    total = float(corpus.mass @ units)
    rate = float(corpus.mass @ corpus.vectors[:, 0]) / total
    spread = variance(corpus, corpus.weight * (corpus.vectors[:, 0] - rate * units) / total)
    return None if spread is None else spread.value


def _human_variance(sums: FloatArray, spread: FloatArray) -> float:
    a = np.array([1.0, 0.0, -sums[0] / sums[2]]) / sums[2]
    return max(0.0, float(a @ spread @ a))


def corrected_rate(
    labelled: Clusters,
    corpus: Clusters,
    *,
    probability_sample: bool,
    within: bool = True,
    conf: float = 0.95,
) -> Correction:
    """PPI++ and clustered Rogan–Gladen side by side, and whether they contradict each other.

    Arguments as in `ppi_rate`. Without a probability sample PPI++ is null with its reason, and
    Rogan–Gladen, which only needs the judge's error rates to be stable, comes first. The difference
    of the two is judged by its own linearised standard error over the same labelled answers.
    """
    gladen = rogan_gladen_rate(labelled, corpus, conf=conf)
    if not probability_sample:
        return Correction(gladen, Estimate.undefined(NOT_A_SAMPLE, METHOD), shifted=False)
    ppi = ppi_rate(labelled, corpus, within=within, conf=conf)
    shifted = _shifted(ppi, labelled, corpus, within)
    return Correction(ppi, gladen, shifted)


def _shifted(ppi: Estimate, labelled: Clusters, corpus: Clusters, within: bool) -> bool:
    parts = components(labelled, corpus)
    slope, judged = ppi.extra.get("lambda"), _corpus_variance(corpus, within)
    if isinstance(parts, Estimate) or ppi.se is None or judged is None:
        return False
    assert isinstance(slope, float)
    value, z_gladen, _, extra = parts
    values = labelled.vectors @ _YES
    units = float(labelled.mass @ values[:, 2])
    human, judge = (float(labelled.mass @ values[:, i]) / units for i in (0, 1))
    residual = values[:, 0] - human * values[:, 2] - slope * (values[:, 1] - judge * values[:, 2])
    spread = variance(labelled, labelled.weight * residual / units - z_gladen, fpc=within)
    if spread is None:
        return False
    rate, youden = extra["judge_rate"], extra["youden"]
    assert isinstance(rate, float)
    assert isinstance(youden, float)
    point = human + slope * (rate - judge)
    square = spread.value + (slope - 1 / youden) ** 2 * judged
    return abs(point - value) > 2 * math.sqrt(square)
