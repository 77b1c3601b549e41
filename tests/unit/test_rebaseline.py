"""Restated release means, the shift and its parts, and drift of a canary."""

from __future__ import annotations

import numpy as np
import pytest

from trueup.errors import UsageError
from trueup.stats.drift import asymptotic_cs_radius, rho_for, watch
from trueup.stats.rebaseline import restated_mean
from trueup.stats.rebaseline_release import (
    attribute_shift,
    restate_overlap,
    restate_rejudged,
)
from trueup.stats.sampling import score_band_sample


def scores(n: int, seed: int) -> tuple[dict[str, float | None], dict[str, float | None]]:
    """Old scores in fifths, and new ones that are lower by a tenth on average."""
    rng = np.random.default_rng(seed)
    old = rng.choice([0.2, 0.4, 0.6, 0.8, 1.0], n, p=[0.05, 0.1, 0.15, 0.2, 0.5])
    new = np.clip(old - rng.choice([0.0, 0.0, 0.2, 0.2, -0.2], n), 0, 1)
    names = [f"r{i:04d}" for i in range(n)]
    return dict(zip(names, old.tolist(), strict=True)), dict(zip(names, new.tolist(), strict=True))


OLD, NEW = scores(2000, seed=2)
TRUTH = float(np.mean([s for s in NEW.values() if s is not None]))
DRAW = score_band_sample(
    "overlap", "groundedness", OLD, 200, seed=1, judge_fingerprint="a", allocation="proportional"
)


def test_an_overlap_restates_the_release() -> None:
    """The interval holds the mean of all records and is narrower than without old scores."""

    made = restate_overlap(DRAW, OLD, NEW)

    assert made.method == "overlap"
    assert made.new.method == "overlap_regression_t"
    assert (made.n_records, made.n_overlap) == (2000, 200)
    assert made.left_out == {}
    assert made.new.low is not None
    assert made.new.high is not None
    assert made.new.low < TRUTH < made.new.high
    assert made.old.value == pytest.approx(np.mean(list(OLD.values())))  # type: ignore[arg-type]
    spread = np.std([NEW[m.record] for m in DRAW.members]) / np.sqrt(200)  # type: ignore[arg-type]
    assert made.new.se is not None
    assert made.new.se < 0.8 * spread


def test_the_shift_is_new_less_old() -> None:
    """With the error of the new mean: the old one of these records is known."""

    made = restate_overlap(DRAW, OLD, NEW)

    assert made.shift.value == pytest.approx(made.new.value - made.old.value)  # type: ignore[operator]
    assert made.shift.se == made.new.se
    assert made.shift.low is not None
    assert made.shift.high is not None
    assert made.shift.low < TRUTH - made.old.value < made.shift.high  # type: ignore[operator]


def test_undecided_records_are_left_out_and_counted() -> None:
    """A record that the new judge does not decide is stood for by the others of its band."""

    gone = {m.record for m in DRAW.members[:20]}
    made = restate_overlap(DRAW, OLD, {r: None if r in gone else s for r, s in NEW.items()})

    assert made.n_overlap == 180
    assert made.left_out == {"undecided_new": 20}
    assert made.new.low < TRUTH < made.new.high  # type: ignore[operator]


def test_a_band_without_an_answer_joins_its_neighbour() -> None:
    """All of a band undecided: its records are stood for by the band beside it, and flagged."""

    band = DRAW.members[0].stratum
    gone = {m.record for m in DRAW.members if m.stratum == band}
    made = restate_overlap(DRAW, OLD, {r: None if r in gone else s for r, s in NEW.items()})

    assert "strata_merged" in made.new.flags
    assert made.new.value is not None


def test_a_thin_overlap_is_null() -> None:
    """29 rejudged records restate nothing; the reason says so, for the shift too."""

    few = {m.record for m in DRAW.members[:29]}
    made = restate_overlap(DRAW, OLD, {r: s if r in few else None for r, s in NEW.items()})

    assert made.new.value is None
    assert made.new.reason == "fewer than 30 rejudged records"
    assert made.shift.value is None
    assert made.old.value is not None


def test_members_need_an_old_score() -> None:
    """An overlap is drawn from what the old judge decided."""

    with pytest.raises(UsageError, match="old judge decided"):
        restate_overlap(DRAW, {**OLD, DRAW.members[0].record: None}, NEW)


def test_all_records_rejudged_is_exact() -> None:
    """No error of an overlap, only the sampling interval of a mean over records."""

    made = restate_rejudged({**OLD, "x": None, "y": 1.0}, {**NEW, "x": 1.0, "y": None})

    assert made.method == "rejudged"
    assert made.new.value == pytest.approx(TRUTH)
    assert made.left_out == {"undecided_old": 1, "undecided_new": 1}
    assert made.shift.value == pytest.approx(TRUTH - made.old.value)  # type: ignore[operator]
    assert made.shift.se < made.new.se  # type: ignore[operator]


def test_an_overlap_of_all_records_is_the_exact_one() -> None:
    """The two ways meet."""

    names = list(OLD)[:40]
    old, new = {r: OLD[r] for r in names}, {r: NEW[r] for r in names}
    draw = score_band_sample("o", "m", old, 40, seed=1, judge_fingerprint="a")

    assert restate_overlap(draw, old, new).new == restate_rejudged(old, new).new


def test_judges_that_say_the_same_are_flagged() -> None:
    """Shift 0, flag identical, no interval made of nothing."""

    made = restate_rejudged(OLD, OLD)

    assert made.shift.value == 0.0
    assert made.shift.flags == ("identical",)
    assert made.shift.low is None


def test_no_common_record_is_undefined() -> None:
    """Nothing decided by both: null with reasons, no error."""

    made = restate_rejudged({"a": 1.0}, {"a": None})

    assert made.new.value is None
    assert made.shift.reason == "no record decided under both judges"


def test_the_difference_serves_where_old_scores_do_not_vary() -> None:
    """Every old score is 1: there is no slope, and the change is the mean change."""

    new = [1.0, 0.8] * 20
    made = restated_mean([1.0] * 40, new, old_all_mean=1.0, n_total=1000)

    assert made.regression.reason == "the old scores do not vary"
    assert made.best.method == "overlap_difference_t"
    assert made.best.value == pytest.approx(0.9)


def test_a_linear_change_is_restated_without_error() -> None:
    """New = 0.2 + 0.5·old exactly: the mean follows, and the interval still has a width."""

    old = np.linspace(0, 1, 50)
    made = restated_mean(old, 0.2 + 0.5 * old, old_all_mean=0.9, n_total=1000)

    assert made.best.value == pytest.approx(0.65)
    assert made.best.extra["slope"] == pytest.approx(0.5)
    assert made.best.low < 0.65 < made.best.high  # type: ignore[operator]


def test_strata_with_their_sizes_weigh_the_overlap() -> None:
    """Two bands drawn at different rates: the plain mean of the overlap would be wrong."""

    old = [0.2] * 20 + [0.4] * 20 + [1.0] * 10 + [0.8] * 10
    new = [0.1] * 20 + [0.3] * 20 + [1.0] * 10 + [0.9] * 10
    made = restated_mean(
        old, new, old_all_mean=0.1 * 0.3 + 0.9 * 0.9, n_total=1000,
        stratum=["low"] * 40 + ["top"] * 20, stratum_sizes=[100, 900],
    )  # fmt: skip

    assert made.best.value == pytest.approx(0.1 * 0.2 + 0.9 * 0.95)


@pytest.mark.parametrize(
    ("old", "new", "options", "message"),
    [
        ([0.5], [0.5, 0.6], {}, "one old and one new"),
        ([0.5] * 5, [0.5] * 5, {"n_total": 4}, "at most one a record"),
        ([0.5, float("nan")], [0.5, 0.5], {}, "leave undecided records out"),
        ([0.5] * 4, [0.5] * 4, {"stratum": "aabb", "stratum_sizes": [5, 6]}, "N in all"),
    ],
)
def test_what_does_not_fit_is_refused(old, new, options, message) -> None:  # type: ignore[no-untyped-def]
    """Lengths, numbers and sizes."""

    given = {"n_total": 10, **options}
    if "stratum" in given:
        given["stratum"] = list(given["stratum"])
    with pytest.raises(UsageError, match=message):
        restated_mean(old, new, old_all_mean=0.5, least=2, **given)


def test_the_parts_of_a_shift_add_up() -> None:
    """Each change on top of those before, on records decided at every step."""

    steps = [
        ("old", {"a": 1.0, "b": 0.5, "c": 0.8, "d": None}),
        ("verdicts", {"a": 0.8, "b": 0.5, "c": 0.6, "d": 0.1}),
        ("evidence rule", {"a": 0.8, "b": 0.0, "c": 0.6, "d": 0.1}),
        ("splitter", {"a": 0.9, "b": 0.0, "c": 0.5, "d": 0.2}),
    ]
    parts, n = attribute_shift(steps)

    assert n == 3
    assert [p.name for p in parts] == ["verdicts", "evidence rule", "splitter"]
    total = sum(p.change.value for p in parts)  # type: ignore[misc]
    assert total == pytest.approx((0.9 + 0.0 + 0.5) / 3 - (1.0 + 0.5 + 0.8) / 3)
    assert parts[0].change.value == pytest.approx(-0.4 / 3)
    with pytest.raises(UsageError, match="an old and a new"):
        attribute_shift(steps[:1])


def test_a_steady_canary_raises_no_alarm() -> None:
    """Changes that go both ways and cancel."""

    made = watch([0.1, -0.1] * 300)

    assert not made.alarm
    assert made.change.low < 0 < made.change.high  # type: ignore[operator]


def test_a_drifting_canary_raises_an_alarm_that_stays() -> None:
    """From the 101st record on the judge is harsher."""

    made = watch([0.05, -0.05] * 50 + [-0.3, -0.1] * 150)

    assert made.alarm
    assert made.alarm_at is not None
    assert 100 < made.alarm_at < 200
    assert made.change.high < 0  # type: ignore[operator]


def test_few_unanimous_changes_are_no_certainty() -> None:
    """Nine records that all moved do not alarm; a hundred do."""

    assert not watch([-0.5] * 9).alarm
    assert watch([-0.5] * 100).alarm


def test_false_alarms_are_rare_at_any_look() -> None:
    """Of 300 canaries without drift, read after each record, at most 5 % alarm."""

    rng = np.random.default_rng(5)
    alarms = sum(watch(rng.choice([-0.25, 0, 0, 0.25], 400)).alarm for _ in range(300))

    assert alarms <= 15


def test_an_unwatched_canary_is_undefined() -> None:
    """No record, no change."""

    assert watch([]).change.reason == "no rejudged record"


def test_sequences_need_sensible_arguments() -> None:
    """And ρ makes the sequence tightest where it was asked to."""

    with pytest.raises(UsageError):
        watch([2.0])
    with pytest.raises(UsageError):
        asymptotic_cs_radius(0, 1.0)
    with pytest.raises(UsageError):
        rho_for(0)
    best = rho_for(500)
    at = [asymptotic_cs_radius(500, 1.0, rho=rho) for rho in (best / 2, best, best * 2)]
    assert min(at) == at[1]
