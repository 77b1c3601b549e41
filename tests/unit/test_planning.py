"""How many labels: what grows and shrinks them, what cannot be certified, what designs save."""

from __future__ import annotations

import numpy as np
import pytest

from trueup.errors import UsageError
from trueup.stats.agreement_intervals import estimate
from trueup.stats.correction import ppi_rate
from trueup.stats.counts import Clusters
from trueup.stats.planning import (
    Need,
    design_effect,
    kappa_variance,
    more_labels,
    n_for_halfwidth_kappa,
    n_for_halfwidth_rate,
    n_for_kappa_test,
    n_for_non_inferiority,
    n_for_overlap,
    n_to_certify_kappa,
    power_of_non_inferiority,
)
from trueup.stats.planning_table import assumed_pilot, comparison_table, plan_table


def test_half_the_width_takes_four_times_the_labels() -> None:
    """Three times more on top of those at hand."""

    wide, narrow = (n_for_halfwidth_rate(0.8, h).exact for h in (0.06, 0.03))

    assert narrow == pytest.approx(4 * wide)
    assert more_labels(231) == 693


def test_clustering_multiplies_the_labels() -> None:
    """Five alike claims an answer: deff = 1 + 4·icc for equal answers, more for unequal ones."""

    assert design_effect(5, 0.2) == pytest.approx(1.8)
    assert design_effect(5, 0.2, cv=0.5) > 1.8
    plain, clustered = (n_for_halfwidth_rate(0.8, 0.05, deff=d).exact for d in (1, 1.8))
    assert clustered == pytest.approx(1.8 * plain)


def test_answers_are_rounded_up_from_claims() -> None:
    """97 claims at 4 an answer are 25 answers; without a number there are no answers."""

    assert Need.of(96.04, 4.0) == Need(96.04, 97, 25)
    assert Need.of(96.0 + 1e-12, 4.0).claims == 96
    assert Need.of(96.04, None).answers is None


def test_certifying_needs_more_than_estimating() -> None:
    """The nearer the bar, the more labels; at or below it no number will do."""

    near = n_to_certify_kappa(0.75, 0.7, 0.8, 0.8)
    far = n_to_certify_kappa(0.75, 0.5, 0.8, 0.8)

    assert near is not None
    assert far is not None
    assert near.claims > 5 * far.claims
    assert n_to_certify_kappa(0.6, 0.6, 0.8, 0.8) is None
    assert n_to_certify_kappa(0.5, 0.6, 0.8, 0.8) is None


def test_a_certified_kappa_is_certified_as_often_as_asked() -> None:
    """Simulated with the planned number of claims, the lower end reaches the bar in about 80 %."""

    need = n_to_certify_kappa(0.75, 0.6, 0.8, 0.8, power=0.8)
    assert need is not None
    chance = 0.68
    observed = 0.75 * (1 - chance) + chance
    both = (observed - 1 + 1.6) / 2
    cells = [both, 0.8 - both, 0.8 - both, observed - both]
    rng = np.random.default_rng(3)
    reached = 0
    for _ in range(300):
        rows = np.eye(4, dtype=np.int64)[rng.choice(4, need.claims, p=cells)]
        low = estimate(Clusters.from_counts(rows), "kappa").low
        reached += low is not None and low >= 0.6
    assert 0.72 < reached / 300 < 0.88


def test_a_kappa_that_no_table_has_is_refused() -> None:
    """Margins 0.9 and 0.2 cannot agree that well."""

    with pytest.raises(UsageError, match="no table has kappa"):
        kappa_variance(0.9, 0.9, 0.2)
    assert kappa_variance(1.0, 0.5, 0.5) == 0.0


def test_non_inferiority_grows_with_the_claims_that_differ() -> None:
    """Similar judges are told apart cheaply; a worse one is never passed."""

    few, many = (n_for_non_inferiority(d, 0.03) for d in (0.05, 0.2))

    assert few is not None
    assert many is not None
    assert many.exact == pytest.approx(4 * few.exact)
    assert n_for_non_inferiority(0.1, 0.03, difference=-0.03) is None
    assert power_of_non_inferiority(few.exact, 0.05, 0.03) == pytest.approx(0.8)
    assert power_of_non_inferiority(100, 0.0, 0.03) == 1.0
    assert power_of_non_inferiority(100, 0.0025, 0.03, difference=-0.05) == 0.0


def test_an_overlap_never_needs_more_than_all_records() -> None:
    """The finite population bounds it, and a perfect correlation needs one."""

    assert n_for_overlap(0.3, 0.1, 0.001, 500).claims <= 500
    assert n_for_overlap(0.3, 1.0, 0.01, 500).claims == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda: n_for_halfwidth_rate(1.2, 0.1),
        lambda: n_for_halfwidth_rate(0.5, 0.0),
        lambda: n_for_halfwidth_rate(0.5, 0.1, class_share=0.0),
        lambda: n_for_halfwidth_kappa(0.5, 0.5, 0.5, float("inf")),
        lambda: n_for_kappa_test(0.5, 0.5, 0.7, 0.7),
        lambda: n_for_kappa_test(0.5, 0.5, 0.7, 0.6, power=1.0),
        lambda: n_for_overlap(0.2, 1.5, 0.01, 100),
        lambda: n_for_non_inferiority(0.1, 0.0),
        lambda: design_effect(0.5, 0.1),
        lambda: more_labels(10, 1.0),
        lambda: assumed_pilot(0.8, 1.0, 0.8, 4),
        lambda: comparison_table(0.0, 4),
        lambda: plan_table(Clusters.from_counts([[1, 0, 0, 0]])),
    ],
)
def test_what_makes_no_sense_is_refused(call) -> None:  # type: ignore[no-untyped-def]
    """With a message, not with a number."""

    with pytest.raises(UsageError):
        call()


PILOT = assumed_pilot(0.75, 0.92, 0.8, 4.5, icc=0.15)


def row(figure: str, design: str, estimator: str = "people only", answers: int = 50):  # type: ignore[no-untyped-def]
    table = plan_table(PILOT, (20, 50, 200))
    return next(
        r
        for r in table
        if (r.figure, r.design, r.estimator, r.answers) == (figure, design, estimator, answers)
    )


def test_the_same_assumptions_give_the_same_plan() -> None:
    """A pilot is seeded, and has the mean and the judge that were asked for."""

    again = assumed_pilot(0.75, 0.92, 0.8, 4.5, icc=0.15)

    assert plan_table(again) == plan_table(PILOT)
    assert estimate(PILOT, "human_rate").value == pytest.approx(0.75, abs=0.02)
    assert estimate(PILOT, "tpr").value == pytest.approx(0.92, abs=0.02)


def test_a_decent_judge_halves_the_labels_of_a_corrected_rate() -> None:
    """And score bands save labels for the error rates."""

    assert row("human_rate", "random").label_share == 1.0
    assert row("human_rate", "random", "corrected").label_share < 0.5
    assert row("human_rate", "score-bands").label_share < 0.8
    assert row("tnr", "score-bands").label_share < 1.0


def test_planned_widths_are_those_that_samples_have() -> None:
    """Drawn from the pilot, intervals of 200 answers are about as wide as planned."""

    rng = np.random.default_rng(4)
    rows = np.repeat(PILOT.vectors, PILOT.multiplicity, axis=0)
    judged = np.stack([rows[:, 0] + rows[:, 2], rows[:, 1] + rows[:, 3]], axis=1)
    corpus = Clusters.from_counts(judged, multiplicity=np.full(len(rows), 100))
    widths = []
    for _ in range(30):
        sample = Clusters.from_counts(rows[rng.integers(0, len(rows), 200)])
        made = [
            estimate(sample, "human_rate"),
            estimate(sample, "kappa"),
            estimate(sample, "tnr"),
            ppi_rate(sample, corpus),
        ]
        widths.append([(m.high - m.low) / 2 for m in made])  # type: ignore[operator]

    planned = [
        row("human_rate", "random", answers=200).half_width,
        row("kappa", "random", answers=200).half_width,
        row("tnr", "random", answers=200).half_width,
        row("human_rate", "random", "corrected", answers=200).half_width,
    ]
    assert np.mean(widths, axis=0) == pytest.approx(planned, rel=0.06)


def test_a_figure_that_the_pilot_cannot_tell_is_null() -> None:
    """Nothing unsupported in the pilot: no TNR to plan."""

    one_class = Clusters.from_counts([[3, 1, 0, 0], [4, 0, 0, 0], [2, 2, 0, 0]])
    table = plan_table(one_class, (50,))

    assert {r.half_width for r in table if r.figure == "tnr"} == {None}
    assert all(r.half_width is not None for r in table if r.figure == "percent_agreement")


def test_discordant_labels_are_the_share_that_differs() -> None:
    """The same width and power for a tenth of the labels where a tenth of the claims differs."""

    table = comparison_table(0.1, 4.0, (50,), margin=0.03)

    assert [(r.design, r.labels) for r in table] == [("random", 200), ("discordant", 20)]
    assert table[0].half_width == table[1].half_width
    assert 0.2 < table[0].power < 0.6
