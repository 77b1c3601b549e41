"""Labels in and out, frozen sets, and the gate's exit codes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from runner import Command

N = 60
"""Answers; enough for the gate to decide on non-inferiority."""


def record(number: int, *, candidate_wrong: int = 0) -> dict[str, Any]:
    """Four claims, the last one not entailed; `candidate` errs on the first few answers."""
    claims = []
    for i in range(4):
        truth = i < 3
        said = truth if not (i == 3 and number < candidate_wrong) else not truth
        claims.append(
            {
                "text": f"Fact {i} of {number}.",
                "human": [{"annotator": "ana", "entailed": truth}],
                "judges": {"current": {"entailed": truth}, "candidate": {"entailed": said}},
            }
        )
    return {"id": f"r{number}", "question": "q", "context": ["c"], "answer": "a", "claims": claims}


def workspace(trueup: Command, path: Path, *, wrong: int = 0, n: int = N) -> None:
    """A workspace in the current directory with labels and two recorded judges."""
    lines = [json.dumps(record(i, candidate_wrong=wrong)) for i in range(n)]
    (path / "r.jsonl").write_text("\n".join(lines), "utf-8")
    assert trueup("init").code == 0
    (path / "trueup.toml").write_text("[gate]\nmin_kappa = 0.6\nmin_tnr = 0.7\n", "utf-8")
    assert trueup("import", "r.jsonl").code == 0


def test_labels_go_out_and_come_back(trueup: Command, tmp_path: Path) -> None:
    """JSONL and CSV hold the contract's fields; reading them again adds nothing."""
    workspace(trueup, tmp_path, n=3)
    out = trueup("labels", "export").out.splitlines()
    first = json.loads(out[0])

    assert len(out) == 12
    assert first["unit"] == "r0#1"
    assert (first["record"], first["annotator"]) == ("r0", "ana")
    assert (first["label"], first["entailed"], first["blind"]) == ("entailed", True, True)
    for kind in ("jsonl", "csv"):
        file = f"labels.{kind}"
        assert trueup("labels", "export", "--format", kind, "-o", file).code == 0
        assert trueup("labels", "import", file, "--json").json()["labels"] == 0


def test_labels_move_to_another_store(trueup: Command, tmp_path: Path) -> None:
    """Labels exported here are read where the records are."""
    workspace(trueup, tmp_path, n=3)
    trueup("labels", "export", "-o", "labels.jsonl")
    rows = [record(i) for i in range(3)]
    for row in rows:
        for claim in row["claims"]:
            del claim["human"], claim["judges"]
    (tmp_path / "bare.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    trueup("init", "other")
    trueup("import", "-C", "other", "bare.jsonl")

    assert (
        trueup("labels", "import", "-C", "other", "labels.jsonl", "--json").json()["labels"] == 12
    )
    assert trueup("labels", "export", "-C", "other").out == trueup("labels", "export").out


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("entailed", "true", "field entailed"),
        ("entailed", 1, "field entailed"),
        ("label", "yes", "field label"),
        ("entailed", False, "contradicts"),
        ("unit", "r9#9", "no unit"),
        ("metric", "truth", "field metric"),
        ("annotator", "", "field annotator"),
        ("at", "yesterday", "field at"),
        ("blind", "yes", "field blind"),
        ("origin", "robot", "field origin"),
    ],
)
def test_a_label_line_that_is_wrong_is_named(
    trueup: Command, tmp_path: Path, field: str, value: object, words: str
) -> None:
    """File, line and field; none of the file's labels is stored."""
    workspace(trueup, tmp_path, n=2)
    rows = [json.loads(line) for line in trueup("labels", "export").out.splitlines()]
    fresh = [{**row, "annotator": "bo", "event": f"e{i}"} for i, row in enumerate(rows)]
    fresh[1][field] = value
    (tmp_path / "bad.jsonl").write_text("\n".join(map(json.dumps, fresh)), "utf-8")
    said = trueup("labels", "import", "bad.jsonl")

    assert said.code == 2
    assert "bad.jsonl:2" in said.err
    assert words in said.err
    assert len(trueup("labels", "export").out.splitlines()) == len(rows)


def test_a_frozen_set_stands_alone(trueup: Command, tmp_path: Path) -> None:
    """Records, claims, labels and verdicts travel; a fresh workspace reports from the set."""
    workspace(trueup, tmp_path)
    here = trueup("report", "--json").json()
    frozen = trueup("labels", "freeze", "gold", "--json").json()
    assert frozen["records"] == N

    trueup("init", "fresh")
    shutil.copytree(tmp_path / "label_sets" / "gold", tmp_path / "fresh" / "label_sets" / "gold")
    there = trueup("report", "-C", "fresh", "--labels", "gold", "--json").json()

    assert there["labels"]["sha256"] == frozen["sha256"]
    assert [a["kappa"] for a in there["agreement"]] == [a["kappa"] for a in here["agreement"]]
    assert [a["table"] for a in there["agreement"]] == [a["table"] for a in here["agreement"]]


def test_a_set_is_never_frozen_twice(trueup: Command, tmp_path: Path) -> None:
    """A frozen set never changes under its name."""
    workspace(trueup, tmp_path, n=2)
    trueup("labels", "freeze", "gold")
    said = trueup("labels", "freeze", "gold")

    assert said.code == 2
    assert "already" in said.err


def test_the_gate_passes_an_equal_judge(trueup: Command, tmp_path: Path) -> None:
    """Exit 0, every bar ok, no label needed."""
    workspace(trueup, tmp_path)
    said = trueup("validate", "candidate", "--against", "current", "--json")

    assert said.code == 0
    assert said.json()["decision"] == "pass"
    assert all(bar["ok"] for bar in said.json()["bars"])
    assert said.json()["labels_needed"] is None


def test_the_gate_fails_a_judge_that_lets_unsupported_claims_pass(
    trueup: Command, tmp_path: Path
) -> None:
    """Exit 1: the upper end of TNR stays below the bar."""
    workspace(trueup, tmp_path, wrong=40)
    said = trueup("validate", "candidate", "--against", "current", "--json")
    bars = {bar["name"]: bar["ok"] for bar in said.json()["bars"]}

    assert said.code == 1
    assert bars["min_tnr"] is False
    assert bars["non_inferiority"] is False


def test_the_gate_is_inconclusive_on_few_answers(trueup: Command, tmp_path: Path) -> None:
    """Exit 3: too small to gate, with the labels that would decide."""
    workspace(trueup, tmp_path, n=12)
    said = trueup("validate", "candidate", "--against", "current", "--json")

    assert said.code == 3
    assert said.json()["decision"] == "inconclusive"
    assert said.json()["labels_needed"] > 0
    assert any("Too small" in note for note in said.json()["notes"])


def test_the_gate_writes_junit_and_a_summary(trueup: Command, tmp_path: Path) -> None:
    """A test case for each bar; a Markdown table for the CI page."""
    workspace(trueup, tmp_path, wrong=40)
    trueup("validate", "candidate", "--against", "current", "--junit", "j.xml", "--summary", "s.md")
    suite = ET.fromstring((tmp_path / "j.xml").read_text("utf-8"))

    assert suite.get("failures") == str(len(suite.findall("testcase/failure")))
    assert {case.get("name") for case in suite} >= {"min_kappa", "min_tnr", "non_inferiority"}
    assert "**failed**" in (tmp_path / "s.md").read_text("utf-8")


def test_constructed_labels_are_refused_unless_allowed(trueup: Command, tmp_path: Path) -> None:
    """Labels that no person gave need --allow constructed, and the result says so."""
    workspace(trueup, tmp_path, n=3)
    rows = [json.loads(x) for x in trueup("labels", "export").out.splitlines()]
    made = [{**r, "origin": "constructed", "annotator": "constructed", "event": None} for r in rows]
    (tmp_path / "c.jsonl").write_text("\n".join(map(json.dumps, made)), "utf-8")
    bare = [record(i) for i in range(3)]
    for row in bare:
        for claim in row["claims"]:
            del claim["human"]
    (tmp_path / "b.jsonl").write_text("\n".join(map(json.dumps, bare)), "utf-8")
    trueup("init", "w")
    trueup("import", "-C", "w", "b.jsonl")
    trueup("labels", "import", "-C", "w", "c.jsonl")
    refused = trueup("validate", "candidate", "-C", "w")
    allowed = trueup("validate", "candidate", "-C", "w", "--allow", "constructed", "--json")

    assert refused.code == 2
    assert "--allow constructed" in refused.err
    assert any("constructed" in note for note in allowed.json()["notes"])


def test_an_unknown_judge_is_named_with_those_that_are_there(
    trueup: Command, tmp_path: Path
) -> None:
    """Exit 2 and the judges that have verdicts."""
    workspace(trueup, tmp_path, n=2)
    said = trueup("compare", "current", "candidat")

    assert said.code == 2
    assert "'candidat'" in said.err
    assert "current" in said.err


def test_the_gate_on_a_frozen_set_makes_no_store(trueup: Command, tmp_path: Path) -> None:
    """A clone has trueup.toml and label_sets/ alone, and is left as it is."""
    workspace(trueup, tmp_path)
    assert trueup("labels", "freeze", "gold").code == 0
    here = trueup("validate", "candidate", "--against", "current", "--labels", "gold", "--json")
    clone = tmp_path / "clone"
    clone.mkdir()
    shutil.copy(tmp_path / "trueup.toml", clone)
    shutil.copytree(tmp_path / "label_sets", clone / "label_sets")
    there = trueup("validate", "-C", clone, "candidate", "--against", "current",
                   "--labels", "gold", "--json")  # fmt: skip

    assert there.code == here.code == 0
    assert there.json()["agreement"] == here.json()["agreement"]
    assert sorted(p.name for p in clone.iterdir()) == ["label_sets", "trueup.toml"]
