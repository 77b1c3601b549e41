"""Formats are told from content; what cannot be read says so."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from shared import shared_dir
from trueup.errors import InputError, UsageError
from trueup.exchange import detect
from trueup.exchange.jsonl import import_jsonl

SAMPLES = {
    "beir_corpus.jsonl": "beir", "beir_qrels_test.tsv": "beir", "beir_queries.jsonl": "beir",
    "deepeval_goldens.json": "deepeval", "deepeval_latest_run_full.json": "deepeval",
    "eval_lib_cache_results.json": "eval-lib", "label_studio_export.json": "label-studio",
    "label_studio_tasks.json": "label-studio", "langfuse_observations_v2.jsonl": "langfuse",
    "langfuse_scores.jsonl": "langfuse", "openai_evals_api_output_items.json": "openai-evals",
    "openai_evals_api_rows.jsonl": "openai-evals", "openai_evals_log.jsonl": "openai-evals",
    "openai_evals_samples.jsonl": "openai-evals", "phoenix_qa_with_context.jsonl": "phoenix",
    "phoenix_retrieved_documents.jsonl": "phoenix", "phoenix_span_annotations.jsonl": "phoenix",
    "phoenix_spans_dataframe.jsonl": "phoenix", "promptfoo_results.json": "promptfoo",
    "ragas_metric_annotation.json": "ragas", "ragas_v1_hf_columns.json": "ragas",
    "ragas_to_csv.csv": "ragas", "deepeval_dataset.csv": "deepeval",
    "ragchecker_input.json": "ragchecker", "ragtruth_response.jsonl": "ragtruth",
    "ragtruth_source_info.jsonl": "ragtruth", "trec_qrels.txt": "trec", "trec_run.txt": "trec",
    "trulens_ground_truth.jsonl": "trulens", "trulens_records.jsonl": "trulens",
    "ragas_v2.jsonl": "ragas", "eval_lib_testcases.jsonl": "eval-lib",
    "mlflow_eval_rows.jsonl": "mlflow",
}  # fmt: skip


@pytest.mark.parametrize(("name", "kind"), SAMPLES.items())
def test_each_sample_is_recognised(name: str, kind: str) -> None:
    """By what stands in it, not by its name."""
    assert detect.sniff(shared_dir() / "golden" / "formats" / name) == kind


@pytest.mark.parametrize(
    "content",
    [
        b'{"id": "1", "answer": "a"}\n',
        b'{"id": "1", "answer": "a"}',
        b"\xef\xbb\xbf\n\n" + b'{"question": "q", "claims": []}\r\n',
        b'{"id": "1", "answer": "' + b"x" * 200_000 + b'"}\n{"id": "2", "answer": "a"}',
        b"{broken",
        b'[{"id": "1", "answer": "a"}]',
        b'{"id": "1", "answer": "a", "spec": 1, "input": "q", "ideal": "i"}',
    ],
)
def test_trueup_jsonl_is_the_usual_case(content: bytes, tmp_path: Path) -> None:
    """Also where the first line is longer than the head that is looked at, or broken, and where it
    has keys of other formats beside our own."""
    path = tmp_path / "any.name"
    path.write_bytes(content)

    assert detect.reader_for(path) == ("jsonl", import_jsonl)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (b"\x80\x04\x95\x10", "pickle"),
        (b"cos\nsystem\n(S'true'\ntR.", "pickle"),
        (b"PK\x03\x04rest", "zip"),
        (b"\x1f\x8b\x08", "gzip"),
        (b"SQLite format 3\x00", "SQLite"),
        (b"%PDF-1.7", "PDF"),
        (b"\x7fELF\x00\x00", "binary"),
        ('{"id": 1}'.encode("utf-16"), "UTF-16"),
        ("id,answer".encode("utf-16-le"), "binary"),
        (b"<html>", "XML or HTML"),
        (b"PAR1\x15", "is no Parquet file"),
        (b"--- \n- id: 1\n", "YAML"),
        (b"records:\n  - !!python/object/apply:os.system ['id']\n", "YAML"),
    ],
)
def test_what_cannot_be_read_is_refused(content: bytes, message: str, tmp_path: Path) -> None:
    """With what it is, under whatever name."""
    path = tmp_path / "in.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        detect.reader_for(path)


def test_an_unknown_format_lists_the_known_ones(tmp_path: Path) -> None:
    """`--format` takes the names of the contract."""
    path = tmp_path / "in.jsonl"
    path.write_text('{"answer": "a"}')
    with pytest.raises(UsageError) as e:
        detect.reader_for(path, "xlsx")
    assert "ragtruth" in (e.value.hint or "")
    assert detect.reader_for(path, "jsonl")[0] == "jsonl"
    with pytest.raises(InputError, match="cannot be read"):
        detect.reader_for(tmp_path / "absent", None)


@pytest.mark.parametrize("name", detect.READERS)
def test_each_reader_exists(name: str) -> None:
    """The registry names modules without importing them; each name leads to a function."""
    module, _, function = detect.READERS[name].partition(":")

    assert name in detect.FORMATS
    assert callable(getattr(importlib.import_module(module), function))
