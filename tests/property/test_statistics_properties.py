"""What must hold for every set of labels: symmetry, order, scale, the empty and the constant."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueup.stats.agreement import MEASURES, kappa
from trueup.stats.agreement_intervals import estimate
from trueup.stats.bootstrap import bootstrap
from trueup.stats.counts import Clusters
from trueup.stats.estimate import Estimate
from trueup.stats.exact import holm, mcnemar, sign_flip
from trueup.stats.frame import Frame
from trueup.stats.intervals import jackknife
from trueup.stats.paired import compare_cells, delta
from trueup.stats.summary import agreement, cluster_figures, compare

FEW = settings(deadline=None, max_examples=60)

cells4 = st.lists(st.integers(0, 5), min_size=4, max_size=4)
tables = st.lists(cells4, min_size=0, max_size=12)
cells8 = st.lists(st.integers(0, 3), min_size=8, max_size=8)
pairs = st.lists(cells8, min_size=0, max_size=10)
units = st.lists(
    st.tuples(st.integers(0, 6), st.sampled_from([1, 0, -1]), st.sampled_from([1, 0, -1])),
    max_size=40,
)


def clusters_of(rows: list[list[int]], columns: int = 4, **options: Any) -> Clusters:
    """Clusters of rows that may be none."""
    return Clusters.from_counts(np.array(rows, dtype=np.int64).reshape(-1, columns), **options)


def assert_alike(one: Estimate, other: Estimate, sign: int = 1) -> None:
    """The same value, ends and reason up to rounding; mirrored where the sign is −1."""
    mirrored = (other.low, other.high) if sign > 0 else (other.high, other.low)
    for x, y in zip((one.value, one.low, one.high), (other.value, *mirrored), strict=True):
        assert (x is None) == (y is None)
        assert x is None or x == pytest.approx(sign * (y or 0), abs=1e-7)
    assert one.reason == other.reason


@FEW
@given(tables)
def test_every_interval_holds_its_value_and_every_null_its_reason(rows: list[list[int]]) -> None:
    """low ≤ value ≤ high inside the measure's range; null only with a reason; valid JSON."""
    for name, figure in cluster_figures(clusters_of(rows)).items():
        assert figure.value is not None or figure.reason
        if figure.low is None or figure.high is None:
            assert figure.reason
            continue
        floor = -1 if name in ("kappa", "gwet_ac1", "pabak", "mcc", "krippendorff_alpha") else 0
        assert floor <= figure.low <= (figure.value or 0) + 1e-9
        assert (figure.value or 0) - 1e-9 <= figure.high <= 1
        assert figure.high > figure.low or name == "pabak"
        json.dumps(figure.to_json(), allow_nan=False)


@FEW
@given(tables)
def test_calling_yes_no_changes_nothing_but_the_names(rows: list[list[int]]) -> None:
    """Relabelling both raters leaves the chance-corrected figures, and swaps TPR and TNR."""
    plain = clusters_of(rows)
    flipped = clusters_of([row[::-1] for row in rows])
    for name in ("percent_agreement", "kappa", "gwet_ac1", "pabak", "mcc", "krippendorff_alpha"):
        one, other = estimate(plain, name), estimate(flipped, name)
        assert_alike(one, other)
    tpr, tnr = estimate(plain, "tpr"), estimate(flipped, "tnr")
    assert (tpr.value, tpr.low, tpr.high) == pytest.approx((tnr.value, tnr.low, tnr.high))


@FEW
@given(tables)
def test_swapping_the_raters_keeps_the_symmetric_figures(rows: list[list[int]]) -> None:
    """Kappa, AC1, alpha and MCC do not know who is the person; the bias changes its sign."""
    plain = clusters_of(rows)
    swapped = clusters_of([[a, c, b, d] for a, b, c, d in rows])
    for name in ("percent_agreement", "kappa", "gwet_ac1", "mcc", "krippendorff_alpha"):
        assert_alike(estimate(plain, name), estimate(swapped, name))
    one, other = estimate(plain, "bias").value, estimate(swapped, "bias").value
    assert (one is None) == (other is None)
    assert one is None or one == pytest.approx(-(other or 0))


@FEW
@given(units, st.randoms(use_true_random=False))
def test_order_of_answers_and_claims_is_nothing(
    rows: list[tuple[int, int, int]], random: Any
) -> None:
    """Shuffled units give the same figures, byte for byte."""
    shuffled = list(rows)
    random.shuffle(shuffled)
    one, other = (
        agreement(
            Frame.from_arrays([r[0] for r in x], [r[1] for r in x], {"j": [r[2] for r in x]}), "j"
        )
        for x in (rows, shuffled)
    )
    assert json.dumps(one.to_json(), allow_nan=False) == json.dumps(other.to_json())


@FEW
@given(units, st.randoms(use_true_random=False))
def test_names_of_answers_are_nothing(rows: list[tuple[int, int, int]], random: Any) -> None:
    """Text ids in any order give the figures of numbers."""
    names = [f"q-{i}" for i in range(7)]
    random.shuffle(names)
    human, said = [r[1] for r in rows], {"j": [r[2] for r in rows]}
    one = agreement(Frame.from_arrays([r[0] for r in rows], human, said), "j")
    other = agreement(Frame.from_arrays([names[r[0]] for r in rows], human, said), "j")
    assert one.figures == other.figures


@FEW
@given(tables.filter(lambda rows: len(rows) > 0), st.floats(0.01, 1000), st.data())
def test_scaling_all_weights_is_nothing(
    rows: list[list[int]], factor: float, data: st.DataObject
) -> None:
    """Weights are inverse probabilities up to a common factor."""
    n = len(rows)
    weight = np.array(data.draw(st.lists(st.sampled_from([1.0, 2.5, 4.0]), min_size=n, max_size=n)))
    strata = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    one = cluster_figures(clusters_of(rows, weight=weight, stratum=strata))
    other = cluster_figures(clusters_of(rows, weight=weight * factor, stratum=strata))
    for name, figure in one.items():
        assert_alike(figure, other[name])


@FEW
@given(tables)
def test_equal_weights_give_the_unweighted_values(rows: list[list[int]]) -> None:
    """A designed sample of one stratum with equal weights has the values of a plain one."""
    plain = cluster_figures(clusters_of(rows))
    designed = cluster_figures(clusters_of(rows, weight=np.full(len(rows), 3.0)))
    for name, figure in plain.items():
        assert (figure.value is None) == (designed[name].value is None)
        assert figure.value is None or figure.value == pytest.approx(designed[name].value)


@FEW
@given(tables)
def test_grouped_jackknife_is_the_loop_over_answers(rows: list[list[int]]) -> None:
    """Leaving each answer out in turn gives the same error as distinct vectors do."""
    full = [row for row in rows if sum(row)]
    found = jackknife(clusters_of(rows), kappa)
    counts = np.array(full, dtype=float).reshape(-1, 4)
    replicates = np.array([kappa(counts.sum(axis=0) - row) for row in counts])
    if len(full) < 2 or not np.isfinite(replicates).all():
        assert found.se is None
    else:
        spread = (len(full) - 1) / len(full) * ((replicates - replicates.mean()) ** 2).sum()
        assert found.se == pytest.approx(np.sqrt(spread), abs=1e-12)


@FEW
@given(cells4)
def test_one_answer_has_values_and_no_interval(row: list[int]) -> None:
    """A single answer says what it says, without an interval."""
    for figure in cluster_figures(clusters_of([row])).values():
        assert figure.low is None
        assert figure.reason


@FEW
@given(st.lists(st.integers(1, 5), min_size=2, max_size=8), st.sampled_from([0, 3]))
def test_one_class_is_undefined_not_perfect(sizes: list[int], cell: int) -> None:
    """All raters, one label: agreement 1, kappa, alpha and MCC null, AC1 and PABAK 1."""
    rows = [[n if c == cell else 0 for c in range(4)] for n in sizes]
    figures = cluster_figures(clusters_of(rows))
    assert figures["percent_agreement"].value == 1
    assert (figures["gwet_ac1"].value, figures["pabak"].value) == (1, 1)
    for name in ("kappa", "krippendorff_alpha", "mcc"):
        assert figures[name].value is None
        assert figures[name].reason


def test_nothing_is_all_null_and_no_error() -> None:
    """No labels: every figure null with a reason, in a summary and in a comparison."""
    frame = Frame.from_arrays([], [], {"a": [], "b": []})
    summary = agreement(frame, "a")
    assert all(f.value is None and f.reason for f in summary.figures.values())
    assert summary.warnings == ("no_units",)
    pair = compare(frame, "a", "b")
    assert pair.p is None
    assert pair.delta_agreement.value is None
    json.dumps([summary.to_json(), pair.to_json()], allow_nan=False)


@FEW
@given(tables)
def test_identical_judges_differ_by_nothing(rows: list[list[int]]) -> None:
    """Delta 0 [0, 0], flag `identical`, p = 1."""
    eight = [[a, 0, 0, b, c, 0, 0, d] for a, b, c, d in rows]
    found = compare_cells(clusters_of(eight, 8))
    if not found.n_units:
        return
    assert found.identical
    figure = found.delta_agreement
    assert (figure.value, figure.low, figure.high) == (0, 0, 0)
    assert "identical" in figure.flags
    assert (found.p, found.p_mcnemar_exact) == (1, 1)


@FEW
@given(pairs)
def test_swapping_the_judges_turns_the_differences_round(rows: list[list[int]]) -> None:
    """b − a becomes a − b; the p-values stay."""
    order = [0, 2, 1, 3, 4, 6, 5, 7]
    one = clusters_of(rows, 8)
    other = clusters_of([[row[i] for i in order] for row in rows], 8)
    for name in ("percent_agreement", "kappa", "tnr"):
        assert_alike(delta(one, name), delta(other, name), -1)
    first, second = compare_cells(one), compare_cells(other)
    assert first.p == pytest.approx(second.p)
    assert first.p_mcnemar_exact == second.p_mcnemar_exact


@FEW
@given(pairs)
def test_comparisons_are_valid_json(rows: list[list[int]]) -> None:
    """Whatever the cells, a comparison has numbers or nulls, 0 ≤ p ≤ 1."""
    found = compare_cells(clusters_of(rows, 8))
    json.dumps(found.to_json(), allow_nan=False)
    assert found.p is None or 0 <= found.p <= 1
    assert 0 <= found.p_mcnemar_exact <= 1


@FEW
@given(st.lists(st.integers(-4, 4), max_size=10))
def test_sign_flip_is_the_enumeration_of_all_flips(differences: list[int]) -> None:
    """p and mid-p are shares of the 2^K sign patterns."""
    found = sign_flip(differences)
    observed = abs(sum(differences))
    sums = [
        abs(sum(s * d for s, d in zip(signs, differences, strict=True)))
        for signs in product((1, -1), repeat=len(differences))
    ]
    reached = sum(s >= observed for s in sums) / len(sums)
    tied = sum(s == observed for s in sums) / len(sums)
    assert found.p == pytest.approx(reached, rel=1e-11)
    assert found.mid_p == pytest.approx(1 if observed == 0 else reached - tied / 2, rel=1e-11)


@FEW
@given(st.integers(0, 300), st.integers(0, 300))
def test_sign_flip_of_single_units_is_exact_mcnemar(b: int, c: int) -> None:
    """One discordant unit an answer: the same p, in the far tail too."""
    plain, flip = mcnemar(b, c), sign_flip([1, -1], [b, c])
    assert flip.p == pytest.approx(plain.p_exact, rel=1e-9)
    assert flip.mid_p == pytest.approx(plain.p_midp, rel=1e-9)


@FEW
@given(st.lists(st.none() | st.floats(0, 1), max_size=8))
def test_holm_never_shrinks_and_keeps_the_order(p_values: list[float | None]) -> None:
    """Adjusted p ≥ p, at most 1, in the order of the p; None stays None."""
    adjusted = holm(p_values)
    known = sorted((p, q) for p, q in zip(p_values, adjusted, strict=True) if p is not None)
    assert all(q is not None and p <= q <= 1 for p, q in known)
    assert [q for _, q in known] == sorted(q for _, q in known)  # type: ignore[type-var]
    assert [p is None for p in p_values] == [q is None for q in adjusted]


@FEW
@given(tables, st.integers(0, 2**32 - 1), st.randoms(use_true_random=False))
def test_bootstrap_depends_on_seed_and_answers_only(
    rows: list[list[int]], seed: int, random: Any
) -> None:
    """The same seed gives the same figures, in whatever order the answers come."""
    shuffled = list(rows)
    random.shuffle(shuffled)
    one, other = (
        bootstrap(clusters_of(x), {"kappa": MEASURES["kappa"].kernel}, resamples=20, seed=seed)
        for x in (rows, shuffled)
    )
    np.testing.assert_array_equal(one.values["kappa"], other.values["kappa"])
