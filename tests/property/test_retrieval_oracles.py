"""Retrieval metrics against pytrec_eval and ir_measures, on runs that hypothesis makes."""

from __future__ import annotations

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trueup.exchange.trec import read_hits
from trueup.stats.retrieval import (
    Ranking,
    hit_rate_at_k,
    ndcg_at_k,
    precision_at_k,
    recall_at_k,
    reciprocal_rank,
)
from trueup.stats.retrieval_hits import hits_of
from trueup.stats.retrieval_summary import summarise

DOCS = [f"d{i}" for i in range(12)] + ["D-long-identifier-1", "D-long-identifier-2", "é7"]
SCORES = st.sampled_from(["1", "1.0", "0.5", "-2.25", "1e-3", "16777216", "16777217", "3.14159"])
RUNS = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3", "q33"]),
    st.dictionaries(st.sampled_from(DOCS), SCORES, min_size=1, max_size=10),
    min_size=1,
)
QRELS = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3", "q4"]),
    st.dictionaries(st.sampled_from(DOCS), st.integers(-1, 3), min_size=1, max_size=6),
    min_size=1,
)
QUICK = settings(
    deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60
)


@pytest.fixture
def files(tmp_path_factory: pytest.TempPathFactory):  # type: ignore[no-untyped-def]
    folder = tmp_path_factory.mktemp("run")

    def write(run, qrels, shuffle=0):  # type: ignore[no-untyped-def]
        lines = [
            f"{q} Q0 {d} {i} {score} tag"
            for q, docs in run.items()
            for i, (d, score) in enumerate(docs.items())
        ]
        if shuffle:
            np.random.default_rng(shuffle).shuffle(lines)
        (folder / "run").write_text("\n".join(lines), "utf-8")
        (folder / "qrels").write_text(
            "".join(f"{q} 0 {d} {g}\n" for q, docs in qrels.items() for d, g in docs.items()),
            "utf-8",
        )
        return folder / "run", folder / "qrels"

    return write


@QUICK
@given(run=RUNS, qrels=QRELS, relevant_at=st.sampled_from([1, 2]), shuffle=st.integers(0, 3))
def test_files_agree_with_pytrec_eval(files, run, qrels, relevant_at, shuffle) -> None:  # type: ignore[no-untyped-def]
    """Every metric of every question, ties, 32-bit scores, grades and line order included."""

    made = summarise(read_hits(*files(run, qrels, shuffle)), [1, 3, 10], relevant_at=relevant_at)
    rows = {row["question"]: row for row in made.per_question()}
    oracle = pytrec_eval.RelevanceEvaluator(
        qrels,
        {"recall.1,3,10", "success.1,3,10", "P.1,3,10", "recip_rank", "ndcg_cut.1,3,10"},
        relevance_level=relevant_at,
    ).evaluate({q: {d: float(s) for d, s in docs.items()} for q, docs in run.items()})

    assert rows.keys() == qrels.keys()
    for question, values in oracle.items():
        relevant = any(grade >= relevant_at for grade in qrels[question].values())
        for theirs, ours in [("recall", "recall"), ("success", "hit_rate"), ("P", "precision")]:
            for k in (1, 3, 10):
                want = pytest.approx(values[f"{theirs}_{k}"]) if relevant else None
                assert rows[question][f"{ours}@{k}"] == want
        assert rows[question]["mrr"] == (pytest.approx(values["recip_rank"]) if relevant else None)
        positive = any(grade > 0 for grade in qrels[question].values())
        for k in (1, 3, 10):
            want = pytest.approx(values[f"ndcg_cut_{k}"]) if positive else None
            assert rows[question][f"ndcg@{k}"] == want


@QUICK
@given(run=RUNS, qrels=QRELS)
def test_means_agree_with_ir_measures(files, run, qrels) -> None:  # type: ignore[no-untyped-def]
    """Where every question is answerable, absent ones count 0 as they do there."""

    qrels = {q: docs for q, docs in qrels.items() if max(docs.values()) > 0}
    if not qrels or not run.keys() & qrels.keys():
        return
    made = summarise(read_hits(*files(run, qrels)), [3])
    measures = [ir_measures.R @ 3, ir_measures.Success @ 3, ir_measures.P @ 3, ir_measures.nDCG @ 3]
    oracle = ir_measures.calc_aggregate(
        measures, qrels, {q: {d: float(s) for d, s in docs.items()} for q, docs in run.items()}
    )

    at = made.at[3]
    ours = [at.recall.value, at.hit_rate.value, at.precision.value, at.ndcg.value]
    assert ours == pytest.approx([oracle[m] for m in measures])


LISTS = st.lists(st.sampled_from(DOCS), max_size=8)
GOLD = st.dictionaries(st.sampled_from(DOCS), st.integers(0, 3), max_size=5)


@settings(deadline=None)
@given(retrieved=LISTS, gold=GOLD, k=st.integers(1, 9))
def test_columns_and_single_questions_agree(retrieved, gold, k) -> None:  # type: ignore[no-untyped-def]
    """The mean over one question is that question's value, bounded by its ceiling."""

    made = summarise(hits_of([Ranking("q", retrieved, gold)]), [k])
    at = made.at[k]

    assert at.recall.value == recall_at_k(retrieved, gold, k)
    assert at.hit_rate.value == hit_rate_at_k(retrieved, gold, k)
    assert at.precision.value == precision_at_k(retrieved, gold, k)
    assert made.mrr.value == reciprocal_rank(retrieved, gold)
    assert at.ndcg.value == pytest.approx(ndcg_at_k(retrieved, gold, k))
    if at.recall.value is not None:
        assert at.ceiling is not None
        assert 0 <= at.recall.value <= at.ceiling + 1e-12
        assert at.hit_rate.value == float(at.recall.value > 0)


@settings(deadline=None)
@given(retrieved=LISTS, gold=GOLD, more=LISTS, k=st.integers(1, 9))
def test_recall_never_falls_with_a_longer_list(retrieved, gold, more, k) -> None:  # type: ignore[no-untyped-def]
    """What is appended behind the list cannot lower recall at any k, nor a larger k."""

    before = recall_at_k(retrieved, gold, k)
    if before is not None:
        assert (recall_at_k(retrieved + more, gold, k) or 0) >= before
        assert (recall_at_k(retrieved, gold, k + 1) or 0) >= before
