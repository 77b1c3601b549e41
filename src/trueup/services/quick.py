"""The pure figures from plain lists, for a notebook: `trueup.agreement`, `trueup.compare`."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from trueup.stats.frame import Frame
from trueup.stats.paired import Comparison
from trueup.stats.summary import AgreementSummary
from trueup.stats.summary import agreement as _agreement
from trueup.stats.summary import compare as _compare

Labels = Sequence[bool | int | str | None]


def agreement(
    labels: Labels, verdicts: Labels, clusters: Sequence[Hashable] | None = None
) -> AgreementSummary:
    """One judge's verdicts against people's labels, unit by unit.

    `clusters` names the answer of each unit; without it each unit is an answer of its own. Values
    are True/False, 1/0, "entailed"/"not_entailed" (other spellings of yes and no are read too);
    None, "unsure" and "undecided" leave the unit out. Raises UsageError for lists of different
    lengths and values it cannot read.
    """
    return _agreement(_frame(labels, {"judge": verdicts}, clusters), "judge")


def compare(
    labels: Labels, a: Labels, b: Labels, clusters: Sequence[Hashable] | None = None
) -> Comparison:
    """Judge b against judge a on the same labels, paired, answers as sampling units."""
    return _compare(_frame(labels, {"a": a, "b": b}, clusters), "a", "b")


def _frame(labels: Any, verdicts: Mapping[str, Any], clusters: Sequence[Hashable] | None) -> Frame:
    code: dict[Hashable, int] = {}
    answers = [code.setdefault(c, len(code)) for c in clusters or range(len(labels))]
    return Frame.from_arrays(answers, labels, verdicts)
