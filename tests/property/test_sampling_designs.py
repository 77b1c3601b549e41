"""Whatever is drawn: probabilities add up, every record can come, strata cover the population."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueup.domain.model import Sample
from trueup.errors import UsageError
from trueup.stats.allocation import LEAST, allocate
from trueup.stats.sampling import discordant_sample, random_sample, score_band_sample

SCORES = st.dictionaries(
    st.text("abcdef", min_size=1, max_size=4),
    st.none() | st.sampled_from([0.0, 0.25, 0.5, 0.79, 0.8, 0.99, 1.0]),
    min_size=1,
    max_size=60,
)
ALLOCATIONS = st.sampled_from(["sqrt", "equal", "neyman"])
SIZES = st.integers(1, 70)
SEEDS = st.integers(0, 2**40)


def check(sample: Sample, population: set[str], n: int) -> None:
    """What holds of every design."""
    drawn = Counter(m.stratum for m in sample.members)
    assert len(sample.members) == min(n, len(population))
    assert {m.record for m in sample.members} <= population
    assert len({m.record for m in sample.members}) == len(sample.members)
    assert sum(sample.strata.values()) == sample.population == len(population)
    # every stratum is drawn from, so that every record can be drawn
    assert drawn.keys() == sample.strata.keys()
    for member in sample.members:
        expected = drawn[member.stratum] / sample.strata[member.stratum]
        assert member.probability == expected
        assert 0 < member.probability <= 1
    # probabilities of all records of the population add up to n: Σ_h N_h · n_h/N_h
    total = math.fsum(
        size * drawn[name] / sample.strata[name] for name, size in sample.strata.items()
    )
    assert total == pytest.approx(len(sample.members))
    # weights of the drawn records add up to the population
    assert math.fsum(1 / m.probability for m in sample.members) == pytest.approx(len(population))
    if len(sample.members) > 1 and len(population) > 1:
        assert min(drawn.values()) >= min(LEAST, *sample.strata.values())


@settings(deadline=None)
@given(records=st.sets(st.text("abc", min_size=1, max_size=5), min_size=1), n=SIZES, seed=SEEDS)
def test_random(records, n, seed) -> None:  # type: ignore[no-untyped-def]
    """A simple random sample of anything."""

    check(random_sample("s", "m", records, n, seed=seed), records, n)


@settings(deadline=None)
@given(scores=SCORES, n=SIZES, seed=SEEDS, allocation=ALLOCATIONS)
def test_score_bands(scores, n, seed, allocation) -> None:  # type: ignore[no-untyped-def]
    """Any scores, any allocation; the order of the records changes nothing."""

    def draw(given):  # type: ignore[no-untyped-def]
        return score_band_sample(
            "s", "m", given, n, seed=seed, judge_fingerprint="f", allocation=allocation
        )

    sample = draw(scores)

    check(sample, set(scores), n)
    assert draw(dict(reversed(scores.items()))) == sample
    homes = {m.record: m.stratum for m in sample.members}
    for record, home in homes.items():
        for other, theirs in homes.items():
            assert scores[record] != scores[other] or home == theirs


@settings(deadline=None)
@given(
    differing=st.dictionaries(
        st.text("abcdef", min_size=1, max_size=4), st.integers(0, 6), min_size=1, max_size=60
    ),
    n=SIZES,
    seed=SEEDS,
)
def test_discordant(differing, n, seed) -> None:  # type: ignore[no-untyped-def]
    """Any counts of discordant units, as long as there is one."""

    def draw() -> Sample:
        return discordant_sample("s", "m", differing, n, seed=seed, judge_fingerprints=("a", "b"))

    if not any(differing.values()):
        with pytest.raises(UsageError):
            draw()
        return
    check(draw(), set(differing), n)


@given(
    strata=st.lists(st.tuples(st.integers(1, 50), st.floats(0, 100)), min_size=1, max_size=8),
    n=st.integers(1, 300),
)
def test_allocation_keeps_its_bounds(strata, n) -> None:  # type: ignore[no-untyped-def]
    """Sizes add up to what was asked for, between the least and what there is."""

    sizes, shares = [s for s, _ in strata], [w for _, w in strata]
    made = allocate(sizes, n, shares)

    assert sum(made) == min(n, sum(sizes))
    assert all(got <= size for got, size in zip(made, sizes, strict=True))
    if n >= sum(min(size, LEAST) for size in sizes):
        assert all(got >= min(size, LEAST) for got, size in zip(made, sizes, strict=True))


def test_empirical_frequencies_are_the_probabilities() -> None:
    """Over 3,000 seeds each record comes as often as its inclusion probability says."""

    scores = {f"r{i}": [1.0, 0.9, 0.3, None][i % 4] if i < 20 else 1.0 for i in range(40)}
    times: Counter[str] = Counter()
    probability: dict[str, float] = {}
    for seed in range(3000):
        sample = score_band_sample("s", "m", scores, 12, seed=seed, judge_fingerprint="f")
        times.update(m.record for m in sample.members)
        probability.update({m.record: m.probability for m in sample.members})

    assert times.keys() == scores.keys()
    for record, p in probability.items():
        error = np.sqrt(p * (1 - p) / 3000)
        assert abs(times[record] / 3000 - p) < 5 * error
