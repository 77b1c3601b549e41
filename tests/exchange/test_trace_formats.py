"""Langfuse, Phoenix, TruLens and OpenAI's evals: traces, scores of other files, and whose."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from exchange_help import lines, read, written
from trueup.errors import ConflictError, InputError
from trueup.exchange.reading import Known
from trueup.services.workspace import Workspace


def trace(name: str = "t", **more: Any) -> dict[str, Any]:
    """The root observation of a trace."""
    return {
        "id": f"{name}-root", "trace_id": name, "type": "SPAN", "parent_observation_id": "",
        "input": json.dumps({"messages": [{"role": "user", "content": "q"}]}),
        "output": json.dumps({"answer": "a", "tokens": 3}), **more,
    }  # fmt: skip


def score(name: str, value: Any, **more: Any) -> dict[str, Any]:
    """A score of Langfuse."""
    return {
        "id": f"s-{name}-{value}", "trace_id": "t", "observation_id": None, "name": name,
        "value": value, "source": "EVAL", "data_type": "BOOLEAN", "string_value": None, **more,
    }  # fmt: skip


def test_langfuse_reads_both_spellings_and_texts_inside_json(tmp_path: Path) -> None:
    """snake_case of exports and camelCase of the API; messages, objects, plain documents."""
    retriever = {
        "id": "r", "traceId": "t2", "type": "RETRIEVER", "parentObservationId": "t2-root",
        "output": {"documents": ["one", {"page_content": "two", "document_id": 2}]},
    }  # fmt: skip
    camel = {
        "id": "t2-root", "traceId": "t2", "type": "SPAN", "parentObservationId": None,
        "input": "plain question", "output": [{"role": "assistant", "content": "plain answer"}],
        "release": "r7", "metadata": '{"k": "v"}', "tags": [],
    }  # fmt: skip
    found = read(written(tmp_path / "o.jsonl", lines(retriever, camel, trace())))
    second, first = found.records

    assert (first.question, first.answer, first.context) == ("q", "a", None)
    assert (second.question, second.answer, second.release) == (
        "plain question", "plain answer", "r7",
    )  # fmt: skip
    assert [(c.id, c.text) for c in second.context or ()] == [("c1", "one"), ("2", "two")]
    assert second.meta == {"k": "v"}


def test_langfuse_scores_by_source_and_type(tmp_path: Path) -> None:
    """EVAL and API are verdicts, ANNOTATION labels; numbers and other names are metadata."""
    scores = [
        score("groundedness", 1), score("groundedness", 0),
        score("groundedness", 1, source="API"),
        score("groundedness", None, source="ANNOTATION", data_type="CATEGORICAL",
              string_value="unsupported", author_user_id="ana", timestamp="2026-01-02 03:04:05"),
        score("groundedness", 0.66, data_type="NUMERIC"),
        score("tone", 1), score("correctness", 0, source="ANNOTATION"), score("correctness", 1),
    ]  # fmt: skip
    found = read(
        written(tmp_path / "o.jsonl", lines(trace())), written(tmp_path / "s.jsonl", lines(*scores))
    )
    by_judge = {s.fingerprint: s.name for item in found.items for s in item.judges}

    assert [(by_judge[v.fingerprint], v.value, v.repeat) for v in found.verdicts] == [
        ("langfuse/groundedness", "entailed", 0), ("langfuse/groundedness", "not_entailed", 1),
        ("langfuse/api/groundedness", "entailed", 0),
    ]  # fmt: skip
    assert [(x.annotator, x.label, x.at.isoformat()) for x in found.labels] == [
        ("ana", "not_entailed", "2026-01-02T03:04:05+00:00")
    ]
    assert found.records[0].failing is True
    assert [s["name"] for s in found.records[0].meta["scores"]] == [
        "groundedness", "tone", "correctness", "correctness",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"value": 0.5}, "must be 0 or 1 for BOOLEAN"),
        ({"trace_id": None}, "field trace_id: is missing"),
    ],
)
def test_langfuse_scores_that_are_broken(change: Any, message: str, tmp_path: Path) -> None:
    """By line and field."""
    broken = {**score("groundedness", 1), **change}
    path = written(tmp_path / "s.jsonl", lines(trace(), broken))
    with pytest.raises(InputError, match=message) as e:
        read(path)
    assert e.value.line == 2


def test_scores_go_to_a_record_that_the_workspace_has(tmp_path: Path) -> None:
    """Imported later and alone; again changes nothing; without the record they are refused."""
    observations = written(tmp_path / "o.jsonl", lines(trace()))
    scores = written(
        tmp_path / "s.jsonl",
        lines(score("groundedness", 0), score("groundedness", 1, source="ANNOTATION")),
    )
    with Workspace.init(tmp_path / "w") as workspace:
        with pytest.raises(InputError, match="not in the workspace") as e:
            workspace.import_files([scores])
        assert "observations" in (e.value.hint or "")
        workspace.import_files([observations])
        counts = workspace.import_files([scores]).counts
        assert (counts.records, counts.units, counts.labels, counts.verdicts) == (0, 1, 1, 1)
        counts = workspace.import_files([scores]).counts
        assert (counts.units, counts.labels, counts.verdicts) == (0, 0, 0)


def test_scores_do_not_replace_claims(tmp_path: Path) -> None:
    """A record whose answer has claims takes no verdict on the whole answer."""
    native = written(
        tmp_path / "r.jsonl", lines({"id": "t", "answer": "A. B.", "claims": [{"text": "A."}]})
    )
    scores = written(tmp_path / "s.jsonl", lines(score("groundedness", 0)))
    (item,) = read(native).items
    known = Known(item.record, item.claims["answer_claim"])
    with pytest.raises(InputError, match="which has claims"):
        read(scores, lookup=lambda name: [known] if name == "t" else [])
    with pytest.raises(InputError, match="several releases"):
        read(scores, lookup=lambda _: [known, known])


def span(name: str, **more: Any) -> dict[str, Any]:
    """A span of Phoenix."""
    return {"context.span_id": name, "context.trace_id": "T", "span_kind": "CHAIN", **more}


def note(name: str, label: Any, **more: Any) -> dict[str, Any]:
    """An annotation of Phoenix by a person."""
    return {
        "span_id": name, "annotation_name": "hallucination", "annotator_kind": "HUMAN",
        "result.label": label, "metadata": {}, **more,
    }  # fmt: skip


def test_phoenix_spans_with_nested_attributes(tmp_path: Path) -> None:
    """The root gives question and answer, retrievers the documents in their order."""
    spans = [
        {
            "context": {"span_id": "r1", "trace_id": "T"}, "parent_id": "root",
            "span_kind": "RETRIEVER", "attributes": {"retrieval": {"documents": [
                {"document": {"id": "d1", "content": "one"}}, {"document.content": "two"}]}},
        },
        {
            "context": {"span_id": "root", "trace_id": "T"}, "parent_id": None,
            "span_kind": "CHAIN", "attributes": {
                "input": {"value": '{"query": "q"}'}, "output": {"value": "a"}},
        },
    ]  # fmt: skip
    (record,) = read(written(tmp_path / "p.jsonl", lines(*spans)), format="phoenix").records

    assert (record.id, record.question, record.answer) == ("root", "q", "a")
    assert [(c.id, c.text) for c in record.context or ()] == [("d1", "one"), ("c2", "two")]


def test_phoenix_annotations_of_documents_and_answers(tmp_path: Path) -> None:
    """By kind and place; hallucinated is not entailed; a number without a label is metadata."""
    documents = [span("r", document=f"text {i}", document_position=i, input="q") for i in (1, 0)]
    for row in documents:
        del row["span_kind"]
    answers = [{"context.span_id": "a", "context.trace_id": "T", "input": "q", "output": "A."}]
    notes = [
        note("a", "hallucinated", id=5, user_id="ana"),
        note("a", "factual", annotator_kind="LLM", metadata={"model": "m"}),
        note("a", None, annotator_kind="CODE", **{"result.score": 0.4}),
        note("a", "correct", annotation_name="qa correctness"),
        note("r", "irrelevant", document_position=1, annotation_name="relevance"),
        note("r", "relevant", document_position=0.0, annotator_kind="LLM"),
        note("r", "relevant", document_position=7),
    ]
    found = read(
        written(tmp_path / "d.jsonl", lines(*documents)),
        written(tmp_path / "n.jsonl", lines(*notes)),
        written(tmp_path / "a.jsonl", lines(*answers)),
    )
    texts = {u.key: u.text for u in found.units}

    assert found.passages == [["text 0", "text 1"]]
    assert sorted((texts[x.unit], x.annotator, x.metric, x.label) for x in found.labels) == [
        ("A.", "ana", "groundedness", "not_entailed"),
        ("text 1", "phoenix", "context_relevancy", "not_entailed"),
    ]
    assert sorted(found.said()) == [
        ("A.", "groundedness", "entailed"), ("text 0", "context_relevancy", "entailed"),
    ]  # fmt: skip
    assert found.judges == {"m/hallucination": "m", "phoenix/hallucination": ""}
    assert found.records[0].failing is False
    assert len(found.records[0].meta["scores"]) == 2


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (note("a", "x", annotator_kind="ROBOT"), "must be HUMAN, LLM or CODE"),
        (note("", "x"), "span_id: is missing"),
        (note("a", "relevant", document_position="first"), "must be a whole number"),
        ({"context.trace_id": "T", "context.span_id": None, "input": "q"}, "span_id: is missing"),
    ],
)
def test_phoenix_rows_that_are_broken(broken: Any, message: str, tmp_path: Path) -> None:
    """By line and field."""
    path = written(tmp_path / "n.jsonl", lines(span("a", parent_id=None), broken))
    with pytest.raises(InputError, match=message) as e:
        read(path)
    assert e.value.line == 2


def test_trulens_reasons_as_text(tmp_path: Path) -> None:
    """Older versions wrote statements into one text, and points whose scale nobody knows."""
    reasons = (
        "STATEMENT 0:\nCriteria: Claim one.\nSupporting Evidence: Quote.\nScore: 1.0\n"
        "STATEMENT 1:\nCriteria: Claim two.\nSupporting Evidence: NOTHING FOUND\nScore: 0.5\n"
        "STATEMENT 2:\nCriteria: Claim three.\nSupporting Evidence: None\nScore: 7\n"
    )
    row = {
        "app_id": "x", "record_id": "r", "input": '"q"', "output": "a", "events": "[]",
        "groundedness_calls": json.dumps([{"meta": {"reasons": reasons}}]), "relevance_calls": [],
    }  # fmt: skip
    found = read(written(tmp_path / "t.jsonl", lines(row)), format="trulens")

    assert [(t, v) for t, _, v in found.said()] == [
        ("Claim one.", "entailed"), ("Claim two.", "not_entailed"), ("Claim three.", "undecided"),
    ]  # fmt: skip
    assert [[e.quote for e in v.evidence] for v in found.verdicts] == [["Quote."], [], []]
    assert found.records[0].context is None


def test_openai_logs_of_several_samples(tmp_path: Path) -> None:
    """Events come mixed; a sample may lack one of them; several ideals are one reference."""
    events = [
        {"spec": {"completion_fns": ["m1", "m2"], "eval_name": "e"}},
        {"event_id": 0, "run_id": "r", "sample_id": "b", "type": "match",
         "data": {"correct": True, "expected": ["x", "y"], "sampled": "x"}},
        {"event_id": 1, "run_id": "r", "sample_id": "a", "type": "sampling",
         "data": {"prompt": "ask", "sampled": ["s"]}},
        {"event_id": 2, "run_id": "r", "sample_id": None, "type": "other", "data": {}},
        {"final_report": {}},
    ]  # fmt: skip
    found = read(written(tmp_path / "l.jsonl", lines(*events)))
    b, a = found.records

    assert (a.id, a.question, a.answer, a.failing, a.release) == ("a", "ask", "s", None, "m1, m2")
    assert (b.id, b.answer, b.failing, b.reference) == ("b", "x", False, "x\n\ny")


def test_openai_results_are_a_judges(tmp_path: Path) -> None:
    """Graders by name; what the API calls pass or fail decides `failing`; an error says nothing."""
    item = {"question": "q", "context": ["c"], "topic": "t"}
    output = {"output": [{"role": "assistant", "content": [{"type": "text", "text": "a"}]}]}
    rows = [
        {"id": "1", "datasource_item": item, "sample": output, "status": "pass",
         "results": [{"name": "groundedness-7f3", "passed": True, "score": 1.0},
                     {"name": "style", "passed": False}]},
        {"id": "2", "datasource_item": item, "sample": output, "status": "error", "results": []},
    ]  # fmt: skip
    found = read(written(tmp_path / "o.json", {"object": "list", "data": rows}))

    assert [r.failing for r in found.records] == [False, None]
    assert found.said() == [("a", "groundedness", "entailed")]
    assert found.records[0].meta["topic"] == "t"


def test_later_correctness_is_a_change_that_must_be_confirmed(tmp_path: Path) -> None:
    """A score that turns a stored record into a failing one is a conflict without --update."""
    observations = written(tmp_path / "o.jsonl", lines(trace()))
    scores = written(tmp_path / "s.jsonl", lines(score("correctness", 0)))
    with Workspace.init(tmp_path / "w") as workspace:
        workspace.import_files([observations])
        with pytest.raises(ConflictError, match="failing"):
            workspace.import_files([scores])
        workspace.import_files([scores], update=True)
        assert [r.failing for r in workspace.store.iter_records()] == [True]
