"""The difference of two judges from the claims on which they differ."""

from __future__ import annotations

import numpy as np
import pytest

from trueup.errors import UsageError
from trueup.stats.counts import Clusters
from trueup.stats.discordant import discordant_delta
from trueup.stats.paired import delta


def corpus(answers: int, seed: int) -> np.ndarray:
    """Cells (human, a, b) of answers of four claims; the judges differ on about a tenth."""
    rng = np.random.default_rng(seed)
    human = rng.random((answers, 4)) < 0.75
    a = np.where(rng.random((answers, 4)) < 0.85, human, ~human)
    b = np.where(rng.random((answers, 4)) < 0.1, human, a)
    rows = np.zeros((answers, 8), np.int64)
    at = np.repeat(np.arange(answers), 4)
    np.add.at(rows, (at, (7 - (4 * human + 2 * a + b)).ravel()), 1)
    return rows


ROWS = corpus(4000, seed=1)
DIFFER = ROWS[:, [1, 2, 5, 6]].sum(axis=1)


def sample(seed: int, per_stratum: int, *, agreeing_cells: bool = True) -> Clusters:
    """So many answers of each number of differing claims; none without."""
    rng = np.random.default_rng(seed)
    groups = [np.flatnonzero(d == DIFFER) for d in (1, 2)] + [np.flatnonzero(DIFFER > 2)]
    groups = [g for g in groups if len(g) >= 2]
    picked = [rng.permutation(g)[:per_stratum] for g in groups]
    rows = ROWS[np.concatenate(picked)].copy()
    if not agreeing_cells:
        rows[:, [0, 3, 4, 7]] = 0
    codes = np.repeat(np.arange(len(groups)), [len(p) for p in picked])
    weight = np.array([len(g) / len(p) for g, p in zip(groups, picked, strict=True)])[codes]
    return Clusters.from_counts(
        rows, weight=weight, stratum=codes, population=[len(g) for g in groups]
    )


def test_it_finds_the_difference_of_the_whole_corpus() -> None:
    """Within its interval, and nearer than its width."""

    truth = delta(Clusters.from_counts(ROWS), "percent_agreement").value
    assert truth is not None
    made = discordant_delta(sample(2, 100), corpus_records=4000, corpus_units=16000)

    assert made.value is not None
    assert made.low is not None
    assert made.high is not None
    assert made.low < truth < made.high
    assert made.high - made.low < 0.03


def test_claims_on_which_the_judges_agree_need_no_labels() -> None:
    """Leaving their cells empty changes nothing."""

    whole = discordant_delta(sample(3, 40), corpus_records=4000, corpus_units=16000)
    partly = discordant_delta(
        sample(3, 40, agreeing_cells=False), corpus_records=4000, corpus_units=16000
    )

    assert whole.value == pytest.approx(partly.value)
    assert whole.se == pytest.approx(partly.se)


def test_intervals_cover_as_often_as_they_say() -> None:
    """Nominal 95 %: in 400 samples at least 91 % hold the difference of the corpus."""

    truth = delta(Clusters.from_counts(ROWS), "percent_agreement").value
    assert truth is not None
    held = 0
    for seed in range(400):
        made = discordant_delta(sample(seed, 25), corpus_records=4000, corpus_units=16000)
        held += made.low <= truth <= made.high  # type: ignore[operator]

    assert held / 400 > 0.91


def test_labelling_every_differing_answer_leaves_the_error_of_the_corpus() -> None:
    """The corpus is itself a sample of answers to come: as unsure as labels on all of it."""

    everything = delta(Clusters.from_counts(ROWS), "percent_agreement")
    census = discordant_delta(sample(1, 10**6), corpus_records=4000, corpus_units=16000)

    assert census.value == pytest.approx(everything.value)
    assert census.se == pytest.approx(everything.se, rel=0.01)


def test_one_answer_a_stratum_has_no_interval() -> None:
    """There is no variation to judge by."""

    one = Clusters.from_counts(
        [[0, 1, 0, 0, 0, 0, 0, 0]], weight=[5.0], stratum=[0], population=[5]
    )

    made = discordant_delta(one, corpus_records=50, corpus_units=200)
    assert made.value == -5 / 200
    assert made.low is None
    assert made.reason == "fewer than two answers"


def test_a_sample_without_a_design_is_refused() -> None:
    """Weights and sizes are what the estimate is made of; the corpus holds what was drawn from."""

    with pytest.raises(UsageError, match="weights, strata"):
        discordant_delta(Clusters.from_counts(ROWS[:10]), corpus_records=100, corpus_units=400)
    with pytest.raises(UsageError, match="at least the records"):
        discordant_delta(sample(1, 20), corpus_records=5, corpus_units=400)
