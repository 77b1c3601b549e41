"""Every sample of a format that people bring is read whole: right counts, in the right places."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from exchange_help import Read, read
from shared import shared_dir
from trueup.errors import InputError
from trueup.exchange.detect import FORMATS
from trueup.store import Store

QUESTION = "How long can I keep a bike before extra charges start?"
ANSWER = (
    "You can keep a bike for 45 minutes. After that you pay 0.30 EUR per 10 minutes, and helmets "
    "are free."
)
REFERENCE = "A ride includes 45 minutes; every further 10 minutes costs 0.30 EUR."
PASSAGES = [
    (
        "Every ride includes 45 minutes. After that the app bills 0.30 EUR for each further 10 "
        "minutes."
    ),
    "Helmets are available at staffed stations only.",
]
TWO = "Can two people share one account?"

SAMPLES: dict[str, dict[str, Any]] = {
    # files: format, (records, claims, labels, verdicts), what the first record has
    "ragas_v1_hf_columns.json": {"format": "ragas", "counts": (2, 0, 0, 0)},
    "ragas_v2.jsonl": {"format": "ragas", "counts": (2, 0, 0, 0)},
    "ragas_to_csv.csv": {"format": "ragas", "counts": (2, 0, 0, 0)},
    "ragas_metric_annotation.json": {
        "format": "ragas", "counts": (1, 3, 3, 3), "without": "reference",
    },
    "deepeval_goldens.json": {"format": "deepeval", "counts": (1, 0, 0, 0)},
    "deepeval_dataset.csv": {"format": "deepeval", "counts": (1, 0, 0, 0)},
    "deepeval_latest_run_full.json": {"format": "deepeval", "counts": (1, 1, 0, 1)},
    "eval_lib_testcases.jsonl": {"format": "eval-lib", "counts": (1, 0, 0, 0)},
    "eval_lib_cache_results.json": {"format": "eval-lib", "counts": (1, 4, 0, 4)},
    "promptfoo_results.json": {"format": "promptfoo", "counts": (1, 1, 1, 1)},
    "langfuse_observations_v2.jsonl": {
        "format": "langfuse", "counts": (1, 0, 0, 0), "without": "reference",
    },
    "langfuse_observations_v2.jsonl langfuse_scores.jsonl": {
        "format": "langfuse", "counts": (1, 1, 1, 1), "without": "reference",
    },
    "phoenix_spans_dataframe.jsonl": {
        "format": "phoenix", "counts": (1, 0, 0, 0), "without": "reference",
    },
    "phoenix_spans_dataframe.jsonl phoenix_span_annotations.jsonl": {
        "format": "phoenix", "counts": (1, 1, 1, 1), "without": "reference",
    },
    "phoenix_qa_with_context.jsonl phoenix_retrieved_documents.jsonl": {
        "format": "phoenix", "counts": (1, 0, 0, 0), "without": "reference",
    },
    "phoenix_qa_with_context.jsonl phoenix_span_annotations.jsonl": {
        "format": "phoenix", "counts": (1, 1, 1, 1), "without": "reference", "passages": 1,
    },
    "phoenix_retrieved_documents.jsonl": {
        "format": "phoenix", "counts": (1, 0, 0, 0), "without": "reference answer",
    },
    "trulens_records.jsonl": {
        "format": "trulens", "counts": (1, 1, 0, 1), "without": "reference",
    },
    "trulens_ground_truth.jsonl": {
        "format": "trulens", "counts": (1, 0, 0, 0), "without": "answer context",
    },
    "openai_evals_log.jsonl": {
        "format": "openai-evals", "counts": (1, 0, 0, 0), "without": "context",
    },
    "openai_evals_samples.jsonl": {
        "format": "openai-evals", "counts": (1, 0, 0, 0), "without": "answer", "passages": 1,
    },
    "openai_evals_api_rows.jsonl": {"format": "openai-evals", "counts": (1, 0, 0, 0)},
    "openai_evals_api_output_items.json": {"format": "openai-evals", "counts": (1, 1, 0, 1)},
    "ragtruth_response.jsonl ragtruth_source_info.jsonl": {
        "format": "ragtruth", "counts": (1, 2, 2, 0), "without": "reference",
    },
    "ragtruth_response.jsonl": {
        "format": "ragtruth", "counts": (1, 2, 2, 0), "without": "reference question context",
    },
    "ragchecker_input.json": {"format": "ragchecker", "counts": (1, 0, 0, 0)},
    "mlflow_eval_rows.jsonl": {
        "format": "mlflow", "counts": (1, 0, 0, 0), "without": "context",
    },
    "beir_queries.jsonl": {
        "format": "beir", "counts": (1, 0, 0, 0), "without": "answer reference context",
    },
    "beir_corpus.jsonl beir_queries.jsonl beir_qrels_test.tsv": {
        "format": "beir", "counts": (1, 0, 0, 0), "without": "answer reference context",
    },
    "beir_corpus.jsonl beir_queries.jsonl beir_qrels_test.tsv trec_run.txt": {
        "format": "beir", "counts": (1, 0, 0, 0), "without": "answer reference",
    },
    "beir_qrels_test.tsv": {
        "format": "beir", "counts": (1, 0, 0, 0), "without": "question answer reference context",
    },
    "trec_run.txt": {
        "format": "trec", "counts": (1, 0, 0, 0), "without": "question answer reference context",
    },
    "trec_qrels.txt trec_run.txt": {
        "format": "trec", "counts": (1, 0, 0, 0), "without": "question answer reference context",
    },
    "label_studio_tasks.json": {
        "format": "label-studio", "counts": (1, 3, 0, 3), "without": "reference", "passages": 1,
    },
    "label_studio_export.json": {
        "format": "label-studio", "counts": (1, 3, 3, 0), "without": "reference context",
    },
}  # fmt: skip
ALONE = {
    "beir_corpus.jsonl": "texts without questions",
    "langfuse_scores.jsonl": "in none of the files and not in the workspace",
    "phoenix_span_annotations.jsonl": "in none of the files and not in the workspace",
    "ragtruth_source_info.jsonl": "without the responses",
    "label_studio_config.xml": "XML",
}
"""Files that are parts: what they need is said."""


def sample(names: str, **options: Any) -> Read:
    """The samples of these names, read together."""
    folder = shared_dir() / "golden" / "formats"
    return read(*(folder / name for name in names.split()), **options)


@pytest.mark.parametrize("names", SAMPLES)
def test_a_sample_is_read_whole(names: str, tmp_path: Path) -> None:
    """Its records, claims, labels and verdicts, counted; its texts in place; and stored."""
    expected = SAMPLES[names]
    found = sample(names)

    assert found.formats[0] == expected["format"]
    counts = (len(found.items), len(found.units), len(found.labels), len(found.verdicts))
    assert counts == expected["counts"]
    first, without = found.records[0], expected.get("without", "").split()
    assert first.question == (None if "question" in without else QUESTION)
    assert first.answer == ("" if "answer" in without else ANSWER)
    assert first.reference == (None if "reference" in without else REFERENCE)
    if "context" not in without:
        n = expected.get("passages", 2)
        assert len(found.passages[0]) == n
        assert all(p in "\n".join(found.passages[0]) for p in PASSAGES)
    if counts[0] == 2:
        assert found.records[1].question == TWO
    with Store.open(tmp_path / "trueup.db", create=True) as store:
        stored = store.import_records(found.items)
        assert (stored.records, stored.units, stored.labels, stored.verdicts) == counts
        again = store.import_records(sample(names).items)
        assert (again.records, again.units, again.verdicts, again.labels) == (0, 0, 0, 0)


@pytest.mark.parametrize(("name", "reason"), ALONE.items())
def test_a_part_alone_says_what_it_needs(name: str, reason: str) -> None:
    """No success with no record."""
    with pytest.raises(InputError, match=reason):
        sample(name)


def test_no_sample_was_forgotten() -> None:
    """Each file of the folder is in a test above; each format of the list has one."""
    named = {name for names in SAMPLES for name in names.split()} | set(ALONE)
    there = {p.name for p in (shared_dir() / "golden" / "formats").iterdir()}

    assert there <= named
    assert set(FORMATS) - {s["format"] for s in SAMPLES.values()} == {"jsonl", "csv", "parquet"}


def test_people_and_judges_stay_apart() -> None:
    """Who said what, in every sample that holds both."""
    for names, people, judges in (
        ("ragas_metric_annotation.json", {"ragas"}, {"ragas/faithfulness": ""}),
        (
            "promptfoo_results.json",
            {"promptfoo"},
            {"openai:gpt-4.1/context-faithfulness": "openai:gpt-4.1"},
        ),
        (
            "langfuse_observations_v2.jsonl langfuse_scores.jsonl",
            {"langfuse"},
            {"langfuse/groundedness": ""},
        ),
        (
            "phoenix_spans_dataframe.jsonl phoenix_span_annotations.jsonl",
            {"phoenix"},
            {"gpt-4.1/faithfulness": "gpt-4.1"},
        ),
        ("label_studio_export.json", {"7"}, {}),
        ("label_studio_tasks.json", set(), {"gpt-4.1-mini@p:3fa9c1": ""}),
    ):
        found = sample(names)
        assert {label.annotator for label in found.labels} == people, names
        assert found.judges == judges, names


def test_claims_of_the_samples() -> None:
    """Texts, values and evidence of the files that rule claim by claim."""
    ragas = sample("ragas_metric_annotation.json")
    assert [v.value for v in ragas.verdicts] == ["entailed"] * 3
    assert [x.label for x in ragas.labels] == ["entailed", "entailed", "not_entailed"]
    assert [x.blind for x in ragas.labels] == [False] * 3
    assert sample("deepeval_latest_run_full.json").said() == [
        ("helmets are free", "groundedness", "not_entailed")
    ]
    cache = sample("eval_lib_cache_results.json")
    assert [(m, v) for _, m, v in cache.said()] == [
        ("contextual_recall", "entailed"), ("contextual_recall", "entailed"),
        ("groundedness", "entailed"), ("groundedness", "not_entailed"),
    ]  # fmt: skip
    assert cache.verdicts[3].evidence[0].quote.startswith("fter that the app")
    assert sample("trulens_records.jsonl").said() == [
        ("helmets are free", "groundedness", "not_entailed")
    ]
    truth = sample("ragtruth_response.jsonl ragtruth_source_info.jsonl")
    assert [(u.text, x.label) for u, x in zip(truth.units, truth.labels, strict=True)] == [
        (ANSWER[:35], "entailed"), (ANSWER[36:], "not_entailed"),
    ]  # fmt: skip


def test_what_the_samples_say_of_the_records() -> None:
    """Ids, gold, retrieved, releases, and whether the record is failing."""
    assert sample("promptfoo_results.json").records[0].failing is True
    assert sample("deepeval_latest_run_full.json").records[0].failing is True
    assert sample("openai_evals_log.jsonl").records[0].failing is True
    assert sample("deepeval_goldens.json").records[0].gold_context == (PASSAGES[0],)
    ragas = sample("ragas_v2.jsonl").records[0]
    assert [c.id for c in ragas.context or ()] == ["fees-2", "helmets-1"]
    assert (ragas.gold, ragas.retrieved) == (("fees-2",), ("fees-2", "helmets-1"))
    assert sample("eval_lib_testcases.jsonl").records[0].gold == ("fees-2",)
    assert sample("trulens_records.jsonl").records[0].release == "v3"
    assert sample("trulens_ground_truth.jsonl").records[0].gold_context == (PASSAGES[0],)
    beir = sample("beir_corpus.jsonl beir_queries.jsonl beir_qrels_test.tsv trec_run.txt")
    record = beir.records[0]
    assert (record.gold, record.gold_context) == (("fees-2",), (PASSAGES[0],))
    assert record.retrieved == ("fees-2", "helmets-1")
    assert sample("trec_qrels.txt").records[0].gold == ("fees-2",)
