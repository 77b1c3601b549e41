"""`trueup diagnose`: the four cells, what cannot be attributed, and gold in place of retrieval."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from runner import Command, Said

from score_help import write
from trueup.services.label_sets import bundled_dir

JUDGE = "j"


def question(
    name: str,
    grounded: list[bool | None],
    *,
    context: list[str] | None = ("c-1", "c-2"),  # type: ignore[assignment]
    gold: list[str] | None = ("c-1",),  # type: ignore[assignment]
    failing: bool | None = True,
    reference: list[bool] = (),  # type: ignore[assignment]
    **fields: Any,
) -> dict[str, Any]:
    """A record whose claims a recorded judge called entailed or not; `reference` likewise."""
    claims: list[dict[str, Any]] = [
        {"text": f"Claim {i} of {name}.", "judges": {JUDGE: {"entailed": value}}}
        for i, value in enumerate(grounded)
    ]
    claims += [
        {"text": f"Reference {i} of {name}.", "of": "reference",
         "judges": {JUDGE: {"entailed": value}}}
        for i, value in enumerate(reference)
    ]  # fmt: skip
    made = {
        "id": name, "question": f"Question {name}?", "answer": "a", "release": "r1",
        "claims": claims, "failing": failing, **fields,
    }  # fmt: skip
    if context is not None:
        made["context"] = [{"id": c, "text": f"Text of {c}."} for c in context]
    if gold is not None:
        made["gold"] = list(gold)
    if reference:
        made["reference"] = "The reference."
    return made


@pytest.fixture
def diagnosed(trueup: Command, tmp_path: Path) -> Any:
    """Imports lines, runs `trueup diagnose --json` with options; returns the object."""

    def make(lines: list[dict[str, Any]], *options: object, toml: str = "") -> dict[str, Any]:
        assert trueup("init").code == 0
        (tmp_path / "trueup.toml").write_text(toml, "utf-8")
        said = trueup("import", write(tmp_path / "r.jsonl", lines))
        assert said.code == 0, said.err
        said = trueup("diagnose", *options, "--json")
        assert said.code == 0, said.err
        found: dict[str, Any] = said.json()
        return found

    return make


FOUR = [
    question("used", [True, True]),
    question("unused", [True, False]),
    question("wrong", [True, True], gold=["c-9"]),
    question("lost", [False, False], gold=["c-9"]),
    question("fine", [True], failing=False),
    question("open", [True], failing=None),
]


def test_each_failing_question_has_a_cell(diagnosed: Any) -> None:
    """Evidence arrived or not, used or not; questions that do not fail are in none."""
    said = diagnosed(FOUR)

    assert said["schema"] == "trueup.diagnose/1"
    assert said["cells"] == {
        "end_to_end": ["used"], "generation": ["unused"], "retrieval": ["wrong"], "both": ["lost"],
    }  # fmt: skip
    assert said["cannot_attribute"] == []
    assert (said["n_failing"], said["n_not_failing"], said["n_unknown"]) == (4, 1, 1)
    owners = {d["record"]: d["owner"] for d in said["details"]}
    assert owners == {
        "used": "evaluation", "unused": "prompt team",
        "wrong": "search team", "lost": "search team",
    }  # fmt: skip


def test_the_first_thing_to_look_at_is_named(diagnosed: Any) -> None:
    """The claim that the context does not carry; the gold chunk, and how far it came."""
    lines = [
        *FOUR[:2],
        question("cut", [True], gold=["c-9"], retrieved=["c-1", "c-2", "c-3", "c-9"]),
        question("never", [True], gold=["c-9"], retrieved=["c-1", "c-2"]),
    ]
    look = {d["record"]: d["look_at"] for d in diagnosed(lines)["details"]}

    assert "Claim 1 of unused." in look["unused"]
    assert look["cut"] == "chunk c-9: retrieved at rank 4, and cut off before the generator"
    assert look["never"] == "chunk c-9: not among the 2 retrieved ids"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (question("x", [True], gold=[]), "unanswerable: its gold set is empty"),
        (question("x", [True], gold=None), "no gold ids, and no contextual recall"),
        (question("x", [None]), "groundedness is null: missing_verdict"),
        (
            question("x", [True], context=None),
            "neither its context nor what was retrieved is given",
        ),
    ],
)
def test_a_null_on_either_axis_is_in_no_cell(
    diagnosed: Any, line: dict[str, Any], reason: str
) -> None:
    """Listed with the reason, never put into a cell."""
    said = diagnosed([line, *FOUR[:1]])

    assert said["cannot_attribute"] == [{"record": "x", "reason": reason}]
    assert sum(map(len, said["cells"].values())) == 1


def test_nothing_retrieved_is_both(diagnosed: Any) -> None:
    """An answer out of nothing: nothing arrived, and so nothing was used."""
    said = diagnosed([question("empty", [True], context=[]), *FOUR[:1]])

    assert said["cells"]["both"] == ["empty"]


def test_thresholds_move_the_cells(diagnosed: Any) -> None:
    """`high` begins where trueup.toml says; the headline may be the hit rate; owners are named."""
    half = question("half", [True, False], gold=["c-1", "c-9"])
    toml = (
        '[workspace]\nretrieval_headline = "hit_rate"\n'
        "[diagnose]\nretrieval = 1.0\ngroundedness = 0.5\n"
        '[diagnose.owners]\nend_to_end = "us"\n'
    )
    said = diagnosed([half], toml=toml)

    assert said["cells"]["end_to_end"] == ["half"]
    assert said["thresholds"]["headline"] == "hit_rate"
    assert said["details"][0]["owner"] == "us"
    assert diagnosed([half])["cells"]["both"] == ["half"]


def test_without_gold_ids_contextual_recall_is_the_axis(diagnosed: Any) -> None:
    """Said so, and a low one names its three usual causes."""
    lines = [
        question("low", [True], gold=None, reference=[True, False]),
        question("high", [False], gold=None, reference=[True, True]),
    ]
    said = diagnosed(lines)

    assert said["cells"]["retrieval"] == ["low"]
    assert said["cells"]["generation"] == ["high"]
    assert {d["retrieval_by"] for d in said["details"]} == {"contextual_recall"}
    stands, causes = said["notes"]
    assert "contextual recall, which is a judge's, stands for retrieval" in stands
    for cause in ("knowledge base is incomplete", "chunks are too small", "threshold is too high"):
        assert cause in causes


def test_correctness_says_who_fails_where_nobody_did(diagnosed: Any) -> None:
    """Without a verdict of its own a record fails by answer_correctness, else it is unknown."""

    def by(value: bool) -> dict[str, Any]:
        said = {"entailed": value, "metric": "correctness_precision"}
        stated = {"entailed": value, "metric": "correctness_recall"}
        line = question(f"q-{value}", [True], failing=None, reference=[True])
        line["claims"][0]["judges"] = {JUDGE: [{"entailed": True}, said]}
        line["claims"][1]["judges"] = {JUDGE: [stated]}
        return line

    said = diagnosed([by(True), by(False), *FOUR[-1:]])

    assert said["cells"]["end_to_end"] == ["q-False"]
    assert said["details"][0]["failing_by"] == "answer_correctness"
    assert (said["n_failing"], said["n_not_failing"], said["n_unknown"]) == (1, 1, 1)


def test_by_release_and_slice(diagnosed: Any) -> None:
    """The cells counted; an id that fails in two releases is told apart."""
    lines = [
        question("q", [True], slices={"plan": "team"}),
        question("q", [False], slices={"plan": "free"}, release="r2"),
        question("other", [False], slices={"plan": "free"}, release="r2"),
    ]
    said = diagnosed(lines)

    assert said["cells"]["generation"] == ["q@r2", "other"]
    assert said["by_release"]["r2"]["generation"] == 2
    assert said["by_slice"]["plan"]["team"]["end_to_end"] == 1
    only = diagnosed(lines, "--release", "r2")
    assert only["cells"]["generation"] == ["q", "other"]


def test_position_is_shown_beside_arrival(diagnosed: Any) -> None:
    """Groundedness and correctness by the rank of the first gold chunk, and without any."""
    lines = [question(f"first-{i}", [True], gold=["c-1"], failing=False) for i in range(3)] + [
        question(f"second-{i}", [True, False], gold=["c-2"]) for i in range(2)
    ]
    lines.append(question("none", [False], gold=["c-9"]))
    rows = {r["rank"]: r for r in diagnosed(lines)["by_rank"]}

    assert [rows[r]["n_records"] for r in (1, 2, None)] == [3, 2, 1]
    assert [rows[r]["groundedness"]["value"] for r in (1, 2, None)] == [1.0, 0.5, 0.0]
    assert [rows[r]["correct"]["value"] for r in (1, 2, None)] == [1.0, 0.0, 0.0]


def test_who_judged_must_be_clear(trueup: Command, tmp_path: Path) -> None:
    """Nothing judged, or several judges: exit 2, and what to do."""
    trueup("init")
    (tmp_path / "trueup.toml").write_text("", "utf-8")
    line = question("q", [True])
    bare = {k: v for k, v in line.items() if k != "claims"}
    trueup("import", write(tmp_path / "r.jsonl", [bare]))
    assert "no groundedness is judged yet" in trueup("diagnose").err

    line["id"], line["claims"][0]["judges"] = (
        "p",
        {"a": {"entailed": True}, "b": {"entailed": True}},
    )
    trueup("import", write(tmp_path / "s.jsonl", [line]))
    said = trueup("diagnose")
    assert said.code == 2
    assert "--judge" in said.err
    assert trueup("diagnose", "--judge", "a").code == 0
    assert trueup("diagnose", "--release", "r9").code == 2


def isolated(said: Said) -> dict[str, str]:
    return {d["record"]: d["isolated"]["outcome"] for d in said.json()["details"]}


def test_gold_chunks_tell_missing_evidence_from_wrong_answers(
    trueup: Command, tmp_path: Path
) -> None:
    """The same answers judged with the gold chunks alone; a second time nothing is asked."""
    fact, other = "The quay at Lindow is 240 metres long.", "Parking costs 3 euros a day."

    def line(name: str, answer: str, **fields: Any) -> dict[str, Any]:
        usual = {"context": [{"id": "c-2", "text": other}], "gold": ["c-1"], "failing": True}
        return {
            "id": name, "question": "How long is the quay?", "answer": answer,
            "claims": [{"text": answer}], **usual, **fields,
        }  # fmt: skip

    lines = [
        line("missing", fact, gold_context=[fact]),
        line("elsewhere", fact),
        line("wrong", "The quay at Lindow is 250 metres long.", gold_context=[fact]),
        line("unknown", fact, gold=["c-7"]),
        {"id": "source", "answer": "", "context": [{"id": "c-1", "text": fact}]},
    ]
    trueup("init")
    trueup("import", write(tmp_path / "r.jsonl", lines))
    trueup("judge", "--judge", "quoted")
    options = ("diagnose", "--judge", "quoted", "--isolate")
    dry = trueup(*options, "--dry-run", "--json")
    assert dry.json()["calls"]["calls"] == 2  # two of the three are the same case
    said = trueup(*options, "--json")

    assert isolated(said) == {
        "missing": "would_have_supported", "elsewhere": "would_have_supported",
        "wrong": "wrong_anyway", "unknown": "no_gold_text",
    }  # fmt: skip
    again = trueup(*options, "--json").json()
    assert again["calls"] is None
    assert [d["isolated"] for d in again["details"]] == [
        d["isolated"] for d in said.json()["details"]
    ]
    assert "would have supported the answer" in trueup(*options).out


def test_the_bundled_set_by_its_own_labels(trueup: Command, tmp_path: Path) -> None:
    """The Team-plan question is faithful to the wrong passage: cell retrieval; answers that
    contradict the right chunk are generation."""
    source = bundled_dir()
    assert source is not None
    labels: dict[tuple[str, str], list[tuple[str, bool]]] = {}
    for text in (source / "support-docs" / "labels.jsonl").read_text("utf-8").splitlines():
        row = json.loads(text)
        if row["metric"] == "groundedness" and row["entailed"] is not None:
            at = row["record"], row.get("release", "")
            labels.setdefault(at, []).append((row["unit"], row["entailed"]))
    lines = []
    for text in (source / "support-docs" / "records.jsonl").read_text("utf-8").splitlines():
        line = json.loads(text)
        if line["release"] != "2026-11-30":
            continue
        known = dict(labels.get((line["id"], line["release"]), []))
        for claim in line["claims"]:
            if claim["id"] in known:
                claim["judges"] = {"truth": {"entailed": known[claim["id"]]}}
        lines.append(line)
    trueup("init")
    trueup("import", write(tmp_path / "r.jsonl", lines))
    said = trueup("diagnose", "--judge", "truth", "--json").json()

    assert "q-0001" in said["cells"]["retrieval"]
    contradicting = {
        line["id"] for line in lines
        if line["slices"].get("kind") == "contradicts" and line.get("failing")
    }  # fmt: skip
    assert contradicting
    assert contradicting <= {*said["cells"]["generation"], *said["cells"]["both"]}


def test_the_report_holds_what_the_terminal_says(trueup: Command, tmp_path: Path) -> None:
    """diagnose.html, .md and .json: the drawing, the cells, hostile text escaped."""
    hostile = question("<script>alert(1)</script>", [True, False])
    trueup("init")
    (tmp_path / "trueup.toml").write_text("", "utf-8")
    trueup("import", write(tmp_path / "r.jsonl", [*FOUR, hostile]))
    said = trueup("diagnose", "--out", tmp_path / "out")

    assert said.code == 0
    page = (tmp_path / "out" / "diagnose.html").read_text("utf-8")
    assert "<svg" in page
    assert "<script" not in page
    assert "generation 2" in page
    data = json.loads((tmp_path / "out" / "diagnose.json").read_text("utf-8"))
    assert data["cells"]["generation"] == ["unused", "<script>alert(1)</script>"]
    assert "| end-to-end | 1 |" in (tmp_path / "out" / "diagnose.md").read_text("utf-8")
    for row in ("recall high", "recall low", "generation 2"):
        assert row in said.out
