"""`trueup report`: the calibration report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from trueup.cli.context import Env, trueup_command
from trueup.cli.options import judges_option, labels_option, metric_option


@trueup_command(
    "report",
    help="Calibration report of judges against people: report.html, report.md and report.json, "
    "and a summary of one screen.",
)
@metric_option
@labels_option
@judges_option
@click.option("--out", type=click.Path(path_type=Path), help="Directory of the three files.")
@click.option("--include-unblinded", is_flag=True, help="Count labels made after a reveal too.")
@click.option("--bootstrap", type=click.IntRange(min=1), help="Resamples, as a cross-check.")
def command(env: Env, out: Path | None, **options: Any) -> int:
    """Build it, write it, and show the summary."""
    from trueup.report.json import to_json
    from trueup.report.terminal import to_text
    from trueup.services.reporting import write

    with env.workspace() as workspace:
        data = workspace.report(**options)
        paths = write(data, out or workspace.root / "reports" / data.slug)
    env.out.result(
        "report", to_json(data), lambda: f"{to_text(data)}\n\n{paths[0]}",
    )  # fmt: skip
    return 0
