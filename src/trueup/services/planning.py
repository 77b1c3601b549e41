"""How many labels for which interval width: from a pilot of this workspace, or from assumptions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from trueup.errors import UsageError
from trueup.stats.agreement import measure
from trueup.stats.agreement_intervals import estimate
from trueup.stats.counts import Clusters
from trueup.stats.planning import (
    Need,
    n_for_halfwidth_kappa,
    n_for_halfwidth_rate,
    n_to_certify_kappa,
)
from trueup.stats.planning_table import (
    ComparisonRow,
    PlanRow,
    assumed_pilot,
    comparison_table,
    plan_table,
)

if TYPE_CHECKING:
    from trueup.services.workspace import Workspace

DEFAULT_ANSWERS = (20, 50, 100, 200, 500)


@dataclass(frozen=True, slots=True)
class Plan:
    """What labels can decide. `basis` says whether it was measured or assumed.

    `width` and `certify`: labels for the wanted half width (of agreement and kappa) and to show
    that kappa reaches the bar; None where that was not asked or cannot be had.
    """

    basis: str
    claims_per_answer: float
    design_effect: float
    agreement: float | None
    kappa: float | None
    rows: tuple[PlanRow, ...]
    width: dict[str, Need]
    half_width: float
    certify: Need | None
    bar: float
    comparison: tuple[ComparisonRow, ...] = ()
    discordance: float | None = None

    def to_json(self) -> dict[str, Any]:
        """The `plan` object."""
        return {
            "basis": self.basis,
            "claims_per_answer": self.claims_per_answer,
            "design_effect": self.design_effect,
            "agreement": self.agreement,
            "kappa": self.kappa,
            "half_width": self.half_width,
            "width": {name: asdict(need) for name, need in self.width.items()},
            "bar": self.bar,
            "certify": None if self.certify is None else asdict(self.certify),
            "table": [asdict(row) for row in self.rows],
            "discordance": self.discordance,
            "comparison": [asdict(row) for row in self.comparison],
        }


def from_workspace(
    workspace: Workspace,
    judge: str,
    *,
    against: str | None = None,
    metric: str = "groundedness",
    labels: str | None = None,
    answers: Sequence[int] = DEFAULT_ANSWERS,
    half_width: float = 0.05,
    bar: float | None = None,
) -> Plan:
    """A plan from labels that are there. `against` adds the table for telling judges apart."""
    from trueup.services.calibrating import by_judge, frame_of
    from trueup.services.yardstick import known_judges, yardstick

    stick = yardstick(workspace, metric, labels)
    if stick.discordant is not None:
        raise UsageError(
            f"{stick.name} holds only claims on which two judges differ: nothing can be planned",
            hint="name a random sample, a score-band sample or a label set with --labels",
        )
    judges = known_judges(workspace, stick, [judge] if against is None else [judge, against])
    frame = frame_of(stick, by_judge(workspace, stick, judges))
    pilot = frame.clusters(judges[0].name)
    basis = f"measured on {pilot.n_units:,} claims of {pilot.n_answers:,} answers of {stick.name}"
    discordance = None
    if against is not None:
        pair = frame.pair(judges[0].name, judges[1].name)
        differ = pair.raw_totals[[1, 2, 5, 6]].sum()
        discordance = float(differ / pair.n_units) if pair.n_units else None
    wanted = bar if bar is not None else workspace.settings.gate.min_kappa or 0.6
    return _plan(pilot, basis, answers, half_width, wanted, discordance)


def from_assumptions(
    *,
    prevalence: float,
    tpr: float,
    tnr: float,
    claims_per_answer: float,
    icc: float = 0.1,
    discordance: float | None = None,
    answers: Sequence[int] = DEFAULT_ANSWERS,
    half_width: float = 0.05,
    bar: float = 0.6,
) -> Plan:
    """A plan before there is any label: shares that you expect, answers of so many claims."""
    pilot = assumed_pilot(prevalence, tpr, tnr, claims_per_answer, icc=icc)
    basis = f"assumed: {prevalence:.0%} entailed, TPR {tpr:.2f}, TNR {tnr:.2f}, icc {icc:.2f}"
    return _plan(pilot, basis, answers, half_width, bar, discordance)


def _plan(
    pilot: Clusters,
    basis: str,
    answers: Sequence[int],
    half_width: float,
    bar: float,
    discordance: float | None,
) -> Plan:
    if pilot.n_answers < 2:
        raise UsageError(
            "two labelled answers are the least to plan from",
            hint="or give assumptions: trueup plan --prevalence 0.8 --tpr 0.9 --tnr 0.6",
        )
    totals = pilot.normalised().totals
    agreed, kappa = measure("percent_agreement", totals).value, measure("kappa", totals).value
    human, judge = measure("human_rate", totals).value, measure("judge_rate", totals).value
    told = estimate(pilot, "percent_agreement").extra.get("design_effect")
    effect = max(1.0, float(told)) if isinstance(told, int | float) else 1.0
    per_answer = pilot.n_units / pilot.n_answers
    width: dict[str, Need] = {}
    certify = None
    if agreed is not None:
        width["percent_agreement"] = n_for_halfwidth_rate(
            agreed, half_width, deff=effect, claims_per_answer=per_answer
        )
    if kappa is not None and human is not None and judge is not None:
        width["kappa"] = n_for_halfwidth_kappa(
            kappa, human, judge, half_width, deff=effect, claims_per_answer=per_answer
        )
        certify = n_to_certify_kappa(
            kappa, bar, human, judge, deff=effect, claims_per_answer=per_answer
        )
    compared = (
        () if not discordance else comparison_table(discordance, per_answer, answers, deff=effect)
    )
    return Plan(
        basis=basis,
        claims_per_answer=per_answer,
        design_effect=effect,
        agreement=agreed,
        kappa=kappa,
        rows=tuple(plan_table(pilot, answers)),
        width=width,
        half_width=half_width,
        certify=certify,
        bar=bar,
        comparison=tuple(compared),
        discordance=discordance,
    )
