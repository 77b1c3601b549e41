"""From label events to one label per unit: who counts, what is tied, what leaves a unit out.

Pure array work on codes, in the order of the events. The rules:
- the last event of an annotator on a unit counts (per showing and origin), unless taken back;
- an adjudicated decision beats votes; of several decisions the last;
- else a strict majority of the votes; `unsure` is no vote, the flags are votes for "no claim";
- labels and decisions that were not made blind to the judge do not count, unless asked for;
- people's labels and constructed ones never meet: a resolution is of one origin.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from trueup.stats.binary import CodeArray
from trueup.stats.counts import IntArray

ENTAILED, NOT_ENTAILED, UNSURE, BAD_SPLIT, NOT_A_CLAIM = 1, 0, -1, -2, -3
TIE, NOT_BLIND, UNLABELLED, TAKEN_BACK = -4, -5, -6, -7

LABEL_CODES = {
    "entailed": ENTAILED,
    "not_entailed": NOT_ENTAILED,
    "unsure": UNSURE,
    "bad_split": BAD_SPLIT,
    "not_a_claim": NOT_A_CLAIM,
    None: TAKEN_BACK,
}
CAUSES = {
    UNSURE: "unsure",
    BAD_SPLIT: "bad_split",
    NOT_A_CLAIM: "not_a_claim",
    TIE: "tie",
    NOT_BLIND: "not_blind",
    UNLABELLED: "unlabelled",
}
"""Why a unit has no label that counts."""

PERSON, CONSTRUCTED, ADJUDICATION = 0, 1, 2
ORIGIN_CODES = {"person": PERSON, "constructed": CONSTRUCTED, "adjudication": ADJUDICATION}


@dataclass(frozen=True, slots=True, eq=False)
class LabelColumns:
    """Label events as columns of one length, in the order in which they were made.

    `unit` indexes the frame's units, `annotator` its annotators; `value` holds LABEL_CODES,
    `origin` ORIGIN_CODES; `repeat` 0 for the first showing.
    """

    unit: IntArray
    annotator: IntArray
    value: CodeArray
    blind: npt.NDArray[np.bool_]
    origin: CodeArray
    repeat: CodeArray

    def __len__(self) -> int:
        return len(self.unit)

    def where(self, keep: npt.NDArray[Any]) -> LabelColumns:
        """The events at the given places (mask or indices)."""
        return LabelColumns(
            self.unit[keep],
            self.annotator[keep],
            self.value[keep],
            self.blind[keep],
            self.origin[keep],
            self.repeat[keep],
        )


@dataclass(frozen=True, slots=True, eq=False)
class Resolved:
    """`human` (n,): 1, 0 or a negative cause. `votes`, `second` (A, n): each annotator's own label
    of the first and second showing (1, 0, −1 neither; −6 absent), blind ones only unless asked.

    `left_out` counts label events: superseded, taken back, not blind, of the other origin.
    `touched` (n,): the unit carries some current label or flag.
    """

    human: CodeArray
    votes: CodeArray
    second: CodeArray
    touched: npt.NDArray[np.bool_]
    left_out: dict[str, int]


def resolve(
    columns: LabelColumns,
    n_units: int,
    n_annotators: int,
    *,
    origin: str = "person",
    include_not_blind: bool = False,
) -> Resolved:
    """Resolve events to one label per unit, for labels of people or for constructed ones."""
    wanted = ORIGIN_CODES[origin]
    mine = columns.origin == wanted
    if wanted == PERSON:
        mine |= columns.origin == ADJUDICATION
    current = _last_events(columns.where(mine), n_annotators)
    standing = current.where(current.value != TAKEN_BACK)
    counts = {
        "other_origin": int(len(columns) - mine.sum()),
        "superseded": int(mine.sum()) - len(current),
        "taken_back": len(current) - len(standing),
    }
    seen = standing if include_not_blind else standing.where(standing.blind)
    counts["not_blind"] = len(standing) - len(seen)
    votes = seen.where(seen.origin != ADJUDICATION)
    first = votes.where(votes.repeat == 0)
    human = _majority(first, n_units)
    touched = np.bincount(standing.unit[standing.repeat == 0], minlength=n_units) > 0
    human[(human == UNLABELLED) & touched] = NOT_BLIND
    decisions = seen.where(seen.origin == ADJUDICATION)
    human[decisions.unit] = decisions.value  # of repeated units the last one stays
    return Resolved(
        human,
        _by_annotator(first, n_units, n_annotators),
        _by_annotator(votes.where(votes.repeat == 1), n_units, n_annotators),
        touched,
        {k: v for k, v in counts.items() if v},
    )


def _last_events(columns: LabelColumns, n_annotators: int) -> LabelColumns:
    """The last event of each (unit, annotator, showing, origin), in the order of events."""
    n = len(columns)
    if n == 0:
        return columns
    shows = int(columns.repeat.max()) + 1
    key = columns.unit.astype(np.int64) * n_annotators + columns.annotator
    key = (key * shows + columns.repeat) * len(ORIGIN_CODES) + columns.origin
    _, from_end = np.unique(key[::-1], return_index=True)
    return columns.where(np.sort(n - 1 - from_end))


def _majority(votes: LabelColumns, n_units: int) -> CodeArray:
    """Strict majority of the votes of each unit, or the cause that there is none."""

    def tally(code: int) -> IntArray:
        return np.bincount(votes.unit[votes.value == code], minlength=n_units).astype(np.int64)

    yes, no, unsure = tally(ENTAILED), tally(NOT_ENTAILED), tally(UNSURE)
    split, no_claim = tally(BAD_SPLIT), tally(NOT_A_CLAIM)
    flags = split + no_claim
    total = yes + no + flags
    human = np.full(n_units, UNLABELLED, np.int8)
    human[(total == 0) & (unsure > 0)] = UNSURE
    human[total > 0] = TIE
    flagged = (flags > 0) & (2 * flags >= total)
    human[flagged & (split >= no_claim)] = BAD_SPLIT
    human[flagged & (split < no_claim)] = NOT_A_CLAIM
    human[2 * yes > total] = ENTAILED
    human[2 * no > total] = NOT_ENTAILED
    return human


def _by_annotator(votes: LabelColumns, n_units: int, n_annotators: int) -> CodeArray:
    matrix = np.full((n_annotators, n_units), UNLABELLED, np.int8)
    matrix[votes.annotator, votes.unit] = np.maximum(votes.value, -1)
    return matrix
