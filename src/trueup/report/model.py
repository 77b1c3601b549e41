"""What a report holds: HTML, Markdown and JSON come from one ReportData.

Figures are those of `stats`; a report adds what they are figures of (labels, judges), words, and
the disagreements with their texts. Texts are as imported: nothing here is escaped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trueup.domain.display import safe_filename
from trueup.domain.model import Chunk, Evidence
from trueup.stats.correction import Correction
from trueup.stats.estimate import Estimate
from trueup.stats.paired import Comparison
from trueup.stats.people import Ceiling, People
from trueup.stats.summary import AgreementSummary
from trueup.stats.winner import Winner

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Stratum:
    """A part of the corpus that a sample was drawn from: `answers` in it, `drawn` of them."""

    name: str
    drawn: int
    answers: int | None = None

    @property
    def weight(self) -> float | None:
        """How many answers of the corpus one drawn answer stands for."""
        return self.answers / self.drawn if self.answers is not None and self.drawn else None


@dataclass(frozen=True, slots=True)
class LabelsInfo:
    """The yardstick: which labels, by whom, drawn how, and what was left out of it and why."""

    name: str
    sha256: str | None
    n_records: int
    n_units: int
    annotators: tuple[str, ...]
    origin: str = "people"
    design: str = "convenience"
    seed: int | None = None
    weighted: bool = False
    policy_sha256: tuple[str, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    strata: tuple[Stratum, ...] = ()
    cannot_give: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class JudgeInfo:
    """A judge's identity, as shown beside each of its figures.

    `rule_changed` counts verdicts on labelled units that the evidence rule turned from entailed to
    not entailed.
    """

    name: str
    model: str
    answered_model: str | None
    prompt: str
    prompt_sha256: str
    evidence: str
    fingerprint: str
    rule_changed: int = 0


@dataclass(frozen=True, slots=True)
class Group:
    """Units that have something in common: how many, and on how many of them the judge differs.

    `too_lenient`: the judge says entailed, people do not; `too_strict`: the reverse. Counts are of
    labelled units as they are, unweighted.
    """

    name: str
    n_units: int
    too_lenient: int
    too_strict: int

    @property
    def differ(self) -> int:
        """Units on which the judge and people differ."""
        return self.too_lenient + self.too_strict


@dataclass(frozen=True, slots=True)
class Breakdown:
    """The disagreements of one judge by one property of the units: match, length, record."""

    by: str
    groups: tuple[Group, ...]


@dataclass(frozen=True, slots=True)
class CorrectedPart:
    """The corrected rate of one release, or of one value of a slice, in the judged corpus.

    `by` is "release" or the slice's name. `n_records`, `n_units`: what the judge ruled on there;
    `n_labelled`: answers of it that people labelled.
    """

    by: str
    value: str
    n_records: int
    n_units: int
    n_labelled: int
    rate: Estimate
    alt: Estimate


@dataclass(frozen=True, slots=True)
class Corrected:
    """The corrected rate of all records that a judge ruled on, and of their parts."""

    whole: Correction
    parts: tuple[CorrectedPart, ...] = ()


@dataclass(frozen=True, slots=True)
class JudgeSection:
    """One judge against people: its figures, and each record's scores for the plots.

    `scores`: (people's, judge's) share of entailed units of each record; `weights`: what each of
    these records stands for, empty where all count the same. `shift`: mean of judge's − people's
    score with its interval. `cells`: keys of the units in each cell of the table. `bootstrap`: the
    cross-check that was asked for, by figure. `corrected`: corrected rates by release and slice.
    """

    figures: AgreementSummary
    scores: tuple[tuple[float, float], ...] = ()
    ceiling: Ceiling | None = None
    calibration: str | None = None
    weights: tuple[float, ...] = ()
    shift: Estimate | None = None
    cells: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    breakdowns: tuple[Breakdown, ...] = ()
    bootstrap: Mapping[str, Estimate] = field(default_factory=dict)
    corrected: tuple[CorrectedPart, ...] = ()


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two judges on the units that both decided: b against a.

    `fixed` and `broken` are the ids of the units that b gets right where a is wrong, and the other
    way round. The change of the mean score is `shift_by_rule` (the evidence rules alone, on the
    judges' own verdicts) plus `shift_by_verdicts`.
    """

    figures: Comparison
    fixed: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    shift_by_rule: float | None = None
    shift_by_verdicts: float | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One unit on which a judge and people differ.

    `texts` are what the unit is judged against: the chunks of its context, or the one text that the
    metric names. `chunk_text` is the text of the first quote's chunk.
    """

    unit: str
    key: str
    record: str
    release: str
    judge: str
    human: str
    verdict: str
    own_verdict: str
    text: str
    question: str | None
    evidence: tuple[Evidence, ...]
    chunk_text: str | None
    cause: str | None = None
    flags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    texts: tuple[Chunk, ...] = ()

    @property
    def direction(self) -> str:
        """`judge_too_lenient`, or `judge_too_strict`."""
        return "judge_too_lenient" if self.verdict == "entailed" else "judge_too_strict"


@dataclass(frozen=True, slots=True)
class Undecided:
    """A labelled unit of which a judge said nothing that counts, and why."""

    unit: str
    record: str
    judge: str
    reason: str


@dataclass(frozen=True, slots=True)
class Answer:
    """A labelled record: its end-to-end verdict beside people's and each judge's score.

    `failing` is None where nobody said. `human` and the judges' scores are shares of the units that
    people (and that judge) decided; None without any.
    """

    record: str
    release: str
    question: str | None
    failing: bool | None
    human: float | None
    judges: Mapping[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReportData:
    """Everything that a report says.

    `unit_ids` names every labelled unit by its key. A score counts as high from `high_from` on.
    `winner` is the best judge, where one was chosen and measured on different answers.
    """

    metric: str
    question: str
    silent_about: str
    labels: LabelsInfo
    judges: tuple[JudgeInfo, ...]
    agreement: tuple[JudgeSection, ...]
    human: People
    comparisons: tuple[Pairing, ...] = ()
    disagreements: tuple[Disagreement, ...] = ()
    undecided: tuple[Undecided, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    answers: tuple[Answer, ...] = ()
    unit_ids: Mapping[str, str] = field(default_factory=dict)
    high_from: float = 0.8
    winner: Winner | None = None

    @property
    def slug(self) -> str:
        """A directory name for the report."""
        return safe_filename(f"{self.metric}-{self.labels.name}")

    def to_frame(self) -> pd.DataFrame:
        """Every figure as a row of a pandas DataFrame (see report.frames)."""
        from trueup.report.frames import to_frame

        return to_frame(self)
