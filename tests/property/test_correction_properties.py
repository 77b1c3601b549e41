"""Corrected rates do not depend on order, grouping or the scale of weights; brute force agrees."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueup.stats.correction import ppi_rate
from trueup.stats.counts import Clusters
from trueup.stats.estimate import Estimate
from trueup.stats.rogan_gladen import rogan_gladen_rate

CELLS = st.lists(st.integers(0, 3), min_size=4, max_size=4).filter(any)
ROWS = st.lists(CELLS, min_size=4, max_size=14)
CORPUS = st.lists(
    st.lists(st.integers(0, 4), min_size=2, max_size=2).filter(any), min_size=2, max_size=20
)
FAST = settings(deadline=None, max_examples=60)


def figures(made: Estimate) -> list[float | None]:
    return [made.value, made.low, made.high, made.se]


def same(a: Estimate, b: Estimate) -> None:
    assert a.flags == b.flags
    assert a.reason == b.reason
    for x, y in zip(figures(a), figures(b), strict=True):
        assert x == (None if y is None else pytest.approx(y, rel=1e-7, abs=1e-9))


@FAST
@given(rows=ROWS, corpus=CORPUS, seed=st.integers(0, 9), within=st.booleans())
def test_order_changes_nothing(rows, corpus, seed, within) -> None:  # type: ignore[no-untyped-def]
    """Answers of both sides in any order."""

    rng = np.random.default_rng(seed)
    a = ppi_rate(Clusters.from_counts(rows), Clusters.from_counts(corpus), within=within)
    b = ppi_rate(
        Clusters.from_counts(rng.permutation(np.array(rows))),
        Clusters.from_counts(rng.permutation(np.array(corpus))),
        within=within,
    )

    same(a, b)


@FAST
@given(rows=ROWS, corpus=CORPUS, data=st.data())
def test_the_scale_of_weights_changes_nothing(rows, corpus, data) -> None:  # type: ignore[no-untyped-def]
    """All weights times seven: the same figures of both corrections."""

    n = len(rows)
    strata = data.draw(st.lists(st.sampled_from([0, 1]), min_size=n, max_size=n))
    by = data.draw(st.lists(st.sampled_from([1.0, 2.5]), min_size=2, max_size=2))
    weight = np.array([by[h] for h in strata])
    judged = Clusters.from_counts(corpus)

    one, seven = (
        Clusters.from_counts(rows, weight=weight * scale, stratum=strata) for scale in (1, 7)
    )
    same(ppi_rate(one, judged), ppi_rate(seven, judged))
    same(rogan_gladen_rate(one, judged), rogan_gladen_rate(seven, judged))


def brute_ppi(rows, weight, strata, sizes, corpus, within):  # type: ignore[no-untyped-def]
    """θ and λ straight from the definition, one answer a row."""
    w = np.asarray(weight, float)
    y, f, m = rows[:, 0] + rows[:, 1], rows[:, 0] + rows[:, 2], rows.sum(axis=1)
    total = (w * m).sum()
    human, judge = (w * y).sum() / total, (w * f).sum() / total
    rate = corpus[:, 0].sum() / corpus.sum()
    covariance = np.zeros((2, 2))
    for h in np.unique(strata):
        at = strata == h
        n = at.sum()
        if n < 2:
            continue
        z = np.stack([(w * (y - human * m) / total)[at], (w * (f - judge * m) / total)[at]])
        open_share = 1 - n / sizes[h] if sizes is not None and within else 1.0
        covariance += open_share * n * np.cov(z)
    v = 0.0
    if not within:
        z = (corpus[:, 0] - rate * corpus.sum(axis=1)) / corpus.sum()
        v = len(z) * np.var(z, ddof=1)
    below = covariance[1, 1] + v
    slope = min(1.0, max(0.0, covariance[0, 1] / below)) if below > 1e-12 else 0.0
    return human + slope * (rate - judge), slope, v


@FAST
@given(rows=ROWS, corpus=CORPUS, data=st.data(), within=st.booleans())
def test_the_jackknife_is_that_of_the_definition(rows, corpus, data, within) -> None:  # type: ignore[no-untyped-def]
    """Deleting answers one by one, in strata, with λ refitted each time."""

    n = len(rows)
    strata = np.array(data.draw(st.permutations([i % 2 for i in range(n)])))
    sizes = {0: 40.0, 1: 90.0}
    drawn = np.bincount(strata)
    weight = np.array([sizes[h] / drawn[h] for h in strata])
    cells, judged = np.array(rows), np.array(corpus)
    labelled = Clusters.from_counts(cells, weight=weight, stratum=strata, population=[40.0, 90.0])
    made = ppi_rate(labelled, Clusters.from_counts(corpus), within=within)

    theta, slope, v = brute_ppi(cells, weight, strata, sizes, judged, within)
    square = slope**2 * v
    for h in (0, 1):
        at = np.flatnonzero(strata == h)
        replicates = []
        for i in at:
            raised = np.where(strata == h, weight * len(at) / (len(at) - 1), weight)
            left = np.delete(np.arange(n), i)
            replicates.append(
                _replicate(cells[left], raised[left], strata[left], drawn, sizes, judged, within)
            )
        share = 1 - len(at) / sizes[h] if within else 1.0
        square += share * (len(at) - 1) / len(at) * np.var(replicates) * len(at)

    assert made.extra["lambda"] == pytest.approx(slope, abs=1e-9)
    assert made.extra.get("value_unclipped", made.value) == pytest.approx(theta, abs=1e-9)
    assert made.se == pytest.approx(np.sqrt(square), rel=1e-6, abs=1e-9)


def _replicate(cells, weight, strata, drawn, sizes, judged, within):  # type: ignore[no-untyped-def]
    """θ of a replicate; its finite-population share is that of the full sample."""
    w = weight
    y, f, m = cells[:, 0] + cells[:, 1], cells[:, 0] + cells[:, 2], cells.sum(axis=1)
    total = (w * m).sum()
    human, judge = (w * y).sum() / total, (w * f).sum() / total
    rate = judged[:, 0].sum() / judged.sum()
    covariance = np.zeros((2, 2))
    for h in (0, 1):
        at = strata == h
        n = at.sum()
        if n < 2:
            continue
        z = np.stack([(w * (y - human * m) / total)[at], (w * (f - judge * m) / total)[at]])
        covariance += (1 - drawn[h] / sizes[h] if within else 1.0) * n * np.cov(z)
    v = 0.0
    if not within:
        z = (judged[:, 0] - rate * judged.sum(axis=1)) / judged.sum()
        v = len(z) * np.var(z, ddof=1)
    below = covariance[1, 1] + v
    slope = min(1.0, max(0.0, covariance[0, 1] / below)) if below > 1e-12 else 0.0
    return human + slope * (rate - judge)


@FAST
@given(rows=ROWS, corpus=CORPUS, within=st.booleans())
def test_intervals_hold_the_value_and_have_a_width(rows, corpus, within) -> None:  # type: ignore[no-untyped-def]
    """Whatever the counts, within [0, 1]; or null with a reason."""

    labelled, judged = Clusters.from_counts(rows), Clusters.from_counts(corpus)
    for made in (
        ppi_rate(labelled, judged, within=within),
        rogan_gladen_rate(labelled, judged),
    ):
        if made.low is None:
            assert made.reason is not None
            continue
        assert made.value is not None
        assert made.high is not None
        assert 0 <= made.low <= made.value + 1e-12
        assert made.value <= made.high + 1e-12
        assert made.high <= 1
        assert made.low < made.high


@FAST
@given(rows=ROWS, corpus=CORPUS)
def test_turning_the_question_round_turns_the_rate(rows, corpus) -> None:  # type: ignore[no-untyped-def]
    """Swapping entailed and not entailed on both sides gives one less the rate."""

    there = ppi_rate(Clusters.from_counts(rows), Clusters.from_counts(corpus))
    back = ppi_rate(
        Clusters.from_counts(np.array(rows)[:, ::-1]),
        Clusters.from_counts(np.array(corpus)[:, ::-1]),
    )

    assert there.value is not None
    assert back.value == pytest.approx(1 - there.value, abs=1e-9)
    assert back.se == pytest.approx(there.se, rel=1e-6, abs=1e-9)
