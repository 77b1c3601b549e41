"""How many labels: for an interval of a wanted width, to certify a bar, to tell judges apart.

Closed forms from assumed or measured prevalence, agreement and design effect. Claims inside an
answer are alike, so n claims are worth n/deff independent ones. Every function gives the exact
number, the whole number of claims, and of answers where the claims per answer are given.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from trueup.errors import UsageError
from trueup.stats.intervals import z_quantile
from trueup.stats.raters import kappa_fce_se


@dataclass(frozen=True, slots=True)
class Need:
    """Labels needed: `exact`, and rounded up to whole claims and whole answers (None: not said)."""

    exact: float
    claims: int
    answers: int | None = None

    @classmethod
    def of(cls, exact: float, claims_per_answer: float | None) -> Need:
        """Rounded up."""
        # a rounding error above a whole number must not cost a label
        claims = max(1, math.ceil(exact - 1e-9))
        if claims_per_answer is None:
            return cls(exact, claims)
        return cls(exact, claims, math.ceil(claims / claims_per_answer - 1e-9))


def design_effect(claims_per_answer: float, icc: float, cv: float = 0.0) -> float:
    """1 + (m̄(1 + cv²) − 1)·icc: what clustering costs, from the mean and the coefficient of
    variation of claims per answer and their intraclass correlation (Kish 1965; Eldridge 2006).
    """
    if claims_per_answer < 1 or cv < 0 or not -1 <= icc <= 1:
        raise UsageError("at least one claim an answer, cv at least 0, icc in [-1, 1] are needed")
    return 1 + (claims_per_answer * (1 + cv * cv) - 1) * icc


def n_for_halfwidth_rate(
    p: float,
    half_width: float,
    *,
    conf: float = 0.95,
    deff: float = 1.0,
    class_share: float = 1.0,
    claims_per_answer: float | None = None,
) -> Need:
    """Claims for an interval p ± h of a rate: z²·p(1−p)/h²·deff/share.

    `class_share` is the share of claims that the rate is about: for TNR the share that people call
    not entailed. Cochran 1977, 4.4.
    """
    _shares(p=p)
    _positive(half_width=half_width, deff=deff, class_share=class_share)
    z = z_quantile(conf)
    exact = z * z * p * (1 - p) / half_width**2 * deff / class_share
    return Need.of(exact, claims_per_answer)


def kappa_variance(kappa: float, p_human: float, p_judge: float) -> float:
    """n·var(κ̂) of independent units: Fleiss, Cohen & Everitt 1969, from κ and both margins.

    Raises UsageError where no table has such a κ with such margins.
    """
    _shares(p_human=p_human, p_judge=p_judge)
    chance = p_human * p_judge + (1 - p_human) * (1 - p_judge)
    observed = kappa * (1 - chance) + chance
    both = (observed - 1 + p_human + p_judge) / 2
    cells = (both, p_human - both, p_judge - both, observed - both)
    se = kappa_fce_se(*(max(0.0, cell) for cell in cells)) if min(cells) > -1e-12 else None
    if se is None:
        raise UsageError(
            f"no table has kappa {kappa} with {p_human} entailed by people and {p_judge} by the "
            "judge"
        )
    return se * se


def n_for_halfwidth_kappa(
    kappa: float,
    p_human: float,
    p_judge: float,
    half_width: float,
    *,
    conf: float = 0.95,
    deff: float = 1.0,
    claims_per_answer: float | None = None,
) -> Need:
    """Claims for an interval κ ± h: z²·Q/h²·deff, Q = `kappa_variance`."""
    _positive(half_width=half_width, deff=deff)
    z = z_quantile(conf)
    exact = z * z * kappa_variance(kappa, p_human, p_judge) / half_width**2 * deff
    return Need.of(exact, claims_per_answer)


def n_for_kappa_test(
    p_human: float,
    p_judge: float,
    kappa_true: float,
    kappa_null: float,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    two_sided: bool = False,
    deff: float = 1.0,
    claims_per_answer: float | None = None,
) -> Need:
    """Claims for a test of κ = κ₀ when κ₁ is true: ((z_α·√Q₀ + z_power·√Q₁)/(κ₁ − κ₀))²·deff.

    Cantor 1996; one-sided unless asked. Raises UsageError for κ₀ = κ₁.
    """
    _positive(deff=deff)
    if kappa_true == kappa_null:
        raise UsageError("no number of labels tells a kappa from itself")
    z_alpha = _upper(alpha / 2 if two_sided else alpha)
    spread = [math.sqrt(kappa_variance(k, p_human, p_judge)) for k in (kappa_null, kappa_true)]
    root = (z_alpha * spread[0] + _upper(1 - power) * spread[1]) / (kappa_true - kappa_null)
    return Need.of(root * root * deff, claims_per_answer)


def n_to_certify_kappa(
    kappa: float,
    bar: float,
    p_human: float,
    p_judge: float,
    *,
    conf: float = 0.95,
    power: float = 0.8,
    deff: float = 1.0,
    claims_per_answer: float | None = None,
) -> Need | None:
    """Claims so that the lower end of κ's interval reaches the bar with the given power.

    On Fisher's z scale, as the interval is made: Q·deff·((z_conf + z_power)/((atanh κ − atanh bar)
    ·(1 − κ²)))². None where κ is not above the bar: no number of labels certifies it.
    """
    _positive(deff=deff)
    if not -1 < bar < kappa < 1:
        return None
    gap = (math.atanh(kappa) - math.atanh(bar)) * (1 - kappa * kappa)
    reach = z_quantile(conf) + _upper(1 - power)
    exact = kappa_variance(kappa, p_human, p_judge) * deff * (reach / gap) ** 2
    return Need.of(exact, claims_per_answer)


def n_for_overlap(
    sd_new: float, correlation: float, half_width: float, n_total: int, *, conf: float = 0.95
) -> Need:
    """Records to rejudge so that the restated mean of n_total records is known to ± h.

    m₀ = z²·s_y²·(1 − ρ²)/h², m = m₀/(1 + m₀/N); s_y the spread of the new scores, ρ their
    correlation with the old ones. Cochran 1977, 4.2 and 7.3. `claims` counts records here.
    """
    _positive(sd_new=sd_new, half_width=half_width, n_total=n_total)
    if not -1 <= correlation <= 1:
        raise UsageError("a correlation lies between -1 and 1")
    first = (z_quantile(conf) * sd_new / half_width) ** 2 * (1 - correlation**2)
    return Need.of(first / (1 + first / n_total), None)


def n_for_non_inferiority(
    discordance: float,
    margin: float,
    *,
    difference: float = 0.0,
    alpha: float = 0.05,
    power: float = 0.8,
    deff: float = 1.0,
    claims_per_answer: float | None = None,
) -> Need | None:
    """Claims so that the lower bound of agreement(new) − agreement(old) is above −margin.

    deff·(ψ − δ²)·((z_α + z_power)/(margin + δ))², ψ the share of claims on which the judges differ
    (known without labels), δ the true difference; α one-sided. None for δ ≤ −margin. Only the
    share ψ of these claims carries information: under the discordant design, labelling those alone,
    ψ times as many labels do (Piaggio et al. 2012; Liu et al. 2002 for paired shares).
    """
    _shares(discordance=discordance)
    _positive(margin=margin, deff=deff)
    if difference <= -margin:
        return None
    variance = max(discordance - difference**2, 0.0)
    reach = (_upper(alpha) + _upper(1 - power)) / (margin + difference)
    return Need.of(deff * variance * reach * reach, claims_per_answer)


def power_of_non_inferiority(
    claims: float,
    discordance: float,
    margin: float,
    *,
    difference: float = 0.0,
    alpha: float = 0.05,
    deff: float = 1.0,
) -> float:
    """Chance that the gate passes a judge whose agreement differs by δ: Φ((margin + δ)/s − z_α)."""
    from scipy.special import ndtr

    _shares(discordance=discordance)
    _positive(claims=claims, margin=margin, deff=deff)
    se = math.sqrt(max(discordance - difference**2, 0.0) * deff / claims)
    if se == 0:
        return 1.0 if difference > -margin else 0.0
    return float(ndtr((margin + difference) / se - _upper(alpha)))


def more_labels(labels: int, times_narrower: float = 2.0) -> int:
    """Labels to add so that an interval is so many times narrower: n·(factor² − 1).

    Four times the labels, three times more, halve an interval.
    """
    _positive(labels=labels)
    if times_narrower <= 1:
        raise UsageError("an interval is made narrower by a factor above 1")
    return math.ceil(labels * (times_narrower**2 - 1) - 1e-9)


def _upper(alpha: float) -> float:
    """z with probability alpha above it."""
    if not 0 < alpha < 1:
        raise UsageError("alpha and power lie between 0 and 1")
    return z_quantile(1 - 2 * alpha)


def _shares(**given: float) -> None:
    for name, value in given.items():
        if not 0 <= value <= 1:
            raise UsageError(f"{name} is a share between 0 and 1, not {value}")


def _positive(**given: float) -> None:
    for name, value in given.items():
        if not value > 0 or math.isinf(value):
            raise UsageError(f"{name} must be above 0, not {value}")
