"""Where a judge and people differ: by match of the quote, length of the claim, and record."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np

from trueup.domain.model import Verdict
from trueup.report.model import Breakdown, Group
from trueup.stats.frame import Frame

MATCH, LENGTH, RECORD = "match of the quote", "length of the claim", "record"
_LEVELS: Final = (
    "exact", "normalised", "elided", "near", "altered", "absent", "trivial", "unlocated",
)  # fmt: skip
NO_QUOTE = "no quote"
_LENGTHS: Final = ((40, "up to 40 characters"), (80, "41 to 80"), (160, "81 to 160"))
_LONGER = "more than 160"


def breakdowns(
    frame: Frame, judge: str, texts: Mapping[str, str], said: Mapping[str, Verdict]
) -> tuple[Breakdown, ...]:
    """The disagreements of a judge by each property, over the units that people and it decided.

    `texts` and `said` hold the units' texts and the judge's verdicts by the frame's unit names.
    """
    used = np.flatnonzero(frame.decided(judge))
    units = [frame.unit_name(int(i)) for i in used]
    human, judged = frame.human[used], frame.verdict(judge)[used]
    wrong = [0 if h == j else (1 if j else -1) for h, j in zip(human, judged, strict=True)]
    records = [frame.record_name(int(i)) for i in used]

    def grouped(by: str, names: Sequence[str], order: Callable[[Group], object]) -> Breakdown:
        return Breakdown(by, tuple(sorted(_groups(names, wrong), key=order)))  # type: ignore[arg-type]

    matches = [_match(said[u]) for u in units]
    levels = {name: i for i, name in enumerate((*_LEVELS, NO_QUOTE))}
    bands = {name: i for i, name in enumerate((*(n for _, n in _LENGTHS), _LONGER))}
    return (
        grouped(MATCH, matches, lambda g: levels[g.name]),
        grouped(LENGTH, [_length(texts[u]) for u in units], lambda g: bands[g.name]),
        grouped(RECORD, records, lambda g: (-g.differ, -g.differ / g.n_units, g.name)),
    )


def _groups(names: Sequence[str], wrong: Sequence[int]) -> list[Group]:
    counts: dict[str, list[int]] = {}
    for name, how in zip(names, wrong, strict=True):
        cell = counts.setdefault(name, [0, 0, 0])
        cell[0] += 1
        cell[1] += how > 0
        cell[2] += how < 0
    return [Group(name, *cell) for name, cell in counts.items()]


def _match(verdict: Verdict) -> str:
    """The strongest match among the verdict's quotes."""
    found = {e.match for e in verdict.evidence}
    return next((level for level in _LEVELS if level in found), NO_QUOTE)


def _length(text: str) -> str:
    return next((name for limit, name in _LENGTHS if len(text) <= limit), _LONGER)
