"""The best of several judges, chosen on some answers and measured on the others.

A winner chosen on the labels that it is measured by looks better than it is: chance helped it to
win. Split by answer, the choice and the measurement share no answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from trueup.errors import UsageError
from trueup.stats.agreement_intervals import estimate
from trueup.stats.counts import IntArray
from trueup.stats.estimate import Estimate
from trueup.stats.frame import Frame
from trueup.stats.paired import Comparison
from trueup.stats.summary import compare


@dataclass(frozen=True, slots=True)
class Winner:
    """`chosen` has the highest agreement on `n_choosing` answers; the rest is of the others.

    `agreement` and `kappa` of the chosen judge, and `comparison` with the first-named judge (None
    where that is the chosen one), on the `n_confirming` answers that had no part in the choice.
    """

    chosen: str
    seed: int
    n_choosing: int
    n_confirming: int
    agreement: Estimate
    kappa: Estimate
    comparison: Comparison | None

    def to_json(self) -> dict[str, object]:
        """The object `split` of a comparison."""
        return {
            "chosen": self.chosen,
            "seed": self.seed,
            "n_choosing": self.n_choosing,
            "n_confirming": self.n_confirming,
            "percent_agreement": self.agreement.to_json(),
            "kappa": self.kappa.to_json(),
            "comparison": None if self.comparison is None else self.comparison.to_json(),
        }


def confirmed_winner(frame: Frame, judges: Sequence[str], *, seed: int) -> Winner:
    """Choose on half of the answers that all judges decided units of, measure on the other half.

    Ties go to the judge that is named first. The halves depend on the seed and the names of the
    records, not on their order. Raises UsageError for fewer than four such answers, or two judges.
    """
    if len(judges) < 2:
        raise UsageError("a winner is chosen among at least two judges")
    common = frame.decided(*judges)
    answers = np.unique(frame.answer[common])
    if len(answers) < 4:
        raise UsageError(
            f"{len(answers)} answers are too few to split",
            hint="label more answers, or compare without --split",
        )
    first = np.isin(frame.answer, _half(frame, answers, seed))
    choosing, confirming = frame.part(common & first), frame.part(common & ~first)
    shares = [_agreement(choosing, judge) for judge in judges]
    chosen = judges[int(np.argmax(shares))]
    rest = confirming.clusters(chosen)
    against = judges[0]
    return Winner(
        chosen,
        seed,
        choosing.clusters(chosen).n_answers,
        rest.n_answers,
        estimate(rest, "percent_agreement"),
        estimate(rest, "kappa"),
        None if chosen == against else compare(confirming, against, chosen),
    )


def _agreement(frame: Frame, judge: str) -> float:
    value = estimate(frame.clusters(judge), "percent_agreement").value
    return -1.0 if value is None else value


def _half(frame: Frame, answers: IntArray, seed: int) -> list[int]:
    """Half of the answers, drawn in the order of their records' names."""
    names = frame.record_names
    order = sorted(answers.tolist(), key=lambda r: r if names is None else names[r])
    numbers = np.random.PCG64(seed).random_raw(len(order))
    return [order[i] for i in np.argsort(numbers, kind="stable")[: len(order) // 2].tolist()]
