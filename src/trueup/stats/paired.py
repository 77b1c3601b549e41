"""Two judges on the same labels, compared inside answers.

Clusters hold eight cells per answer, digits (human, a, b): 111, 110, 101, 100, 011, 010, 001, 000.
Every difference is b − a. Standard errors are delete-one-answer jackknife (linearised for a
designed sample), intervals use t_{K−1}; never BCa. The test is the exact cluster sign-flip; the
item-level exact McNemar stands beside it as naive.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from trueup.stats.agreement import MEASURES, NO_UNITS
from trueup.stats.agreement_intervals import estimate
from trueup.stats.counts import Clusters, FloatArray
from trueup.stats.estimate import Estimate, mark_weighted
from trueup.stats.exact import holm, mcnemar, sign_flip
from trueup.stats.gate import NonInferiority, non_inferiority
from trueup.stats.intervals import (
    ONE_ANSWER,
    T_OVER_ANSWERS,
    answer_mean,
    standard_error,
    t_quantile,
    variance,
)

CELLS = ((1, 1, 1), (1, 1, 0), (1, 0, 1), (1, 0, 0), (0, 1, 1), (0, 1, 0), (0, 0, 1), (0, 0, 0))
"""(human, a, b) of each of the eight cells."""

JACKKNIFE_T = "jackknife_t"
DELTA_T = "delta_t"
NO_VARIATION = "every answer differs by the same share: no variation to judge by"
SIGN_FLIP = "exact cluster sign-flip"
WEIGHTED_T = "t of the weighted difference"

_NO_SPREAD = 1e-9
_MIN_NEGATIVE_ANSWERS = 10


def _collapse(judge: int) -> npt.NDArray[np.int64]:
    """(8, 4) map from eight cells to the table of people against judge 1 (a) or 2 (b)."""
    matrix = np.zeros((8, 4), np.int64)
    for row, cell in enumerate(CELLS):
        matrix[row, 2 * (1 - cell[0]) + 1 - cell[judge]] = 1
    return matrix


FIRST, SECOND = _collapse(1), _collapse(2)
_ONLY_A = np.array([h == a != b for h, a, b in CELLS], dtype=np.int64)
_ONLY_B = np.array([h == b != a for h, a, b in CELLS], dtype=np.int64)
_A_YES = np.array([a for _, a, _ in CELLS], dtype=np.int64)
_B_YES = np.array([b for _, _, b in CELLS], dtype=np.int64)
_H_YES = np.array([h for h, _, _ in CELLS], dtype=np.int64)


def first_judge(clusters: Clusters) -> Clusters:
    """The table of people against judge a, (U, 4), from eight cells."""
    return clusters.mapped(FIRST)


def second_judge(clusters: Clusters) -> Clusters:
    """The table of people against judge b, (U, 4), from eight cells."""
    return clusters.mapped(SECOND)


def delta(clusters: Clusters, name: str, *, conf: float = 0.95) -> Estimate:
    """θ_b − θ_a of the measure `name`, ± t·s with the jackknife (or linearised) error.

    Clipped to what the difference can be. Judges that never differ where the measure looks:
    0 [0, 0], flag `identical`. Undefined where either judge's measure is; no interval for K < 2,
    an undefined replicate, or judges that differ by the same share in every answer.
    """
    spec = MEASURES[name]
    room = 1.0 if spec.kind == "share" else 2.0
    method = DELTA_T if clusters.designed else JACKKNIFE_T

    def statistic(cells: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return spec.kernel(cells @ SECOND) - spec.kernel(cells @ FIRST)

    scaled = clusters.normalised()
    error = standard_error(scaled, statistic)
    if not np.isfinite(error.value):
        return Estimate.undefined(spec.undefined if clusters.n_units else NO_UNITS, method)
    if _same(clusters, spec.base):
        return Estimate(0.0, 0.0, 0.0, method, se=0.0, flags=("identical",))
    if error.se is None:
        return Estimate(error.value, method=method, reason=error.reason)
    return _plus_minus(error.value, error.se, error.df, conf, method, room)


def _same(clusters: Clusters, base: tuple[int, ...]) -> bool:
    """Whether the judges agree on every unit in the human rows that a measure looks at."""
    differ = _ONLY_A + _ONLY_B
    if base == (2, 3):
        differ = differ * (1 - _H_YES)
    elif base == (0, 1):
        differ = differ * _H_YES
    return int(clusters.raw_totals @ differ) == 0


def _plus_minus(
    value: float, se: float, df: float, conf: float, method: str, room: float
) -> Estimate:
    if se < _NO_SPREAD:
        return Estimate(value, method=method, reason=NO_VARIATION, se=se)
    half = t_quantile(conf, df) * se
    low, high = max(-room, value - half), min(room, value + half)
    return Estimate(value, low, high, method, se=se, extra={"df": df})


def _shares(clusters: Clusters, cells: npt.NDArray[np.int64]) -> FloatArray:
    """Share of each distinct answer's units in the given cells, NaN for an empty answer, (U,)."""
    sizes = clusters.sizes
    hits = clusters.vectors @ cells
    return np.where(sizes > 0, hits / np.where(sizes > 0, sizes, 1), np.nan)


def delta_mean_score(clusters: Clusters, *, conf: float = 0.95) -> Estimate:
    """Mean over answers of (share b calls entailed − share a calls entailed), t over answers."""
    full = clusters.without_empty()
    if full.n_units == 0:
        return Estimate.undefined(NO_UNITS, T_OVER_ANSWERS)
    if _same(full, ()):
        return Estimate(0.0, 0.0, 0.0, T_OVER_ANSWERS, se=0.0, flags=("identical",))
    y = _shares(full, _B_YES - _A_YES)
    mean = float(full.mass @ y / full.mass.sum())
    spread = variance(full, full.weight * (y - mean) / full.mass.sum())
    if spread is None:
        return Estimate(mean, method=T_OVER_ANSWERS, reason=ONE_ANSWER)
    return _plus_minus(mean, spread.se, spread.df, conf, T_OVER_ANSWERS, 1.0)


_PEOPLE_FIRST = np.zeros((4, 8), np.int64)
for _cell, (_human, _judge) in enumerate(((1, 1), (1, 0), (0, 1), (0, 0))):
    _PEOPLE_FIRST[_cell, CELLS.index((_human, _human, _judge))] = 1


def score_shift(clusters: Clusters, *, conf: float = 0.95) -> Estimate:
    """Mean over answers of (judge's − people's entailed share), from the table of four cells."""
    return delta_mean_score(clusters.mapped(_PEOPLE_FIRST), conf=conf)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Judge b against judge a on their common labelled units; differences are b − a.

    `cells`: unweighted units in each of the eight cells. `p` belongs to the difference in
    agreement; `p_holm` is set by `adjust` over several comparisons. `non_inferiority` holds the
    agreement and, where enough answers carry not-entailed claims, the TNR.
    """

    a: str
    b: str
    n_records: int
    n_units: int
    cells: tuple[int, ...]
    only_a_right: int
    only_b_right: int
    agreement_a: Estimate
    agreement_b: Estimate
    kappa_a: Estimate
    kappa_b: Estimate
    delta_agreement: Estimate
    delta_kappa: Estimate
    delta_tnr: Estimate
    delta_mean_score: Estimate
    mean_score_a: Estimate
    mean_score_b: Estimate
    mean_score_human: Estimate
    p: float | None
    p_mid: float | None
    p_method: str
    p_mcnemar_exact: float
    non_inferiority: NonInferiority
    p_holm: float | None = None
    weighted: bool = False

    @property
    def identical(self) -> bool:
        """The judges said the same of every unit."""
        return self.only_a_right + self.only_b_right == 0

    @property
    def score_note(self) -> str | None:
        """Why the judge's score moved although the answers are the same; None where it did not."""
        change = self.delta_mean_score.value
        if not change or self.identical:
            return None
        nets = {
            "unsupported": self.cells[6] - self.cells[5],
            "supported": self.cells[2] - self.cells[1],
        }
        moved, wrongly = ("rose", "better") if change > 0 else ("fell", "worse")
        causes = [_more(kind, net) for kind, net in nets.items() if net * change > 0]
        against = [_more(kind, net) for kind, net in nets.items() if net * change < 0]
        if not causes:
            return f"The score {moved}, but not because answers got {wrongly}: they are the same."
        although = f" (although {' and '.join(against)})" if against else ""
        return (
            f"The score {moved} because {self.b} passes {' and '.join(causes)} than {self.a}"
            f"{although}, not because answers got {wrongly}."
        )

    def to_json(self) -> dict[str, object]:
        """The contract's object under `comparisons`."""
        out: dict[str, object] = {
            "a": self.a,
            "b": self.b,
            "n_records": self.n_records,
            "n_units": self.n_units,
            "only_a_right": self.only_a_right,
            "only_b_right": self.only_b_right,
            "delta_agreement": self.delta_agreement.to_json(),
            "delta_kappa": self.delta_kappa.to_json(),
            "delta_tnr": self.delta_tnr.to_json(),
            "delta_mean_score": self.delta_mean_score.to_json(),
            "mean_score": {
                "a": self.mean_score_a.to_json(),
                "b": self.mean_score_b.to_json(),
                "human": self.mean_score_human.to_json(),
            },
            "p": self.p,
            "p_mid": self.p_mid,
            "p_method": self.p_method,
            "p_mcnemar_exact": self.p_mcnemar_exact,
            "p_holm": self.p_holm,
            "identical": self.identical,
            "score_note": self.score_note,
        }
        if self.weighted:
            mark_weighted(out)
            out["weighted"] = True
        return out


def _more(kind: str, net: int) -> str:
    """`2 fewer unsupported claims`."""
    n = abs(net)
    return f"{n} {'more' if net > 0 else 'fewer'} {kind} claim{'s' if n > 1 else ''}"


def compare_cells(
    clusters: Clusters, a: str = "a", b: str = "b", *, conf: float = 0.95, margin: float = 0.03
) -> Comparison:
    """Everything that two judges' eight cells say; see `Comparison`. No unit: nulls, p = None."""
    full = clusters if clusters.designed else clusters.without_empty()
    one, two = first_judge(full), second_judge(full)
    raw = full.raw_totals
    only_a, only_b = int(raw @ _ONLY_A), int(raw @ _ONLY_B)
    agreement = delta(full, "percent_agreement", conf=conf)
    tnr = delta(full, "tnr", conf=conf)
    p, p_mid, method = _p_value(full, agreement)
    negatives = int(full.multiplicity[full.vectors @ (1 - _H_YES) > 0].sum())
    sizes = (full.n_answers, full.n_units)
    return Comparison(
        a=a,
        b=b,
        n_records=full.n_answers,
        n_units=full.n_units,
        cells=tuple(int(x) for x in raw),
        only_a_right=only_a,
        only_b_right=only_b,
        agreement_a=estimate(one, "percent_agreement", conf=conf),
        agreement_b=estimate(two, "percent_agreement", conf=conf),
        kappa_a=estimate(one, "kappa", conf=conf),
        kappa_b=estimate(two, "kappa", conf=conf),
        delta_agreement=agreement,
        delta_kappa=delta(full, "kappa", conf=conf),
        delta_tnr=tnr,
        delta_mean_score=delta_mean_score(full, conf=conf),
        mean_score_a=answer_mean(full, _shares(full, _A_YES), conf=conf),
        mean_score_b=answer_mean(full, _shares(full, _B_YES), conf=conf),
        mean_score_human=answer_mean(full, _shares(full, _H_YES), conf=conf),
        p=p,
        p_mid=p_mid,
        p_method=method,
        p_mcnemar_exact=mcnemar(only_b, only_a).p_exact,
        non_inferiority=non_inferiority(
            agreement, tnr if negatives >= _MIN_NEGATIVE_ANSWERS else None, margin, *sizes
        ),
        weighted=full.designed,
    )


def _p_value(clusters: Clusters, change: Estimate) -> tuple[float | None, float | None, str]:
    """Sign-flip on b_i − c_i; in a designed sample the t of the weighted difference.

    Flipping signs tests whether the judges are exchangeable in the drawn answers; weights would
    make its sums uncountable, and without them it would test another difference than the one
    shown.
    """
    method = WEIGHTED_T if clusters.designed else SIGN_FLIP
    if clusters.n_units == 0:
        return None, None, method
    if not clusters.designed:
        test = sign_flip(clusters.vectors @ (_ONLY_B - _ONLY_A), clusters.multiplicity)
        return test.p, test.mid_p, method
    return p_of(change), None, method


def p_of(change: Estimate) -> float | None:
    """Two-sided p of a difference by its own t; 1 for identical judges, None without an error."""
    if "identical" in change.flags:
        return 1.0
    if change.value is None or not change.se or change.low is None:
        return None
    from scipy.special import stdtr

    df = float(change.extra["df"] or 0)
    return min(1.0, 2 * float(stdtr(df, -abs(change.value / change.se))))


def adjust(comparisons: list[Comparison]) -> list[Comparison]:
    """The comparisons with `p_holm` set: Holm over the variants, on the agreement."""
    adjusted = holm([c.p for c in comparisons])
    return [replace(c, p_holm=p) for c, p in zip(comparisons, adjusted, strict=True)]
