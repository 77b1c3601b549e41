"""Three-way decisions: pass, fail, or inconclusive with the labels that would decide."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from trueup.stats.estimate import Estimate
from trueup.stats.intervals import DELTA_Z, JACKKNIFE_Z, t_quantile

Decision = Literal["pass", "fail", "inconclusive"]

ENOUGH_ANSWERS = 50
"""Below this many answers a comparison is too small to gate."""

_ONE_SIDED = 0.95


@dataclass(frozen=True, slots=True)
class Side:
    """One measure's part of a non-inferiority decision, with its one-sided 95 % bounds.

    `more_answers`: further answers that would decide if the estimate and its spread stayed as they
    are; None where it is decided or cannot be said.
    """

    measure: str
    value: float | None
    lower: float | None
    upper: float | None
    decision: Decision
    more_answers: int | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class NonInferiority:
    """Whether b is at most `margin` worse than a, in agreement and (where it counts) in TNR.

    `decision` is what the bounds say; `too_small` tells that there are fewer answers than a gate
    should decide on, whatever they say. `more_answers`, `more_labels`: what would decide.
    """

    margin: float
    sides: tuple[Side, ...]
    decision: Decision
    too_small: bool
    more_answers: int | None
    more_labels: int | None

    @property
    def lower(self) -> float | None:
        """One-sided 95 % lower bound of the difference in agreement."""
        return self.sides[0].lower

    @property
    def non_inferior(self) -> bool:
        """The bounds of every side are above −margin."""
        return self.decision == "pass"


def non_inferiority(
    agreement: Estimate, tnr: Estimate | None, margin: float, n_answers: int, n_units: int
) -> NonInferiority:
    """Pass when each one-sided 95 % lower bound is above −margin, fail when an upper one is below.

    Bounds are δ ± t_{0.95, df}·s. `tnr` is None where fewer than ten answers carry not-entailed
    claims. Piaggio et al. 2012 (CONSORT non-inferiority).
    """
    sides = [_side("percent_agreement", agreement, margin, n_answers)]
    if tnr is not None:
        sides.append(_side("tnr", tnr, margin, n_answers))
    said = [side.decision for side in sides]
    decision: Decision = "inconclusive"
    if "fail" in said:
        decision = "fail"
    elif all(d == "pass" for d in said):
        decision = "pass"
    too_small = n_answers < ENOUGH_ANSWERS
    more = [s.more_answers for s in sides if s.decision == "inconclusive"]
    answers = None if None in more or not more else max(m for m in more if m is not None)
    if too_small:
        answers = max(answers or 0, ENOUGH_ANSWERS - n_answers)
    labels = None
    if answers is not None and n_answers:
        labels = math.ceil(answers * n_units / n_answers)
    return NonInferiority(margin, tuple(sides), decision, too_small, answers, labels)


def _side(name: str, change: Estimate, margin: float, n: int) -> Side:
    if change.value is None or change.se is None or change.low is None:
        return Side(name, change.value, None, None, "inconclusive", None, change.reason)
    if "identical" in change.flags:
        return Side(name, 0.0, 0.0, 0.0, "pass" if margin > 0 else "inconclusive")
    df = float(change.extra["df"] or 0)
    half = t_quantile(2 * _ONE_SIDED - 1, df) * change.se
    lower, upper = change.value - half, change.value + half
    if lower > -margin:
        return Side(name, change.value, lower, upper, "pass")
    if upper < -margin:
        return Side(name, change.value, lower, upper, "fail")
    needed = _answers_for(abs(change.value + margin), change.se, n, 2 * _ONE_SIDED - 1)
    return Side(name, change.value, lower, upper, "inconclusive", needed and needed - n)


def _answers_for(gap: float, se: float, n: int, conf: float) -> int | None:
    """Answers at which t·s, shrinking with √K, is smaller than the gap; None for no gap."""
    if gap <= 0 or n < 2:
        return None
    needed = float(n)
    for _ in range(50):
        needed = max(2.0, (t_quantile(conf, max(needed - 1, 1)) * se / gap) ** 2 * n)
        if needed > 1e9:
            return None
    return max(math.ceil(needed), n + 1)


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar on the lower end of an interval: passed, failed, or not decided yet."""

    name: str
    bar: float
    measured: Estimate
    decision: Decision
    more_answers: int | None = None

    @property
    def ok(self) -> bool | None:
        """True passed, False failed, None inconclusive."""
        return {"pass": True, "fail": False, "inconclusive": None}[self.decision]


def lower_bar(name: str, measured: Estimate, bar: float, n_answers: int) -> Bar:
    """Passed when the lower end reaches the bar, failed when the upper end is below it.

    Else (or without an interval) inconclusive, with the further answers after which the lower end
    (or the upper one) would clear the bar if the estimate stayed; on Fisher's z for kappa.
    """
    if measured.value is None or measured.low is None or measured.high is None:
        return Bar(name, bar, measured, "inconclusive")
    if measured.low >= bar:
        return Bar(name, bar, measured, "pass")
    if measured.high < bar:
        return Bar(name, bar, measured, "fail")
    above = measured.value > bar
    edge = measured.low if above else measured.high
    ends = (measured.value, edge, bar)
    if measured.method in (JACKKNIFE_Z, DELTA_Z) and all(abs(x) < 1 for x in ends):
        ends = (math.atanh(ends[0]), math.atanh(ends[1]), math.atanh(ends[2]))
    gap = abs(ends[0] - ends[2])
    if gap < 1e-9:
        return Bar(name, bar, measured, "inconclusive")
    needed = n_answers * ((ends[0] - ends[1]) / gap) ** 2
    more = None if needed > 1e9 else max(1, math.ceil(needed) - n_answers)
    return Bar(name, bar, measured, "inconclusive", more)
