"""`trueup export`: records, claims, verdicts and labels out again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from trueup.cli.context import Env, trueup_command
from trueup.cli.options import MetricType

_WHAT = ("records", "labels", "verdicts", "scores")
_FORMATS = ("jsonl", "csv", "parquet", "ragas", "deepeval", "qrels")


@trueup_command(
    "export",
    help="Records with their claims, verdicts and labels as trueup JSONL, CSV or Parquet that "
    "import to the same store; labels, verdicts or scores as tables; labelled records as rows of "
    "ragas or deepeval; labels of chunks as qrels. To stdout, or to a file.",
)
@click.option("--what", type=click.Choice(_WHAT), default="records", show_default=True)
@click.option(
    "--format", "format_", type=click.Choice(_FORMATS), default="jsonl", show_default=True
)
@click.option("--labels", help="A sample or a label set, for labels, ragas, deepeval and qrels.")
@click.option("--metric", type=MetricType(), help="Of the labels of ragas and deepeval rows.")
@click.option("--release", "releases", multiple=True, help="Only records of this release.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write to this file.")
def command(
    env: Env,
    what: str,
    format_: str,
    labels: str | None,
    metric: str | None,
    releases: tuple[str, ...],
    output: Path | None,
) -> None:
    """Write a line, or a row, for each."""
    from trueup.services.exporting import Export, export_lines, export_parquet

    export = Export(what, format_, metric, labels, releases or None)
    with env.workspace() as workspace:
        if format_ == "parquet" and output is not None:
            count = export_parquet(workspace, export, output)
        else:
            lines = export_lines(workspace, export)
            if output is None:
                for line in lines:
                    env.out.raw(line)
                return
            count = env.out.file(output, lines) - {"csv": 1, "deepeval": 1}.get(format_, 0)
    rows = "lines" if format_ == "qrels" else "records" if format_ in _FORMATS[3:] else what
    data: dict[str, Any] = {"path": str(output), "what": what, "format": format_, rows: count}
    env.out.result("export", data, lambda: f"{count:,} {rows} -> {output}")
