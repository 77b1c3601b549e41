"""Failures seen in public retrieval tools, and the figures of real runs under trec_eval's rules."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from shared import golden_cases, shared_dir
from trueup.exchange.trec import Ties, read_hits
from trueup.stats.retrieval import Ranking, ndcg_at_k, precision_at_k
from trueup.stats.retrieval_hits import hits_of
from trueup.stats.retrieval_summary import RetrievalSummary, summarise

LIST_CASES = [
    case
    for case in golden_cases("retrieval")
    if case.values[0] is None or "k" in case.values[0]["input"]
]
SETS = ("trec_eval_test", "vaswani/bm25s")
NAMES = {"R": "recall", "Success": "hit_rate", "P": "precision", "nDCG": "ndcg"}


def rankings(given: dict[str, Any]) -> list[Ranking]:
    """The questions of a case: one, or several by id; a scored list keeps its order."""
    questions = given.get("queries", {"q": given})
    return [
        Ranking(
            name,
            q.get("retrieved", [pair[0] for pair in q.get("retrieved_scored", [])]),
            q["relevant"],
        )
        for name, q in questions.items()
    ]


def as_checked(made: RetrievalSummary, k: int) -> dict[str, Any]:
    """The figures under the names that the cases use."""
    at = made.at[k]
    recall = {row["question"]: row[f"recall@{k}"] for row in made.per_question()}
    ndcg = {row["question"]: row[f"ndcg@{k}"] for row in made.per_question()}
    values = [column.max(initial=0.0) for column in made.values.values()]
    return {
        "recall": at.recall.value if set(recall) == {"q"} else recall,
        "hit": at.hit_rate.value,
        "precision": at.precision.value,
        "ndcg": at.ndcg.value,
        "ndcg_q1": ndcg.get("q1"),
        "max_any": max(values, default=0.0),
        "mean_recall": at.recall.value,
        "n": made.n_questions,
        "unjudged": made.n_unlabelled,
    }


@pytest.mark.parametrize("case", LIST_CASES)
def test_a_seen_failure_does_not_happen_here(case: dict[str, Any]) -> None:
    """Each case's check holds for the means, and for the functions of one question."""

    k = case["input"]["k"]
    made = as_checked(summarise(hits_of(rankings(case["input"])), [k]), k)

    for name, expected in case["check"].items():
        assert made[name] == pytest.approx(expected, abs=5e-5), name
    for ranking in rankings(case["input"]):
        for value in (
            precision_at_k(ranking.retrieved, ranking.gold, k),
            ndcg_at_k(ranking.retrieved, ranking.gold, k),
        ):
            assert value is None or 0 <= value <= 1


@cache
def expected(name: str) -> dict[str, Any]:
    made = json.loads((shared_dir() / "golden" / "retrieval_expected.json").read_text("utf-8"))
    return dict(made["sets"][name])


@cache
def measured(name: str, ties: Ties) -> RetrievalSummary:
    folder = shared_dir() / "data" / "retrieval"
    want = expected(name)
    hits = read_hits(folder / want["run"], folder / want["qrels"], ties=ties)
    return summarise(hits, (1, 5, 10, 100))


def figure(made: RetrievalSummary, name: str) -> float | None:
    """The mean under the golden file's name of it; None for what trueup does not report."""
    if name == "RR":
        return made.mrr.value
    metric, _, k = name.partition("@")
    if metric not in NAMES or not k.isdigit():
        return None
    return getattr(made.at[int(k)], NAMES[metric]).value  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize(("policy", "ties"), [("trec_eval", "id"), ("score_then_file", "file")])
def test_means_of_real_runs(name: str, policy: str, ties: Ties) -> None:
    """Equal to trec_eval's to the printed digit, under both rules for ties."""

    made = measured(name, ties)
    want = expected(name)["levels"][">=1"][policy]
    got = {key: figure(made, key) for key in want}

    compared = {key: value for key, value in got.items() if value is not None}
    assert len(compared) >= 10
    assert compared == pytest.approx({key: want[key] for key in compared}, abs=1e-6)


@pytest.mark.parametrize("name", SETS)
def test_every_question_of_real_runs(name: str) -> None:
    """Per question too, and no question is lost."""

    made = measured(name, "id")
    want = expected(name)["levels"][">=1"]["per_topic"]
    rows = {row["question"]: row for row in made.per_question()}

    assert rows.keys() == want.keys()
    for question, values in want.items():
        for key in ("R@1", "R@10", "R@100", "Success@5", "P@10", "nDCG@10", "RR"):
            metric, _, k = key.partition("@")
            mine = rows[question]["mrr" if metric == "RR" else f"{NAMES[metric]}@{k}"]
            assert mine == pytest.approx(values[key], abs=1e-6), (question, key)
