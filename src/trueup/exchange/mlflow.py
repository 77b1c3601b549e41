"""Reads rows of MLflow's evaluation of generative models: inputs, outputs, expectations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from trueup.domain.transfer import ImportedRecord
from trueup.exchange.entries import FieldError
from trueup.exchange.jsonl import read_object
from trueup.exchange.outside import (
    answer_in,
    chunks_in,
    first_in,
    inner,
    left_over,
    object_in,
    question_in,
    text_in,
)
from trueup.exchange.reading import Reading, Row
from trueup.exchange.rows import rows_of


def read_mlflow(paths: Sequence[Path], reading: Reading) -> Iterator[ImportedRecord]:
    """One record for each row. Without `expected_response` the expected facts are the reference,
    one claim each."""
    yield from reading.each(rows_of(paths, reading), lambda row: _record(row, reading))


def _record(row: Row, reading: Reading) -> ImportedRecord:
    value = row.value
    if "inputs" not in value:
        raise FieldError("inputs", f"is missing (keys: {', '.join(value)})")
    given = inner(value["inputs"])
    expected = object_in(value.get("expectations"))
    context = first_in(given, "context") if isinstance(given, dict) else None
    record: dict[str, Any] = {
        "question": question_in(given),
        "context": chunks_in(context),
        "answer": answer_in(value.get("outputs")) or "",
        "reference": text_in(expected, "expected_response"),
        "meta": left_over(object_in(value.get("tags")), ())
        | left_over(expected, ("expected_response",)),
    }
    facts = expected.get("expected_facts")
    if record["reference"] is None and isinstance(facts, list) and facts:
        record["reference"] = "\n".join(map(str, facts))
        record["claims"] = [{"text": str(fact), "of": "reference"} for fact in facts]
        record["meta"].pop("expected_facts", None)
    return read_object(record, reading.entries, str(row.path), row.line)
