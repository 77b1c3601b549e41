"""`trueup export`: records, claims, verdicts and labels out again."""

from __future__ import annotations

from pathlib import Path

import click

from trueup.cli.context import Env, trueup_command


@trueup_command(
    "export",
    help="Records with their claims, verdicts and labels, as trueup JSONL that imports to the same "
    "store. To stdout, or to a file.",
)
@click.option("--format", "format_", type=click.Choice(["jsonl"]), default="jsonl")
@click.option("--release", "releases", multiple=True, help="Only records of this release.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write to this file.")
def command(env: Env, format_: str, releases: tuple[str, ...], output: Path | None) -> None:
    """Write a line for each record."""
    from trueup.services.exporting import export_jsonl

    with env.workspace() as workspace:
        lines = export_jsonl(workspace, releases=releases or None)
        if output is None:
            for line in lines:
                env.out.raw(line)
            return
        count = env.out.file(output, lines)
    env.out.result(
        "export", {"path": str(output), "format": format_, "records": count},
        lambda: f"{count:,} records -> {output}",
    )  # fmt: skip
