"""`trueup compare`: prompt variants or judges on the same labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from trueup.cli.context import Env, trueup_command
from trueup.cli.options import labels_option, metric_option


@trueup_command(
    "compare", help="Judges or prompt variants on the same labels, paired: b against a."
)
@click.argument("judges", nargs=-1, required=True)
@metric_option
@labels_option
@click.option("--judge-now", is_flag=True, help="Run what is missing first.")
@click.option("--out", type=click.Path(path_type=Path), help="Also write the report here.")
@click.option(
    "--split",
    is_flag=True,
    help="Also choose the best on half of the answers and measure it on the other half.",
)
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True,
              help="Of the split.")  # fmt: skip
@click.option("--include-unblinded", is_flag=True, help="Count labels made after a reveal too.")
def command(
    env: Env, judges: tuple[str, ...], judge_now: bool, out: Path | None, split: bool, seed: int,
    **options: Any,
) -> int:  # fmt: skip
    """Compare each pair on the units that both decided."""
    from trueup.report.json import to_json
    from trueup.report.terminal import to_text
    from trueup.services.reporting import write

    if len(judges) < 2:
        raise click.UsageError("name at least two judges: trueup compare plain quoted")
    with env.workspace() as workspace:
        if judge_now:
            with env.out.progress("judging") as advance:
                workspace.judge(judges, metrics=(options["metric"],), on_progress=advance)
        data = workspace.compare(judges, split=seed if split else None, **options)
        written = write(data, out)[:1] if out else []
    tail = "".join(f"\n\n{p}" for p in written)
    env.out.result(
        "compare", to_json(data, schema="trueup.compare/1"), lambda: to_text(data) + tail
    )
    return 0
