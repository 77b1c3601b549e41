"""`trueup validate`: the gate for a new judge."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trueup.cli.context import Env, trueup_command
from trueup.cli.options import metric_option

if TYPE_CHECKING:
    from trueup.services.validating import Decision

_EXIT = {"pass": 0, "fail": 1, "inconclusive": 3}
_ALLOWED = ("unblinded", "constructed", "seen")


@trueup_command(
    "validate",
    help="The gate for a new judge. Exit 0: passed; 1: failed; 3: too few labels to decide; "
    "4: too many verdicts undecided.",
)
@click.argument("candidate")
@click.option("--against", help="The judge in use; without it, only the bars are checked.")
@metric_option
@click.option("--labels", help="A label set (or a sample) to measure by.")
@click.option("--judge-now", is_flag=True, help="Run what is missing first.")
@click.option(
    "--allow", default="", help=f"Labels to accept, comma-separated: {', '.join(_ALLOWED)}."
)
@click.option("--junit", type=click.Path(path_type=Path), help="Write the bars as JUnit XML.")
@click.option("--summary", type=click.Path(path_type=Path), help="Write a Markdown summary.")
def command(
    env: Env, candidate: str, allow: str, judge_now: bool, junit: Path | None,
    summary: Path | None, **options: Any,
) -> int:  # fmt: skip
    """Decide, say why, and exit with the decision."""
    from trueup.services import validating

    allowed = {a.strip() for a in allow.split(",") if a.strip()}
    if unknown := allowed - set(_ALLOWED):
        raise click.UsageError(f"--allow takes {', '.join(_ALLOWED)}, not {', '.join(unknown)}")
    with env.workspace() as workspace:
        decision = workspace.validate(
            candidate, allow=frozenset(allowed), judge_now=judge_now, **options
        )
    if junit:
        env.out.file(junit, [validating.to_junit(decision)])
    if summary:
        env.out.file(summary, [validating.to_markdown(decision)])
    env.out.result("validate", validating.to_json(decision), lambda: _human(decision))
    if decision.too_many_undecided:
        return 4 if decision.decision != "fail" else 1
    return _EXIT[decision.decision]


def _human(decision: Decision) -> str:
    marks = {True: "✓", False: "✗", None: "?"}
    bars = [f"  {marks[bar.ok]} {bar.sentence}" for bar in decision.bars]
    notes = [f"  {note}" for note in decision.notes]
    return "\n".join([f"{decision.candidate}: {decision.decision.upper()}", *bars, *notes])
