"""Labels and verdicts as arrays: the one place that decides what is missing, tied, left out.

A frame is of one metric and of one origin: people's labels or constructed ones, never both. It
holds every unit that was labelled (or expected to be), with the people's label or the cause that
there is none, and each judge's verdict or the reason that there is none. Judges are compared on
the units that both decided. Everything left out is counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from trueup.errors import UsageError
from trueup.stats.binary import CodeArray, binary_codes
from trueup.stats.counts import Clusters, FloatArray, IntArray, count_matrix
from trueup.stats.resolve import CAUSES, UNSURE

if TYPE_CHECKING:
    import pandas as pd

Mask: TypeAlias = npt.NDArray[np.bool_]

UNDECIDED, NO_VERDICT = -1, -2

_NO_NAMES: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A unit on which the judge and people differ; `human` and `judge` are the words of labels."""

    unit: str
    record: str
    human: str
    judge: str


@dataclass(frozen=True, slots=True)
class Abstention:
    """Who abstains how often, and what that can do to the agreement.

    `human_rate`: share of `unsure` among units that people called entailed, not entailed or
    unsure; `judge_rate`: share of undecided among the judge's verdicts on those. `worst`, `best`:
    the agreement if every abstention of either turned out a disagreement, an agreement. None
    without such units.
    """

    n_unsure: int
    n_undecided: int
    human_rate: float | None
    judge_rate: float | None
    worst: float | None
    best: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Units × (people, judges).

    `answer` (n,): the unit's record 0 … R−1. `human` (n,): 1, 0, or a negative cause
    (`stats.resolve`). `verdicts` (J, n): 1, 0, −1 undecided, −2 no verdict; `reasons` (J, n):
    index into `reason_names` where undecided. `weight`, `stratum` (R,): of a designed sample, else
    None; `population`: answers of each stratum in the corpus (the order of sorted strata).
    `votes`, `second` (A, n): each annotator's first and second own label. `runs`: a judge's
    repeated verdicts (n, runs). `slices`: name → record codes (R,), −1 for none, and their values.
    """

    answer: IntArray
    human: CodeArray
    verdicts: CodeArray
    judges: tuple[str, ...]
    n_records: int
    reasons: npt.NDArray[np.int16] | None = None
    reason_names: tuple[str, ...] = _NO_NAMES
    unit_names: Sequence[str] | None = None
    record_names: Sequence[str] | None = None
    weight: FloatArray | None = None
    stratum: npt.NDArray[Any] | None = None
    population: FloatArray | None = None
    annotators: tuple[str, ...] = _NO_NAMES
    votes: CodeArray | None = None
    second: CodeArray | None = None
    runs: Mapping[str, CodeArray] = field(default_factory=dict)
    slices: Mapping[str, tuple[IntArray, tuple[str, ...]]] = field(default_factory=dict)
    origin: str = "person"
    label_counts: Mapping[str, int] = field(default_factory=dict)
    """Label events left out before any unit was resolved: superseded, taken back, …"""
    dropped: Mapping[str, int] = field(default_factory=dict)
    """Units left out with their whole record: nonresponse, outside the sample."""
    n_nonresponse: int = 0
    """Drawn records of which some unit carries neither label nor flag."""
    within_design: bool = False
    """A part of a designed sample: answers without units still belong to their strata."""

    @classmethod
    def from_arrays(
        cls,
        answer: npt.ArrayLike,
        human: npt.ArrayLike,
        verdicts: Mapping[str, npt.ArrayLike],
        *,
        weight: npt.ArrayLike | None = None,
        stratum: npt.ArrayLike | None = None,
        population: npt.ArrayLike | None = None,
    ) -> Frame:
        """A frame of units in arrays of one length n: answers by any id, labels and verdicts as
        `binary_codes` reads them (yes, no, or neither).

        `weight`, `stratum` are given per unit too, and must be the same for all units of an
        answer. The fast path: a million units cost a few passes over arrays.
        """
        ids = np.asarray(answer)
        codes = binary_codes(human, "label")
        if ids.shape != codes.shape:
            raise UsageError(f"{len(ids)} answers for {len(codes)} labels: one each is needed")
        judged = [binary_codes(v, f"verdict of {name}") for name, v in verdicts.items()]
        if any(len(v) != len(codes) for v in judged):
            raise UsageError("each judge needs one verdict (or None) for every label")
        index, first = _answer_index(ids)
        return cls(
            answer=index,
            human=codes,
            verdicts=np.stack(judged) if judged else np.zeros((0, len(codes)), np.int8),
            judges=tuple(verdicts),
            n_records=len(first),
            weight=_per_answer(weight, index, first, "weight"),
            stratum=_per_answer(stratum, index, first, "stratum"),
            population=None if population is None else np.asarray(population, np.float64),
        )

    @property
    def n_units(self) -> int:
        """Units that people decided."""
        return int((self.human >= 0).sum())

    @property
    def n_labelled_records(self) -> int:
        """Records with a unit that people decided."""
        return len(np.unique(self.answer[self.human >= 0]))

    @property
    def weighted(self) -> bool:
        """Figures are weighted by inverse inclusion probability."""
        return self.weight is not None or self.stratum is not None

    def excluded(self) -> dict[str, int]:
        """Units without a label that counts, by cause."""
        codes, counts = np.unique(self.human[self.human < 0], return_counts=True)
        found = {CAUSES[int(c)]: int(n) for c, n in zip(codes, counts, strict=True)}
        return {**found, **self.dropped}

    def verdict(self, judge: str) -> CodeArray:
        """Verdicts (n,) of a judge. Raises UsageError for one that is not in the frame."""
        if judge not in self.judges:
            raise UsageError(f"no verdicts of a judge named {judge} on these labels")
        return np.asarray(self.verdicts[self.judges.index(judge)])

    def undecided(self, judge: str) -> dict[str, int]:
        """Undecided verdicts of a judge on units that people decided, by reason."""
        lost = (self.human >= 0) & (self.verdict(judge) == UNDECIDED)
        if self.reasons is None:
            return {"undecided": int(lost.sum())} if lost.any() else {}
        at = self.reasons[self.judges.index(judge)][lost]
        codes, counts = np.unique(at, return_counts=True)
        named = zip(codes.tolist(), counts.tolist(), strict=True)
        return {self.reason_names[c] if c >= 0 else "undecided": n for c, n in named}

    def n_missing(self, judge: str) -> int:
        """Units that people decided and the judge was never asked about."""
        return int(((self.human >= 0) & (self.verdict(judge) == NO_VERDICT)).sum())

    def decided(self, *judges: str) -> Mask:
        """Units that people and all the judges decided, (n,)."""
        mask = self.human >= 0
        for judge in judges:
            mask &= self.verdict(judge) >= 0
        return np.asarray(mask)

    def clusters(self, judge: str) -> Clusters:
        """Cells n11, n10, n01, n00 of people against a judge, per answer."""
        cell = 2 * (1 - self.human.astype(np.int64)) + 1 - self.verdict(judge)
        return self._grouped(np.where(self.decided(judge), cell, -1), 4)

    def pair(self, a: str, b: str) -> Clusters:
        """The eight cells (human, a, b) per answer, on the units that both judges decided."""
        human = 1 - self.human.astype(np.int64)
        cell = 4 * human + 2 * (1 - self.verdict(a)) + 1 - self.verdict(b)
        return self._grouped(np.where(self.decided(a, b), cell, -1), 8)

    def _grouped(self, cell: IntArray, n_cells: int) -> Clusters:
        counts = count_matrix(self.answer, cell, n_cells, self.n_records)
        return Clusters.from_counts(
            counts,
            weight=self.weight,
            stratum=self.stratum,
            population=self.population,
            keep_empty=self.within_design,
        )

    def part(self, units: Mask) -> Frame:
        """The frame of some units (n,): counts and figures of a slice.

        In a designed sample the other answers stay in their strata without units, so that the
        variance is that of a domain (Cochran 1977, 5A.14).
        """
        return replace(
            self,
            answer=self.answer[units],
            human=self.human[units],
            verdicts=self.verdicts[:, units],
            reasons=None if self.reasons is None else self.reasons[:, units],
            unit_names=_pick(self.unit_names, units),
            votes=None if self.votes is None else self.votes[:, units],
            second=None if self.second is None else self.second[:, units],
            runs={name: matrix[units] for name, matrix in self.runs.items()},
            within_design=self.weighted,
            dropped={},
        )

    def by_slice(self) -> dict[str, dict[str, Frame]]:
        """Frames by slice name and value; records without that slice are in none of its frames."""
        found: dict[str, dict[str, Frame]] = {}
        for name, (codes, values) in self.slices.items():
            at = codes[self.answer]
            found[name] = {v: self.part(at == i) for i, v in enumerate(values) if (at == i).any()}
        return found

    def disagreements(self, judge: str) -> list[Disagreement]:
        """Units on which people and the judge differ, in the order of the units."""
        said = self.verdict(judge)
        differ = np.flatnonzero(self.decided(judge) & (self.human != said))
        return [
            Disagreement(
                self.unit_name(i), self.record_name(i), _word(self.human[i]), _word(said[i])
            )
            for i in differ.tolist()
        ]

    def unit_name(self, i: int) -> str:
        """Name of unit i, or its number where units have no names."""
        return str(i) if self.unit_names is None else self.unit_names[i]

    def record_name(self, i: int) -> str:
        """Name of the record of unit i, or its number."""
        r = int(self.answer[i])
        return str(r) if self.record_names is None else self.record_names[r]

    def to_frame(self) -> pd.DataFrame:
        """A pandas DataFrame, one row a unit: unit, record, human, and a column for each judge.

        Values are True, False, or None (no label that counts; undecided or no verdict).
        """
        import pandas as pd

        said = {-1: None, 0: False, 1: True}

        def column(codes: CodeArray) -> list[bool | None]:
            return [said[c] for c in np.maximum(codes, -1).tolist()]

        return pd.DataFrame(
            {
                "unit": [self.unit_name(i) for i in range(len(self.human))],
                "record": [self.record_name(i) for i in range(len(self.human))],
                "human": column(self.human),
                **{name: column(self.verdict(name)) for name in self.judges},
            }
        )

    def abstention(self, judge: str) -> Abstention:
        """How often people and the judge abstain, with the bounds of the agreement."""
        said = self.verdict(judge)
        voiced = (self.human >= UNSURE) & (said >= UNDECIDED)
        n = int(voiced.sum())
        if n == 0:
            return Abstention(0, 0, None, None, None, None)
        unsure = voiced & (self.human == UNSURE)
        undecided = voiced & (said == UNDECIDED)
        agree = int((voiced & (self.human == said) & (said >= 0)).sum())
        open_ones = int((unsure | undecided).sum())
        return Abstention(
            int(unsure.sum()),
            int(undecided.sum()),
            float(unsure.sum()) / n,
            float(undecided.sum()) / n,
            agree / n,
            (agree + open_ones) / n,
        )

    def record_scores(self, judge: str) -> tuple[IntArray, FloatArray, FloatArray]:
        """Records with a common decided unit: their numbers, people's and the judge's share."""
        used = self.decided(judge)
        at = self.answer[used]
        n = np.bincount(at, minlength=self.n_records)
        human = np.bincount(at, weights=self.human[used], minlength=self.n_records)
        judged = np.bincount(at, weights=self.verdict(judge)[used], minlength=self.n_records)
        some = np.flatnonzero(n)
        return some.astype(np.int64), human[some] / n[some], judged[some] / n[some]


def _word(code: int) -> str:
    return "entailed" if code == 1 else "not_entailed"


def _pick(names: Sequence[str] | None, units: Mask) -> Sequence[str] | None:
    return None if names is None else [names[i] for i in np.flatnonzero(units).tolist()]


def _answer_index(ids: npt.NDArray[Any]) -> tuple[IntArray, IntArray]:
    """Dense codes of answer ids (n,), and one unit of each answer (R,)."""
    dense = np.issubdtype(ids.dtype, np.integer) and ids.size and ids.min() >= 0
    if dense and ids.max() < 4 * len(ids):
        seen = np.bincount(ids) > 0
        index = (np.cumsum(seen) - 1)[ids]
        first = np.empty(int(seen.sum()), np.int64)
        first[index] = np.arange(len(ids))
        return index.astype(np.int64), first
    _, first, index = np.unique(ids, return_index=True, return_inverse=True)
    return index.astype(np.int64), first.astype(np.int64)


def _per_answer(
    values: npt.ArrayLike | None, index: IntArray, first: IntArray, name: str
) -> npt.NDArray[Any] | None:
    if values is None:
        return None
    array = np.asarray(values)
    if array.shape != index.shape or not np.array_equal(array[first][index], array):
        raise UsageError(f"{name}: one value per unit, the same within an answer, is needed")
    return array[first]
