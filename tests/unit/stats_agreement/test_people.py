"""People against people, against themselves, and a judge against their ceiling."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from trueup.stats.frame import Frame
from trueup.stats.frame_rows import LabelRow, VerdictRow, frame_from_rows
from trueup.stats.people import against_ceiling, people, self_agreement
from trueup.stats.raters import krippendorff_alpha, retest

WORDS: dict[int, Any] = {1: "entailed", 0: "not_entailed", -1: "unsure"}


def frame_of(
    votes: dict[str, list[int | None]],
    judge: list[int] | None = None,
    second: dict[str, list[int | None]] | None = None,
    per_answer: int = 2,
) -> Frame:
    """A frame of annotators' votes by unit (None: not asked), units in answers of a size."""
    labels, verdicts = [], []
    for repeat, given in ((0, votes), (1, second or {})):
        for who, values in given.items():
            for i, value in enumerate(values):
                if value is not None:
                    record = str(i // per_answer)
                    labels.append(LabelRow(f"u{i}", record, who, WORDS[value], repeat=repeat))
    for i, said in enumerate(judge or []):
        verdicts.append(VerdictRow(f"u{i}", "j", ["not_entailed", "entailed"][said]))  # type: ignore[arg-type]
    return frame_from_rows(labels, verdicts)


RNG = np.random.default_rng(8)
TRUTH = RNG.integers(0, 2, 80)


def noisy(share: float) -> list[int | None]:
    """The truth with a share of labels turned round."""
    return [int(x) for x in np.where(RNG.random(80) < share, 1 - TRUTH, TRUTH)]


VOTES = {"ana": noisy(0.1), "bo": noisy(0.1), "cy": noisy(0.2)}


def test_alpha_is_krippendorffs_with_an_interval() -> None:
    """Unsure and absent labels are missing; the interval is inside [−1, 1]."""
    votes = {**VOTES, "cy": [None if i % 3 else x for i, x in enumerate(VOTES["cy"])]}
    found = people(frame_of(votes)).krippendorff_alpha
    assert found.value == pytest.approx(krippendorff_alpha(list(votes.values())).value)
    assert -1 <= (found.low or -2) < (found.value or 0) < (found.high or 2) <= 1


def test_the_ceiling_is_the_mean_kappa_of_pairs() -> None:
    """Every pair on the claims both decided; unsure is no label there."""
    votes = {**VOTES, "bo": [-1, *VOTES["bo"][1:]]}
    found = people(frame_of(votes))
    assert [(p.a, p.b, p.n_units) for p in found.pairs] == [
        ("ana", "bo", 79),
        ("ana", "cy", 80),
        ("bo", "cy", 79),
    ]
    assert found.kappa.value == pytest.approx(np.mean([p.kappa.value for p in found.pairs]))
    assert found.kappa.low is not None
    assert found.n_doubly_labelled == 80
    assert found.to_json()["n_doubly_labelled"] == 80


def test_people_who_agree_on_everything() -> None:
    """Kappa 1 with a fallback interval, never of width zero."""
    found = people(frame_of({"ana": VOTES["ana"], "bo": VOTES["ana"]}))
    for figure in (found.kappa, found.krippendorff_alpha):
        assert figure.value == pytest.approx(1)
        assert "boundary_fallback" in figure.flags
        assert (figure.low or 1) < 0.95


def test_one_annotator_or_one_label_is_null() -> None:
    """Nobody to compare with, or nothing but one label: null with a reason."""
    alone = people(frame_of({"ana": VOTES["ana"]}))
    assert (alone.n_doubly_labelled, alone.kappa.value, alone.pairs) == (0, None, ())
    constant = people(frame_of({"ana": [1] * 6, "bo": [1] * 6}))
    assert constant.krippendorff_alpha.reason == "only one label used"
    assert constant.kappa.value is None
    assert people(Frame.from_arrays([0], [1], {})).kappa.value is None


def test_a_judge_against_the_ceiling() -> None:
    """A judge as good as people is near 0; a worse one is below it beyond its interval."""
    good = against_ceiling(frame_of(VOTES, [int(x) for x in noisy(0.1) if x is not None]), "j")
    assert (good.difference.low or 1) < 0 < (good.difference.high or -1)
    bad = against_ceiling(frame_of(VOTES, [int(x) for x in noisy(0.45) if x is not None]), "j")
    assert (bad.difference.high or 1) < 0
    assert bad.difference.value == pytest.approx((bad.judge.value or 0) - (bad.human.value or 0))
    assert against_ceiling(frame_of({"ana": [1, 0]}, [1, 0]), "j").human.value is None


def test_a_judge_that_is_one_of_the_people() -> None:
    """The same labels in every answer: the difference has no variation to judge by."""
    votes: dict[str, list[int | None]] = {"ana": [1, 0, 1, 0], "bo": [1, 0, 1, 0]}
    found = against_ceiling(frame_of(votes, [1, 0, 1, 0]), "j").difference
    assert (found.value, found.low) == (0, None)
    assert found.reason


def test_self_agreement_of_a_labeller() -> None:
    """Units shown twice: flips with a cluster interval, kappa with oneself."""
    second: list[int | None] = [None] * 80
    for i in range(40):
        second[i] = VOTES["ana"][i] if i % 5 else 1 - (VOTES["ana"][i] or 0)
    found = people(frame_of(VOTES, second={"ana": second})).self_agreement
    assert [(s.rater, s.n_units) for s in found] == [("ana", 40)]
    assert found[0].any_flip.value == pytest.approx(0.2)
    assert (found[0].any_flip.low or 1) < 0.2 < (found[0].any_flip.high or 0)
    assert (found[0].kappa.low or 1) < (found[0].kappa.value or 0)


def test_self_agreement_of_a_judge() -> None:
    """Repeated verdicts: the rates of `retest`, undecided runs left out."""
    runs = RNG.integers(-1, 2, size=(60, 3)).astype(np.int8)
    found = self_agreement("j", np.arange(60) // 3, runs)
    plain = retest(runs)
    assert found.any_flip.value == pytest.approx(plain.any_flip.value)
    assert found.pairwise_flip.value == pytest.approx(plain.pairwise_flip.value)
    assert found.kappa.value == pytest.approx(plain.kappa.value)
    assert found.n_units == plain.n_units
    nothing = self_agreement("j", np.zeros(2, np.int64), np.full((2, 2), -1, np.int8))
    assert (nothing.n_units, nothing.kappa.value) == (0, None)
