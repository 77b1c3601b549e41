"""What retrieval metrics need to know of a run, in columns: where each gold id was found.

A run of ten million lines shrinks to the ranks of its relevant ids. Lists (`hits_of`) and run files
(`exchange.trec`) both make these columns, so that both give the same figures.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from trueup.errors import InputError
from trueup.stats.counts import IntArray
from trueup.stats.retrieval import Ranking, as_grades, first_ranks

ABSENT = -1
"""`n_ranked` of a question that the run does not hold."""


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """The labelled questions (Q), their gold ids of positive grade (G), and those found (H).

    `questions` Q names. `n_ranked` (Q,): length of the ranked list, ABSENT where there is none.
    `gold_question`, `gold_grade` (G,). `hit_question`, `hit_rank` (1-based, first) and `hit_grade`
    (H,). `n_unlabelled`: questions ranked without gold. `n_repeated_ids`: places taken by an id
    that was listed before. `n_gold_unseen`: distinct gold ids that no question retrieved at all (a
    lower bound where `unseen_is_bound`): many of them mean that ids are written in two ways.
    """

    questions: tuple[str, ...]
    n_ranked: IntArray
    gold_question: IntArray
    gold_grade: IntArray
    hit_question: IntArray
    hit_rank: IntArray
    hit_grade: IntArray
    n_unlabelled: int = 0
    n_repeated_ids: int = 0
    n_gold_unseen: int = 0
    unseen_is_bound: bool = False
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Columns:
    """Growing columns of `Hits`."""

    questions: dict[str, None]
    n_ranked: list[int]
    gold: list[tuple[int, int]]
    hits: list[tuple[int, int, int]]
    retrieved: set[str]
    gold_ids: set[str]
    unlabelled: int = 0
    repeated: int = 0


def hits_of(rankings: Iterable[Ranking]) -> Hits:
    """Columns of ranked lists, one `Ranking` a question; see `retrieval` for the conventions.

    Raises InputError where two rankings name the same question.
    """
    made = _Columns({}, [], [], [], set(), set())
    seen: set[str] = set()
    for ranking in rankings:
        if ranking.question in seen:
            raise InputError(f"the question {ranking.question!r} is ranked twice")
        seen.add(ranking.question)
        _add(made, ranking)
    gold = np.array(made.gold, dtype=np.int64).reshape(-1, 2)
    hits = np.array(made.hits, dtype=np.int64).reshape(-1, 3)
    return Hits(
        tuple(made.questions),
        np.array(made.n_ranked, dtype=np.int64),
        gold[:, 0],
        gold[:, 1],
        hits[:, 0],
        hits[:, 1],
        hits[:, 2],
        n_unlabelled=made.unlabelled,
        n_repeated_ids=made.repeated,
        n_gold_unseen=len(made.gold_ids - made.retrieved),
    )


def _add(made: _Columns, ranking: Ranking) -> None:
    ranks = first_ranks(ranking.retrieved)
    made.retrieved.update(ranks)
    made.repeated += len(ranking.retrieved or ()) - len(ranks)
    if ranking.gold is None:
        made.unlabelled += 1
        return
    index = len(made.questions)
    made.questions[ranking.question] = None
    made.n_ranked.append(ABSENT if ranking.retrieved is None else len(ranking.retrieved))
    for name, grade in as_grades(ranking.gold).items():
        if grade < 1:
            continue
        made.gold.append((index, grade))
        made.gold_ids.add(name)
        if name in ranks:
            made.hits.append((index, ranks[name], grade))
