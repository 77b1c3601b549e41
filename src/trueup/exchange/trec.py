"""Retrieval runs and gold from files: what `trueup recall --run FILE --qrels FILE` reads.

Runs: TREC run files (scored, streamed) and JSONL (ranked lists). Gold: TREC and BEIR qrels, JSONL,
or the `gold` of the run's own lines where the run is JSONL. The kind is read from the content.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from trueup.errors import InputError, UsageError
from trueup.exchange.trec_jsonl import gold_of, json_rows, question_of, retrieved_of
from trueup.exchange.trec_qrels import Qrels, kind_of, read_qrels
from trueup.exchange.trec_run import Ties, read_trec_run
from trueup.stats.retrieval import Ranking
from trueup.stats.retrieval_hits import Hits, hits_of

__all__ = ["Qrels", "Ties", "read_hits", "read_qrels", "read_rankings"]


def read_hits(run: Path, qrels: Path | None = None, *, ties: Ties = "id") -> Hits:
    """Where the gold ids stand in a run; see `stats.retrieval_summary.summarise` for the figures.

    Questions of the gold that the run lacks count as nothing retrieved; questions of the run that
    the gold lacks are unlabelled. `ties` is for scored runs only (see `read_trec_run`). Raises
    UsageError without `qrels` for a run that carries no gold, InputError for what cannot be read.
    """
    for path in (run, qrels):
        if path is not None and not path.is_file():
            raise InputError("no such file", path=path, hint="look at the spelling of the path")
    gold = None if qrels is None else read_qrels(qrels)
    if kind_of(run) == "jsonl":
        return hits_of(read_rankings(run, gold))
    if gold is None:
        raise UsageError("a TREC run carries no gold", hint="give the gold file with --qrels")
    return read_trec_run(run, gold, ties=ties)


def read_rankings(run: Path, qrels: Qrels | None = None) -> Iterator[Ranking]:
    """The ranked lists of a JSONL run, with the gold of `qrels` or, without it, of their own lines.

    Questions that only `qrels` names follow at the end, absent from the run.
    """
    gold = None if qrels is None else dict(zip(qrels.questions, qrels.by_question(), strict=True))
    for line, row in json_rows(run):
        question = question_of(row, run, line)
        retrieved = retrieved_of(row, run, line)
        own = gold_of(row, run, line) if gold is None else gold.pop(question, None)
        yield Ranking(question, retrieved, own)
    for question, grades in (gold or {}).items():
        yield Ranking(question, None, grades)
