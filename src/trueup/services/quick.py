"""The pure figures from plain lists or columns of a DataFrame, for a notebook."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping
from typing import Any, TypeAlias

from trueup.stats.estimate import Estimate
from trueup.stats.frame import Frame
from trueup.stats.paired import Comparison
from trueup.stats.summary import AgreementSummary
from trueup.stats.summary import agreement as _agreement
from trueup.stats.summary import compare as _compare

Labels: TypeAlias = Collection[Any]
"""A list, an array, or a column of a DataFrame."""


def agreement(
    labels: Labels, verdicts: Labels, clusters: Collection[Any] | None = None
) -> AgreementSummary:
    """One judge's verdicts against people's labels, unit by unit.

    `clusters` names the answer of each unit; without it each unit is an answer of its own. Values
    are True/False, 1/0, "entailed"/"not_entailed" (other spellings of yes and no are read too);
    None, "unsure" and "undecided" leave the unit out. Raises UsageError for lists of different
    lengths and values it cannot read.
    """
    return _agreement(_frame(labels, {"judge": verdicts}, clusters), "judge")


def compare(
    labels: Labels, a: Labels, b: Labels, clusters: Collection[Any] | None = None
) -> Comparison:
    """Judge b against judge a on the same labels, paired, answers as sampling units."""
    return _compare(_frame(labels, {"a": a, "b": b}, clusters), "a", "b")


def bootstrap(
    labels: Labels,
    verdicts: Labels,
    statistic: Callable[..., float | None],
    clusters: Collection[Any] | None = None,
    *,
    resamples: int = 10_000,
    seed: int = 0,
) -> Estimate:
    """Any statistic of the table of people against a judge, with its grouped cluster bootstrap.

    `statistic(n11, n10, n01, n00)` gets the cells (person first, 1 = entailed) and gives a number,
    or None where it is undefined. Percentile interval over resampled answers.
    """
    from trueup.stats.bootstrap import bootstrap as resample
    from trueup.stats.bootstrap import per_table

    made = resample(
        _frame(labels, {"judge": verdicts}, clusters).clusters("judge"),
        {"own": per_table(statistic)},
        resamples=resamples,
        seed=seed,
    )
    return made.estimate("own")


def _frame(labels: Any, verdicts: Mapping[str, Any], clusters: Collection[Any] | None) -> Frame:
    code: dict[Hashable, int] = {}
    answers = [
        code.setdefault(c, len(code))
        for c in (range(len(labels)) if clusters is None else clusters)
    ]
    return Frame.from_arrays(answers, labels, verdicts)
