"""Retrieval metrics of one question and their means: what counts, what is null, what is noted."""

from __future__ import annotations

import math

import pytest

import trueup
from trueup.errors import InputError, UsageError
from trueup.stats.retrieval import (
    Ranking,
    hit_rate_at_k,
    ndcg_at_k,
    precision_at_k,
    recall_at_k,
    reciprocal_rank,
)
from trueup.stats.retrieval_hits import hits_of
from trueup.stats.retrieval_summary import RetrievalSummary, summarise


def summary(*rankings: Ranking, k: int = 5, relevant_at: int = 1) -> RetrievalSummary:
    return summarise(hits_of(rankings), [k], relevant_at=relevant_at)


def test_recall_and_hit_rate_differ_with_two_gold_ids() -> None:
    """One of two gold ids among the first k is recall one half and a hit."""

    assert recall_at_k(["a", "x"], ["a", "b"], 2) == 0.5
    assert hit_rate_at_k(["a", "x"], ["a", "b"], 2) == 1.0


def test_public_names_are_the_same_functions() -> None:
    """`trueup.recall_at_k` and `trueup.hit_rate_at_k` need no workspace."""

    assert trueup.recall_at_k(["a"], ["a", "b"], 1) == 0.5
    assert trueup.hit_rate_at_k(["x"], ["a"], 1) == 0.0


@pytest.mark.parametrize("gold", [[], None, {}, {"a": 0}])
def test_every_metric_is_none_without_gold(gold: object) -> None:
    """An unanswerable or unlabelled question has no value, and nothing divides by zero."""

    values = [
        recall_at_k(["a"], gold, 5),  # type: ignore[arg-type]
        hit_rate_at_k(["a"], gold, 5),  # type: ignore[arg-type]
        precision_at_k(["a"], gold, 5),  # type: ignore[arg-type]
        reciprocal_rank(["a"], gold),  # type: ignore[arg-type]
        ndcg_at_k(["a"], gold, 5),  # type: ignore[arg-type]
    ]

    assert values == [None] * 5


@pytest.mark.parametrize("retrieved", [[], None])
def test_nothing_retrieved_is_zero(retrieved: list[str] | None) -> None:
    """A question with gold and an empty list is a value, not a gap."""

    assert recall_at_k(retrieved, ["a"], 3) == 0.0
    assert reciprocal_rank(retrieved, ["a"]) == 0.0
    assert ndcg_at_k(retrieved, ["a"], 3) == 0.0


def test_a_repeated_id_counts_once_and_keeps_its_place() -> None:
    """The second A is no second hit, and B behind it stays at rank 3."""

    assert recall_at_k(["A", "A", "B"], ["A", "B"], 2) == 0.5
    assert precision_at_k(["A", "A", "B"], ["A"], 3) == pytest.approx(1 / 3)
    assert ndcg_at_k(["A", "A", "B"], ["A", "B"], 3) == pytest.approx(1.5 / (1 + 1 / math.log2(3)))


def test_ids_are_text() -> None:
    """12 and "12" are one id; "013" and 13 are two."""

    assert recall_at_k([12], ["12"], 1) == 1.0
    assert recall_at_k(["013"], [13], 1) == 0.0


def test_grades_from_relevant_at_on_are_relevant() -> None:
    """With relevant_at = 2 a gold id of grade 1 is not gold; nDCG still gains from it."""

    gold = {"a": 1, "b": 2}

    assert recall_at_k(["a"], gold, 1, relevant_at=1) == 0.5
    assert recall_at_k(["a"], gold, 1, relevant_at=2) == 0.0
    assert ndcg_at_k(["a"], gold, 1) == 0.5


def test_reciprocal_rank_may_be_cut() -> None:
    """The first gold id at rank 3 is 1/3, and 0 when only the first two count."""

    assert reciprocal_rank(["x", "y", "a"], ["a"]) == pytest.approx(1 / 3)
    assert reciprocal_rank(["x", "y", "a"], ["a"], 2) == 0.0


@pytest.mark.parametrize("k", [0, -1, 1.5, True, "5"])
def test_a_cutoff_is_a_whole_number_of_at_least_one(k: object) -> None:
    """Anything else is refused, also where the gold is empty."""

    with pytest.raises(UsageError, match="at least 1"):
        recall_at_k(["a"], [], k)  # type: ignore[arg-type]


def test_one_text_is_not_a_list_of_ids() -> None:
    """A lone text would be read letter by letter."""

    with pytest.raises(UsageError, match="list of ids"):
        recall_at_k("abc", ["a"], 3)
    with pytest.raises(UsageError, match="list of ids"):
        recall_at_k(["abc"], "abc", 3)


def test_ids_that_are_no_ids_are_refused() -> None:
    """None inside a list is a fault of the data and is named."""

    with pytest.raises(UsageError, match="NoneType"):
        recall_at_k(["a", None], ["a"], 3)  # type: ignore[list-item]


def test_the_mean_leaves_out_and_counts_what_has_no_gold() -> None:
    """Unanswerable and unlabelled questions are in no mean and have counts of their own."""

    made = summary(
        Ranking("q1", ["a"], ["a"]),
        Ranking("q2", ["z"], []),
        Ranking("q3", ["z"], None),
        Ranking("q4", None, ["b"]),
    )

    assert made.at[5].recall.value == 0.5
    assert (made.n_questions, made.n_unanswerable, made.n_unlabelled) == (2, 1, 1)
    assert made.n_absent == 1


def test_the_ceiling_and_short_lists_are_reported() -> None:
    """Recall at 1 cannot pass min(k,|G|)/|G|; lists shorter than k are counted."""

    made = summarise(
        hits_of([Ranking("q1", ["a", "b"], ["a", "b", "c", "d"]), Ranking("q2", ["a"], ["a"])]),
        [1, 2],
    )

    assert made.at[1].ceiling == pytest.approx((0.25 + 1.0) / 2)
    assert made.mean_gold == 2.5
    assert (made.at[1].n_short_list, made.at[2].n_short_list, made.n_short_list) == (0, 1, 1)


def test_a_perfect_run_has_an_interval_of_positive_width() -> None:
    """Ten questions without a miss do not prove that there never is one."""

    made = summary(*(Ranking(f"q{i}", ["a"], ["a"]) for i in range(10)), k=1)

    recall = made.at[1].recall
    assert recall.value == recall.high == 1.0
    assert recall.low is not None
    assert 0.6 < recall.low < 0.9


def test_one_question_has_a_value_and_no_interval() -> None:
    """The reason stands where the interval would."""

    recall = summary(Ranking("q", ["a"], ["a"])).at[5].recall

    assert recall.value == 1.0
    assert recall.low is None
    assert recall.reason == "fewer than two questions"


def test_no_question_at_all_is_undefined() -> None:
    """Means of nothing are null with a reason, never NaN."""

    made = summary(Ranking("q", ["a"], []))

    assert made.mrr.value is None
    assert made.mrr.reason == "no question with relevant gold ids"
    assert made.mean_gold is None
    assert made.at[5].ceiling is None


def test_notes_name_repeated_and_never_retrieved_ids() -> None:
    """Ids written in two ways show up as gold that nobody ever retrieved."""

    made = summary(Ranking("q", [12, "013", "013"], ["12", 13]), k=2)

    assert made.at[2].recall.value == 0.5
    assert any("1 repeated id" in note for note in made.notes)
    assert any(note.startswith("1 gold ids were never retrieved") for note in made.notes)


def test_per_question_values_have_names_and_nulls() -> None:
    """Every labelled question has a row; what is undefined is None."""

    rows = list(summary(Ranking("q1", ["x", "a"], ["a"]), Ranking("q2", ["a"], [])).per_question())

    assert rows[0]["question"] == "q1"
    assert rows[0]["mrr"] == 0.5
    assert rows[0]["recall@5"] == 1.0
    assert rows[1] == {**rows[1], "n_gold": 0, "recall@5": None, "ndcg@5": None, "mrr": None}


def test_a_question_ranked_twice_is_refused() -> None:
    """Two lists for one question cannot both be right."""

    with pytest.raises(InputError, match="'q' is ranked twice"):
        hits_of([Ranking("q", ["a"], ["a"]), Ranking("q", ["b"], ["a"])])


def test_grades_below_one_are_never_relevant() -> None:
    """Grade 0 says not relevant: it cannot be asked for."""

    with pytest.raises(UsageError, match="grade 1"):
        summary(Ranking("q", ["a"], {"a": 0}), relevant_at=0)


def test_no_cutoff_is_refused() -> None:
    """Without any k there is nothing to report."""

    with pytest.raises(UsageError, match="cut-off"):
        summarise(hits_of([]), [])
