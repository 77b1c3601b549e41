"""ragas, deepeval, eval-lib and promptfoo: shapes beyond their simplest, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from exchange_help import lines, read, written
from trueup.errors import InputError


def test_ragas_conversations(tmp_path: Path) -> None:
    """The last question and the last answer count; the messages before are kept."""
    talk = [
        {"type": "human", "content": "Hi"}, {"type": "ai", "content": "Hello"},
        {"type": "human", "content": "How much?"}, {"type": "tool", "content": "30"},
        {"type": "ai", "content": "30 EUR"},
    ]  # fmt: skip
    path = written(tmp_path / "r.jsonl", lines({"user_input": talk, "reference": "30"}))
    (record,) = read(path).records

    assert (record.question, record.answer, record.reference) == ("How much?", "30 EUR", "30")
    assert record.meta["messages"] == talk


def annotation(**more: Any) -> dict[str, Any]:
    """A ragas annotation of two statements, both entailed by the metric."""
    statements = [{"statement": s, "reason": "r", "verdict": 1} for s in ("A.", "B.")]
    prompt = {
        "prompt_input": {},
        "prompt_output": {"statements": statements},
        "edited_output": None,
    }
    return {
        "metric_input": {"user_input": "q", "response": "A. B.", "retrieved_contexts": ["A."]},
        "metric_output": 1.0, "is_accepted": None, "target": None,
        "prompts": {"n_l_i_statement_prompt": prompt}, **more,
    }  # fmt: skip


def test_ragas_annotations_that_were_accepted_or_rejected(tmp_path: Path) -> None:
    """Accepted as it is: the person agrees with each. Rejected without an edit: nobody knows."""
    for accepted, labels in ((True, ["entailed", "entailed"]), (False, []), (None, [])):
        content = {"faithfulness": [annotation(is_accepted=accepted)]}
        found = read(written(tmp_path / "a.json", content))
        assert [x.label for x in found.labels] == labels
        assert len(found.verdicts) == 2
        assert any("without saying" in n for n in found.reading.notes) is (accepted is False)


def test_ragas_annotations_of_several_metrics(tmp_path: Path) -> None:
    """One record: claims of the answer, claims of the reference, and scores without claims."""
    recall = annotation()
    recall["metric_input"]["reference"] = "C."
    recall["prompts"] = {
        "context_recall_classification_prompt": {
            "prompt_output": {"classifications": [{"statement": "C.", "attributed": 0}]},
            "edited_output": {"classifications": [{"statement": "C.", "attributed": 1}]},
        }
    }
    content = {
        "faithfulness": [annotation()], "context_recall": [recall],
        "aspect_critic": [{**annotation(), "prompts": {}}],
    }  # fmt: skip
    found = read(written(tmp_path / "a.json", content))

    assert found.said() == [
        ("A.", "groundedness", "entailed"), ("B.", "groundedness", "entailed"),
        ("C.", "contextual_recall", "not_entailed"),
    ]  # fmt: skip
    assert [(x.metric, x.label) for x in found.labels] == [("contextual_recall", "entailed")]
    assert found.records[2].meta["ragas_aspect_critic"]["metric_output"] == 1.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"metric_input": None}, r"faithfulness\[0\].metric_input: is missing"),
        ({"prompts": {"p": {"prompt_output": {"statements": [{"statement": 1, "verdict": 1}]}}}},
         "needs statement and verdict"),
        ({"prompts": {"p": {"prompt_output": {"statements": [{"statement": "s", "verdict": 2}]}}}},
         r"statements\[0\].verdict: must be true"),
    ],
)  # fmt: skip
def test_ragas_annotations_that_are_broken(change: Any, message: str, tmp_path: Path) -> None:
    """By metric, place and field."""
    content = {"faithfulness": [{**annotation(), **change}], "x": [annotation()]}
    with pytest.raises(InputError, match=message):
        read(written(tmp_path / "a.json", content))


def log(*verdicts: str, claims: int | None = None) -> str:
    """deepeval's log of a metric."""
    n = len(verdicts) if claims is None else claims
    ruled = [{"verdict": v, "reason": f"r{i}"} for i, v in enumerate(verdicts)]
    names = [f"Claim {i}." for i in range(n)]
    return (
        f"Truths (limit=None):\n{json.dumps(['Claims: no'], indent=4)} \n \n"
        f"Claims:\n{json.dumps(names, indent=4)} \n \nVerdicts:\n{json.dumps(ruled, indent=4)} \n"
    )


def run(*metrics: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A saved run of one test case."""
    case = {
        "name": "test_case_0", "input": "q", "actualOutput": "Claim 0. Claim 1. Claim 2.",
        "retrievalContext": ["c1", "c2"], "success": True, "metricsData": list(metrics), **more,
    }  # fmt: skip
    return {"testCases": [case], "conversationalTestCases": []}


def metric(name: str, log_text: str | None = None, **more: Any) -> dict[str, Any]:
    """What a metric says."""
    return {
        "name": name, "threshold": 0.5, "success": True, "score": 0.8, "reason": "why",
        "evaluationModel": "gpt-x", "error": None, "verboseLogs": log_text, **more,
    }  # fmt: skip


def test_deepeval_verdicts_by_claim(tmp_path: Path) -> None:
    """yes, no, and the judge's own "cannot say"; a made-up name is no id."""
    path = written(tmp_path / "d.json", run(metric("Faithfulness", log("yes", "no", "idk"))))
    found = read(path)

    assert [(t, v) for t, _, v in found.said()] == [
        ("Claim 0.", "entailed"), ("Claim 1.", "not_entailed"), ("Claim 2.", "undecided"),
    ]  # fmt: skip
    assert found.judges == {"gpt-x/Faithfulness": "gpt-x"}
    assert found.records[0].id != "test_case_0"
    assert found.records[0].failing is False
    assert found.records[0].meta["scores"] == {"Faithfulness": {"score": 0.8, "threshold": 0.5}}


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (metric("Faithfulness"), "entailed"),
        (metric("Faithfulness", success=False), "not_entailed"),
        (metric("Faithfulness", log("yes", claims=2)), "entailed"),
        (metric("Faithfulness", log("perhaps")), "entailed"),
        (metric("Faithfulness", error="timeout", success=False, score=None), "undecided"),
    ],
)
def test_deepeval_verdicts_on_the_whole_answer(
    said: dict[str, Any], expected: str, tmp_path: Path
) -> None:
    """Where the log has no claims that pair with verdicts. A failed judge says nothing."""
    found = read(written(tmp_path / "d.json", run(said)))

    assert found.said() == [("Claim 0. Claim 1. Claim 2.", "groundedness", expected)]
    assert {u.splitter for u in found.units} == {"whole-answer"}
    if expected == "undecided":
        assert found.verdicts[0].reason == "bad_response"


def test_deepeval_metrics_beside_each_other(tmp_path: Path) -> None:
    """One claim set: statements of a second metric join where they are the same."""
    relevancy = log("yes", "no", claims=2).replace("Claims:\n", "Statements:\n")
    precision = log("yes", "no").split("Verdicts:")[1]
    path = written(
        tmp_path / "d.json",
        run(
            metric("Faithfulness", log("yes")), metric("Answer Relevancy", relevancy),
            metric("Contextual Precision", "Verdicts:" + precision),
            metric("Contextual Recall", log("yes")), metric("Correctness [GEval]", success=False),
        ),
    )  # fmt: skip
    found = read(path)

    assert sorted(found.said()) == [
        ("Claim 0.", "answer_relevancy", "entailed"), ("Claim 0.", "groundedness", "entailed"),
        ("c1", "context_relevancy", "entailed"), ("c2", "context_relevancy", "not_entailed"),
    ]  # fmt: skip
    assert any("other claims" in note for note in found.reading.notes)
    assert set(found.records[0].meta["scores"]) >= {"Contextual Recall", "Correctness [GEval]"}


def test_deepeval_cells_with_and_without_separators(tmp_path: Path) -> None:
    """`|` parts a list as deepeval writes it; JSON lists are lists; an empty cell is no context."""
    path = written(
        tmp_path / "d.csv",
        "input,actual_output,retrieval_context,context\n"
        'q,a,one|two,\nq2,a,"[""x|y"", ""z""]",gold\nq3,,,\n',
    )
    found = read(path)

    assert found.passages == [["one", "two"], ["x|y", "z"], []]
    assert found.records[2].context is None
    assert [r.gold_context for r in found.records] == [None, ("gold",), None]


def session(when: str, verdict: str) -> dict[str, Any]:
    """A session of eval-lib's cache with one case."""
    evaluation = {
        "statements": ["A.", "I think so."],
        "verdicts": [{"type": "fact", "verdict": verdict}, {"type": "opinion", "verdict": ""}],
    }
    faithful = {
        "name": "faithfulnessMetric", "score": 1, "evaluation_model": "m",
        "evaluation_log": evaluation,
    }  # fmt: skip
    case = {"input": "q", "actual_output": "A. I think so.", "metrics": [faithful]}
    return {"session_id": when, "timestamp": when, "data": {"test_cases": [case]}}


@pytest.mark.parametrize(
    ("word", "value"), [("fully", "entailed"), ("mostly", "not_entailed"), ("none", "not_entailed")]
)
def test_eval_lib_sessions(word: str, value: str, tmp_path: Path) -> None:
    """The newest session counts; only full support is entailed; an opinion was not ruled on."""
    content = [session("2026-01-02", word), session("2026-01-01", "minor")]
    found = read(written(tmp_path / "e.json", content))

    assert [(t, v) for t, _, v in found.said()] == [("A.", value), ("I think so.", "undecided")]
    assert found.verdicts[0].meta["said"] == word
    assert any("older sessions" in note for note in found.reading.notes)
    with pytest.raises(InputError, match="must be one of"):
        read(written(tmp_path / "e.json", [session("2026-01-02", "sort of")]))


def result(number: int = 0, *, passed: bool = True, **more: Any) -> dict[str, Any]:
    """A result of promptfoo with a faithfulness assertion."""
    component = {
        "pass": passed, "score": 0.8, "reason": "r",
        "assertion": {"type": "context-faithfulness", "threshold": 0.7},
    }  # fmt: skip
    return {
        "testIdx": number, "promptIdx": 0, "success": passed, "provider": {"id": "openai:m"},
        "vars": {"question": f"q{number}", "context": "c", "lang": "en"},
        "response": {"output": f"a{number}"},
        "gradingResult": {"pass": passed, "componentResults": [component, *more.pop("extra", [])]},
        **more,
    }  # fmt: skip


def human(passed: bool) -> dict[str, Any]:
    """A person's rating."""
    return {"pass": passed, "score": int(passed), "comment": "c", "assertion": {"type": "human"}}


def test_a_rating_of_a_person_stands_above_the_assertions(tmp_path: Path) -> None:
    """`failing` is the person's word; the grader's verdict stays the grader's."""
    content = {
        "evalId": "e",
        "results": {"results": [
            result(0, passed=True, extra=[human(False)]), result(1, passed=False),
            result(2, passed=False, extra=[human(True)]),
        ]},
    }  # fmt: skip
    found = read(written(tmp_path / "p.json", content))

    assert [r.failing for r in found.records] == [True, True, False]
    assert [v.value for v in found.verdicts] == ["entailed", "not_entailed", "not_entailed"]
    assert [(x.label, x.blind, x.note) for x in found.labels] == [
        ("not_entailed", False, "c"), ("entailed", False, "c"),
    ]  # fmt: skip
    assert [r.id for r in found.records] == ["e/0", "e/1", "e/2"]
    assert found.records[0].meta == {"provider": "openai:m", "vars": {"lang": "en"}}


def test_a_rating_beside_two_metrics_is_no_label_of_either(tmp_path: Path) -> None:
    """Nobody can say which of them it was about."""
    relevance = {"pass": True, "assertion": {"type": "answer-relevance"}}
    content = {"evalId": "e", "results": [result(extra=[relevance, human(False)])]}
    found = read(written(tmp_path / "p.json", content))

    assert (found.labels, found.records[0].failing) == ([], True)
    assert sorted(m for _, m, _ in found.said()) == ["answer_relevancy", "groundedness"]


def test_an_assertion_that_passes_on_a_no(tmp_path: Path) -> None:
    """`not-` turns what its passing means."""
    row = result(passed=True)
    row["gradingResult"]["componentResults"][0]["assertion"]["type"] = "not-context-faithfulness"
    found = read(written(tmp_path / "p.jsonl", lines(row)))

    assert (found.said(), found.records[0].failing) == (
        [("a0", "groundedness", "not_entailed")], False,
    )  # fmt: skip


def test_outputs_of_several_providers_are_several_releases(tmp_path: Path) -> None:
    """The same test of two systems is two records; one that failed is left out and counted."""
    other = result(0, provider={"id": "openai:n", "label": "new"}, promptIdx=1)
    failed = result(1, response={"error": "500"})
    found = read(written(tmp_path / "p.jsonl", lines(result(0), other, failed)))

    assert [(r.release, r.answer) for r in found.records] == [("openai:m", "a0"), ("new #1", "a0")]
    assert any("without an output" in note for note in found.reading.notes)
