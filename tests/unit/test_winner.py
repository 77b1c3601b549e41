"""The best of several judges is chosen and measured on different answers."""

from __future__ import annotations

import numpy as np
import pytest

from trueup.errors import UsageError
from trueup.stats.frame import Frame
from trueup.stats.winner import confirmed_winner


def frame(answers: int, judges: int, *, seed: int = 0, better: float = 0.0) -> Frame:
    """Judges that are right on 80 % of the claims, the last one by `better` more often."""
    rng = np.random.default_rng(seed)
    human = rng.random(answers * 4) < 0.7
    said = {}
    for j in range(judges):
        right = rng.random(answers * 4) < 0.8 + (better if j == judges - 1 else 0.0)
        said[f"j{j}"] = np.where(right, human, ~human)
    return Frame.from_arrays(np.repeat(np.arange(answers), 4), human, said)


def test_a_clear_winner_is_chosen_and_confirmed() -> None:
    """It is better than the first judge on answers that had no part in the choice."""
    made = confirmed_winner(frame(200, 4, better=0.15), ["j0", "j1", "j2", "j3"], seed=1)

    assert made.chosen == "j3"
    assert (made.n_choosing, made.n_confirming) == (100, 100)
    assert made.comparison is not None
    assert made.comparison.delta_agreement.low is not None
    assert made.comparison.delta_agreement.low > 0


def test_the_measured_agreement_is_not_optimistic() -> None:
    """Ten equal judges: the best looks better where it was chosen, not where it is measured."""
    names = [f"j{i}" for i in range(10)]
    chosen_on, measured = [], []
    for seed in range(60):
        made = frame(40, 10, seed=seed)
        right = made.verdicts == made.human
        chosen_on.append(right.mean(axis=1).max())
        value = confirmed_winner(made, names, seed=seed).agreement.value
        assert value is not None
        measured.append(value)

    assert np.mean(chosen_on) > 0.83
    assert np.mean(measured) == pytest.approx(0.8, abs=0.015)


def test_the_first_judge_may_win() -> None:
    """Then there is nobody to compare it with."""
    made = confirmed_winner(frame(60, 2, better=-0.4), ["j0", "j1"], seed=3)

    assert made.chosen == "j0"
    assert made.comparison is None


def test_three_answers_cannot_be_split() -> None:
    """One answer on each side would have no interval."""
    with pytest.raises(UsageError, match="too few to split"):
        confirmed_winner(frame(3, 2), ["j0", "j1"], seed=1)
