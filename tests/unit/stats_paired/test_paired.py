"""Two judges on the same labels: differences, p-values, notes, the gate."""

from __future__ import annotations

import numpy as np
import pytest

from trueup.errors import UsageError
from trueup.stats.agreement import kappa
from trueup.stats.counts import Clusters
from trueup.stats.estimate import Estimate
from trueup.stats.exact import clustered_mcnemar, holm, mcnemar, sign_flip
from trueup.stats.frame import Frame
from trueup.stats.gate import lower_bar, non_inferiority
from trueup.stats.intervals import JACKKNIFE_UNDEFINED, t_quantile
from trueup.stats.paired import (
    FIRST,
    NO_VARIATION,
    SECOND,
    adjust,
    compare_cells,
    delta,
    first_judge,
    second_judge,
)
from trueup.stats.summary import compare

RNG = np.random.default_rng(30)
ROWS = RNG.poisson([3, 0.2, 0.3, 0.3, 0.3, 0.5, 0.1, 1.0], size=(60, 8))


def test_eight_cells_collapse_to_each_judges_table() -> None:
    """The tables of a and b keep the people's margin."""
    clusters = Clusters.from_counts(ROWS)
    a, b = first_judge(clusters).totals, second_judge(clusters).totals
    t = ROWS.sum(axis=0)
    assert a.tolist() == [t[0] + t[1], t[2] + t[3], t[4] + t[5], t[6] + t[7]]
    assert b.tolist() == [t[0] + t[2], t[1] + t[3], t[4] + t[6], t[5] + t[7]]
    assert (a[0] + a[1], a[2] + a[3]) == (b[0] + b[1], b[2] + b[3])


def test_delta_is_the_loop_over_left_out_answers() -> None:
    """The grouped paired jackknife is the plain one."""
    full = ROWS[ROWS.sum(axis=1) > 0]
    total, n = full.sum(axis=0), len(full)
    replicates = np.array([kappa((total - r) @ SECOND) - kappa((total - r) @ FIRST) for r in full])
    se = np.sqrt((n - 1) / n * ((replicates - replicates.mean()) ** 2).sum())
    found = delta(Clusters.from_counts(ROWS), "kappa")
    assert found.se == pytest.approx(se, abs=1e-12)
    assert (found.value or 0) - (found.low or 0) == pytest.approx(t_quantile(0.95, n - 1) * se)


def test_a_weighted_comparison_uses_its_weights() -> None:
    """Delta is a ratio of weighted sums, p the t of that delta, and it says weighted."""
    stratum = np.arange(60) % 3
    weight = np.array([1.0, 4.0, 9.0])[stratum]
    found = compare_cells(Clusters.from_counts(ROWS, weight=weight, stratum=stratum))
    gain = ROWS @ np.array([0, -1, 1, 0, 0, 1, -1, 0])
    expected = (weight * gain).sum() / (weight * ROWS.sum(axis=1)).sum()
    assert found.delta_agreement.value == pytest.approx(expected)
    assert found.delta_agreement.extra["df"] == 57
    assert found.weighted
    assert found.to_json()["weighted"] is True
    assert found.p_method == "t of the weighted difference"
    from scipy.special import stdtr

    t = (found.delta_agreement.value or 0) / (found.delta_agreement.se or 1)
    assert found.p == pytest.approx(2 * stdtr(57, -abs(t)))


def test_judges_that_never_differ_on_negatives_have_an_identical_tnr() -> None:
    """The TNR difference is 0 by identity although the judges differ elsewhere."""
    rows = [[2, 1, 0, 0, 1, 0, 0, 1], [1, 0, 2, 0, 0, 0, 0, 2], [3, 0, 1, 0, 1, 0, 0, 0]]
    clusters = Clusters.from_counts(rows)
    tnr = delta(clusters, "tnr")
    assert (tnr.value, tnr.low, tnr.high, tnr.flags) == (0, 0, 0, ("identical",))
    assert "identical" not in delta(clusters, "percent_agreement").flags


def test_a_difference_that_never_varies_has_no_interval() -> None:
    """Each answer gains the same share: no spread is no certainty."""
    clusters = Clusters.from_counts([[3, 0, 1, 0, 0, 0, 0, 0]] * 4)
    found = delta(clusters, "percent_agreement")
    assert (found.value, found.low, found.reason) == (0.25, None, NO_VARIATION)


def test_one_carrier_of_negatives_leaves_delta_kappa_without_interval() -> None:
    """The value stands, the interval is null with its reason."""
    clusters = Clusters.from_counts([[2, 1, 0, 0, 0, 1, 0, 1], [3, 0, 0, 0, 0, 0, 0, 0]])
    found = delta(clusters, "kappa")
    assert found.value is not None
    assert found.reason == JACKKNIFE_UNDEFINED


def test_judges_are_compared_on_common_units() -> None:
    """A unit that either leaves undecided is in neither table."""
    frame = Frame.from_arrays(
        [0, 0, 1, 1],
        [1, 0, 1, 0],
        {"a": [1, None, 1, 0], "b": [1, 0, None, 1]},
    )
    found = compare(frame, "a", "b")
    assert found.n_units == 2
    assert (found.only_a_right, found.only_b_right) == (1, 0)


def test_holm_is_set_over_the_comparisons() -> None:
    """Every comparison gets its adjusted p on the agreement."""
    ones = [compare_cells(Clusters.from_counts(ROWS[i::3]), "a", str(i)) for i in range(3)]
    adjusted = adjust(ones)
    assert [c.p_holm for c in adjusted] == holm([c.p for c in ones])
    assert all((c.p_holm or 0) >= (c.p or 0) for c in adjusted)


@pytest.mark.parametrize(
    ("cells", "note"),
    [
        ([[4, 0, 0, 0, 0, 2, 0, 1]], "The score fell because b passes 2 fewer unsupported claims"),
        ([[4, 0, 2, 0, 0, 0, 0, 1]], "The score rose because b passes 2 more supported claims"),
        ([[4, 0, 0, 0, 0, 0, 0, 1]], None),
        (
            [[0, 0, 0, 0, 0, 1, 0, 0], [7, 0, 3, 0, 0, 0, 0, 0]],
            "The score fell because b passes 1 fewer unsupported claim than a (although 3 more ",
        ),
        (
            [[0, 0, 0, 0, 0, 1, 0, 0], [7, 0, 0, 0, 0, 0, 1, 2]],
            "The score fell, but not because answers got worse",
        ),
    ],
)
def test_a_moved_score_says_what_moved_it(cells: list[list[int]], note: str | None) -> None:
    """Fewer unsupported claims passed is no worse answer; unmoved scores need no note."""
    found = compare_cells(Clusters.from_counts(cells)).score_note
    assert found is None if note is None else (found or "").startswith(note)


def estimate_of(value: float, se: float, df: int = 199) -> Estimate:
    """A difference with its error and an interval."""
    half = t_quantile(0.95, df) * se
    return Estimate(value, value - half, value + half, "jackknife_t", se=se, extra={"df": df})


@pytest.mark.parametrize(
    ("value", "se", "decision"),
    [(0.0, 0.01, "pass"), (-0.1, 0.01, "fail"), (-0.01, 0.02, "inconclusive")],
)
def test_non_inferiority_is_three_way(value: float, se: float, decision: str) -> None:
    """Both one-sided bounds against −margin; inconclusive says how many labels would decide."""
    found = non_inferiority(estimate_of(value, se), None, 0.03, 200, 800)
    assert found.decision == decision
    assert found.non_inferior == (decision == "pass")
    assert not found.too_small
    assert (found.more_answers is not None) == (decision == "inconclusive")


def test_the_labels_that_would_decide_do_decide() -> None:
    """With that many more answers, and the same estimate and spread, the bound clears −margin."""
    found = non_inferiority(estimate_of(-0.01, 0.02), None, 0.03, 200, 800)
    assert found.more_answers is not None
    for more, decision in ((found.more_answers, "pass"), (found.more_answers - 2, "inconclusive")):
        n = 200 + more
        again = estimate_of(-0.01, 0.02 * np.sqrt(200 / n), n - 1)
        assert non_inferiority(again, None, 0.03, n, 4 * n).decision == decision
    assert found.more_labels == 4 * found.more_answers


def test_a_worse_tnr_fails_although_the_agreement_passes() -> None:
    """Every side must pass; one that fails fails all."""
    good, bad = estimate_of(0.01, 0.005), estimate_of(-0.2, 0.02)
    assert non_inferiority(good, bad, 0.03, 200, 800).decision == "fail"
    assert non_inferiority(good, estimate_of(-0.02, 0.02), 0.03, 200, 8).decision == "inconclusive"
    assert non_inferiority(good, good, 0.03, 200, 800).decision == "pass"


def test_few_answers_are_too_small_to_gate() -> None:
    """Below fifty answers it is said, with what is missing to fifty."""
    found = non_inferiority(estimate_of(0.05, 0.01), None, 0.03, 20, 80)
    assert found.too_small
    assert (found.more_answers, found.more_labels) == (30, 120)
    nothing = non_inferiority(Estimate.undefined("none"), None, 0.03, 0, 0)
    assert nothing.decision == "inconclusive"


@pytest.mark.parametrize(
    ("low", "high", "decision", "ok"),
    [(0.62, 0.8, "pass", True), (0.3, 0.59, "fail", False), (0.5, 0.8, "inconclusive", None)],
)
def test_a_bar_is_three_way(low: float, high: float, decision: str, ok: bool | None) -> None:
    """On the lower end: reached, out of reach, or not decided with labels that would."""
    found = lower_bar("kappa", Estimate(0.7, low, high, "fisher_z_jackknife_t"), 0.6, 100)
    assert (found.decision, found.ok) == (decision, ok)
    assert (found.more_answers is not None) == (ok is None)
    assert lower_bar("kappa", Estimate.undefined("none"), 0.6, 10).ok is None


def test_mcnemar_never_exceeds_one() -> None:
    """b = c and b + c = 0 give exactly 1."""
    for b in (0, 1, 4, 50):
        assert mcnemar(b, b).p_exact == 1
        assert mcnemar(b, b).p_midp == 1
    assert mcnemar(0, 0).chi2 is None


def test_sign_flip_of_many_answers() -> None:
    """Large sums: near the normal tail, symmetric, and no loss in the far tail."""
    from scipy.special import ndtr

    found = sign_flip([1, -1, 2, -2], [40_000, 39_500, 9_000, 9_000])
    sd = np.sqrt(79_500 + 4 * 18_000)
    assert found.p == pytest.approx(2 * ndtr(-499 / sd), rel=1e-3)
    assert sign_flip([-1, 1, -2, 2], [40_000, 39_500, 9_000, 9_000]).p == found.p
    far = sign_flip([1], [900])
    assert far.p == pytest.approx(2.0**-899, rel=1e-9)
    assert sign_flip([3, -3, 3]) == sign_flip([1, -1, 1])


def test_clustered_mcnemar_at_its_edges() -> None:
    """Nothing discordant, one answer, singletons: statistics or null, never an error."""
    none = clustered_mcnemar([2, 1], [0, 0], [0, 0], [1, 1])
    assert (none.obuchowski, none.eliasziw, none.yang_p) == (None, None, 1)
    one = clustered_mcnemar([2], [3], [1], [0])
    assert one.obuchowski is None
    single = clustered_mcnemar([0, 0, 1], [1, 1, 0], [0, 0, 0], [0, 0, 0])
    assert single.eliasziw == pytest.approx(2)


def test_p_values_outside_zero_and_one_are_refused() -> None:
    """Holm takes probabilities."""
    with pytest.raises(UsageError):
        holm([0.5, 1.2])
    assert holm([]) == []
