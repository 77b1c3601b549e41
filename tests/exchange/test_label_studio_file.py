"""Files of Label Studio: whose label is current, what is history, and what is left out and said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from exchange_help import Read, lines, read, written
from shared import golden_cases
from trueup.errors import InputError
from trueup.exchange.label_studio_spans import evidence_of, from_utf16, locate
from trueup.services.workspace import Workspace

Case = dict[str, Any]


def exports(*kinds: str) -> list[Any]:
    """Golden cases that are export files."""
    return [
        c for c in golden_cases("labelstudio", *kinds)
        if c.values[0] is None or isinstance(c.values[0]["input"], list)
    ]  # fmt: skip


def current(found: Read) -> dict[tuple[str, str], Any]:
    """The last event of each annotator on each claim."""
    return {(x.unit, x.annotator): x for x in found.labels}


@pytest.mark.parametrize("case", exports("offsets"))
def test_quotes_are_found_by_their_text(case: Case) -> None:
    """Offsets count UTF-16 units; what is kept counts code points."""
    (task,) = case["input"]
    (annotation,) = task["annotations"]
    found = evidence_of(annotation["result"][0], task["data"])

    assert found is not None
    assert (found["quote"], found["start"]) == (case["check"]["quote"], case["check"]["start"])
    assert task["data"]["text"][found["start"] : found["end"]] == found["quote"]


@pytest.mark.parametrize("case", [c for c in exports() if "offsets" not in str(c.id)])
def test_labels_of_an_export(case: Case, tmp_path: Path) -> None:
    """Each annotator's newest one, once; skips, drafts, predictions, broken ones are no label."""
    check = case["check"]
    found = read(written(tmp_path / "export.json", case["input"]))
    labels = current(found)
    values = [x.label == "entailed" for x in labels.values()]
    judged = [v.value == "entailed" for v in found.verdicts]

    assert len(labels) == check.get("labels", len(check.get("human", check.get("annotators", ()))))
    assert values == [check["value"]] if "value" in check else True
    assert values == check.get("human", values)
    assert judged == check.get("judge", judged)
    assert {x.annotator for x in labels.values()} >= set(check.get("annotators", ()))
    for task in check.get("skipped", ()):
        assert any(f"task {task}, annotation" in note for note in found.reading.notes)
    if case["kind"] == "prelabelled":
        assert [x.blind for x in found.labels] == [False]
    if case["kind"] == "cancelled":
        assert set(found.reading.notes) >= {
            "1 skipped annotations", "1 tasks without an annotation", "1 tasks with drafts only",
        }  # fmt: skip
    again = read(written(tmp_path / "again.json", case["input"][::-1]))
    assert {x.id for x in again.labels} == {x.id for x in found.labels}


def task(claim: str = "c1", *annotations: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A task with one claim."""
    data = {
        "record_id": "r", "claim_id": claim, "claim": f"Text of {claim}.", "question": "q",
        "answer": "a", "context": "Tea 🍵 is hot. Is it?", **more,
    }  # fmt: skip
    return {"id": 9, "data": data, "annotations": list(annotations), "predictions": []}


def marked(
    word: Any, who: Any = 1, at: str = "2026-01-01T10:00:00Z", **more: Any
) -> dict[str, Any]:
    """An annotation with a verdict."""
    verdict = {"from_name": "verdict", "to_name": "claim", "type": "choices",
               "value": {"choices": [word] if isinstance(word, str) else word}}  # fmt: skip
    return {
        "id": more.pop("id", 1), "completed_by": who, "updated_at": at,
        "result": [verdict, *more.pop("results", [])], **more,
    }  # fmt: skip


def test_tasks_of_one_record_become_its_claims(tmp_path: Path) -> None:
    """A task for each claim, in any order; notes, evidence, time and lead time are kept."""
    evidence = {"from_name": "evidence", "to_name": "context", "type": "hypertextlabels",
                "value": {"start": "/div[1]", "globalOffsets": {"start": 7, "end": 13},
                          "text": "is hot", "hypertextlabels": ["supports"]}}  # fmt: skip
    note = {"from_name": "note", "type": "textarea", "value": {"text": ["why", "so"]}}
    ana = {"id": 3, "email": "ana@x"}
    tasks = [
        task("c1", marked("entailed", ana, lead_time=12.5, results=[evidence, note])),
        task("c2", marked("not_a_claim", 4, "2026-01-01T11:00:00+01:00", ground_truth=True)),
    ]  # fmt: skip
    found = read(written(tmp_path / "e.json", tasks))
    first, second = found.labels

    assert [(u.id, u.text) for u in found.units] == [("c1", "Text of c1."), ("c2", "Text of c2.")]
    assert (first.annotator, first.label, first.ms, first.note) == (
        "ana@x", "entailed", 12500, "why\nso",
    )  # fmt: skip
    assert first.quote == "is hot"
    assert first.meta["evidence"] == [
        {"quote": "is hot", "start": 6, "end": 12, "label": "supports"}
    ]
    assert (second.label, second.at.hour, second.meta) == (
        "not_a_claim",
        10,
        {"ground_truth": True},
    )


def test_one_annotators_later_label_counts(tmp_path: Path) -> None:
    """By time, whatever their order in the file; an edit is another event, a repeat is not."""
    older = marked("entailed", id=5, at="2026-01-01T10:00:00Z")
    newer = marked("unsure", id=4, at="2026-01-01T10:00:01Z")
    found = read(written(tmp_path / "a.json", [task("c1", newer, older, older)]))
    assert [x.label for x in found.labels] == ["entailed", "unsure"]
    edited = {**newer, "updated_at": "2026-01-02T10:00:00Z", "updated_by": 77}
    again = read(written(tmp_path / "b.json", [task("c1", edited, older)]))

    assert {x.id for x in again.labels} & {x.id for x in found.labels} == {found.labels[0].id}
    assert again.labels[1].meta == {"updated_by": "77"}
    assert any("someone else" in n for n in again.reading.notes)


@pytest.mark.parametrize("word", ["banana", ["entailed", "unsure"], [], "Entailed!"])
def test_a_verdict_that_is_none_is_left_out_and_said(word: Any, tmp_path: Path) -> None:
    """The server accepts any word; the other labels are read."""
    found = read(
        written(tmp_path / "e.json", [task("c1", marked(word), marked("unsure", 2, id=2))])
    )

    assert [x.annotator for x in found.labels] == ["2"]
    assert any("task 9, annotation 1" in note for note in found.reading.notes)
    assert "1 annotations or predictions could not be read: left out" in found.reading.notes


def test_accepted_predictions_are_not_blind(tmp_path: Path) -> None:
    """Whether the annotation says so or its result."""
    changed = marked("entailed")
    changed["result"][0]["origin"] = "prediction-changed"
    found = read(written(tmp_path / "e.json", [task("c1", changed, marked("unsure", 2, id=2))]))

    assert [(x.annotator, x.blind) for x in found.labels] == [("1", False), ("2", True)]


def test_small_exports(tmp_path: Path) -> None:
    """JSON_MIN and CSV: a row for each annotation."""
    rows = [
        {"id": 1, "record_id": "r", "claim_id": "c1", "claim": "A.", "answer": "A.",
         "verdict": "not entailed", "note": "n", "annotator": 3, "annotation_id": 11,
         "created_at": "2026-01-01T10:00:00Z", "updated_at": "2026-01-01T10:00:00Z",
         "lead_time": 1.5},
        {"id": 1, "record_id": "r", "claim_id": "c1", "claim": "A.", "answer": "A.",
         "verdict": {"choices": ["entailed"]}, "annotator": 4, "annotation_id": 12,
         "created_at": "2026-01-01T10:00:01Z", "lead_time": None},
    ]  # fmt: skip
    found = read(written(tmp_path / "min.json", rows))
    assert [(x.annotator, x.label, x.note, x.ms) for x in found.labels] == [
        ("3", "not_entailed", "n", 1500), ("4", "entailed", None, None),
    ]  # fmt: skip
    table = written(
        tmp_path / "e.csv",
        "id,record_id,claim_id,claim,verdict,annotator,annotation_id,lead_time\n"
        "1,r,c1,A.,entailed,ana@x,11,2\n",
    )
    found = read(table)
    assert found.formats == ["label-studio"]
    assert [(x.annotator, x.label) for x in found.labels] == [("ana@x", "entailed")]


def test_labels_go_to_the_claims_of_the_workspace(tmp_path: Path) -> None:
    """By record and claim id, of any kind; texts and order decide nothing; twice is once."""
    native = written(
        tmp_path / "r.jsonl",
        lines({
            "id": "r", "question": "q", "context": ["c"], "answer": "A. B.", "reference": "C.",
            "claims": [{"id": "c1", "text": "Text of c1."}, {"id": "c2", "text": "Text of c2."},
                       {"id": "c3", "text": "Text of c3.", "of": "reference"}],
        }),
    )  # fmt: skip
    export = written(
        tmp_path / "e.json",
        [
            {**task("c3", marked("entailed")), "predictions": [
                {"model_version": "j", "result": marked("unsure")["result"]}]},
            task("c2", marked("not entailed", id=2)),
            task("c1", marked("entailed", id=3), metric="answer_relevancy"),
        ],
    )  # fmt: skip
    with Workspace.init(tmp_path / "w") as workspace:
        workspace.import_files([native])
        counts = workspace.import_files([export]).counts
        assert (counts.records, counts.units, counts.labels, counts.verdicts) == (0, 0, 3, 1)
        assert workspace.import_files([export]).counts.labels == 0
        units = {
            u.key: u.id
            for kind in ("answer_claim", "reference_claim")
            for u in workspace.store.units(kind)
        }
        assert {(units[x.unit], x.metric, x.label) for x in workspace.store.current_labels()} == {
            ("c1", "answer_relevancy", "entailed"), ("c2", "groundedness", "not_entailed"),
            ("c3", "contextual_recall", "entailed"),
        }  # fmt: skip
        for broken, message in (
            (task("c9", marked("entailed")), "'c9' is no claim of 'r'"),
            (task("c1", marked("entailed"), claims=[{"id": "c1", "text": "X."}]), "another text"),
        ):
            with pytest.raises(InputError, match=message):
                workspace.import_files([written(tmp_path / "b.json", [broken])])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([{"id": 1, "data": None, "annotations": []}], "field data: is missing"),
        ([{"id": 1, "data": {"text": "t"}, "annotations": []}], "holds no record"),
        ([task("c1", claims=[{"x": 1}])], "has neither id nor text"),
        ([task("c1", claims=[7])], "must be an object with id and text"),
        ([task("c1", claims=[{"id": "z"}])], "'z' has no text"),
    ],
)
def test_what_is_no_task_of_claims(content: Any, message: str, tmp_path: Path) -> None:
    """Is refused with what it lacks."""
    path = written(tmp_path / "e.json", json.dumps(content))
    with pytest.raises(InputError, match=message):
        read(path, format="label-studio")


def test_offsets_of_javascript() -> None:
    """Two units for a character outside the basic plane; the nearest place else."""
    text = "🍵 tea, tea, 🍵 tea"
    assert [from_utf16(text, n) for n in (0, 2, 3, 100)] == [0, 1, 2, len(text)]
    assert locate(text, "tea", 3) == 2
    assert locate(text, "tea", 16) == 14
    assert locate(text, "coffee", 0) is None
    assert evidence_of({"type": "labels", "value": {}}, {}) is None
