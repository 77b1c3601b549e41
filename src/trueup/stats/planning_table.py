"""What a number of answers can decide, by design: half widths and the labels that a design saves.

Everything follows from a *pilot*: answers with the four cells n11, n10, n01, n00, measured (labels
at hand) or made from assumptions. A figure's contribution z_i of each answer gives the variance of
any design by its textbook formula, so that no labels need to be drawn to plan them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from trueup.errors import UsageError
from trueup.stats.agreement import MEASURES
from trueup.stats.allocation import allocate, groups_to_fit
from trueup.stats.counts import Clusters, FloatArray, IntArray
from trueup.stats.intervals import gradient, t_quantile
from trueup.stats.planning import power_of_non_inferiority
from trueup.stats.sampling import DEFAULT_CUTS

FIGURES = ("human_rate", "percent_agreement", "kappa", "tpr", "tnr")
RANDOM, BANDS, DISCORDANT = "random", "score-bands", "discordant"
PEOPLE, CORRECTED = "people only", "corrected"

_BIG = 1_000_000
"""Size of the corpus that a plan is for: far above any sample."""


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One figure under one design and estimator.

    `half_width` of the 95 % interval with so many answers labelled; `labels` that takes, in claims;
    `label_share`: labels needed for the width of a simple random sample with people's labels only,
    as a share of that sample's (0.5 is half the labels). None where the figure is undefined, or
    does not vary in the pilot.
    """

    figure: str
    design: str
    estimator: str
    answers: int
    labels: int
    half_width: float | None
    label_share: float | None


def assumed_pilot(
    prevalence: float,
    tpr: float,
    tnr: float,
    claims_per_answer: float,
    *,
    icc: float = 0.1,
    answers: int = 4000,
    seed: int = 1,
) -> Clusters:
    """A pilot from assumptions: beta-binomial answers, a judge that errs independently.

    An answer has 1 + Poisson(m̄ − 1) claims; its share of entailed claims is beta with the given
    mean and intraclass correlation. Seeded, so that the same assumptions give the same plan.
    Raises UsageError for shares outside (0, 1) and fewer than one claim an answer.
    """
    if not all(0 < share < 1 for share in (prevalence, tpr, tnr, icc)) or claims_per_answer < 1:
        raise UsageError("shares between 0 and 1 and at least one claim an answer are needed")
    rng = np.random.Generator(np.random.PCG64(seed))
    size = 1 + rng.poisson(claims_per_answer - 1, answers)
    total = 1 / icc - 1
    rate = rng.beta(prevalence * total, (1 - prevalence) * total, answers)
    human = rng.binomial(size, rate)
    n11 = rng.binomial(human, tpr)
    n00 = rng.binomial(size - human, tnr)
    return Clusters.from_counts(np.stack([n11, human - n11, size - human - n00, n00], axis=1))


def plan_table(
    pilot: Clusters,
    answers: Sequence[int] = (20, 50, 100, 200, 500),
    *,
    conf: float = 0.95,
) -> list[PlanRow]:
    """Half widths t·s of the headline figures for each number of answers, by design.

    Random sample: v = S²/n. Score bands with √N allocation: v = Σ W_h²·S_h²/n_h, the bands those of
    `sampling`. Corrected rate: S² of the residual y − λf, λ the slope over answers (PPI++ on a
    large corpus). z_i of a figure θ(T) is ∇θ(T̄)·c_i (Binder 1983); weighted pilots weigh. On the
    plain scale, so that an interval near 0 or 1 is planned a little too wide. `pilot` must hold at
    least two answers of each kind that a figure needs; a figure that it cannot tell is null.
    """
    full = pilot.without_empty()
    if full.n_answers < 2:
        raise UsageError("a plan needs a pilot of at least two answers")
    mass = full.mass / full.mass.sum()
    strata = _bands(full)
    per_answer = float(mass @ full.sizes)
    rows = []
    for figure in FIGURES:
        for estimator in (PEOPLE, CORRECTED) if figure == "human_rate" else (PEOPLE,):
            z = _contributions(full, figure, mass, corrected=estimator == CORRECTED)
            base = _contributions(full, figure, mass, corrected=False)
            for n in answers:
                alone = _random(base, mass, n)
                for design, made in (
                    (RANDOM, (_random(z, mass, n), per_answer)),
                    (BANDS, _banded(z, full, mass, strata, n)),
                ):
                    rows.append(_row(figure, design, estimator, n, made, (alone, per_answer), conf))
    return rows


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """Telling two judges apart with so many answers: labels, half width, chance to pass the gate.

    `power`: chance that the gate passes a judge that is truly as good, at the given margin.
    """

    design: str
    answers: int
    labels: int
    half_width: float
    power: float
    label_share: float


def comparison_table(
    discordance: float,
    claims_per_answer: float,
    answers: Sequence[int] = (20, 50, 100, 200, 500),
    *,
    deff: float = 1.0,
    margin: float = 0.03,
    conf: float = 0.95,
) -> list[ComparisonRow]:
    """Difference in agreement of two judges that differ on a share ψ of the claims.

    Random: all claims of n answers, v = ψ·deff/(n·m̄). Discordant, labelling only the claims on
    which the judges differ: the same n·m̄ claims are covered by ψ·n·m̄ labels. ψ is known from the
    verdicts alone. Power as in `planning.power_of_non_inferiority`.
    """
    if not 0 < discordance <= 1 or claims_per_answer < 1 or deff <= 0:
        raise UsageError("a share of differing claims above 0 and claims per answer are needed")
    rows = []
    for n in answers:
        claims = n * claims_per_answer
        half = t_quantile(conf, max(n - 1, 1)) * math.sqrt(discordance * deff / claims)
        power = power_of_non_inferiority(claims, discordance, margin, deff=deff)
        for design, share in ((RANDOM, 1.0), (DISCORDANT, discordance)):
            labels = math.ceil(claims * share - 1e-9)
            rows.append(ComparisonRow(design, n, labels, half, power, share))
    return rows


def _contributions(
    pilot: Clusters, figure: str, mass: FloatArray, *, corrected: bool
) -> FloatArray | None:
    """z_i of a figure, of mean 0, (U,); None where the pilot cannot tell it."""
    mean = mass @ pilot.vectors
    kernel = MEASURES[figure].kernel
    if not np.isfinite(float(kernel(mean))):
        return None
    z = np.asarray(pilot.vectors @ gradient(kernel, mean), dtype=np.float64)
    if not corrected:
        return z
    judge = pilot.vectors @ gradient(MEASURES["judge_rate"].kernel, mean)
    around = float(mass @ judge**2)
    slope = min(1.0, max(0.0, float(mass @ (z * judge)) / around)) if around > 0 else 0.0
    return np.asarray(z - slope * judge, dtype=np.float64)


def _bands(pilot: Clusters) -> IntArray:
    """Score band of each distinct answer, by the judge's share of entailed claims."""
    score = (pilot.vectors[:, 0] + pilot.vectors[:, 2]) / pilot.sizes
    return np.searchsorted(np.array(DEFAULT_CUTS), score, side="right").astype(np.int64)


def _random(z: FloatArray | None, mass: FloatArray, n: int) -> tuple[float, float] | None:
    """Variance with n answers and its degrees of freedom."""
    if z is None or n < 2:
        return None
    return float(mass @ (z - mass @ z) ** 2) / n, n - 1


def _banded(
    z: FloatArray | None, pilot: Clusters, mass: FloatArray, bands: IntArray, n: int
) -> tuple[tuple[float, float] | None, float]:
    """Variance, degrees of freedom and claims per answer under score bands."""
    held = np.bincount(bands, weights=mass, minlength=len(DEFAULT_CUTS) + 1)
    present = np.flatnonzero(held).tolist()
    groups = groups_to_fit([math.ceil(held[b] * _BIG) for b in present], n)
    parts = [np.isin(bands, [present[i] for i in group]) for group in groups]
    share = [float(mass[part].sum()) for part in parts]
    take = allocate([math.ceil(w * _BIG) for w in share], n, [math.sqrt(w) for w in share])
    claims = 0.0
    square = 0.0
    for part, w, k in zip(parts, share, take, strict=True):
        within = mass[part] / w
        claims += k * float(within @ pilot.sizes[part]) / n
        if z is not None:
            square += w * w * float(within @ (z[part] - within @ z[part]) ** 2) / k
    made = (square, float(n - len(parts))) if z is not None and n > len(parts) else None
    return made, claims


def _row(
    figure: str,
    design: str,
    estimator: str,
    n: int,
    made: tuple[tuple[float, float] | None, float],
    base: tuple[tuple[float, float] | None, float],
    conf: float,
) -> PlanRow:
    (spread, claims), (alone, base_claims) = made, base
    labels = math.ceil(n * claims - 1e-9)
    # a figure without any spread in the pilot (all right, or all wrong) is not known exactly: the
    # pilot is too small to tell
    if spread is None or alone is None or min(spread[0], alone[0]) <= 0:
        return PlanRow(figure, design, estimator, n, labels, None, None)
    half = t_quantile(conf, spread[1]) * math.sqrt(spread[0])
    against = t_quantile(conf, alone[1]) * math.sqrt(alone[0])
    saved = (half / against) ** 2 * claims / base_claims
    return PlanRow(figure, design, estimator, n, labels, half, saved)
