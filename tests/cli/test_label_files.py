"""`trueup labels export` and `import`: tables that people fill in and send back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from runner import Command

HEADER = "unit,record,annotator,label,entailed,note,blind,ms\n"


@pytest.fixture
def ready(trueup: Command, tmp_path: Path) -> Command:
    """The command in a workspace with one record of two claims."""
    record = {"id": "007", "answer": "A. B.", "claims": [{"text": "A."}, {"text": "B."}]}
    (tmp_path / "r.jsonl").write_text(json.dumps(record))
    assert trueup("init").code == 0
    assert trueup("import", "r.jsonl").code == 0
    return trueup


def current(trueup: Command) -> list[tuple[str, str, str | None, int | None]]:
    """Unit, label, note and milliseconds of each current label."""
    rows = [json.loads(line) for line in trueup("labels", "export").out.splitlines()]
    return [(r["unit"], r["label"], r["note"], r["ms"]) for r in rows]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_labels_from_a_spreadsheet(
    ready: Command, encoding: str, delimiter: str, tmp_path: Path
) -> None:
    """In the encodings and with the delimiters that spreadsheets write; yes and no as typed."""
    text = HEADER.replace(",", delimiter) + "".join(
        delimiter.join(cells) + "\r\n"
        for cells in (
            ("007#1", "007", "ana", "entailed", "TRUE", "'=schön", "1", "900"),
            ("007#2", "007", "ana", "not_entailed", "no", "", "", ""),
        )
    )
    (tmp_path / "l.txt").write_bytes(text.encode(encoding))

    assert ready("labels", "import", "l.txt", "--json").json()["labels"] == 2
    assert current(ready) == [
        ("007#1", "entailed", "=schön", 900), ("007#2", "not_entailed", None, None),
    ]  # fmt: skip
    assert ready("labels", "import", "l.txt", "--json").json()["labels"] == 0


@pytest.mark.parametrize(
    ("row", "line", "message"),
    [
        ("007#1,007,ana,entailed,perhaps,,,\n", 2, "field entailed: must be true"),
        ("007#1,007,ana,entailed,no,,,\n", 2, "contradicts label"),
        ("007#1,007,ana,fine,,,,\n", 2, "field label: must be one of"),
        ("007#1,007,,entailed,,,,\n", 2, "field annotator: a text is required"),
        ("007#1,007,ana,entailed,,,,soon\n", 2, "field ms: must be a number"),
        ("007#9,007,ana,entailed,,,,\n", 2, "no unit '007#9'"),
        ("007#1,7,ana,entailed,,,,\n", 2, "no unit '007#1' of record '7'"),
        ('007#1,007,ana,entailed,yes,"two\nlines",,\n007#2,007,ana\n', 4, "3 cells where"),
        ("", None, "holds no label"),
    ],
)
def test_a_bad_label_file_changes_nothing(
    ready: Command, row: str, line: int | None, message: str, tmp_path: Path
) -> None:
    """All of a file is stored, or nothing; the line and the field are named."""
    (tmp_path / "l.csv").write_text(HEADER + row)
    said = ready("labels", "import", "l.csv")

    assert said.code == 2
    assert message in said.err
    assert f"l.csv:{line}: " in said.err or line is None
    assert current(ready) == []


def test_a_long_note_comes_back(ready: Command, tmp_path: Path) -> None:
    """Longer than the limit that CSV readers have by themselves, with quotes and line ends."""
    note = 'so "it" says,\r\n' * 20_000
    row = {"unit": "007#1", "record": "007", "annotator": "ana", "label": "unsure", "note": note}
    (tmp_path / "l.jsonl").write_text(json.dumps(row))
    assert ready("labels", "import", "l.jsonl").code == 0
    for kind in ("csv", "jsonl"):
        ready("labels", "export", "--format", kind, "-o", "out")
        assert ready("labels", "import", "out", "--json").json()["labels"] == 0
        assert current(ready) == [("007#1", "unsure", note, None)]
