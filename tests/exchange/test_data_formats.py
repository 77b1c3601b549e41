"""RAGTruth, RAGChecker, BEIR, TREC and MLflow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from exchange_help import lines, read, written
from trueup.errors import ConflictError, InputError
from trueup.exchange import beir
from trueup.services.workspace import Workspace

ANSWER = "One is so. Two is not! Three, too.\nFour stands here."


def response(*labels: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A response of RAGTruth."""
    return {
        "id": 1, "source_id": "s", "model": "m", "response": ANSWER, "labels": list(labels),
        "quality": "good", **more,
    }  # fmt: skip


def mark(text: str, **more: Any) -> dict[str, Any]:
    """A span that a person marked."""
    start = ANSWER.find(text)
    return {
        "start": start, "end": start + len(text), "text": text, "label_type": "Evident Conflict",
        **more,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("labels", "wrong"),
    [
        ([], []),
        ([mark("Two is not!")], [1]),
        ([mark("is not! Three")], [1, 2]),
        ([mark("Four"), mark("One", implicit_true=True)], [0, 3]),
        ([mark("Four stands", start=0, end=5)], [3]),
        ([{"start": 0, "end": 3}], [0]),
    ],
)
def test_marked_spans_are_labels_of_sentences(
    labels: list[Any], wrong: list[int], tmp_path: Path
) -> None:
    """Each sentence that a span touches is not entailed, also one that is true by accident."""
    found = read(written(tmp_path / "r.jsonl", lines(response(*labels))))

    assert [u.text for u in found.units] == [
        "One is so.", "Two is not!", "Three, too.", "Four stands here.",
    ]  # fmt: skip
    assert [i for i, x in enumerate(found.labels) if x.label == "not_entailed"] == wrong
    assert {x.annotator for x in found.labels} == {"ragtruth"}


def test_ragtruth_sources_of_each_task(tmp_path: Path) -> None:
    """Passages of a question, one text, or one object; a source that is missing is counted."""
    rows = [
        response(),
        response(id=2, source_id="t"),
        response(id=3, source_id="o", labels=None),
        response(id=4, source_id="none"),
    ]
    sources = [
        {"source_id": "s", "task_type": "QA", "source_info": {
            "question": "q", "passages": "passage 1:One.\n\npassage 2:Two\npassage 10:Ten"}},
        {"source_id": "t", "task_type": "Summary", "source_info": "A text."},
        {"source_id": "o", "task_type": "Data2txt", "source_info": {"name": "Café"}},
    ]  # fmt: skip
    found = read(
        written(tmp_path / "s.jsonl", lines(*sources)), written(tmp_path / "r.jsonl", lines(*rows))
    )

    assert found.passages == [["One.", "Two", "Ten"], ["A text."], ['{"name": "Café"}'], []]
    assert [r.question for r in found.records] == ["q", None, None, None]
    assert [r.slices.get("task_type") for r in found.records] == ["QA", "Summary", "Data2txt", None]
    assert len(found.items[2].labels) == 0
    assert any("source_id is in no file" in note for note in found.reading.notes)


def test_a_span_that_is_not_in_the_answer_is_refused(tmp_path: Path) -> None:
    """Another text stands at its place, and nowhere."""
    path = written(tmp_path / "r.jsonl", lines(response({**mark("One"), "text": "Five"})))
    with pytest.raises(InputError, match=r"labels\[0\]: 0 to 3 is not 'Five' in the answer"):
        read(path)


def test_ragchecker_results(tmp_path: Path) -> None:
    """Claims of both answers against the chunks and against each other; triplets as sentences."""
    result = {
        "query_id": 7, "query": "q", "gt_answer": "G.", "response": "R.",
        "retrieved_context": [{"doc_id": "d1", "text": "one"}, {"doc_id": "d2", "text": "two"}],
        "response_claims": [["Sun", "is", "hot"], "R2"], "gt_answer_claims": ["G1"],
        "retrieved2response": [["Neutral", "Entailment"], ["Contradiction", "Neutral"]],
        "answer2response": ["Entailment", "Neutral"],
        "retrieved2answer": [["Neutral", "Neutral"]], "response2answer": ["Entailment"],
        "metrics": {"precision": 0.5},
    }  # fmt: skip
    found = read(written(tmp_path / "c.json", {"results": [result], "metrics": {}}))

    assert found.records[0].id == "7"
    assert found.said() == [
        ("Sun is hot", "groundedness", "entailed"),
        ("Sun is hot", "correctness_precision", "entailed"),
        ("R2", "groundedness", "not_entailed"), ("R2", "correctness_precision", "not_entailed"),
        ("G1", "contextual_recall", "not_entailed"), ("G1", "correctness_recall", "entailed"),
    ]  # fmt: skip
    assert found.verdicts[0].meta == {"chunks": ["d2"]}
    for change, message in (
        ({"answer2response": ["Entailment"]}, "must have an entry for each of the 2 claims"),
        ({"response2answer": ["Perhaps"]}, "must be Entailment, Neutral or Contradiction"),
        ({"response_claims": [[1], "x"]}, "must be a text or a triplet"),
    ):
        with pytest.raises(InputError, match=message):
            read(written(tmp_path / "c.json", {"results": [{**result, **change}]}))


def corpus(folder: Path, n: int = 3) -> Path:
    """A corpus of BEIR."""
    rows = ({"_id": f"d{i}", "title": f"T{i}", "text": f"text {i}"} for i in range(n))
    return written(folder / "corpus.jsonl", rows)


def test_beir_files_come_together_in_any_order(tmp_path: Path) -> None:
    """Questions, gold ids with grades and texts, ranks by score; queries of qrels alone."""
    queries = written(
        tmp_path / "q.jsonl", lines({"_id": "1", "text": "q one", "metadata": {"k": "v"}})
    )
    qrels = written(
        tmp_path / "test.tsv",
        "query-id\tcorpus-id\tscore\n1\td0\t2\n1\td1\t0\n2\td9\t1\n3\td1\t0\n",
    )
    run = written(
        tmp_path / "run.txt", "1 Q0 d1 1 0.5 x\n1 Q0 d2 2 0.5 x\n1 Q0 d0 3 9.0 x\n2 Q0 d1 1 1 x\n"
    )
    found = read(run, qrels, corpus(tmp_path), queries)
    one, two, three = found.records

    assert [r.id for r in found.records] == ["1", "2", "3"]
    assert (one.question, one.gold, one.gold_context) == ("q one", ("d0",), ("text 0",))
    assert one.retrieved == ("d0", "d2", "d1")
    assert next((c.id, c.text, c.meta) for c in one.context or ()) == (
        "d0", "text 0", {"title": "T0"},
    )  # fmt: skip
    assert one.meta["grades"] == {"d0": 2}
    assert (two.question, two.gold, two.gold_context) == (None, ("d9",), None)
    assert (three.gold, three.context) == ((), None)
    assert "1 documents are not in the corpus" in found.reading.notes


def test_only_the_first_of_a_run_become_context(tmp_path: Path) -> None:
    """A run has hundreds of documents; `retrieved` has them all."""
    run = written(tmp_path / "run.txt", "".join(f"1 Q0 d{i} {i} {99 - i} x\n" for i in range(30)))
    (record,) = read(run, corpus(tmp_path, 30)).records

    assert len(record.retrieved or ()) == 30
    assert [c.id for c in record.context or ()] == [f"d{i}" for i in range(beir.CONTEXT)]


def test_gold_and_runs_go_to_the_records_of_the_workspace(tmp_path: Path) -> None:
    """By query id, in each release; a change of a stored record needs --update; labels stay."""
    claim = {"text": "A.", "human": [{"annotator": "ana", "entailed": True}]}
    rows = [{"id": "1", "answer": "A.", "release": r, "claims": [claim]} for r in ("x", "y")]
    native = written(tmp_path / "r.jsonl", lines(*rows))
    qrels = written(tmp_path / "q.txt", "1 0 d1 1\n")
    with Workspace.init(tmp_path / "w") as workspace:
        workspace.import_files([native])
        with pytest.raises(ConflictError, match="gold"):
            workspace.import_files([qrels])
        counts = workspace.import_files([qrels], update=True).counts
        assert (counts.records_updated, counts.records) == (2, 0)
        assert [r.gold for r in workspace.store.iter_records()] == [("d1",), ("d1",)]
        assert len(workspace.store.current_labels()) == 2
        assert workspace.import_files([qrels]).counts.records_unchanged == 2


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("1 Q0 d1 1 0.5 x\n1 Q0 d2 2 high x\n", 2, "'high' is no number"),
        ("1 Q0 d1 1 0.5 x\n1 Q0 d2 2 x\n", 2, "5 columns where 6 are needed"),
        ("1 0 d1 1\n1 0 d1 good\n", 2, "not a whole number"),
    ],
)
def test_broken_runs_and_qrels(text: str, line: int, message: str, tmp_path: Path) -> None:
    """By line."""
    with pytest.raises(InputError, match=message) as e:
        read(written(tmp_path / "r.txt", text))
    assert e.value.line == line


def test_mlflow_facts_are_the_reference_where_nothing_else_is(tmp_path: Path) -> None:
    """Each fact is a claim of it."""
    row = {
        "inputs": {"messages": [{"role": "user", "content": "q"}], "context": "c"},
        "outputs": {"response": "a"}, "expectations": {"expected_facts": ["F1.", "F2."]},
    }  # fmt: skip
    found = read(written(tmp_path / "m.jsonl", lines(row)))
    (record,) = found.records

    assert (record.question, record.answer, record.reference) == ("q", "a", "F1.\nF2.")
    assert [(u.kind, u.text) for u in found.units] == [
        ("reference_claim", "F1."), ("reference_claim", "F2."),
    ]  # fmt: skip
