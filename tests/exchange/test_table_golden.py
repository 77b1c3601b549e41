"""Golden cases of imports whose format is a table: CSV and Parquet."""

from __future__ import annotations

import codecs
import itertools
from pathlib import Path
from typing import Any

import pytest

from exchange_help import Read, read, written
from shared import golden_cases, shared_dir
from trueup.errors import ConflictError, InputError
from trueup.services.workspace import Workspace

Case = dict[str, Any]


def tables() -> list[Any]:
    """The cases of area import that are tables, of any kind."""
    found = golden_cases("import")
    return [
        c for c in found
        if c.values[0] is None or c.values[0]["input"].get("format") in {"csv", "parquet"}
    ]  # fmt: skip


def files(case: Case, folder: Path) -> list[Path]:
    """The case as files: its text, its bytes, and the file that it names."""
    given = case["input"]
    found = []
    if "text" in given:
        found.append(written(folder / "text.csv", given["text"]))
    if "bytes_escaped" in given:
        raw = codecs.escape_decode(given["bytes_escaped"].encode())[0]
        found.append(written(folder / "bytes.csv", raw))
    if "file" in given:
        found.append(shared_dir() / "golden" / given["file"])
    return found


@pytest.mark.parametrize("case", [c for c in tables() if "labels" not in str(c)])
def test_a_table_is_read_as_it_is(case: Case, tmp_path: Path) -> None:
    """Ids and texts letter by letter, every row, every passage."""
    check = case["check"]
    for path in files(case, tmp_path):
        if "duplicate" in check:
            refused(case, path, tmp_path)
            continue
        found = read(path)
        ids = [r.id for r in found.records]
        answers = [r.answer for r in found.records]
        contexts = [p[0] for p in found.passages if p]

        assert ids == check.get("ids", ids)
        assert set(check.get("ids_contain", ())) <= set(ids)
        assert len(set(ids)) == len(ids) > 0
        assert answers == check.get("answers", answers)
        assert contexts == check.get("contexts", contexts)
        assert found.passages == check.get("passages", found.passages)
        assert len(ids) == check.get("n", len(ids))
        assert len(contexts[0]) == check.get("context_len", len(contexts[0]))


def refused(case: Case, path: Path, folder: Path) -> None:
    """Both lines of the duplicate are named, and nothing is stored; also in a dry run."""
    with Workspace.init(folder / "workspace") as workspace:
        for dry_run in (False, True):
            with pytest.raises(ConflictError) as e:
                workspace.import_files([path], dry_run=dry_run)
            assert repr(case["check"]["duplicate"]) in e.value.message
            first, second = case["check"]["lines"]
            assert f"{path}:{first}" in e.value.message
            assert e.value.line == second
        assert workspace.store.counts().records == 0


@pytest.mark.parametrize("case", golden_cases("import", "newline-in-cell", "u2028"))
def test_what_looks_like_a_line_end_stays_in_its_cell(case: Case, tmp_path: Path) -> None:
    """Every character of a cell is there, in its order; CRLF inside a cell stays CRLF."""
    if case["input"]["format"] != "csv":
        return
    (path,) = files(case, tmp_path)
    context = read(path).passages[0][0]

    assert context.replace('"', '""') in case["input"]["text"]
    assert set(context) >= set(case["input"]["text"]) & set("\f\x1c\x0b\u2028\u2029\x85\r\n,") - {
        c for c in "\r\n," if c not in context
    }


@pytest.mark.parametrize("case", golden_cases("import", "bool-labels"))
def test_labels_are_true_or_false_and_never_guessed(case: Case, tmp_path: Path) -> None:
    """A word that is neither is an error with its line; the others keep their meaning."""
    (path,) = files(case, tmp_path)
    expected = case["check"]["labels"]
    bad_lines = [n for n, label in enumerate(expected, 2) if label == "error"]
    with pytest.raises(InputError) as e:
        read(path)
    assert e.value.line == bad_lines[0]
    bad: list[Any] = []
    found = read(path, bad=bad)

    assert [line.line for line in bad] == bad_lines
    values = {u.text: None for u in found.units}
    for label in found.labels:
        values[next(u.text for u in found.units if u.key == label.unit)] = label.label == "entailed"
    good = [x for x in expected if x != "error"]
    assert [
        a == b or b == "true_or_error" for a, b in itertools.zip_longest(values.values(), good)
    ] == [True] * len(good)
    assert {label.annotator for label in found.labels} == {"unnamed"}
    assert any("labels of a person" in note for note in found.reading.notes)


@pytest.mark.parametrize("case", golden_cases("import", "numpy-truth"))
def test_a_null_list_is_a_missing_context(case: Case, tmp_path: Path) -> None:
    """And not an empty one: nobody says that retrieval returned nothing."""
    (path,) = files(case, tmp_path)
    found: Read = read(path)
    rows = case["input"]["rows"]

    assert [r.context is None for r in found.records] == [row["contexts"] is None for row in rows]
