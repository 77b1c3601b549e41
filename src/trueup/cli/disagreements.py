"""`trueup disagreements`: people against the judge, claim by claim."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from trueup.cli.context import Env, trueup_command
from trueup.cli.options import judges_option, labels_option, metric_option
from trueup.cli.output import table
from trueup.cli.screens import annotator_name, look_of, on_terminal
from trueup.errors import UsageError

if TYPE_CHECKING:
    from trueup.report.model import Disagreement, ReportData
    from trueup.services.workspace import Workspace


@trueup_command(
    "disagreements",
    help="Look at the claims on which a judge and people differ. With an ID (of a unit or a "
    "record) only those. In a pipe, or with --json, a list.",
)
@click.argument("unit", metavar="[ID]", required=False)
@metric_option
@labels_option
@judges_option
@click.option(
    "--annotator", help="Your name, for relabelling; else TRUEUP_ANNOTATOR, or the login."
)
def command(
    env: Env, unit: str | None, metric: str, labels: str | None, judges: tuple[str, ...],
    annotator: str | None,
) -> None:  # fmt: skip
    """Open the screen, or list."""
    with env.workspace() as workspace:
        if on_terminal() and not env.out.as_json:
            from trueup.services.disagreeing import DisagreementService
            from trueup_tui.app import run_disagreements

            name = annotator_name(annotator)
            run_disagreements(
                lambda: DisagreementService(
                    workspace, name, metric=metric, labels=labels, judges=judges, only=unit
                ),
                **look_of(workspace),
            )
            return
        from trueup.report.json import to_json

        data = workspace.report(metric=metric, labels=labels, judges=judges)
        if unit is not None:
            _check_known(workspace, data, unit)
    found = [d for d in data.disagreements if unit in (None, d.unit, d.key, d.record)]
    rows = to_json(data)["disagreements"]
    chosen = [r for r, d in zip(rows, data.disagreements, strict=True) if d in found]
    env.out.result("disagreements", {"disagreements": chosen}, lambda: _table(found))


def _check_known(workspace: Workspace, data: ReportData, name: str) -> None:
    """Agreement on a unit or record is one thing, a name that nothing has another."""
    known = {*data.unit_ids, *data.unit_ids.values()}
    if name not in known and not workspace.store.find_records(name):
        raise UsageError(
            f"there is no unit or record {name!r} among the labelled ones",
            hint="`trueup disagreements` without an ID lists them",
        )


def _table(found: list[Disagreement]) -> str:
    if not found:
        return "Nowhere: people and judges agree on these."
    rows = [[d.unit, d.judge, d.human, d.verdict, d.cause or "", d.text[:60]] for d in found]
    return table(rows, ["unit", "judge", "people", "verdict", "cause", "claim"])
