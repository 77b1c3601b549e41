"""Files that are out to break an importer: each is read right, or refused in words."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from exchange_help import read, written
from shared import shared_dir
from trueup.errors import TrueupError
from trueup.exchange.detect import sniff


def refused(path: Path, **options: Any) -> TrueupError:
    """The error of a file; any other exception fails the test."""
    with pytest.raises(TrueupError) as e:
        read(path, **options)
    assert str(path) in str(e.value)
    return e.value


def test_excels_hint_and_old_line_ends(tmp_path: Path) -> None:
    """`sep=;` before the header, cp1252, lone CRs, a comma in every header."""
    text = "sep=;\r\nfrage, bitte;answer;id, nr\r\nGrün?;Ja, grün.;007\r\n"
    path = written(tmp_path / "e.csv", text.encode("cp1252"))
    found = read(path, mapping={"frage, bitte": "question", "id, nr": "id"})

    assert [(r.id, r.question, r.answer) for r in found.records] == [("007", "Grün?", "Ja, grün.")]
    path = written(tmp_path / "mac.csv", 'id;answer\r1;a, b\r2;"c\rd"\r')
    assert [r.answer for r in read(path).records] == ["a, b", "c\rd"]


def test_a_quote_that_would_swallow_the_rest(tmp_path: Path) -> None:
    """A thousand rows behind an open quotation mark are not one cell."""
    rows = "".join(f"{i},answer {i}\n" for i in range(1000))
    error = refused(written(tmp_path / "q.csv", 'id,answer\n0,"5" screen\n' + rows))

    assert error.line == 2  # type: ignore[attr-defined]
    assert "double" in (error.hint or "")


def test_json_under_a_table_s_name(tmp_path: Path) -> None:
    """Content decides: JSON Lines called .csv, CSV called .json, Parquet called .jsonl."""
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    assert read(written(tmp_path / "a.csv", '{"id": "x", "answer": "a, b"}\n')).records[0].id == "x"
    assert read(written(tmp_path / "a.json", "id,answer\nx,y\n")).records[0].id == "x"
    pq.write_table(pa.table({"id": ["x"], "answer": ["y"]}), tmp_path / "a.jsonl")
    assert read(tmp_path / "a.jsonl").records[0].id == "x"


def test_a_truncated_parquet_file(tmp_path: Path) -> None:
    """Whatever is cut off, and with the magic bytes alone."""
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    whole = tmp_path / "whole"
    pq.write_table(pa.table({"id": ["x"] * 50, "answer": [f"y{i}" for i in range(50)]}), whole)
    raw = whole.read_bytes()
    for cut in (4, 5, len(raw) // 2, len(raw) - 1):
        error = refused(written(tmp_path / "cut.parquet", raw[:cut]))
        assert "no Parquet file" in str(error)
    damaged = bytearray(raw)
    damaged[10:40] = b"\xff" * 30
    assert "Parquet" in str(refused(written(tmp_path / "damaged.parquet", bytes(damaged))))


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    """A NUL at the start is a binary file; far behind, it is data that cannot act."""
    assert "binary" in str(refused(written(tmp_path / "n.csv", b"id,answer\n\x00\x01,x\n")))
    late = "id,answer\n" + "".join(f"{i},{'a' * 90}\n" for i in range(800)) + "last,x\x00y\n"
    assert read(written(tmp_path / "l.csv", late)).records[-1].answer == "x\u2400y"
    bad = b"id,answer\n1,\x81\x8d\x8f\n"
    assert "neither UTF-8 nor cp1252" in str(refused(written(tmp_path / "b.csv", bad)))


def test_code_in_cells_is_text(tmp_path: Path) -> None:
    """Nothing in a cell is run, looked up, or grown."""
    marker = tmp_path / "PWNED"
    cells = [
        f"__import__('pathlib').Path({str(marker)!r}).touch()",
        "[9**9**9]", "[(lambda: 0)()]", "{'a': open}", "{0: 1}", "[" * 5000, "['" + "\\" * 50_000,
        "[" + "'a'" * 20_000 + "x", "array(" * 3000, "[" + "1," * 50_000 + "]",
    ]  # fmt: skip
    rows = "".join(
        f'{i},a,"{cell.replace(chr(34), chr(34) * 2)}"\n' for i, cell in enumerate(cells)
    )
    path = written(tmp_path / "c.csv", "id,answer,context\n" + rows)
    found = read(path, bad=[])

    assert len(found.records) + len(found.reading.bad or ()) == len(cells)
    assert not marker.exists()
    assert all(isinstance(text, str) for passages in found.passages for text in passages)


@pytest.mark.parametrize("depth", [150, 400, 1_000, 100_000])
def test_nesting_everywhere(depth: int, tmp_path: Path) -> None:
    """In a list, in an object, in a cell, in metadata that is stored: read, or refused by name."""
    deep = "[" * depth + "]" * depth
    texts = {
        "list.json": f'[\n{{"id": "1", "answer": "a", "x": {deep}}}]',
        "object.json": f'{{\n"id": "1", "answer": "a", "x": {deep}}}',
        "lines.jsonl": f'{{"id": "1", "answer": "a", "x": {deep}}}\n',
        "cell.csv": f'id,answer,context\n1,a,"{deep}"\n',
        "results.json": f'{{\n"evalId": "e", "results": {deep}}}',
    }
    for name, text in texts.items():
        path = written(tmp_path / name, text)
        if depth > 150:
            assert "nested too deeply" in str(refused(path)) or name == "cell.csv"
        elif name != "results.json":
            assert read(path).records[0].id == "1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("---\nid: 1\nanswer: !!python/object/apply:os.system ['id']\n", "YAML"),
        ("answer: !!python/name:os.system\n", "YAML"),
        ("<?xml version='1.0'?><!DOCTYPE x [<!ENTITY a 'b'>]><x>&a;</x>", "XML"),
        ("cposix\nsystem\n(S'id'\ntR.", "pickle"),
        ('[{"id": 1, "answer": "a"}', "not JSON"),
        ('[{"id": 1, "answer": "a"},]', "not JSON"),
        ('{"id": 1, "answer": "a"}\n{"id": 2, "answer": ', "not JSON"),
        ("[1, 2, 3]", "must be an object"),
        ('"just a text"', "holds no record"),
        ("just a text\nand another\n", "no answer and no claim; its columns: just a text"),
        ("null", "holds no record"),
        ("[]", "holds no record"),
        ("{}", "keys here"),
        ("\n\n   \n", "is empty"),
        ("\ufeff", "is empty"),
        (",,,\n,,,\n", "no answer and no claim"),
        ("id,answer\n,,,,\n", "holds no record"),
    ],
)
def test_what_is_no_file_of_ours(text: str, message: str, tmp_path: Path) -> None:
    """One sentence that says what it is."""
    error = refused(written(tmp_path / "in.json", text))

    assert message in str(error)
    assert "\n" not in str(error)


def test_wide_and_long_tables(tmp_path: Path) -> None:
    """Ten thousand columns; a header of one megabyte; a row of one."""
    header = ",".join(["id", "answer", *(f"column {i}" for i in range(10_000))])
    wide = written(tmp_path / "w.csv", header + "\n1,a" + ",v" * 10_000 + "\n")
    assert len(read(wide).records[0].meta) == 10_000
    name = "n" * 1_000_000
    error = refused(written(tmp_path / "h.csv", f'"{name}",answers\nx,y\n'))
    assert len(str(error)) < 500
    path = written(tmp_path / "h.csv", f'"{name}",answer\nx,y\n')
    assert read(path).records[0].meta == {name: "x"}
    long = written(tmp_path / "l.csv", "id,answer\n1," + "a" * 3_000_000 + "\n")
    assert len(read(long).records[0].answer) == 3_000_000


def test_ids_that_look_alike_stay_apart(tmp_path: Path) -> None:
    """Case, spaces, composed letters, look-alikes, and bidirectional controls."""
    ids = [
        "q",
        "Q",
        "q ",
        " q",
        "é",
        "e\u0301",
        "\u0430",
        "a",
        "a\u202e",
        "a\u200b",
        "1",
        "1.0",
        "01",
    ]
    path = written(tmp_path / "i.csv", "id,answer\n" + "".join(f'"{i}",x\n' for i in ids))
    assert [r.id for r in read(path).records] == ids


VALUES: tuple[Any, ...] = (
    None, 7, -1.5, True, "x", "", [], {}, [None], [[]], {"a": 1}, "[1", "NaN", [7], ["x"],
    [{"x": 1}],
)  # fmt: skip
PAIRS = {
    "langfuse_scores.jsonl": "langfuse_observations_v2.jsonl",
    "phoenix_span_annotations.jsonl": "phoenix_spans_dataframe.jsonl",
    "phoenix_retrieved_documents.jsonl": "phoenix_qa_with_context.jsonl",
    "ragtruth_source_info.jsonl": "ragtruth_response.jsonl",
    "ragtruth_response.jsonl": "ragtruth_source_info.jsonl",
    "beir_corpus.jsonl": "beir_qrels_test.tsv",
}


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to each value inside a value."""
    if path:
        yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in inner:
        if isinstance(item, (dict, list)):
            yield from places(item, (*path, key))
        else:
            yield (*path, key)


def broken(rows: Any, rng: random.Random) -> Any:
    """A copy with one value replaced, or gone."""
    made = copy.deepcopy(rows)
    *way, last = rng.choice(list(places(made)))
    inner = made
    for key in way:
        inner = inner[key]
    if rng.random() < 0.1:
        del inner[last]
    else:
        inner[last] = rng.choice(VALUES)
    return made


@pytest.mark.parametrize(
    "name",
    [
        "ragas_v1_hf_columns.json", "ragas_v2.jsonl", "ragas_metric_annotation.json",
        "deepeval_goldens.json", "deepeval_latest_run_full.json", "eval_lib_testcases.jsonl",
        "eval_lib_cache_results.json", "promptfoo_results.json", "langfuse_observations_v2.jsonl",
        "phoenix_qa_with_context.jsonl", "phoenix_spans_dataframe.jsonl", "trulens_records.jsonl",
        "trulens_ground_truth.jsonl", "openai_evals_log.jsonl", "openai_evals_samples.jsonl",
        "openai_evals_api_rows.jsonl", "openai_evals_api_output_items.json",
        "ragchecker_input.json", "mlflow_eval_rows.jsonl", "beir_queries.jsonl",
        "label_studio_tasks.json", "label_studio_export.json", *PAIRS,
    ],
)  # fmt: skip
def test_a_value_of_any_type_anywhere(name: str, tmp_path: Path) -> None:
    """A file with one wrong value is read, or refused in words; it never ends in a traceback."""
    source = shared_dir() / "golden" / "formats" / name
    rng = random.Random(name)
    by_line = source.suffix == ".jsonl"
    text = source.read_text("utf-8")
    rows = [json.loads(line) for line in text.splitlines()] if by_line else json.loads(text)
    other = [source.parent / PAIRS[name]] if name in PAIRS else []
    format_ = sniff(source)
    for _ in range(60):
        made = broken(rows, rng)
        content = iter(made) if by_line else made
        path = written(tmp_path / name, content)
        for forced in (None, format_):
            assert outcome(path, *other, format=forced)


def outcome(*paths: Path, **options: Any) -> list[Any] | str:
    """Records, or the words of a refusal."""
    try:
        return read(*paths, **options).items
    except TrueupError as error:
        return str(error)
