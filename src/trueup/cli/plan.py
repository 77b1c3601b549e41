"""`trueup plan`: how many labels for which interval width."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from trueup.cli.context import Env, trueup_command
from trueup.cli.options import CutoffsType, labels_option, metric_option
from trueup.cli.output import table

if TYPE_CHECKING:
    from trueup.services.planning import Plan
    from trueup.stats.planning import Need
    from trueup.stats.planning_table import PlanRow

_SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)


@trueup_command(
    "plan",
    help="What so many labelled answers can decide, by design of the sample: from labels that are "
    "there (--judge), or from what you expect (--prevalence, --tpr, --tnr).",
)
@click.option("--judge", help="Plan from this judge's verdicts on the labels that are there.")
@click.option("--against", help="Also plan for telling --judge and this one apart.")
@labels_option
@metric_option
@click.option("--prevalence", type=_SHARE, help="Expected share of entailed claims.")
@click.option("--tpr", type=_SHARE, default=0.9, show_default=True, help="Expected TPR.")
@click.option("--tnr", type=_SHARE, default=0.7, show_default=True, help="Expected TNR.")
@click.option("--claims-per-answer", type=click.FloatRange(min=1), default=4.0, show_default=True)
@click.option("--icc", type=click.FloatRange(0, 1), default=0.1, show_default=True,
              help="How alike the claims of one answer are.")  # fmt: skip
@click.option("--discordance", type=_SHARE, help="Share of claims on which two judges differ.")
@click.option("--half-width", type=_SHARE, default=0.05, show_default=True)
@click.option("--bar", type=click.FloatRange(-1, 1), help="Kappa to certify; default: the gate's.")
@click.option("--answers", type=CutoffsType(), default="20,50,100,200,500", show_default=True)
def command(
    env: Env, judge: str | None, against: str | None, labels: str | None, metric: str,
    prevalence: float | None, tpr: float, tnr: float, claims_per_answer: float, icc: float,
    discordance: float | None, half_width: float, bar: float | None, answers: tuple[int, ...],
) -> None:  # fmt: skip
    """Plan, and print a table by design."""
    from trueup.services import planning

    if judge is not None:
        with env.workspace() as workspace:
            plan = planning.from_workspace(
                workspace, judge, against=against, metric=metric, labels=labels, answers=answers,
                half_width=half_width, bar=bar,
            )  # fmt: skip
    elif prevalence is not None:
        plan = planning.from_assumptions(
            prevalence=prevalence, tpr=tpr, tnr=tnr, claims_per_answer=claims_per_answer, icc=icc,
            discordance=discordance, answers=answers, half_width=half_width,
            bar=0.6 if bar is None else bar,
        )  # fmt: skip
    else:
        raise click.UsageError(
            "give --judge NAME (plan from labels) or --prevalence SHARE (assume)"
        )
    env.out.result("plan", plan.to_json(), lambda: _human(plan))


def _human(plan: Plan) -> str:
    from trueup.report.words import number, title

    lines = [
        f"Plan, {plan.basis}",
        (
            f"{plan.claims_per_answer:.1f} claims an answer, design effect "
            f"{plan.design_effect:.2f}, agreement {number(plan.agreement)}, "
            f"kappa {number(plan.kappa)}"
        ),
        "",
    ]
    for name, need in plan.width.items():
        lines.append(f"{title(name)} to ±{plan.half_width:g}: {_need(need)}")
    certify = _need(plan.certify) if plan.certify else "not at this kappa, with any number"
    lines += [f"To show that kappa reaches {plan.bar:g}: {certify}", "", _table(plan)]
    if plan.comparison:
        lines += ["", f"Two judges that differ on {plan.discordance:.1%} of the claims:",
                  _comparison(plan)]  # fmt: skip
    return "\n".join(lines)


def _need(need: Need) -> str:
    answers = "" if need.answers is None else f", {need.answers:,} answers"
    return f"{need.claims:,} labels{answers}"


def _table(plan: Plan) -> str:
    from trueup.report.words import title

    def cell(row: PlanRow) -> list[Any]:
        width = "too few" if row.half_width is None else f"±{row.half_width:.3f}"
        share = "–" if row.label_share is None else f"{row.label_share:.2f}"
        return [title(row.figure), row.design, row.estimator, f"{row.answers:,}",
                f"{row.labels:,}", width, share]  # fmt: skip

    header = ["figure", "design", "estimator", "answers", "labels", "half width", "labels for same"]
    return table(map(cell, plan.rows), header, right=(3, 4, 5, 6))


def _comparison(plan: Plan) -> str:
    rows = [
        [r.design, f"{r.answers:,}", f"{r.labels:,}", f"±{r.half_width:.3f}", f"{r.power:.0%}",
         f"{r.label_share:.2f}"]
        for r in plan.comparison
    ]  # fmt: skip
    header = [
        "design",
        "answers",
        "labels",
        "half width",
        "gate passes an equal judge",
        "labels for same",
    ]
    return table(rows, header, right=(1, 2, 3, 4, 5))
