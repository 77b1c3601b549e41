"""Retrieval metrics, of the workspace's records or of run and qrels files. No model is asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
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


def by_release(
    workspace: Workspace,
    *,
    ks: Sequence[int] | None = None,
    releases: Sequence[str] | None = None,
    relevant_at: int = 1,
) -> dict[str, RetrievalSummary]:
    """Each release by itself, in the order of import."""
    rankings: dict[str, list[Ranking]] = {}
    for record in workspace.store.iter_records(releases=releases):
        rankings.setdefault(record.release, []).append(ranking_of(record))
    cutoffs = ks or workspace.settings.workspace.k
    return {
        release: summarise(hits_of(some), cutoffs, relevant_at=relevant_at)
        for release, some in rankings.items()
    }


def headline_notes(workspace: Workspace, releases: Iterable[str]) -> list[str]:
    """What is to be said of a headline that some releases were first measured by otherwise."""
    from trueup.services.score_definitions import changed_definitions

    return [n for n in changed_definitions(workspace, releases) if "retrieval_headline" in n]


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


def to_json(
    summary: RetrievalSummary,
    *,
    per_question: bool = False,
    headline: str | None = None,
    releases: Mapping[str, RetrievalSummary] | None = None,
) -> dict[str, Any]:
    """The contract's `recall` object; `headline` and `releases` are those of a workspace."""
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
    if headline is not None:
        out["headline"] = headline
    if releases is not None:
        out["by_release"] = {name: _brief(made) for name, made in releases.items()}
    if per_question:
        out["per_question"] = list(summary.per_question())
    return out


def _brief(made: RetrievalSummary) -> dict[str, Any]:
    """One release: recall and hit rate together, with gold-set size and ceiling."""
    return {
        "k": {
            str(k): {
                "recall": at.recall.to_json(),
                "hit_rate": at.hit_rate.to_json(),
                "ceiling": at.ceiling,
            }
            for k, at in made.at.items()
        },
        "mean_gold": made.mean_gold,
        "n_questions": made.n_questions,
        "n_unanswerable": made.n_unanswerable,
        "n_unlabelled": made.n_unlabelled,
    }


def to_rows(summary: RetrievalSummary) -> Iterator[list[str]]:
    """A row for each cut-off; recall and hit rate always stand together with the ceiling."""
    from trueup.report.words import estimate, number

    for k, at in summary.at.items():
        yield [
            str(k), estimate(at.recall), estimate(at.hit_rate), number(at.ceiling),
            estimate(at.precision), estimate(at.ndcg),
        ]  # fmt: skip
