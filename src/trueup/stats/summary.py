"""Every figure of one judge against people, and of two judges, from a frame in one call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from trueup.stats.agreement import MEASURES, NO_UNITS, constant_raters, measure
from trueup.stats.agreement_intervals import CONSTANT, SKEWED, SKEWED_FROM, estimate
from trueup.stats.counts import Clusters, FloatArray
from trueup.stats.estimate import Estimate, mark_weighted
from trueup.stats.frame import Abstention, Frame
from trueup.stats.intervals import T_OVER_ANSWERS, answer_mean
from trueup.stats.paired import Comparison, compare_cells

FIGURES = (
    "percent_agreement",
    "kappa",
    "gwet_ac1",
    "pabak",
    "mcc",
    "krippendorff_alpha",
    "tpr",
    "tnr",
    "precision_not_entailed",
    "recall_not_entailed",
    "f1_not_entailed",
    "human_rate",
    "judge_rate",
)
"""The measures of a summary, per claim, by the contract's names."""

WARNINGS = {
    "no_units": "no claim was decided by people and by the judge: there is nothing to compare",
    "only_one_label_used": "people and the judge used one label only: kappa is undefined",
    CONSTANT: "people or the judge used one label only: kappa is 0 whatever the agreement",
    SKEWED: "two raters with these margins agree on more than 80 % by guessing: a low kappa can "
    "stand beside a good judge; read the counts, AC1 and PABAK with it",
    "shift": "PPI++ and Rogan–Gladen differ by more than two standard errors: the judge errs "
    "otherwise on the labels than in the corpus, or the sample is not random",
    "few_answers": "fewer than 20 answers: intervals are wide, and no better than they look",
}
"""What the warning codes of a summary say."""

PER_ANSWER = ("percent_agreement", "kappa", "tpr", "tnr")
TABLE = ("both_entailed", "human_only_entailed", "judge_only_entailed", "neither_entailed")
NOT_CORRECTED = "no corpus of judged records was given"

_FEW = 20
_UNWEIGHTED = ("naive",)
_HUMAN_YES = np.array([1, 1, 0, 0])
_JUDGE_YES = np.array([1, 0, 1, 0])


@dataclass(frozen=True, slots=True)
class SliceSummary:
    """Agreement in one value of one slice."""

    n_records: int
    n_units: int
    table: Mapping[str, int]
    figures: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class AgreementSummary:
    """One judge against people.

    `figures`: per claim, keys FIGURES and mean_score, human_mean_score (means over records of the
    entailed share). `per_answer`: the estimand in which every answer counts the same. `table`
    holds unweighted units. `naive`: item-level intervals, for a column of that name.
    `design_effect` is that of the agreement. `warnings` are keys of WARNINGS.
    """

    judge: str
    n_records: int
    n_units: int
    table: Mapping[str, int]
    figures: Mapping[str, Estimate]
    per_answer: Mapping[str, Estimate]
    naive: Mapping[str, Estimate]
    design_effect: float | None
    expected_agreement: float | None
    prevalence_index: float | None
    bias: float | None
    abstention: Abstention
    n_undecided: int = 0
    undecided: Mapping[str, int] = field(default_factory=dict)
    n_missing: int = 0
    excluded: Mapping[str, int] = field(default_factory=dict)
    by_slice: Mapping[str, Mapping[str, SliceSummary]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    weighted: bool = False
    corrected_rate: Estimate = field(default_factory=lambda: Estimate.undefined(NOT_CORRECTED))
    corrected_rate_alt: Estimate | None = None

    def __getitem__(self, name: str) -> Estimate:
        """A figure per claim by its name: `summary["kappa"]`."""
        return self.figures[name]

    def to_json(self) -> dict[str, object]:
        """The contract's object under `agreement`."""
        out: dict[str, object] = {
            "judge": self.judge,
            "n_records": self.n_records,
            "n_units": self.n_units,
            "n_undecided": self.n_undecided,
            "undecided": dict(self.undecided),
            "n_missing": self.n_missing,
            "excluded": dict(self.excluded),
            "table": dict(self.table),
            **{name: figure.to_json() for name, figure in self.figures.items()},
            "corrected_rate": self.corrected_rate.to_json(),
            "per_answer": {name: figure.to_json() for name, figure in self.per_answer.items()},
            "naive": {name: figure.to_json() for name, figure in self.naive.items()},
            "design_effect": self.design_effect,
            "expected_agreement": self.expected_agreement,
            "prevalence_index": self.prevalence_index,
            "bias": self.bias,
            "abstention": _abstention_json(self.abstention),
            "warnings": list(self.warnings),
            "by_slice": {
                name: {value: _slice_json(part) for value, part in parts.items()}
                for name, parts in self.by_slice.items()
            },
        }
        if self.corrected_rate_alt is not None:
            out["corrected_rate_alt"] = self.corrected_rate_alt.to_json()
        if self.weighted:
            mark_weighted(out, _UNWEIGHTED)
            out["weighted"] = True
        return out


def _abstention_json(one: Abstention) -> dict[str, object]:
    return {
        "n_unsure": one.n_unsure,
        "n_undecided": one.n_undecided,
        "human_rate": one.human_rate,
        "judge_rate": one.judge_rate,
        "agreement_worst": one.worst,
        "agreement_best": one.best,
    }


def _slice_json(part: SliceSummary) -> dict[str, object]:
    return {
        "n_records": part.n_records,
        "n_units": part.n_units,
        "table": dict(part.table),
        **{name: figure.to_json() for name, figure in part.figures.items()},
    }


def agreement(frame: Frame, judge: str, *, conf: float = 0.95) -> AgreementSummary:
    """Every figure of a judge on the units that people and it decided.

    Weighted where the frame is. No common unit: every figure null with its reason, no error.
    Raises UsageError for a judge that is not in the frame.
    """
    clusters = frame.clusters(judge)
    figures = cluster_figures(clusters, conf=conf)
    equal = clusters.per_answer()
    undecided = frame.undecided(judge)
    scaled = clusters.normalised().totals
    return AgreementSummary(
        judge=judge,
        n_records=clusters.n_answers,
        n_units=clusters.n_units,
        table=table_of(clusters),
        figures=figures,
        per_answer={name: _without_naive(estimate(equal, name, conf=conf)) for name in PER_ANSWER},
        naive=naive_column(figures),
        design_effect=_number(figures["percent_agreement"].extra.get("design_effect")),
        expected_agreement=measure("expected_agreement", scaled).value,
        prevalence_index=measure("prevalence_index", scaled).value,
        bias=measure("bias", scaled).value,
        abstention=frame.abstention(judge),
        n_undecided=sum(undecided.values()),
        undecided=undecided,
        n_missing=frame.n_missing(judge),
        excluded=frame.excluded(),
        by_slice={
            name: {value: _slice(part, judge, conf) for value, part in parts.items()}
            for name, parts in frame.by_slice().items()
        },
        warnings=_warnings(clusters),
        weighted=frame.weighted,
    )


def cluster_figures(clusters: Clusters, *, conf: float = 0.95) -> dict[str, Estimate]:
    """The figures per claim and the mean scores of clusters (U, 4).

    The human rate is a rate of the corpus that was sampled: it alone takes the finite-population
    correction (where the corpus' size is known), with the people's mean score.
    """
    figures = {
        name: estimate(clusters, name, conf=conf, fpc=name == "human_rate") for name in FIGURES
    }
    figures["mean_score"] = mean_share(clusters, _JUDGE_YES, conf=conf)
    figures["human_mean_score"] = mean_share(clusters, _HUMAN_YES, conf=conf, fpc=True)
    return figures


def mean_share(
    clusters: Clusters, cells: npt.NDArray[np.int64], *, conf: float = 0.95, fpc: bool = False
) -> Estimate:
    """Mean over answers of the share of units in the cells (C,) of 0 and 1; t over answers."""
    sizes = clusters.sizes
    if clusters.n_units == 0:
        return Estimate.undefined(NO_UNITS, T_OVER_ANSWERS)
    some = np.where(sizes > 0, sizes, 1)
    shares: FloatArray = np.where(sizes > 0, clusters.vectors @ cells / some, np.nan)
    return answer_mean(clusters, shares, conf=conf, fpc=fpc)


def table_of(clusters: Clusters) -> dict[str, int]:
    """Unweighted units in the four cells, by the contract's names."""
    return dict(zip(TABLE, (int(x) for x in clusters.raw_totals), strict=True))


def naive_column(figures: Mapping[str, Estimate]) -> dict[str, Estimate]:
    """The item-level intervals (units as if independent): Wilson, for kappa Fleiss-Cohen-Everitt.

    Unweighted and too narrow where answers differ; only ever shown under the name `naive`.
    """
    found = {}
    for name, figure in figures.items():
        low, high = (_number(figure.extra.get(key)) for key in ("naive_low", "naive_high"))
        if figure.value is not None and low is not None and high is not None:
            method = "naive_fleiss_cohen_everitt" if name == "kappa" else "naive_wilson"
            centre = _number(figure.extra.get("naive_value"))
            found[name] = Estimate(figure.value if centre is None else centre, low, high, method)
    return found


def _without_naive(figure: Estimate) -> Estimate:
    """The per-answer estimand has no item-level counterpart."""
    kept = {k: v for k, v in figure.extra.items() if not k.startswith("naive_")}
    return replace(figure, extra=kept)


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None


def _slice(part: Frame, judge: str, conf: float) -> SliceSummary:
    clusters = part.clusters(judge)
    return SliceSummary(
        clusters.n_answers,
        clusters.n_units,
        table_of(clusters),
        cluster_figures(clusters, conf=conf),
    )


def _warnings(clusters: Clusters) -> tuple[str, ...]:
    totals = clusters.totals
    if clusters.n_units == 0:
        return ("no_units",)
    said = []
    constant = constant_raters(totals)
    if not np.isfinite(MEASURES["kappa"].kernel(totals)):
        said.append("only_one_label_used")
    elif any(constant):
        said.append(CONSTANT)
    by_chance = measure("expected_agreement", totals).value
    if by_chance is not None and by_chance > SKEWED_FROM:
        said.append(SKEWED)
    if clusters.n_answers < _FEW:
        said.append("few_answers")
    return tuple(said)


def compare(
    frame: Frame, a: str, b: str, *, conf: float = 0.95, margin: float = 0.03
) -> Comparison:
    """Judge b against judge a on the units that people and both decided; see `stats.paired`."""
    return compare_cells(frame.pair(a, b), a, b, conf=conf, margin=margin)
