"""Golden cases of imports whose format is JSONL, and of hostile files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from shared import golden_cases, shared_dir
from trueup.errors import InputError
from trueup.exchange.detect import reader_for
from trueup.exchange.jsonl import read_jsonl
from trueup.exchange.jsonl_write import write_jsonl
from trueup.store import Store

Case = dict[str, Any]


def cases(area: str, *kinds: str) -> list[Any]:
    """Golden cases of these kinds, those of area import only where their format is JSONL."""
    found = golden_cases(area, *kinds)
    return [
        c for c in found
        if c.values[0] is None or area != "import" or c.values[0]["input"].get("format") == "jsonl"
    ]  # fmt: skip


def written(case: Case, folder: Path) -> Path:
    """The case's text as a file."""
    path = folder / "case.jsonl"
    path.write_bytes(case["input"]["text"].encode("utf-8", "surrogatepass"))
    return path


@pytest.mark.parametrize("case", cases("import", "big-int", "crlf-jsonl", "u2028", "surrogate"))
def test_every_record_is_read(case: Case, tmp_path: Path) -> None:
    """Ids digit by digit; blank lines, CRLF, odd line ends and surrogates lose nothing."""
    records = [item.record for item in read_jsonl(written(case, tmp_path))]
    check = case["check"]

    assert [r.id for r in records] == check.get("ids", [r.id for r in records])
    assert len(records) == check.get("n", len(records)) == 2
    with Store.open(tmp_path / "trueup.db", create=True) as store:
        assert store.import_records(read_jsonl(written(case, tmp_path))).records == 2
        assert list(store.iter_records()) == records
    if case["kind"] == "u2028":
        assert records[0].context is not None
        assert {"\u2028", "\u2029", "\x85"} <= set(records[0].context[0].text)
    if case["kind"] == "surrogate":
        assert records[0].context is not None
        assert records[0].context[0].text == "bad \ufffd end"


@pytest.mark.parametrize("case", cases("import", "error-line"))
def test_a_bad_line_is_named_and_nothing_is_stored(case: Case, tmp_path: Path) -> None:
    """The number counts blank lines; the good lines around it are not stored either."""
    with Store.open(tmp_path / "trueup.db", create=True) as store:
        with pytest.raises(InputError) as e:
            store.import_records(read_jsonl(written(case, tmp_path)))
        assert e.value.line == case["check"]["error_line"]
        assert store.counts().records == 0


@pytest.mark.parametrize("case", cases("import", "column-names"))
def test_names_of_other_tools_are_understood(case: Case, tmp_path: Path) -> None:
    """Both shapes of a case give the same fields; an unknown shape lists its keys."""
    path = written(case, tmp_path)
    assert reader_for(path)[0] == "jsonl"
    records = [item.record for item in read_jsonl(path)]

    assert len(records) == case["check"]["n"]
    assert {r.question for r in records} == {"q"}
    assert {r.answer for r in records} == {"a"}
    assert all(r.reference for r in records)
    contexts = [[c.text for c in r.context or ()] for r in records]
    assert contexts == case["check"].get("passages", contexts)
    assert all(contexts)
    if "ground_truths" in case["input"]["text"]:
        assert records[0].reference == "g1\n\ng2"
    path.write_text('{"prompt": "p", "completion": "c"}')
    with pytest.raises(InputError, match="prompt, completion"):
        list(read_jsonl(path))


@pytest.mark.parametrize("case", cases("import", "nan-json"))
def test_nan_is_never_a_text(case: Case, tmp_path: Path) -> None:
    """A NaN context is a missing one; a NaN elsewhere is null."""
    records = [item.record for item in read_jsonl(written(case, tmp_path))]

    assert [r.context is None for r in records] == [False, True]
    assert case["check"]["never_text"] not in repr(records).lower()


@pytest.mark.parametrize("case", cases("import", "round-trip"))
def test_an_export_can_be_imported(case: Case, tmp_path: Path) -> None:
    """Records, verdicts, labels and annotators: the same bytes after sorting."""
    with (
        Store.open(tmp_path / "a.db", create=True) as first,
        Store.open(tmp_path / "b.db", create=True) as second,
    ):
        counts = first.import_records(read_jsonl(written(case, tmp_path)))
        assert (counts.records, counts.units, counts.verdicts, counts.labels) == (1, 1, 1, 1)
        path = tmp_path / "export.jsonl"
        path.write_text("".join(write_jsonl(first.export_records())), "utf-8", newline="\n")
        assert second.import_records(read_jsonl(path)) == counts
        assert sorted(write_jsonl(second.export_records())) == sorted(
            write_jsonl(first.export_records())
        )
        assert second.current_labels()[0].annotator == "ana"


@pytest.mark.parametrize("case", [c for c in cases("security", "path") if "jsonl" in str(c)])
def test_a_path_in_the_data_is_data(case: Case, tmp_path: Path) -> None:
    """It is kept as metadata; what it names is not read into any field."""
    path = tmp_path / "case.jsonl"
    path.write_text(case["input"]["jsonl"])
    (item,) = read_jsonl(path)

    assert item.record.meta == {
        "context_file": "../../etc/passwd", "file_name": "/etc/hostname",
    }  # fmt: skip


@pytest.mark.parametrize("case", cases("security", "pickle"))
@pytest.mark.parametrize("name", ["evil.pkl", "evil.jsonl", "evil.parquet", "evil.csv"])
def test_a_pickle_is_refused_under_any_name(case: Case, name: str, tmp_path: Path) -> None:
    """It is never opened as a pickle; the file that it would make does not appear."""
    path = tmp_path / name
    path.write_bytes((shared_dir() / "golden" / case["input"]["file"]).read_bytes())
    for forced in (None, "jsonl"):
        with pytest.raises(InputError, match="pickle"):
            reader_for(path, forced)
    with pytest.raises(InputError, match="not JSON"):
        list(read_jsonl(path))
    assert [p.name for p in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("case", cases("security", "deep-json"))
def test_deep_json_is_refused_with_its_line(case: Case, tmp_path: Path) -> None:
    """No RecursionError, whatever the nesting is made of."""
    path = tmp_path / "case.jsonl"
    for text in (
        case["input"].get("jsonl", "[" * 1000),
        '{"answer":' * 100_000,
        json.dumps({"answer": "a", "x": []})[:-2] + "[" * 50_000 + "]" * 50_001 + "}",
    ):
        path.write_text('{"id": 1, "answer": "a"}\n' + text)
        with pytest.raises(InputError, match=r"nested too deeply|not JSON|must be an object") as e:
            list(read_jsonl(path))
        assert e.value.line == 2
    deep = shared_dir() / "golden" / "files" / "deep.jsonl"
    with pytest.raises(InputError, match="nested too deeply"):
        list(read_jsonl(deep))
