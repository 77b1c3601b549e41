"""`trueup labels`: labels without the screen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from trueup.cli.context import Env, trueup_command
from trueup.cli.options import metric_option
from trueup.cli.output import table


@click.group("labels", help="Labels without the screen: export, import, freeze, status.")
def command() -> None:
    """The group."""


@trueup_command("export", help="Current labels, one JSON object a line, to stdout or a file.")
@click.option("--labels", help="A sample or a label set; without it, the whole workspace.")
@click.option("--format", "format_", type=click.Choice(["jsonl", "csv"]), default="jsonl")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write to this file.")
@click.option("--events", is_flag=True, help="Every event, undone and relabelled ones included.")
def export(env: Env, labels: str | None, format_: str, output: Path | None, events: bool) -> None:
    """Write the labels."""
    from trueup.services import label_files

    with env.workspace() as workspace:
        rows = label_files.export_labels(
            workspace, labels=label_files.chosen_labels(workspace, labels, events), events=events
        )
        lines = label_files.to_csv(rows) if format_ == "csv" else label_files.to_jsonl(rows)
        if output is None:
            for line in lines:
                env.out.raw(line)
            return
        count = env.out.file(output, lines)
    n = count - (format_ == "csv")
    env.out.result(
        "labels-export", {"path": str(output), "labels": n}, lambda: f"{n} labels -> {output}"
    )


@trueup_command("import", help="Read labels back from JSONL or CSV; those already here count once.")
@click.argument("path", type=click.Path(path_type=Path, exists=True, dir_okay=False))
def import_(env: Env, path: Path) -> None:
    """Store the labels of a file: all, or none."""
    with env.workspace() as workspace:
        counts = workspace.import_labels(path)
    env.out.result(
        "labels-import", {"path": str(path), "labels": counts.labels},
        lambda: f"{counts.labels} new labels from {path}",
    )  # fmt: skip


@trueup_command(
    "freeze", help="Freeze labels into label_sets/NAME/, a yardstick that stands alone."
)
@click.argument("name")
@click.option("--sample", help="Only the labels made in this sample.")
@click.option("--note", default="", help="A sentence for the card: who labelled, and how.")
def freeze(env: Env, name: str, sample: str | None, note: str) -> None:
    """Write the set, and say where it is."""
    from trueup.services.label_sets import load

    with env.workspace() as workspace:
        path = workspace.freeze(name, sample=sample, note=note)
    frozen = load(path)
    data = {
        "path": str(path), "sha256": frozen.sha256, "records": len(frozen.records),
        "labels": len(frozen.labels), "verdicts": len(frozen.verdicts),
    }  # fmt: skip
    env.out.result(
        "labels-freeze", data,
        lambda: (
            f"{path}: {data['records']} records, {data['labels']} labels, "
            f"{data['verdicts']} verdicts\nsha256 {frozen.sha256}"
        ),
    )  # fmt: skip


@trueup_command("status", help="Progress, pace and time left of each annotator.")
@click.option("--sample", help="Only this sample.")
@metric_option
def status(env: Env, sample: str | None, metric: str) -> None:
    """A row for each sample and annotator."""
    from trueup.services.progress import status as progress

    with env.workspace() as workspace:
        rows = progress(workspace.store, metric=metric, sample=sample)
    env.out.result("labels-status", {"progress": rows}, lambda: _status_table(rows))


def _status_table(rows: list[dict[str, Any]]) -> str:
    if not rows:
        return "No labels yet. Start with: trueup label SAMPLE"
    cells = [
        [
            str(r["sample"] or "–"),
            str(r["annotator"] or "nobody yet"),
            f"{r['done']:,}" if r["total"] is None else f"{r['done']:,}/{r['total']:,}",
            "–" if r["seconds_per_claim"] is None else f"{r['seconds_per_claim']:.1f} s",
            "–" if r["seconds_left"] is None else f"{r['seconds_left'] / 60:.0f} min",
        ]
        for r in rows
    ]
    return table(cells, ["sample", "annotator", "done", "pace", "left"], right=(2, 3, 4))


for sub in (export, import_, freeze, status):
    command.add_command(sub)
