"""Designs: which records can be drawn, with which probability, and what the notes say."""

from __future__ import annotations

from collections import Counter

import pytest

from trueup.domain.model import Sample
from trueup.errors import UsageError
from trueup.stats.sampling import (
    CANNOT_GIVE,
    Allocation,
    discordant_sample,
    random_sample,
    score_band_sample,
)

RECORDS = [f"r{i:03d}" for i in range(200)]
SCORES: dict[str, float | None] = {
    record: None if i < 20 else (1.0 if i < 120 else (i % 10) / 10)
    for i, record in enumerate(RECORDS)
}


def bands(n: int = 40, *, seed: int = 1, allocation: Allocation = "sqrt") -> Sample:
    return score_band_sample(
        "s", "groundedness", SCORES, n, seed=seed, judge_fingerprint="f", allocation=allocation
    )


def drawn(sample: Sample) -> Counter[str]:
    return Counter(member.stratum for member in sample.members)


def test_a_simple_random_sample() -> None:
    """n of N records, each with probability n/N, in a random order."""

    sample = random_sample("s", "groundedness", RECORDS, 50, seed=7)

    assert sample.design == "random"
    assert sample.population == 200
    assert dict(sample.strata) == {"all": 200}
    assert len({m.record for m in sample.members}) == 50
    assert {m.probability for m in sample.members} == {0.25}
    assert [m.order for m in sample.members] == list(range(50))
    assert [m.record for m in sample.members] != sorted(m.record for m in sample.members)


def test_the_draw_of_a_seed_is_fixed_for_good() -> None:
    """The stream is part of the format: a sample can be drawn again on any machine."""

    sample = random_sample("s", "groundedness", RECORDS, 5, seed=42, overlap=0.2, repeats=0.4)

    assert [m.record for m in sample.members] == ["r149", "r135", "r084", "r051", "r068"]
    assert [m.record for m in sample.members if m.overlap] == ["r051"]
    assert [m.record for m in sample.members if m.repeat] == ["r135", "r084"]


def test_the_order_of_the_records_does_not_matter() -> None:
    """Nor does naming one twice."""

    forwards = random_sample("s", "m", RECORDS, 20, seed=3)
    backwards = random_sample("s", "m", [*RECORDS[::-1], *RECORDS], 20, seed=3)

    assert forwards == backwards
    assert random_sample("s", "m", RECORDS, 20, seed=4).members != forwards.members


def test_more_records_than_there_are_takes_them_all() -> None:
    """Every probability is then 1."""

    sample = random_sample("s", "m", RECORDS[:7], 50, seed=1)

    assert len(sample.members) == 7
    assert {m.probability for m in sample.members} == {1.0}


def test_bands_have_fixed_cut_points_and_null_is_a_band() -> None:
    """Scores of exactly 1 stay together; 0.5 and 0.8 begin their bands."""

    sample = bands()

    assert dict(sample.strata) == {
        "null": 20,
        "[0,0.5)": 40,
        "[0.5,0.8)": 24,
        "[0.8,1)": 16,
        "1": 100,
    }
    assert sample.judge_fingerprints == ("f",)
    assert sample.notes == ()


def test_allocation_by_square_root_is_the_default() -> None:
    """√20, √40, √24, √16 and √100 of 40 records."""

    assert drawn(bands()) == {"null": 6, "[0,0.5)": 9, "[0.5,0.8)": 7, "[0.8,1)": 5, "1": 13}
    for member in bands().members:
        share = drawn(bands())[member.stratum] / bands().strata[member.stratum]
        assert member.probability == share


def test_equal_allocation_warns() -> None:
    """It is an option, and what it costs is said."""

    sample = bands(allocation="equal")

    assert set(drawn(sample).values()) == {8}
    assert any("worse than a simple random sample" in note for note in sample.notes)


def test_neyman_allocation_takes_given_spreads() -> None:
    """A band said to hold no variation gets the least; the widest gets most."""

    sample = score_band_sample(
        "s", "m", SCORES, 40, seed=1, judge_fingerprint="f", allocation="neyman",
        spread={"null": 0.0, "[0,0.5)": 0.5, "[0.5,0.8)": 0.1, "[0.8,1)": 0.1, "1": 0.01},
    )  # fmt: skip

    counts = drawn(sample)
    assert counts["null"] == 2
    assert counts["[0,0.5)"] == max(counts.values())


def test_neyman_allocation_guesses_spreads_from_the_scores() -> None:
    """A band of certain scores is larger here, yet not all labels go there."""

    counts = drawn(bands(allocation="neyman"))

    assert sum(counts.values()) == 40
    assert counts["1"] < 20
    assert min(counts.values()) >= 2


def test_a_band_of_one_record_is_merged_and_said() -> None:
    """One record alone has no variance."""

    scores = {**{f"a{i}": 1.0 for i in range(30)}, "b": 0.9, **{f"c{i}": 0.1 for i in range(10)}}
    sample = score_band_sample("s", "m", scores, 10, seed=1, judge_fingerprint="f")

    assert dict(sample.strata) == {"[0,0.5) + [0.8,1)": 11, "1": 30}
    assert sample.notes == ("merged into one stratum: [0,0.5) (10 records), [0.8,1) (1 records)",)


def test_few_labels_make_few_strata() -> None:
    """Five bands and five labels: two strata, so that each gets two records."""

    counts = drawn(bands(5))

    assert len(counts) == 2
    assert sum(counts.values()) == 5
    assert min(counts.values()) >= 2


def test_one_label_is_a_simple_random_sample() -> None:
    """One stratum is left, and any record may come."""

    sample = bands(1)

    assert len(sample.members) == 1
    assert sample.members[0].probability == 1 / 200


def test_discordant_records_come_first() -> None:
    """Records on which the judges differ more are drawn more often; agreeing ones twice."""

    differing = {r: 0 if i < 150 else 1 + i % 6 for i, r in enumerate(RECORDS)}
    sample = discordant_sample(
        "s", "m", differing, 30, seed=1, judge_fingerprints=("a", "b"), overlap=0.1
    )

    by_name = {m.stratum: m.probability for m in sample.members}
    assert drawn(sample)["0 discordant"] == 2
    assert by_name["0 discordant"] < by_name["1 discordant"] < by_name["4 or more discordant"]
    assert sample.judge_fingerprints == ("a", "b")
    assert sum(m.overlap for m in sample.members) == 3
    assert any("not percent_agreement, kappa" in note for note in sample.notes)
    assert "delta_agreement" not in CANNOT_GIVE["discordant"]


def test_judges_that_differ_nowhere_cannot_be_compared() -> None:
    """There is nothing to draw."""

    with pytest.raises(UsageError, match="differ on no unit"):
        discordant_sample("s", "m", {"a": 0}, 1, seed=1, judge_fingerprints=("a", "b"))


def test_a_small_share_is_at_least_one_record() -> None:
    """Asking for overlap and getting none would be silent."""

    sample = random_sample("s", "m", RECORDS, 20, seed=1, overlap=0.01, repeats=0.0)

    assert sum(m.overlap for m in sample.members) == 1
    assert not any(m.repeat for m in sample.members)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"records": []}, "no record"),
        ({"n": 0}, "at least one record"),
        ({"seed": -1}, "seed"),
        ({"overlap": 1.5}, "overlap"),
        ({"repeats": -0.1}, "repeats"),
    ],
)
def test_what_makes_no_sense_is_refused(change: dict[str, object], message: str) -> None:
    """With the name of what is wrong."""

    options: dict[str, object] = {"records": RECORDS, "n": 5, "seed": 1} | change
    records, n = options.pop("records"), options.pop("n")
    with pytest.raises(UsageError, match=message):
        random_sample("s", "m", records, n, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("scores", "options", "message"),
    [
        ({"a": 1.2}, {}, "score of a"),
        ({"a": float("nan")}, {}, "score of a"),
        ({"a": 1.0}, {"cuts": (0.8, 0.5)}, "ascend"),
        ({"a": 1.0}, {"cuts": (0.0, 0.5)}, "ascend"),
        ({"a": 1.0}, {"allocation": "best"}, "allocation"),
    ],
)
def test_bands_that_make_no_sense_are_refused(scores, options, message) -> None:  # type: ignore[no-untyped-def]
    """Scores outside [0, 1], cut points out of order, an unknown allocation."""

    with pytest.raises(UsageError, match=message):
        score_band_sample("s", "m", scores, 1, seed=1, judge_fingerprint="f", **options)
