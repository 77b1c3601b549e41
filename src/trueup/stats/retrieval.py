"""Retrieval metrics of one question: recall@k, hit rate@k, precision@k, reciprocal rank, nDCG@k.

Conventions, the same for lists and for files (`retrieval_summary` takes means over questions):

- Ids are text: a number becomes its text, so 12 and "12" are the same id and 13 and "013" are not.
- A ranked list keeps its order. An id that is listed again counts once, at its first rank; the
  repeated place stays taken, because the reader of the list lost it too.
- Gold is a collection of ids, each relevant with grade 1, or a mapping from id to grade; an id
  named twice counts once. A gold id is relevant from grade `relevant_at` on (trec_eval's -l).
- An empty gold set makes every metric None (unanswerable), and so does `gold=None` (not labelled);
  the two are told apart by the caller. Nothing retrieved is a value: 0.

Sources: trec_eval 9 (recall_k, success_k, P_k, recip_rank, ndcg_cut_k); Järvelin and Kekäläinen
2002 for nDCG, with linear gain and the ideal ranking of all gold ids, as trec_eval has it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import log2

from trueup.errors import UsageError

Id = str | int
Gold = Mapping[str, int] | Mapping[int, int] | Collection[Id]


@dataclass(frozen=True, slots=True)
class Ranking:
    """One question's ranked ids and its gold grades.

    `retrieved is None`: the question is absent from the run, which counts as nothing retrieved.
    `gold is None`: not labelled; no id of a grade that is relevant: unanswerable.
    """

    question: str
    retrieved: Sequence[Id] | None
    gold: Gold | None


def as_id(value: object) -> str:
    """The text of an id. Raises UsageError for what is neither text nor a number."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise UsageError(f"an id is text or a number, not {type(value).__name__}")


def as_ids(values: Sequence[Id] | None) -> list[str]:
    """Ids as text, in order. None is an empty list; a lone text is refused, not spelt out."""
    if isinstance(values, str | bytes):
        raise UsageError("a list of ids is needed, not one text", hint='write ["a"], not "a"')
    return [as_id(value) for value in values or ()]


def as_grades(gold: Gold | None) -> dict[str, int]:
    """Gold ids with their grades; an id named twice keeps its highest grade."""
    if not isinstance(gold, Mapping):
        return dict.fromkeys(as_ids(None if gold is None else list(_many(gold))), 1)
    grades: dict[str, int] = {}
    for key, grade in gold.items():
        name = as_id(key)
        grades[name] = max(grade, grades.get(name, grade))
    return grades


def _many(gold: Collection[Id]) -> Collection[Id]:
    if isinstance(gold, str | bytes):
        raise UsageError("gold is a list of ids, not one text", hint='write ["a"], not "a"')
    return gold


def first_ranks(retrieved: Sequence[Id] | None) -> dict[str, int]:
    """Id to its first rank (1-based), in order of rank."""
    ranks: dict[str, int] = {}
    for rank, name in enumerate(as_ids(retrieved), 1):
        ranks.setdefault(name, rank)
    return ranks


def check_cutoff(k: int) -> int:
    """The cut-off itself. Raises UsageError unless it is a whole number of at least 1."""
    if not isinstance(k, int) or isinstance(k, bool) or k < 1:
        raise UsageError(f"k must be a whole number of at least 1, not {k!r}")
    return k


def recall_at_k(
    retrieved: Sequence[Id] | None, gold: Gold | None, k: int, *, relevant_at: int = 1
) -> float | None:
    """Share of the gold ids that are among the first k: |top k ∩ G| / |G|.

    Divides by all gold ids, so that with |G| > k it cannot reach 1: its ceiling is min(k,|G|)/|G|.
    None for an empty gold set.
    """
    found, size = _found(retrieved, gold, k, relevant_at)
    return found / size if size else None


def hit_rate_at_k(
    retrieved: Sequence[Id] | None, gold: Gold | None, k: int, *, relevant_at: int = 1
) -> float | None:
    """1.0 when any gold id is among the first k, else 0.0; None for an empty gold set."""
    found, size = _found(retrieved, gold, k, relevant_at)
    return float(found > 0) if size else None


def precision_at_k(
    retrieved: Sequence[Id] | None, gold: Gold | None, k: int, *, relevant_at: int = 1
) -> float | None:
    """|top k ∩ G| / k, also where fewer than k were retrieved; None for an empty gold set."""
    found, size = _found(retrieved, gold, k, relevant_at)
    return found / k if size else None


def reciprocal_rank(
    retrieved: Sequence[Id] | None,
    gold: Gold | None,
    k: int | None = None,
    *,
    relevant_at: int = 1,
) -> float | None:
    """1 / rank of the first gold id (within the first k where k is given), 0.0 where none is.

    Its mean over questions is the mean reciprocal rank, MRR. None for an empty gold set.
    """
    last = None if k is None else check_cutoff(k)
    relevant = _relevant(gold, relevant_at)
    if not relevant:
        return None
    first = next((r for name, r in first_ranks(retrieved).items() if name in relevant), None)
    if first is None or (last is not None and first > last):
        return 0.0
    return 1.0 / first


def ndcg_at_k(retrieved: Sequence[Id] | None, gold: Gold | None, k: int) -> float | None:
    """DCG of the first k over that of the best possible k: Σ grade / log2(rank + 1), normalised.

    The gain is the grade itself (linear), grades below 1 gain nothing, and the ideal ranking is
    made of all gold ids, retrieved or not. None where no gold id has a positive grade.
    """
    check_cutoff(k)
    grades = {name: grade for name, grade in as_grades(gold).items() if grade > 0}
    if not grades:
        return None
    best = sorted(grades.values(), reverse=True)[:k]
    ideal = sum(grade / log2(rank + 1) for rank, grade in enumerate(best, 1))
    gained = sum(
        grades[name] / log2(rank + 1)
        for name, rank in first_ranks(retrieved).items()
        if rank <= k and name in grades
    )
    # summed in another order than the ideal, a perfect ranking may pass 1 by one rounding
    return min(1.0, gained / ideal)


def check_grade(relevant_at: int) -> int:
    """The grade itself. Raises UsageError below 1: grade 0 says that an id is not relevant."""
    if relevant_at < 1:
        raise UsageError(
            f"a gold id is relevant from grade 1 on at the earliest, not {relevant_at}"
        )
    return relevant_at


def _relevant(gold: Gold | None, relevant_at: int) -> set[str]:
    check_grade(relevant_at)
    return {name for name, grade in as_grades(gold).items() if grade >= relevant_at}


def _found(
    retrieved: Sequence[Id] | None, gold: Gold | None, k: int, relevant_at: int
) -> tuple[int, int]:
    """How many gold ids are among the first k, and how many there are."""
    check_cutoff(k)
    relevant = _relevant(gold, relevant_at)
    top = as_ids(retrieved)[:k]
    return len(relevant.intersection(top)), len(relevant)
