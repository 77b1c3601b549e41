"""Reads what deepeval writes: goldens and test cases (JSON, CSV), and saved test runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from trueup.domain.transfer import ImportedRecord
from trueup.exchange.deepeval_run import metric_entries
from trueup.exchange.entries import FieldError
from trueup.exchange.json_read import inside
from trueup.exchange.jsonl import read_object
from trueup.exchange.literals import boolean, structured
from trueup.exchange.outside import left_over, object_in, objects_in, snaked, text_in
from trueup.exchange.reading import Reading, Row
from trueup.exchange.rows import rows_of

_LISTS = ("testCases", "test_cases", "goldens")
_SEPARATOR = "|"
"""What deepeval puts between the texts of a list in a CSV cell; it escapes none within."""
_MADE_NAME = re.compile(r"test_case_\d+\Z")
_USED = (
    "name", "input", "actual_output", "expected_output", "retrieval_context", "context", "success",
    "metrics_data", "additional_metadata", "metadata", "order", "run_duration", "evaluation_cost",
)  # fmt: skip


def read_deepeval(paths: Sequence[Path], reading: Reading) -> Iterator[ImportedRecord]:
    """Test cases as records: `retrieval_context` is the context, `context` the gold texts.

    In a saved run a test case that did not succeed is failing, and the verdicts of its metrics are
    those of a recorded judge. A golden without an output is a record with an empty answer.
    """
    for row in rows_of(paths, reading):
        yield from reading.each(inside(row, *_LISTS), lambda row: _case(row, reading))


def _case(row: Row, reading: Reading) -> ImportedRecord:
    case = snaked(row.value)
    question = text_in(case, "input")
    answer = text_in(case, "actual_output")
    if question is None and answer is None:
        raise FieldError("", f"has no input and no actual_output (keys: {', '.join(row.value)})")
    meta = left_over(case, _USED)
    for key in ("additional_metadata", "metadata"):
        meta |= left_over(object_in(case.get(key)), ())
    value: dict[str, Any] = {
        "question": question,
        "answer": answer or "",
        "reference": text_in(case, "expected_output"),
        "context": _texts(case, "retrieval_context", reading),
        "gold_context": _texts(case, "context", reading),
        "meta": meta,
    }
    name = text_in(case, "name")
    if name and not _MADE_NAME.match(name):
        value["id"] = name
    success = boolean(case.get("success"))
    if success is not None:
        value["failing"] = not success
    metric_entries(value, objects_in(case.get("metrics_data"), "metricsData"), reading)
    return read_object(value, reading.entries, str(row.path), row.line)


def _texts(case: dict[str, Any], key: str, reading: Reading) -> list[Any] | None:
    """A list of texts; a cell of a table is split as deepeval joined it."""
    value = case.get(key)
    if value is None or value == "":
        return None
    if isinstance(value, str):
        found = structured(value)
        if isinstance(found, list):
            return found
        if _SEPARATOR in value:
            reading.say(f"{key}: cells are split at {_SEPARATOR!r}, as deepeval writes lists")
        return value.split(_SEPARATOR)
    if not isinstance(value, list):
        raise FieldError(key, "must be a list of texts")
    texts = [v.get("context", v.get("text")) if isinstance(v, dict) else v for v in value]
    if not all(isinstance(text, str) for text in texts):
        raise FieldError(key, "must be a list of texts")
    return texts
