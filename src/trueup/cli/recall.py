"""`trueup recall`: retrieval metrics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from trueup.cli.context import Env, trueup_command
from trueup.cli.options import CutoffsType
from trueup.cli.output import table

if TYPE_CHECKING:
    from trueup.stats.retrieval_summary import RetrievalSummary


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
    headline: str | None = None
    parts: dict[str, RetrievalSummary] | None = None
    notes: list[str] = []
    if run is not None:
        summary = retrieving.of_files(run, qrels, ks=ks, relevant_at=relevant_at, ties=ties)
    else:
        with env.workspace() as workspace:
            about: Any = {"ks": ks, "releases": releases or None, "relevant_at": relevant_at}
            summary = retrieving.of_workspace(workspace, **about)
            parts = retrieving.by_release(workspace, **about)
            headline = workspace.settings.workspace.retrieval_headline
            notes = retrieving.headline_notes(workspace, parts)
    for note in [*summary.notes, *notes]:
        env.out.info(note)
    data = retrieving.to_json(summary, per_question=per_question, headline=headline, releases=parts)
    data["notes"] += notes
    env.out.result("recall", data, lambda: "\n".join(_human(summary, headline, parts or {})))


def _human(
    summary: RetrievalSummary, headline: str | None, parts: Mapping[str, RetrievalSummary]
) -> Iterator[str]:
    from trueup.report.words import estimate, number
    from trueup.services import retrieving

    def titled(name: str) -> str:
        mark = " (headline)" if name == headline else ""
        return name.replace("_", " ") + mark

    header = ["k", titled("recall"), titled("hit_rate"), "ceiling", "precision", "nDCG"]
    yield table(list(retrieving.to_rows(summary)), header, right=(0,))
    yield f"MRR {estimate(summary.mrr)}"
    yield (
        f"{summary.n_questions:,} questions, {number(summary.mean_gold, 2)} gold ids each; "
        f"not in the means: {summary.n_unanswerable:,} unanswerable, "
        f"{summary.n_unlabelled:,} without gold"
    )
    if len(parts) < 2:
        return
    k = max(summary.at)
    rows = [
        [
            name or "–", estimate(made.at[k].recall), estimate(made.at[k].hit_rate),
            number(made.at[k].ceiling), number(made.mean_gold, 2), f"{made.n_questions:,}",
        ]
        for name, made in parts.items()
    ]  # fmt: skip
    head = [f"release, k = {k}", "recall", "hit rate", "ceiling", "gold ids", "questions"]
    yield ""
    yield table(rows, head, right=(4, 5))
