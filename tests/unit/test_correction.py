"""Corrected rates: what a good, a useless and a shifted judge do to them, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from trueup.errors import UsageError
from trueup.stats.bounded import bounded_rate
from trueup.stats.correction import corrected_rate, ppi_rate
from trueup.stats.correction_iid import corrected_rate_iid
from trueup.stats.counts import Clusters
from trueup.stats.rogan_gladen import rogan_gladen, rogan_gladen_lee, rogan_gladen_rate


def drawn(answers: int, seed: int, tpr: float = 0.9, tnr: float = 0.8) -> np.ndarray:
    """Answers of one to six units; people's rate varies by answer, the judge errs at random."""
    rng = np.random.default_rng(seed)
    rows = np.zeros((answers, 4), np.int64)
    for row in rows:
        human = rng.random(rng.integers(1, 7)) < rng.beta(6, 2)
        says = np.where(human, rng.random(len(human)) < tpr, rng.random(len(human)) > tnr)
        np.add.at(row, 2 * (1 - human) + (1 - says), 1)
    return rows


def verdicts(rows: np.ndarray) -> Clusters:
    """What the judge said of them: entailed and not, per answer."""
    return Clusters.from_counts(np.stack([rows[:, 0] + rows[:, 2], rows[:, 1] + rows[:, 3]], 1))


CORPUS = drawn(2000, seed=1)
TRUTH = (CORPUS[:, 0] + CORPUS[:, 1]).sum() / CORPUS.sum()


def test_a_corrected_rate_is_closer_than_the_judge() -> None:
    """The judge is off by several points; both corrections find the people's rate."""

    labelled = Clusters.from_counts(CORPUS[:200], population=2000)
    made = corrected_rate(labelled, verdicts(CORPUS), probability_sample=True)

    judge = made.rate.extra["judge_rate"]
    assert isinstance(judge, float)
    for estimate in (made.rate, made.alt):
        assert estimate.value is not None
        assert abs(estimate.value - TRUTH) < abs(judge - TRUTH)
        assert estimate.low is not None
        assert estimate.high is not None
        assert estimate.low < TRUTH < estimate.high
    assert not made.shifted


def test_labels_are_saved_where_the_judge_is_good() -> None:
    """The gain is told: how many times as many labels people alone would need."""

    labelled = Clusters.from_counts(CORPUS[:200], population=2000)

    gain = ppi_rate(labelled, verdicts(CORPUS)).extra["label_gain"]
    assert isinstance(gain, float)
    assert gain > 1.3


def test_a_useless_judge_leaves_the_human_rate() -> None:
    """Verdicts by coin have no slope, or next to none."""

    rows = drawn(60, seed=3, tpr=0.0, tnr=1.0)
    made = ppi_rate(Clusters.from_counts(rows), verdicts(drawn(400, 4, tpr=0.0, tnr=1.0)))

    assert made.extra["lambda"] == 0.0
    assert made.value == made.extra["human_rate"]


def test_a_perfect_judge_gives_the_rate_of_the_corpus() -> None:
    """λ = 1 and no error is left in the sample; the interval still has a width."""

    rows = drawn(40, seed=5, tpr=1.0, tnr=1.0)
    corpus = drawn(400, seed=6, tpr=1.0, tnr=1.0)
    made = ppi_rate(Clusters.from_counts(rows), verdicts(corpus))

    assert made.value == pytest.approx(made.extra["judge_rate"])
    assert "boundary_fallback" in made.flags
    assert made.low is not None
    assert made.high is not None
    assert made.low < made.value < made.high  # type: ignore[operator]


def test_a_sample_within_the_corpus_and_beside_it_agree() -> None:
    """Splitting the corpus into the sample and the rest moves the estimate by next to nothing."""

    labelled = Clusters.from_counts(CORPUS[:300], population=2000)
    inside = ppi_rate(labelled, verdicts(CORPUS), within=True)
    beside = ppi_rate(labelled, verdicts(CORPUS[300:]), within=False)

    assert inside.value == pytest.approx(beside.value, abs=2e-3)
    assert inside.se is not None
    assert beside.se is not None
    # what is said of 2,000 answers alone is surer than what is said of all answers to come
    assert inside.se < beside.se


def test_labels_without_a_design_have_no_ppi() -> None:
    """Rogan–Gladen comes first, and the reason stands where PPI++ would."""

    made = corrected_rate(
        Clusters.from_counts(CORPUS[:100]), verdicts(CORPUS), probability_sample=False
    )

    assert made.rate.method == "rogan_gladen_delta_t"
    assert made.alt.value is None
    assert made.alt.reason == "the labels are not a probability sample of the corpus"


def test_a_shift_is_noticed() -> None:
    """Labels of easy answers and a corpus of hard ones: the two corrections part."""

    easy, hard = drawn(150, 7, tpr=0.98, tnr=0.95), drawn(1500, 8, tpr=0.4, tnr=0.98)

    made = corrected_rate(Clusters.from_counts(easy), verdicts(hard), probability_sample=True)

    assert made.shifted


def test_a_judge_without_signal_is_refused() -> None:
    """TPR + TNR of at most 1 is null with a reason, whatever it would divide to."""

    made = rogan_gladen_rate(Clusters.from_counts([[1, 1, 1, 1]] * 10), verdicts(CORPUS))

    assert made.value is None
    assert made.reason is not None
    assert "no better than guessing" in made.reason
    assert made.extra["youden"] == 0.0


@pytest.mark.parametrize(
    ("cells", "reason"),
    [([4, 0, 0, 0], "no unsupported claims labelled"), ([0, 0, 1, 3], "no supported claims")],
)
def test_an_empty_class_is_undefined(cells: list[int], reason: str) -> None:
    """Without both classes an error rate is missing; PPI++ does not need them."""

    labelled = Clusters.from_counts([cells] * 10)

    made = rogan_gladen_rate(labelled, verdicts(CORPUS))
    assert made.value is None
    assert made.reason is not None
    assert reason in made.reason
    assert ppi_rate(labelled, verdicts(CORPUS)).value is not None


def test_a_rate_below_zero_is_clipped_and_said() -> None:
    """A judge that calls nearly nothing entailed contradicts its own false alarms on the labels."""

    labelled = Clusters.from_counts([[8, 2, 2, 8], [9, 1, 1, 9], [7, 3, 3, 7]] * 5)
    corpus = Clusters.from_counts([[0, 5], [0, 6], [1, 9]] * 30)
    made = rogan_gladen_rate(labelled, corpus)

    assert made.value == 0.0
    assert "incompatible" in made.flags
    unclipped = made.extra["value_unclipped"]
    assert isinstance(unclipped, float)
    assert unclipped < 0
    assert made.low == 0.0
    assert made.high is not None
    assert made.high > 0.0


def test_one_labelled_answer_has_no_interval() -> None:
    """A value, and the reason."""

    one = Clusters.from_counts([[3, 1, 0, 2]])

    for made in (ppi_rate(one, verdicts(CORPUS)), rogan_gladen_rate(one, verdicts(CORPUS))):
        assert made.value is not None
        assert made.low is None
        assert made.reason == "fewer than two answers"


def test_nothing_labelled_or_judged_is_undefined() -> None:
    """Null with a reason on either side."""

    none4 = Clusters.from_counts(np.zeros((0, 4), np.int64))
    none2 = Clusters.from_counts(np.zeros((0, 2), np.int64))
    some = Clusters.from_counts([[3, 1, 0, 2]] * 3)

    assert ppi_rate(none4, verdicts(CORPUS)).reason == "no labelled units"
    assert ppi_rate(some, none2).reason == "the corpus holds no decided verdict"
    assert rogan_gladen_rate(some, none2).reason == "the corpus holds no decided verdict"


def test_a_weighted_sample_is_weighted_in_both() -> None:
    """Bands drawn at unequal rates: unweighted figures are biased, weighted ones are not."""

    rng = np.random.default_rng(11)
    score = (CORPUS[:, 0] + CORPUS[:, 2]) / CORPUS.sum(axis=1)
    band = np.where(score == 1, 1, 0)
    taken = np.array([60, 240])
    picked = np.concatenate(
        [rng.permutation(np.flatnonzero(band == b))[: taken[b]] for b in (0, 1)]
    )
    sizes = np.bincount(band)
    weighted = Clusters.from_counts(
        CORPUS[picked], weight=(sizes / taken)[band[picked]], stratum=band[picked], population=sizes
    )
    bare = Clusters.from_counts(CORPUS[picked])

    right, wrong = (ppi_rate(c, verdicts(CORPUS)) for c in (weighted, bare))
    assert abs(right.extra["human_rate"] - TRUTH) < 0.04  # type: ignore[operator]
    assert abs(wrong.extra["human_rate"] - TRUTH) > 0.08  # type: ignore[operator]
    assert right.low < TRUTH < right.high  # type: ignore[operator]
    gladen = rogan_gladen_rate(weighted, verdicts(CORPUS))
    assert gladen.low < TRUTH < gladen.high  # type: ignore[operator]


def test_rates_outside_the_unit_interval_are_refused() -> None:
    """A rate of 1.2 is a mistake of the caller."""

    with pytest.raises(UsageError, match="tpr"):
        rogan_gladen(0.5, 1.2, 0.9)


def test_lee_needs_units_of_both_classes() -> None:
    """Without them there is no error rate to be unsure of; a chance judge is null first."""

    with pytest.raises(UsageError, match="both classes"):
        rogan_gladen_lee(0.5, 0.9, 0.9, 100, 0, 10)
    assert rogan_gladen_lee(0.5, 0.5, 0.5, 100, 10, 10).value is None
    thin = rogan_gladen_lee(0.5, 0.2, 0.9, 1000, 1, 1000)
    assert thin.value is not None
    assert thin.low is None


@pytest.mark.parametrize(
    ("value", "se", "scale", "flags"),
    [
        (0.5, 0.1, "logit", ()),
        (0.02, 0.1, "linear", ()),
        (1.0, 0.1, "logit", ("boundary_fallback",)),
        (0.5, 0.0, "logit", ("boundary_fallback",)),
        (1.1, 0.1, "linear", ("incompatible",)),
        (1.1, 0.1, "logit", ("incompatible",)),
        (1.5, 0.1, "linear", ("incompatible", "boundary_fallback")),
        (-0.5, 0.0, "logit", ("incompatible", "boundary_fallback")),
    ],
)
def test_bounded_intervals(value, se, scale, flags) -> None:  # type: ignore[no-untyped-def]
    """Within [0, 1], around the clipped value, never of width zero; what was clipped is kept."""

    made = bounded_rate(value, se, 20, 21, method="m", scale=scale)

    assert made.flags == flags
    assert made.low is not None
    assert made.high is not None
    assert 0 <= made.low <= made.value <= made.high <= 1  # type: ignore[operator]
    assert made.high - made.low > 0.001
    assert made.extra.get("value_unclipped", value) == value


def test_iid_reference_forms_have_edges() -> None:
    """An empty class or verdict is null; counts that cannot be are refused."""

    one_class = corrected_rate_iid(8, 2, 0, 0, 50, 100)
    one_verdict = corrected_rate_iid(8, 0, 2, 0, 50, 100)

    assert one_class.rogan_gladen.value is None
    assert one_verdict.post_stratified.value is None
    assert one_verdict.ppi_plus_plus.extra["lambda"] == 0.0
    assert corrected_rate_iid(9, 0, 1, 0, 0, 100).ppi.flags == ("incompatible",)
    with pytest.raises(UsageError, match="more unlabelled"):
        corrected_rate_iid(1, 1, 1, 1, 5, 4)
    with pytest.raises(UsageError, match="are needed"):
        corrected_rate_iid(0, 0, 0, 0, 5, 10)


def test_rounding_below_zero_is_no_variance() -> None:
    """Counts whose residual variance is 0 give an error of 0, not a root of a negative number."""

    labelled = Clusters.from_counts([[0, 1, 0, 2], [0, 1, 0, 2], [0, 1, 0, 2], [1, 0, 0, 0]])
    made = ppi_rate(labelled, Clusters.from_counts([[0, 1], [0, 1]]))

    assert made.extra["se_delta"] == pytest.approx(0.0, abs=1e-8)
    assert made.low < made.high  # type: ignore[operator]
