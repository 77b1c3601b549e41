"""Reads what ragas writes: samples (v1 and v2 names, conversations) and metric annotations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from trueup.domain.transfer import ImportedRecord
from trueup.exchange.cells import record_value
from trueup.exchange.fields import check_shape, fields_of
from trueup.exchange.json_read import inside
from trueup.exchange.jsonl import read_object
from trueup.exchange.outside import content_text, listed, objects_in
from trueup.exchange.ragas_annotation import annotated, is_annotation
from trueup.exchange.reading import Reading, Row
from trueup.exchange.rows import rows_of


def read_ragas(paths: Sequence[Path], reading: Reading) -> Iterator[ImportedRecord]:
    """Samples as records; their scores, which are no verdicts, stay metadata.

    `retrieved_context_ids` become the ids of the chunks, `reference_contexts` the gold texts. A
    file of metric annotations gives claims, with the metric's verdicts, and people's edits as
    labels.
    """
    for row in rows_of(paths, reading):
        if is_annotation(row.value):
            yield from annotated(row, reading)
            continue
        yield from reading.each(
            inside(row, "samples", "dataset", "data"), lambda row: _sample(row, reading)
        )


def _sample(row: Row, reading: Reading) -> ImportedRecord:
    value = with_chunk_ids(_conversation(dict(row.value)))
    fields = fields_of(value)
    check_shape(fields.values(), list(row.value))
    record = record_value(value, fields)
    record.setdefault("answer", "")
    return read_object(record, reading.entries, str(row.path), row.line)


def with_chunk_ids(value: dict[str, Any]) -> dict[str, Any]:
    """The row with `retrieved_context_ids` as the ids of `retrieved_contexts`, where they pair."""
    ids = listed(value.get("retrieved_context_ids"))
    texts = listed(value.get("retrieved_contexts"))
    if ids and len(ids) == len(texts) and all(isinstance(text, str) for text in texts):
        chunks = [{"id": i, "text": text} for i, text in zip(ids, texts, strict=True)]
        return {**value, "retrieved_contexts": chunks}
    return value


def _conversation(value: dict[str, Any]) -> dict[str, Any]:
    """A conversation as its last question and its last answer; the messages before as metadata."""
    messages = value.get("user_input")
    if not isinstance(messages, list):
        return value
    spoken = objects_in(messages, "user_input")
    texts = [(m.get("type", m.get("role")), content_text(m.get("content"))) for m in spoken]
    answers = [i for i, (who, _) in enumerate(texts) if who in ("ai", "assistant")]
    end = answers[-1] if answers else len(texts)
    asked = [text for who, text in texts[:end] if who in ("human", "user")]
    value["user_input"] = asked[-1] if asked else None
    value["messages"] = messages
    if value.get("response") is None and answers:
        value["response"] = texts[end][1]
    return value
