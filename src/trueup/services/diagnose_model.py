"""What a diagnosis holds: terminal, JSON and report read the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from trueup.domain.cells import CELLS, Cell
from trueup.domain.model import Record
from trueup.domain.scores import RecordScore
from trueup.services.calibration_marks import Calibration
from trueup.stats.estimate import Estimate

if TYPE_CHECKING:
    from trueup.services.diagnose_judge import DiagnoseJudge

Outcome = Literal["would_have_supported", "wrong_anyway", "no_gold_text", "undecided", "no_claims"]


@dataclass(frozen=True, slots=True)
class Isolated:
    """What the gold chunks alone make of an answer; `groundedness` where a judge was asked."""

    outcome: Outcome
    groundedness: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"outcome": self.outcome, "groundedness": self.groundedness}


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From where on a value is high. `headline` is what retrieval is measured by, over the chunks
    that the generator saw, else the first `k` retrieved."""

    headline: str
    k: int
    retrieval: float
    contextual_recall: float
    groundedness: float
    answer_correctness: float

    def to_json(self) -> dict[str, Any]:
        """The contract's `thresholds`."""
        return {
            "retrieval": self.retrieval,
            "groundedness": self.groundedness,
            "headline": self.headline,
            "k": self.k,
            "contextual_recall": self.contextual_recall,
            "answer_correctness": self.answer_correctness,
        }


@dataclass(frozen=True, slots=True)
class Looked:
    """One record with what decides its cell; `first_rank` is that of its first gold chunk (None:
    no gold chunk arrived, or nothing is known of gold: then `has_gold` is false)."""

    record: Record
    name: str
    failing: bool | None
    derived: bool
    retrieval: float | None
    axis: str
    no_retrieval: str | None
    groundedness: RecordScore
    correctness: RecordScore | None
    has_gold: bool
    first_rank: int | None


@dataclass(frozen=True, slots=True)
class Finding:
    """A failing question in its cell, or (`cell` None) one that cannot be attributed, and why."""

    looked: Looked
    cell: Cell | None
    reason: str | None
    look_at: str = ""
    isolated: Isolated | None = None

    def to_json(self, owners: Mapping[str, str]) -> dict[str, Any]:
        """What stands beside the ids."""
        at = self.looked
        return {
            "record": at.name,
            "release": at.record.release,
            "slices": dict(at.record.slices),
            "cell": self.cell,
            "owner": None if self.cell is None else owners[self.cell],
            "reason": self.reason,
            "retrieval": at.retrieval,
            "retrieval_by": at.axis if at.retrieval is not None else None,
            "groundedness": at.groundedness.value,
            "answer_correctness": None if at.correctness is None else at.correctness.value,
            "failing_by": "answer_correctness" if at.derived else "verdict",
            "first_gold_rank": at.first_rank,
            "look_at": self.look_at,
            "isolated": None if self.isolated is None else self.isolated.to_json(),
        }


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All failing questions in their cells.

    `counts`: failing, not failing, unknown. `by_release`, `by_slice`: cells counted.
    `by_rank`: groundedness and correctness by the rank of the first gold chunk.
    """

    judge: DiagnoseJudge
    calibration: Calibration | None
    thresholds: Thresholds
    owners: Mapping[str, str]
    findings: tuple[Finding, ...]
    counts: Mapping[str, int]
    by_release: Mapping[str, Mapping[str, int]]
    by_slice: Mapping[str, Mapping[str, Mapping[str, int]]]
    by_rank: tuple[ByRank, ...]
    notes: tuple[str, ...]

    def of(self, cell: Cell) -> list[Finding]:
        """The findings of a cell, in import order."""
        return [f for f in self.findings if f.cell == cell]

    @property
    def open_ones(self) -> list[Finding]:
        """Failing questions that cannot be attributed."""
        return [f for f in self.findings if f.cell is None]

    def to_json(self) -> dict[str, Any]:
        """The contract's object, with details beside the ids."""
        mark = self.calibration
        return {
            "judge": {
                "name": self.judge.name,
                "fingerprint": self.judge.fingerprint,
                "calibration": None if mark is None else mark.to_json(),
            },
            "cells": {cell: [f.looked.name for f in self.of(cell)] for cell in CELLS},
            "cannot_attribute": [
                {"record": f.looked.name, "reason": f.reason} for f in self.open_ones
            ],
            "thresholds": self.thresholds.to_json(),
            "owners": dict(self.owners),
            "n_failing": self.counts["failing"],
            "n_not_failing": self.counts["not_failing"],
            "n_unknown": self.counts["unknown"],
            "by_release": {k: dict(v) for k, v in self.by_release.items()},
            "by_slice": {
                name: {k: dict(v) for k, v in values.items()}
                for name, values in self.by_slice.items()
            },
            "by_rank": [r.to_json() for r in self.by_rank],
            "details": [f.to_json(self.owners) for f in self.findings],
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True)
class ByRank:
    """Records whose first gold chunk stands at a rank (None: none arrived)."""

    rank: int | None
    n_records: int
    groundedness: Estimate
    correct: Estimate
    answer_correctness: Estimate

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values; `correct` is the share of records known not to fail."""
        return {
            "rank": self.rank,
            "n_records": self.n_records,
            "groundedness": self.groundedness.to_json(),
            "correct": self.correct.to_json(),
            "answer_correctness": self.answer_correctness.to_json(),
        }
