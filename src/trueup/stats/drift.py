"""Whether a judge still rules as it did: a confidence sequence that may be read at any time.

A frozen set of labelled records (the canary) is rejudged on a schedule. Each look at an ordinary
interval is another chance of a false alarm; a confidence sequence covers at all looks together.
Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas 2024, "Time-uniform central limit theory and
asymptotic confidence sequences", theorem 2.2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trueup.errors import UsageError
from trueup.stats.estimate import Estimate

METHOD = "asymptotic_confidence_sequence"

_PRIOR_VARIANCE = 0.25
_SOONEST = 10


@dataclass(frozen=True, slots=True)
class Drift:
    """The mean change so far, with its confidence sequence, and the first alarm (1-based)."""

    change: Estimate
    alarm_at: int | None

    @property
    def alarm(self) -> bool:
        """Whether the sequence has left 0 at any time."""
        return self.alarm_at is not None


def asymptotic_cs_radius(n: int, sd: float, *, alpha: float = 0.05, rho: float = 0.1) -> float:
    """Radius of the confidence sequence of a mean after n observations of standard deviation sd.

    sd·√( 2(nρ² + 1)/(n²ρ²) · log(√(nρ² + 1)/α) ): the Gaussian-mixture boundary. ρ > 0 decides at
    which n it is tightest (`rho_for`). Raises UsageError for n < 1, sd < 0, α outside (0, 1).
    """
    if n < 1 or sd < 0 or not 0 < alpha < 1 or rho <= 0:
        raise UsageError("n at least 1, sd at least 0, alpha in (0, 1) and rho above 0 are needed")
    grown = n * rho * rho + 1
    return sd * math.sqrt(2 * grown / (n * n * rho * rho) * math.log(math.sqrt(grown) / alpha))


def rho_for(n: int, *, alpha: float = 0.05) -> float:
    """The ρ that makes the sequence tightest after about n observations.

    √((−2 log α + log(−2 log α + 1))/n): equation (13) there.
    """
    if n < 1 or not 0 < alpha < 1:
        raise UsageError("n at least 1 and alpha in (0, 1) are needed")
    log = -2 * math.log(alpha)
    return math.sqrt((log + math.log(log + 1)) / n)


def watch(differences: npt.ArrayLike, *, alpha: float = 0.05, expected: int = 200) -> Drift:
    """Mean of paired changes (n,) in the order in which they came, each in [−1, 1].

    A difference is the new score (or verdict) of a canary record less its frozen one; `expected` is
    the n at which the sequence shall be tightest. The running variance has one pseudo-observation
    of variance ¼, so that unanimous early changes do not pass for certainty. Alarm: the first n of
    at least 10 at which the sequence excludes 0; it stays, since the sequence holds at all n.
    """
    x = np.asarray(differences, dtype=np.float64)
    if x.ndim != 1 or not np.isfinite(x).all() or (len(x) and np.abs(x).max() > 1):
        raise UsageError("differences must be a flat list of numbers between -1 and 1")
    if not len(x):
        return Drift(Estimate.undefined("no rejudged record", METHOD), None)
    rho = rho_for(expected, alpha=alpha)
    count = np.arange(1, len(x) + 1)
    mean = np.cumsum(x) / count
    squares = np.cumsum(x * x) - count * mean * mean
    sd = np.sqrt((np.maximum(squares, 0.0) + _PRIOR_VARIANCE) / (count + 1))
    steps = zip(count.tolist(), sd.tolist(), strict=True)
    radius = np.array([asymptotic_cs_radius(n, s, alpha=alpha, rho=rho) for n, s in steps])
    out = np.flatnonzero((np.abs(mean) > radius) & (count >= _SOONEST))
    last, reach = float(mean[-1]), float(radius[-1])
    change = Estimate(last, max(-1.0, last - reach), min(1.0, last + reach), METHOD)
    return Drift(change, int(count[out[0]]) if len(out) else None)
