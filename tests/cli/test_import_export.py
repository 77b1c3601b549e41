"""`trueup import` and `trueup export`: what a dry run shows, columns by hand, and every way out."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from runner import Command

RECORDS = [
    {
        "id": "q1", "question": "=1+1?", "answer": "A. B.", "release": "r1", "reference": "R.",
        "context": [
            {"id": "c1", "text": "one", "human": [{"annotator": "ana", "entailed": True}]},
            {"id": "c2", "text": "two", "human": [{"annotator": "ana", "entailed": False}]},
        ],
        "gold": ["c1"], "gold_context": ["one"], "slices": {"plan": "team"}, "extra": [1, None],
        "claims": [
            {"text": "A.", "judges": {"gpt": {"entailed": True, "evidence": "one"}},
             "human": [{"annotator": "ana", "entailed": True, "note": "-5.2", "ms": 900},
                       {"annotator": "bo", "entailed": False}]},
            {"text": "B.", "judges": {"gpt": {"entailed": None}},
             "human": [{"annotator": "ana", "entailed": False}]},
        ],
    },
    {"id": "q2", "question": "", "answer": "", "context": []},
]  # fmt: skip


@pytest.fixture
def full(trueup: Command, tmp_path: Path) -> Command:
    """The command in a workspace that has the records."""
    (tmp_path / "r.jsonl").write_text("".join(json.dumps(r) + "\n" for r in RECORDS))
    assert trueup("init").code == 0
    assert trueup("import", "r.jsonl").code == 0
    return trueup


def elsewhere(trueup: Command, file: str, name: str) -> list[str]:
    """The export, sorted, of a new workspace into which a file was imported."""
    assert trueup("init", name).code == 0
    said = trueup("-C", name, "import", file)
    assert said.code == 0, said.err
    return sorted(trueup("-C", name, "export").out.splitlines())


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
def test_records_come_back_as_they_were(full: Command, kind: str) -> None:
    """Out of one store, into another, out again: the same lines."""
    said = full("export", "--format", kind, "-o", f"out.{kind}", "--json")

    assert said.json()["records"] == 2
    assert elsewhere(full, f"out.{kind}", "other") == sorted(full("export").out.splitlines())


def test_csv_is_safe_to_open(full: Command, tmp_path: Path) -> None:
    """No cell begins a formula; a number is a number; commas and quotes stay inside."""
    out = full("export", "--format", "csv").out
    rows = list(csv.reader(out.splitlines()))
    assert rows[1][1] == "'=1+1?"
    full("export", "--what", "labels", "--format", "csv", "-o", "l.csv")
    text = (tmp_path / "l.csv").read_text("utf-8")
    assert '"\'-5.2"' in text
    assert ",900," in text


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
@pytest.mark.parametrize(("what", "n"), [("labels", 5), ("verdicts", 2), ("scores", 1)])
def test_tables_of_what_was_said(full: Command, what: str, n: int, kind: str) -> None:
    """A row for each, in each format; labels are read back."""
    file = f"{what}.{kind}"
    said = full("export", "--what", what, "--format", kind, "-o", file, "--json")

    assert said.json()[what] == n
    if what == "labels":
        assert full("labels", "import", file, "--json").json()["labels"] == 0
        assert full("export", "--what", what, "--release", "none").out == ""


def test_what_the_rows_say(full: Command) -> None:
    """Values, reasons and the judge's identity beside each."""
    verdicts = [json.loads(x) for x in full("export", "--what", "verdicts").out.splitlines()]
    assert [(v["unit"], v["judge"], v["verdict"], v["reason"], v["quote"]) for v in verdicts] == [
        ("q1#1", "gpt", "entailed", None, "one"),
        ("q1#2", "gpt", "undecided", "missing_verdict", None),
    ]
    (score,) = [json.loads(x) for x in full("export", "--what", "scores").out.splitlines()]
    assert (score["record"], score["score"], score["reason"]) == ("q1", None, "incomplete")
    assert (score["n_units"], score["n_decided"]) == (2, 1)


def test_rows_of_other_tools(full: Command, tmp_path: Path) -> None:
    """Labelled records as ragas and deepeval have them, and read again as the same records."""
    (row,) = [json.loads(x) for x in full("export", "--format", "ragas").out.splitlines()]
    assert row["user_input"] == "=1+1?"
    assert (row["retrieved_contexts"], row["retrieved_context_ids"]) == (
        ["one", "two"],
        ["c1", "c2"],
    )
    assert row["human"]["score"] == 0.0
    assert row["human"]["claims"] == [
        {"id": "q1#1", "text": "A.", "entailed": None,
         "annotators": {"ana": "entailed", "bo": "not_entailed"}},
        {"id": "q1#2", "text": "B.", "entailed": False, "annotators": {"ana": "not_entailed"}},
    ]  # fmt: skip
    for kind in ("ragas", "deepeval"):
        said = full("export", "--format", kind, "-o", f"{kind}.json", "--json").json()
        assert said["records"] == 1
        (line,) = elsewhere(full, f"{kind}.json", kind)
        back = json.loads(line)
        assert (back["question"], back["answer"], back["reference"]) == ("=1+1?", "A. B.", "R.")
        assert [c["text"] for c in back["context"]] == ["one", "two"]
        assert back["gold_context"] == ["one"]


def test_qrels_of_labels_on_chunks(full: Command) -> None:
    """Useful is 1, not useful 0; they are read back as gold."""
    full("export", "--format", "qrels", "-o", "q.txt")
    assert Path("q.txt").read_text() == "q1 0 c1 1\nq1 0 c2 0\n"
    (line,) = elsewhere(full, "q.txt", "other")
    assert json.loads(line) == {"id": "q1", "answer": "", "gold": ["c1"]}


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["--format", "parquet"], 2, "Parquet is no text"),
        (["--format", "qrels", "--what", "labels"], 2, "writes records with labels"),
        (["--labels", "x"], 2, "does not go with records"),
        (["--format", "ragas", "--labels", "x"], 2, "no sample or label set"),
        (["--format", "ragas", "--metric", "answer_relevancy"], 2, "no answer_relevancy label"),
        (["--format", "csv", "-o", "no/such/folder/x.csv"], 2, "cannot write"),
        (["--format", "parquet", "-o", "no/such/folder/x"], 2, "cannot write"),
    ],
)
def test_what_cannot_be_exported(full: Command, args: list[str], code: int, message: str) -> None:
    """Says so, and writes nothing."""
    said = full("export", *args)

    assert (said.code, said.out) == (code, "")
    assert message in said.err


def test_ids_never_name_a_file(trueup: Command, tmp_path: Path) -> None:
    """Ids with paths in them are data: only the file that was named is written."""
    bad = ["../x", "CON", "a/b", ".", "x" * 300, "/etc/passwd", "..\\..\\y"]
    lines = [json.dumps({"id": i, "answer": "a", "release": i}) + "\n" for i in bad]
    (tmp_path / "r.jsonl").write_text("".join(lines))
    trueup("init", "w")
    assert trueup("-C", "w", "import", "r.jsonl").code == 0
    before = {str(p) for p in tmp_path.rglob("*")}
    for kind in ("jsonl", "csv", "parquet"):
        assert trueup("-C", "w", "export", "--format", kind, "-o", f"out.{kind}").code == 0
    after = {str(p) for p in tmp_path.rglob("*")}

    assert {p for p in after - before if "trueup.db" not in p} == {
        str(tmp_path / f"out.{kind}") for kind in ("jsonl", "csv", "parquet")
    }  # fmt: skip
    assert len(elsewhere(trueup, "out.csv", "other")) == len(bad)


def test_a_dry_run_shows_what_would_be_read(trueup: Command, tmp_path: Path) -> None:
    """A table of counts, the first record, what is kept as metadata; and nothing is stored."""
    (tmp_path / "r.jsonl").write_text("".join(json.dumps(r) + "\n" for r in RECORDS))
    (tmp_path / "t.csv").write_text("id;frage;answer;colour\n7;Was?;Das.;red\n")
    trueup("init")
    args = ("import", "r.jsonl", "t.csv", "--map", "frage=question", "--dry-run")
    said = trueup(*args)

    assert said.code == 0, said.err
    lines = said.out.splitlines()
    assert lines[0].split() == ["file", "format", "records", "claims", "labels", "verdicts"]
    assert lines[2].split() == ["r.jsonl", "jsonl", "2", "2", "5", "2"]
    assert lines[3].split() == ["t.csv", "csv", "1", "0", "0", "0"]
    assert "  question: =1+1?" in lines
    assert "Kept as metadata, no field of ours: extra (1), colour (1)" in lines
    assert "1 records have an empty answer" in said.err
    data: dict[str, Any] = trueup("import", "r.jsonl", "--dry-run", "--json").json()
    assert data["first"]["id"] == "q1"
    assert data["files"][0] == {
        "path": "r.jsonl", "format": "jsonl", "records": 2, "claims": 2, "labels": 5,
        "verdicts": 2, "metadata": {"extra": 1},
    }  # fmt: skip
    assert trueup("export").out == ""


def test_columns_by_hand(trueup: Command, tmp_path: Path) -> None:
    """`--map` on the command line; a field that there is not is refused before anything is read."""
    (tmp_path / "t.csv").write_text("nr,Frage?,Antwort=A,ana\n007,Was?,Das.,ja\n")
    trueup("init")
    columns = ("--map", "nr=id", "--map", "Frage?=question", "--map", "Antwort=A=answer")
    assert trueup("import", "t.csv").code == 2
    assert trueup("import", "t.csv", *columns, "--map", "ana=human.ana").code == 0
    record = json.loads(trueup("export").out)
    assert (record["id"], record["question"], record["answer"]) == ("007", "Was?", "Das.")
    assert record["claims"][0]["human"] == [{"annotator": "ana", "entailed": True}]
    for wrong, message in (("nr=number", "there is no field 'number'"), ("nr", "not COLUMN=FIELD")):
        said = trueup("import", "t.csv", "--map", wrong)
        assert said.code == 2
        assert message in said.err


def test_an_unknown_shape_says_what_to_do(trueup: Command, tmp_path: Path) -> None:
    """The columns that are there, and --map; for JSON as for tables."""
    trueup("init")
    (tmp_path / "t.csv").write_text("prompt,completion\na,b\n")
    (tmp_path / "t.jsonl").write_text('{"prompt": "a", "completion": "b"}\n')
    for name in ("t.csv", "t.jsonl"):
        said = trueup("import", name)
        assert said.code == 2
        assert "prompt, completion" in said.err
        assert "--map COLUMN=FIELD" in said.err


def test_bad_lines_of_a_table(trueup: Command, tmp_path: Path) -> None:
    """Refused whole, or with --skip-bad counted, exit 4."""
    trueup("init")
    (tmp_path / "t.csv").write_text("id,answer,failing\n1,a,yes\n2,b,what\n")
    said = trueup("import", "t.csv")
    assert (said.code, trueup("export").out) == (2, "")
    assert "t.csv:3: field failing: must be true" in said.err
    said = trueup("import", "t.csv", "--skip-bad", "--json")
    assert said.code == 4
    assert said.json()["bad_lines"][0]["line"] == 3
