"""Intervals at their edges: boundary, constant raters, one carrier, no width zero."""

from __future__ import annotations

import numpy as np
import pytest

from trueup.errors import UsageError
from trueup.stats.agreement import MEASURES, kappa, measure
from trueup.stats.agreement_intervals import estimate
from trueup.stats.bootstrap import bootstrap, per_table
from trueup.stats.counts import Clusters
from trueup.stats.estimate import Estimate
from trueup.stats.intervals import (
    BOUNDARY,
    JACKKNIFE_UNDEFINED,
    ONE_ANSWER,
    answer_mean,
    gradient,
    jackknife,
    linearised,
    proportion,
    wilson,
)
from trueup.stats.summary import agreement, cluster_figures

PERFECT = Clusters.from_counts([[3, 0, 0, 1], [2, 0, 0, 2], [4, 0, 0, 0], [0, 0, 0, 3]])


@pytest.mark.parametrize("name", ["kappa", "gwet_ac1", "krippendorff_alpha", "mcc"])
def test_perfect_agreement_falls_back_to_the_agreement(name: str) -> None:
    """At 1 the lower end is the agreement's Wilson with n = answers, mapped; flagged."""
    found = estimate(PERFECT, name)
    assert (found.value, found.high, found.method) == (1, 1, BOUNDARY)
    assert BOUNDARY in found.flags
    low = wilson(1.0, 4)[0]
    at = MEASURES[name].at
    assert at is not None
    assert found.low == pytest.approx(max(-1.0, at(PERFECT.totals, low)))
    assert found.low < 1


def test_kappa_boundary_by_hand() -> None:
    """kappa_lo = 1 − (1 − A_lo)/(1 − p_e)."""
    by_chance = (9 / 15) ** 2 + (6 / 15) ** 2
    expected = 1 - (1 - wilson(1.0, 4)[0]) / (1 - by_chance)
    assert estimate(PERFECT, "kappa").low == pytest.approx(expected)


def test_perfect_disagreement_has_an_upper_end_above_minus_one() -> None:
    """At −1 the interval has a width too."""
    found = estimate(Clusters.from_counts([[0, 2, 2, 0], [0, 1, 1, 0], [0, 3, 2, 0]]), "mcc")
    assert found.value == pytest.approx(-1)
    assert found.low == -1
    assert (found.high or -1) > -0.9


def test_f1_has_no_interval_at_the_boundary() -> None:
    """No agreement can stand in for F1: value 1, or 0, without ends."""
    perfect = estimate(PERFECT, "f1_not_entailed")
    assert (perfect.value, perfect.low) == (1, None)
    assert perfect.reason
    none = estimate(Clusters.from_counts([[1, 1, 1, 0], [2, 0, 1, 0]]), "f1_not_entailed")
    assert (none.value, none.low) == (0, None)


def test_the_only_carrier_of_negatives() -> None:
    """Without that answer kappa is undefined: the value stands, the interval does not."""
    clusters = Clusters.from_counts([[3, 0, 1, 2], [4, 0, 0, 0], [5, 0, 0, 0]])
    found = estimate(clusters, "kappa")
    assert found.value is not None
    assert (found.low, found.high, found.reason) == (None, None, JACKKNIFE_UNDEFINED)
    designed = Clusters.from_counts(
        [[3, 0, 1, 2], [4, 0, 0, 0], [5, 0, 0, 0]], weight=[1, 2, 3], stratum=[0, 0, 0]
    )
    assert estimate(designed, "kappa").reason == JACKKNIFE_UNDEFINED


def test_a_constant_judge_has_kappa_zero_with_a_warning() -> None:
    """Exactly 0, flagged, with an interval that has a width."""
    found = estimate(Clusters.from_counts([[3, 0, 1, 0], [2, 0, 2, 0], [4, 0, 0, 0]]), "kappa")
    assert found.value == 0
    assert "one_rater_constant" in found.flags
    assert (found.low or 0) < 0 < (found.high or 0)


def test_shares_that_never_vary_take_the_answers_as_their_size() -> None:
    """v = 0: n_eff is the number of answers in the denominator, not of claims."""
    clusters = Clusters.from_counts([[2, 0, 0, 0], [5, 0, 0, 0], [3, 0, 0, 0]])
    found = estimate(clusters, "percent_agreement")
    assert found.extra["n_eff"] == 3
    assert (found.low, found.high) == pytest.approx(wilson(1.0, 3))
    half = proportion(Clusters.from_counts([[1, 0, 0, 1]] * 5), [0], [0, 1, 2, 3])
    assert half.extra["n_eff"] == 5
    assert (half.low, half.high) == pytest.approx(wilson(0.5, 5))


def test_only_answers_in_the_denominator_count() -> None:
    """K of the TNR counts answers with a not-entailed claim; one such answer has no interval."""
    rows = [[2, 0, 1, 1], [3, 0, 0, 0], [1, 0, 0, 2]]
    assert estimate(Clusters.from_counts(rows), "tnr").extra["df"] == 1
    single = estimate(Clusters.from_counts(rows[:2]), "tnr")
    assert (single.value, single.low, single.reason) == (0.5, None, ONE_ANSWER)


def test_per_claim_and_per_answer_are_two_estimands() -> None:
    """A long bad answer pulls the claims, not the answers."""
    from trueup.stats.frame import Frame

    rows = [(0, 1, 0)] * 8 + [(1, 1, 1)] * 2 + [(2, 1, 1)] * 2
    answer, human, judge = zip(*rows, strict=True)
    found = agreement(Frame.from_arrays(answer, human, {"j": judge}), "j")
    assert found["percent_agreement"].value == pytest.approx(4 / 12)
    assert found.per_answer["percent_agreement"].value == pytest.approx(2 / 3)
    assert found["mean_score"].value == pytest.approx(2 / 3)


def test_a_mean_score_never_has_width_zero() -> None:
    """Equal scores: Wilson with n = answers, flagged; a mean near 1 is clipped."""
    equal = Clusters.from_counts([[3, 1], [6, 2], [3, 1]])
    found = answer_mean(equal, equal.vectors[:, 0] / equal.sizes)
    assert (found.low, found.high) == pytest.approx(wilson(0.75, 3))
    assert BOUNDARY in found.flags
    near = Clusters.from_counts([[9, 1], [10, 0], [10, 0]])
    clipped = answer_mean(near, near.vectors[:, 0] / near.sizes)
    assert clipped.high == 1
    assert (clipped.low or 1) < (clipped.value or 0)


def test_values_that_are_missing_leave_the_mean() -> None:
    """NaN values are left out and the count says of how many answers the mean is."""
    clusters = Clusters.from_counts([[1, 0], [1, 1], [0, 1]])
    found = answer_mean(clusters, np.array([np.nan, 0.5, 1.0]))
    assert (found.value, found.extra["n"]) == (0.75, 2)
    assert answer_mean(clusters, np.full(3, np.nan)).value is None


def test_the_naive_column_and_the_design_effect() -> None:
    """Claims that stand or fall with their answer: the naive interval is far too narrow."""
    rows = [[10, 0, 0, 0], [0, 0, 10, 0], [0, 0, 0, 10], [10, 0, 0, 0], [0, 10, 0, 0]]
    found = cluster_figures(Clusters.from_counts(rows))["percent_agreement"]
    assert (found.extra["design_effect"] or 0) > 9
    naive = (found.extra["naive_low"], found.extra["naive_high"])
    assert naive == pytest.approx(wilson(0.6, 50))
    assert (found.low or 1) < naive[0]  # type: ignore[operator]


@pytest.mark.parametrize("name", [n for n, m in MEASURES.items() if m.kind != "other"])
def test_the_derivative_is_that_of_the_statistic(name: str) -> None:
    """Complex-step gradients agree with central differences."""
    totals = np.array([30.0, 4.0, 7.0, 12.0])
    kernel = MEASURES[name].kernel
    step = 1e-5 * np.eye(4)
    numeric = (kernel(totals + step) - kernel(totals - step)) / 2e-5
    assert gradient(kernel, totals) == pytest.approx(numeric, abs=1e-8)


def test_linearised_and_jackknife_errors_meet_in_large_samples() -> None:
    """With many answers both errors are the same to a few parts in a thousand."""
    rows = np.random.default_rng(1).poisson([3, 0.3, 0.4, 1.0], size=(2000, 4))
    clusters = Clusters.from_counts(rows)
    one, other = jackknife(clusters, kappa), linearised(clusters, kappa)
    assert one.se == pytest.approx(other.se, rel=5e-3)


def test_undefined_measures_say_why() -> None:
    """The reason names what is missing."""
    assert measure("tnr", [5, 1, 0, 0]).reason == "no unsupported claims labelled"
    assert measure("kappa", [5, 0, 0, 0]).reason == "only one label used"
    assert measure("kappa", [0, 0, 0, 0]).reason == "no labelled units"
    found = estimate(Clusters.from_counts([[5, 1, 0, 0], [2, 0, 0, 0]]), "tnr")
    assert found.reason == "no unsupported claims labelled"


def test_estimates_refuse_what_json_cannot_hold() -> None:
    """NaN and infinity never become a figure; null needs a reason."""
    for bad in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="finite"):
            Estimate(bad)
    with pytest.raises(ValueError, match="reason"):
        Estimate(None)


def test_bootstrap_of_a_users_own_statistic() -> None:
    """A function of one table, None where undefined, gets a percentile interval."""
    rows = np.random.default_rng(5).poisson([3, 0.5, 0.5, 1.0], size=(40, 4))
    clusters = Clusters.from_counts(rows)

    def odds(n11: float, n10: float, n01: float, n00: float) -> float | None:
        return None if not n10 * n01 else n11 * n00 / (n10 * n01)

    found = bootstrap(clusters, {"odds": per_table(odds)}, resamples=200, seed=4).estimate("odds")
    assert found.value == pytest.approx(odds(*clusters.totals))
    assert found.low is not None
    assert found.low < (found.value or 0) < (found.high or 0)
    assert found.extra["seed"] == 4


def test_bootstrap_errors_come_near_the_linearised_ones() -> None:
    """Plain and stratified resampling have the spread of the deltas."""
    rng = np.random.default_rng(6)
    rows = rng.poisson([3, 0.5, 0.5, 1.0], size=(300, 4))
    stratum = np.repeat([0, 1, 2], 100)
    weight = np.array([1.0, 3.0, 5.0])[stratum]
    for clusters in (
        Clusters.from_counts(rows),
        Clusters.from_counts(rows, weight=weight, stratum=stratum),
    ):
        found = bootstrap(clusters, {"kappa": kappa}, resamples=4000, seed=7).estimate("kappa")
        assert found.se == pytest.approx(linearised(clusters, kappa).se, rel=0.06)


def test_bootstrap_of_small_strata_keeps_totals_and_spread() -> None:
    """Pairs of answers as strata: totals stay unbiased, their variance is the stratified one."""
    rows = np.array([[1, 0, 0, 0], [5, 0, 0, 0], [2, 0, 0, 0], [4, 0, 0, 0]])
    clusters = Clusters.from_counts(rows, weight=[1.0, 1.0, 3.0, 3.0], stratum=[0, 0, 1, 1])
    found = bootstrap(clusters, {"total": lambda t: t[..., 0]}, resamples=20_000, seed=9)
    figure = found.estimate("total")
    assert figure.extra["boot_mean"] == pytest.approx(6 + 18, rel=0.01)
    assert figure.se == pytest.approx(np.sqrt(2 * 8 + 2 * 9 * 2), rel=0.02)


def test_bootstrap_of_nothing_and_of_one_answer() -> None:
    """No answers: null. One: a value without an interval. No resample: refused."""
    none = Clusters.from_counts(np.zeros((0, 4), int))
    assert bootstrap(none, {"kappa": kappa}, resamples=3).estimate("kappa").value is None
    one = bootstrap(Clusters.from_counts([[3, 1, 1, 2]]), {"kappa": kappa}, resamples=3)
    assert one.estimate("kappa").reason == ONE_ANSWER
    with pytest.raises(UsageError):
        bootstrap(none, {}, resamples=0)
