"""`trueup recall`: retrieval metrics."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from trueup.cli.context import Env, trueup_command
from trueup.cli.options import CutoffsType
from trueup.cli.output import table


@trueup_command(
    "recall",
    help="recall@k beside hit_rate@k, precision@k, MRR and nDCG@k, of the workspace's records or "
    "of run and qrels files (TREC, BEIR, JSONL).",
)
@click.option("--run", type=click.Path(path_type=Path), help="A TREC or JSONL run.")
@click.option("--qrels", type=click.Path(path_type=Path), help="TREC or BEIR qrels, or JSONL.")
@click.option("-k", "ks", type=CutoffsType(), help="Cut-offs; default: trueup.toml, else 1,5,10.")
@click.option(
    "--relevant-at", type=click.IntRange(min=1), default=1, help="Grades from here count."
)
@click.option("--ties", type=click.Choice(["id", "file"]), default="id",
              help="Equal scores: by id as trec_eval, or in the file's order.")  # fmt: skip
@click.option("--release", "releases", multiple=True, help="Only records of this release.")
@click.option("--per-question", is_flag=True, help="Also each question's values (with --json).")
def command(
    env: Env, run: Path | None, qrels: Path | None, ks: tuple[int, ...] | None, relevant_at: int,
    ties: Literal["id", "file"], releases: tuple[str, ...], per_question: bool,
) -> None:  # fmt: skip
    """Measure and print."""
    from trueup.services import retrieving

    if run is None and qrels is not None:
        raise click.UsageError("--qrels goes with --run")
    if run is not None:
        summary = retrieving.of_files(run, qrels, ks=ks, relevant_at=relevant_at, ties=ties)
    else:
        with env.workspace() as workspace:
            summary = retrieving.of_workspace(
                workspace, ks=ks, releases=releases or None, relevant_at=relevant_at
            )
    for note in summary.notes:
        env.out.info(note)

    def human() -> str:
        from trueup.report.words import estimate, number

        header = ["k", "recall", "hit rate", "ceiling", "precision", "nDCG"]
        counts = (
            f"{summary.n_questions:,} questions, {number(summary.mean_gold, 2)} gold ids each; "
            f"not in the means: {summary.n_unanswerable:,} unanswerable, "
            f"{summary.n_unlabelled:,} without gold"
        )
        rows = list(retrieving.to_rows(summary))
        return "\n".join([table(rows, header, right=(0,)), f"MRR {estimate(summary.mrr)}", counts])

    env.out.result("recall", retrieving.to_json(summary, per_question=per_question), human)
