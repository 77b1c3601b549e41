"""Many raters, many categories, repeats: the undefined, the missing, the malformed."""

from __future__ import annotations

import numpy as np
import pytest

from trueup.errors import UsageError
from trueup.stats.counts import Clusters
from trueup.stats.dawid_skene import dawid_skene
from trueup.stats.design_effect import icc_anova, size_moments
from trueup.stats.raters import (
    alpha_from_counts,
    fleiss_kappa,
    kappa_table,
    krippendorff_alpha,
    multi_ac1,
    rating_counts,
    retest,
)
from trueup.stats.scores import mean_score, score_change


def test_tables_that_have_no_kappa() -> None:
    """One category: null with a reason; empty: null; not square: refused."""
    constant = kappa_table([[7, 0], [0, 0]])
    assert (constant.kappa.value, constant.agreement, constant.se_fce) == (None, 1, None)
    assert constant.kappa.reason == "only one label used"
    assert kappa_table([[0, 0], [0, 0]]).kappa.value is None
    with pytest.raises(UsageError):
        kappa_table([[1, 2, 3], [4, 5, 6]])
    with pytest.raises(UsageError):
        kappa_table([[1, 2], [4, 5]], "cubic")  # type: ignore[arg-type]


def test_units_with_a_single_rating_carry_no_agreement() -> None:
    """They are passed over by alpha; without pairs everything is null."""
    assert krippendorff_alpha([[1, 0, 1], [1, 0, None]]).value == 1
    for nothing in (krippendorff_alpha([[1, 0], [None, None]]), krippendorff_alpha([])):
        assert nothing.value is None
        assert nothing.reason == "no unit with two ratings"
    assert fleiss_kappa([[1, 0], [0, 1]]).value is None
    assert multi_ac1([[1, 0]]).value is None
    assert alpha_from_counts([]).value is None


def test_missing_ratings_come_as_none_nan_or_minus_one() -> None:
    """All three are the same hole."""
    for hole in (None, float("nan"), -1):
        assert rating_counts([[1, hole], [0, 1]]).tolist() == [[0, 1], [1, 1]]  # type: ignore[list-item]


def test_retest_leaves_out_undecided_runs() -> None:
    """A unit with one decided run says nothing; none at all gives nulls."""
    found = retest([[1, None], [1, 0], [1, 1], [0, 0]])
    assert found.n_units == 3
    assert found.any_flip.value == pytest.approx(1 / 3)
    assert retest([[1, None]]).kappa.value is None


def test_dawid_skene_finds_the_bad_rater() -> None:
    """A rater who answers at random has an accuracy near one half; unrated units get the prior."""
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 400)
    good = [np.where(rng.random(400) < 0.1, 1 - truth, truth) for _ in range(3)]
    ratings = np.stack([*good, rng.integers(0, 2, 400)], axis=1)
    ratings = np.concatenate([ratings, [[-1] * 4]])
    found = dawid_skene(ratings)
    assert found is not None
    assert found.converged
    assert found.accuracy[:3].mean() == pytest.approx(0.9, abs=0.05)
    assert found.accuracy[3].mean() == pytest.approx(0.5, abs=0.1)
    assert (found.labels[:400] == truth).mean() > 0.95
    assert found.posterior[400] == pytest.approx(found.prior)
    assert dawid_skene([[None, None]]) is None


def test_intraclass_correlation_at_its_edges() -> None:
    """Claims that stand or fall together: 1; single claims, one answer, no variation: null."""
    together = Clusters.from_counts([[4, 0], [0, 4], [4, 0], [0, 4]])
    assert icc_anova(together, [0], [0, 1]) == pytest.approx(1)
    for rows in ([[1, 0], [0, 1]], [[2, 2]], [[3, 0], [2, 0]]):
        assert icc_anova(Clusters.from_counts(rows), [0], [0, 1]) is None
    mean, cv2 = size_moments(Clusters.from_counts([[1, 1], [2, 2], [0, 0]]))
    assert (mean, cv2) == (3, pytest.approx(1 / 9))
    assert size_moments(Clusters.from_counts([[0, 0]])) == (0, 0)


def test_scores_outside_their_range_are_refused() -> None:
    """A score lies in [0, 1]; runs must be of the same records."""
    with pytest.raises(UsageError):
        mean_score([0.5, 1.5])
    with pytest.raises(UsageError):
        score_change([0.5], [0.5, 0.6])


def test_mean_scores_at_their_edges() -> None:
    """One score, equal scores, and a paired change with its interval."""
    assert mean_score([0.5, None]).mean.low is None
    equal = mean_score([1.0, 1.0, 1.0])
    assert (equal.mean.high, equal.coverage) == (1, 1)
    assert (equal.mean.low or 1) < 1
    assert mean_score([]).coverage is None
    found = score_change([0.2, 0.4, None, 0.6], [0.4, 0.5, 0.9, 0.6])
    assert found.n == 3
    assert found.change.value == pytest.approx(0.1)
    assert (found.change.low or 1) < 0.1 < (found.change.high or 0)
    assert score_change([0.2, 0.3], [0.3, 0.4]).change.low is None
    assert score_change([None], [0.3]).change.value is None
