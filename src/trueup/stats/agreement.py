"""Agreement of one judge with people, from the four counts of a 2×2 table.

A table is n11, n10, n01, n00 along the last axis: first index the person, second the judge,
1 = entailed. Every kernel takes an array of tables (..., 4) and gives an array (...,), so that one
call evaluates all jackknife replicates; it is made of arithmetic that also works on complex tables
(exact derivatives). Inside this package NaN marks an undefined value; `measure` turns it into an
`Estimate` that is null with a reason. Tables may be weighted totals.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from trueup.stats.estimate import Estimate

Table: TypeAlias = npt.NDArray[Any]
Kernel: TypeAlias = Callable[[Table], Table]

NO_UNITS = "no labelled units"
ONE_LABEL = "only one label used"
EMPTY_MARGIN = "people or the judge used only one label"
NO_NEGATIVES = "no unsupported claims labelled"
NO_POSITIVES = "no supported claims labelled"
NONE_CALLED = "the judge called no claim unsupported"
NEITHER = "no claim labelled or called unsupported"


def ratio(above: Table, below: Table) -> Table:
    """above / below, NaN where below is 0; complex arrays keep their type."""
    zero = below == 0
    return np.where(zero, np.nan, above / np.where(zero, 1, below))


def _cells(table: Table) -> tuple[Table, Table, Table, Table]:
    t = table if np.iscomplexobj(table) else np.asarray(table, dtype=np.float64)
    return t[..., 0], t[..., 1], t[..., 2], t[..., 3]


def percent_agreement(table: Table) -> Table:
    """p_o = (n11 + n00)/n."""
    a, b, c, d = _cells(table)
    return ratio(a + d, a + b + c + d)


def expected_agreement(table: Table) -> Table:
    """Cohen's p_e: the agreement of two raters with these margins who guess. Cohen 1960."""
    a, b, c, d = _cells(table)
    n = a + b + c + d
    return ratio((a + b) * (a + c) + (c + d) * (b + d), n * n)


def kappa(table: Table) -> Table:
    """2(n11·n00 − n10·n01) / [(n11+n10)(n10+n00) + (n11+n01)(n01+n00)]. Cohen 1960.

    Both raters constant on the same label: undefined. One constant: exactly 0.
    """
    a, b, c, d = _cells(table)
    return ratio(2 * (a * d - b * c), (a + b) * (b + d) + (a + c) * (c + d))


def scott_pi(table: Table) -> Table:
    """(p_o − p_e)/(1 − p_e), p_e = π² + (1−π)² with the pooled rate π. Scott 1955."""
    a, b, c, d = _cells(table)
    ones, zeros = 2 * a + b + c, 2 * d + b + c
    return 1 - ratio((a + b + c + d) * 2 * (b + c), ones * zeros)


def ac1(table: Table) -> Table:
    """Gwet's AC1: (p_o − p_e)/(1 − p_e), p_e = 2π(1−π). Gwet 2008. Defined for n > 0."""
    a, b, c, d = _cells(table)
    n = a + b + c + d
    by_chance = ratio((2 * a + b + c) * (2 * d + b + c), 2 * n * n)
    return ratio(ratio(a + d, n) - by_chance, 1 - by_chance)


def pabak(table: Table) -> Table:
    """Prevalence- and bias-adjusted kappa 2p_o − 1. Byrt, Bishop & Carlin 1993."""
    return 2 * percent_agreement(table) - 1


def alpha(table: Table) -> Table:
    """Krippendorff's alpha for two raters, nominal: 1 − (2n − 1)(n10 + n01)/(n₁·n₀), n₁ and n₀
    the entailed and not entailed among all 2n values. Krippendorff 2011. One value: undefined.

    Weighted tables must be scaled to the number of units (`Clusters.normalised`).
    """
    a, b, c, d = _cells(table)
    values = 2 * (a + b + c + d)
    return 1 - ratio((values - 1) * (b + c), (2 * a + b + c) * (2 * d + b + c))


def mcc(table: Table) -> Table:
    """Matthews' correlation (phi). Matthews 1975. An empty margin: undefined, not 0."""
    a, b, c, d = _cells(table)
    return ratio(a * d - b * c, np.sqrt((a + b) * (c + d)) * np.sqrt((a + c) * (b + d)))


def tpr(table: Table) -> Table:
    """Share of human-entailed units that the judge calls entailed: n11/(n11 + n10)."""
    a, b, _, _ = _cells(table)
    return ratio(a, a + b)


def tnr(table: Table) -> Table:
    """Share of human-not-entailed units that the judge calls not entailed: n00/(n01 + n00).

    It is also the recall of not entailed.
    """
    _, _, c, d = _cells(table)
    return ratio(d, c + d)


def precision_not_entailed(table: Table) -> Table:
    """Share of the judge's not-entailed that people call not entailed: n00/(n10 + n00)."""
    _, b, _, d = _cells(table)
    return ratio(d, b + d)


def f1_not_entailed(table: Table) -> Table:
    """2·n00/(2·n00 + n10 + n01): harmonic mean of precision and recall of not entailed."""
    _, b, c, d = _cells(table)
    return ratio(2 * d, 2 * d + b + c)


def human_rate(table: Table) -> Table:
    """Share that people call entailed: (n11 + n10)/n."""
    a, b, c, d = _cells(table)
    return ratio(a + b, a + b + c + d)


def judge_rate(table: Table) -> Table:
    """Share that the judge calls entailed: (n11 + n01)/n."""
    a, b, c, d = _cells(table)
    return ratio(a + c, a + b + c + d)


def bias(table: Table) -> Table:
    """Bias index, signed: judge's rate − people's rate = (n01 − n10)/n. Byrt et al. 1993."""
    a, b, c, d = _cells(table)
    return ratio(c - b, a + b + c + d)


def prevalence_index(table: Table) -> Table:
    """Prevalence index, signed: (n11 − n00)/n. Byrt et al. 1993."""
    a, b, c, d = _cells(table)
    return ratio(a - d, a + b + c + d)


def _complement_kappa(table: Table) -> Table:
    return 1 - expected_agreement(table)


def _complement_ac1(table: Table) -> Table:
    a, b, c, d = _cells(table)
    n = a + b + c + d
    return 1 - ratio((2 * a + b + c) * (2 * d + b + c), 2 * n * n)


def _complement_alpha(table: Table) -> Table:
    a, b, c, d = _cells(table)
    n = a + b + c + d
    return ratio((2 * a + b + c) * (2 * d + b + c), n * (2 * n - 1))


def kappa_at(table: Table, agreement: float) -> float:
    """Kappa that these margins give at another agreement: 1 − (1 − A)/(1 − p_e)."""
    return float(1 - (1 - agreement) / _complement_kappa(table))


def ac1_at(table: Table, agreement: float) -> float:
    """AC1 at another agreement, with its own p_e: 1 − (1 − A)/(1 − p_e)."""
    return float(1 - (1 - agreement) / _complement_ac1(table))


def alpha_at(table: Table, agreement: float) -> float:
    """Alpha at another agreement, with its own expected disagreement in the place of 1 − p_e."""
    return float(1 - (1 - agreement) / _complement_alpha(table))


def mcc_at(table: Table, agreement: float) -> float:
    """MCC at another agreement: (A − p_e)/(2·√(p₁p₀q₁q₀)), p and q the two margins.

    Equal to 1 − (1 − A)/(1 − p_e) where MCC = 1 (equal margins).
    """
    p, q = float(human_rate(table)), float(judge_rate(table))
    spread = 2 * float(np.sqrt(p * (1 - p) * q * (1 - q)))
    return (agreement - float(expected_agreement(table))) / spread


Kind = Literal["share", "chance", "f1", "other"]


@dataclass(frozen=True, slots=True)
class Measure:
    """One statistic of a table: its kernel, the kind of interval, and why it may be undefined.

    share: `hits` over `base` (cells). chance: Fisher's z; `at` maps an agreement to the measure.
    """

    name: str
    kernel: Kernel
    kind: Kind
    undefined: str
    hits: tuple[int, ...] = ()
    base: tuple[int, ...] = ()
    at: Callable[[Table, float], float] | None = None


_ALL = (0, 1, 2, 3)

MEASURES: Mapping[str, Measure] = MappingProxyType(
    {
        m.name: m
        for m in (
            Measure("percent_agreement", percent_agreement, "share", NO_UNITS, (0, 3), _ALL),
            Measure("kappa", kappa, "chance", ONE_LABEL, at=kappa_at),
            Measure("scott_pi", scott_pi, "other", ONE_LABEL),
            Measure("gwet_ac1", ac1, "chance", NO_UNITS, at=ac1_at),
            Measure("pabak", pabak, "other", NO_UNITS),
            Measure("krippendorff_alpha", alpha, "chance", ONE_LABEL, at=alpha_at),
            Measure("mcc", mcc, "chance", EMPTY_MARGIN, at=mcc_at),
            Measure("tpr", tpr, "share", NO_POSITIVES, (0,), (0, 1)),
            Measure("tnr", tnr, "share", NO_NEGATIVES, (3,), (2, 3)),
            Measure(
                "precision_not_entailed", precision_not_entailed, "share", NONE_CALLED, (3,), (1, 3)
            ),
            Measure("recall_not_entailed", tnr, "share", NO_NEGATIVES, (3,), (2, 3)),
            Measure("f1_not_entailed", f1_not_entailed, "f1", NEITHER),
            Measure("human_rate", human_rate, "share", NO_UNITS, (0, 1), _ALL),
            Measure("judge_rate", judge_rate, "share", NO_UNITS, (0, 2), _ALL),
            Measure("bias", bias, "other", NO_UNITS),
            Measure("prevalence_index", prevalence_index, "other", NO_UNITS),
            Measure("expected_agreement", expected_agreement, "other", NO_UNITS),
        )
    }
)
"""Every statistic of one table, by the name it has in reports."""


def measure(name: str, table: npt.ArrayLike) -> Estimate:
    """One statistic of one table (4,), without an interval; null with a reason where undefined."""
    spec, cells = MEASURES[name], np.asarray(table, dtype=np.float64)
    value = float(spec.kernel(cells))
    if np.isfinite(value):
        return Estimate(value)
    return Estimate.undefined(spec.undefined if cells.sum() > 0 else NO_UNITS)


def measures(table: npt.ArrayLike) -> dict[str, Estimate]:
    """Every statistic of one table (4,) without intervals. An empty table: all null, no error."""
    return {name: measure(name, table) for name in MEASURES}


def constant_raters(table: npt.ArrayLike) -> tuple[bool, bool]:
    """Whether people, and whether the judge, used a single label. An empty table: neither."""
    a, b, c, d = (float(x) for x in np.asarray(table, dtype=np.float64))
    if a + b + c + d == 0:
        return False, False
    return (a + b) * (c + d) == 0, (a + c) * (b + d) == 0
