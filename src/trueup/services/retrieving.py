"""Retrieval metrics, of the workspace's records or of run and qrels files. No model is asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from trueup.domain.model import Record
from trueup.stats.retrieval import Ranking
from trueup.stats.retrieval_hits import hits_of
from trueup.stats.retrieval_summary import RetrievalSummary, summarise

if TYPE_CHECKING:
    from trueup.services.workspace import Workspace


def of_workspace(
    workspace: Workspace,
    *,
    ks: Sequence[int] | None = None,
    releases: Sequence[str] | None = None,
    relevant_at: int = 1,
) -> RetrievalSummary:
    """The workspace's records: their `retrieved` list, else the chunks that the generator saw."""
    several = len(workspace.store.releases()) > 1
    rankings = (
        ranking_of(record, with_release=several)
        for record in workspace.store.iter_records(releases=releases)
    )
    cutoffs = ks or workspace.settings.workspace.k
    return summarise(hits_of(rankings), cutoffs, relevant_at=relevant_at)


def of_records(
    records: Iterable[Record], ks: Sequence[int], *, relevant_at: int = 1
) -> RetrievalSummary:
    """These records alone; they are of one release, so that ids tell them apart."""
    return summarise(hits_of(map(ranking_of, records)), ks, relevant_at=relevant_at)


def of_files(
    run: Path,
    qrels: Path | None,
    *,
    ks: Sequence[int] | None = None,
    relevant_at: int = 1,
    ties: Literal["id", "file"] = "id",
) -> RetrievalSummary:
    """A TREC or JSONL run against qrels; scored runs follow trec_eval unless ties="file"."""
    from trueup.exchange.trec import read_hits

    return summarise(read_hits(run, qrels, ties=ties), ks or (1, 5, 10), relevant_at=relevant_at)


def ranking_of(record: Record, *, with_release: bool = False) -> Ranking:
    """A record's ranked ids and gold ids, under its id (and release, where there are several)."""
    retrieved = record.retrieved
    if retrieved is None and record.context is not None:
        retrieved = tuple(c.id for c in record.context)
    name = f"{record.id}@{record.release}" if with_release and record.release else record.id
    return Ranking(name, retrieved, record.gold)


def to_json(summary: RetrievalSummary, *, per_question: bool = False) -> dict[str, Any]:
    """The contract's `recall` object."""
    out: dict[str, Any] = {
        "k": {
            str(k): {
                "recall": at.recall.to_json(),
                "hit_rate": at.hit_rate.to_json(),
                "precision": at.precision.to_json(),
                "ceiling": at.ceiling,
                "n_short_list": at.n_short_list,
            }
            for k, at in summary.at.items()
        },
        "mrr": summary.mrr.to_json(),
        "ndcg": {str(k): at.ndcg.to_json() for k, at in summary.at.items()},
        "mean_gold": summary.mean_gold,
        "n_questions": summary.n_questions,
        "n_unanswerable": summary.n_unanswerable,
        "n_unlabelled": summary.n_unlabelled,
        "n_absent": summary.n_absent,
        "n_short_list": summary.n_short_list,
        "notes": list(summary.notes),
    }
    if per_question:
        out["per_question"] = list(summary.per_question())
    return out


def to_rows(summary: RetrievalSummary) -> Iterator[list[str]]:
    """A row for each cut-off; recall and hit rate always stand together with the ceiling."""
    from trueup.report.words import estimate, number

    for k, at in summary.at.items():
        yield [
            str(k), estimate(at.recall), estimate(at.hit_rate), number(at.ceiling),
            estimate(at.precision), estimate(at.ndcg),
        ]  # fmt: skip
