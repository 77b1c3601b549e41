"""Reads what Phoenix gives as data frames: spans, questions with context, retrieved documents, and
annotations, from one file or several."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trueup.domain.transfer import ImportedRecord
from trueup.exchange.base import id_text
from trueup.exchange.entries import FieldError
from trueup.exchange.jsonl import read_object
from trueup.exchange.outside import (
    answer_in,
    chunks_in,
    inner,
    left_over,
    listed,
    object_in,
    question_in,
    text_in,
)
from trueup.exchange.phoenix_annotations import Notes, annotation, position_of
from trueup.exchange.reading import Reading, Row
from trueup.exchange.rows import rows_of
from trueup.exchange.whole import add_to_known, add_whole

_RETRIEVER = "RETRIEVER"
_DOCUMENTS = "attributes.retrieval.documents"
_META = ("name", "metadata", "attributes.metadata", "attributes.session.id", "start_time")


@dataclass(slots=True)
class _Trace:
    """What is known of one trace."""

    first: Row
    answers: list[Row] = field(default_factory=list)
    spans: list[Row] = field(default_factory=list)
    documents: list[Row] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    """Span ids."""


def read_phoenix(paths: Sequence[Path], reading: Reading) -> Iterator[ImportedRecord]:
    """One record for each trace, under the id of its root span.

    Question and answer come from the root span (or the row with context), chunks from retrieved
    documents. Annotations by HUMAN are labels, by LLM or CODE verdicts of a recorded judge: on the
    whole answer, or on a chunk where they name its position. Annotations of spans that are in none
    of the files go to the workspace's record of that id.
    """
    traces: dict[str, _Trace] = {}
    notes = Notes()
    for row in rows_of(paths, reading):
        try:
            if "annotator_kind" in row.value:
                notes.add(annotation(row))
            else:
                _sort(row, traces)
        except FieldError as error:
            reading.refuse(row.path, row.line, error)
    for trace in traces.values():
        try:
            yield _record(trace, notes, reading)
        except FieldError as error:
            reading.refuse(trace.first.path, trace.first.line, error)
    for name, found in notes.rest():
        row = found[0].row
        try:
            scores = [note.said for note in found if note.position is None]
            yield add_to_known(name, scores, row, reading, "spans")
        except FieldError as error:
            reading.refuse(row.path, row.line, error)


def _sort(row: Row, traces: dict[str, _Trace]) -> None:
    value = row.value
    context = value.get("context")
    ids = context if isinstance(context, dict) else {}
    span = id_text(value.get("context.span_id") or ids.get("span_id") or value.get("span_id"))
    if span is None:
        raise FieldError("context.span_id", "is missing")
    trace_id = id_text(
        value.get("context.trace_id") or ids.get("trace_id") or value.get("trace_id")
    )
    trace = traces.setdefault(trace_id or span, _Trace(row))
    trace.names.append(span)
    if "document" in value or "document_position" in value:
        trace.documents.append(row)
    elif "span_kind" in value or "parent_id" in value or "attributes" in value:
        flat = _flat(value)
        trace.spans.append(row._replace(value={**flat, "span": span}))
    else:
        trace.answers.append(row._replace(value={**value, "span": span}))


def _flat(value: Mapping[str, Any]) -> dict[str, Any]:
    """A span with nested attributes as it is with dotted ones, as deep as we look."""
    attributes = object_in(value.get("attributes"))
    flat = dict(value)
    for part in ("input", "output"):
        if isinstance(attributes.get(part), dict):
            flat.setdefault(f"attributes.{part}.value", attributes[part].get("value"))
    retrieval = attributes.get("retrieval")
    if isinstance(retrieval, dict):
        flat.setdefault(_DOCUMENTS, retrieval.get("documents"))
    return {**{k: v for k, v in flat.items() if k != "attributes"}, **{
        f"attributes.{k}": v for k, v in attributes.items() if not isinstance(v, dict)
    }}  # fmt: skip


def _record(trace: _Trace, notes: Notes, reading: Reading) -> ImportedRecord:
    root = _root(trace)
    value = root.value
    given = value.get("input", value.get("attributes.input.value"))
    output = value.get("output", value.get("attributes.output.value"))
    span = str(value.get("span") or trace.names[0])
    context = _context(trace)
    if context is None and isinstance(value.get("context"), str):
        context = [{"text": value["context"]}]
    if context is None and "reference" in value:  # as older versions named the context
        context = chunks_in(value.get("reference"))
    meta = left_over({k.removeprefix("attributes."): value.get(k) for k in _META}, ("metadata",))
    meta |= left_over(object_in(value.get("metadata", value.get("attributes.metadata"))), ())
    record: dict[str, Any] = {
        "id": span,
        "question": question_in(given),
        "answer": answer_in(output) or "",
        "context": context,
        "meta": meta,
    }
    found = [note for name in dict.fromkeys(trace.names) for note in notes.take(name)]
    for note in found:
        if note.position is not None:
            _on_chunk(record, note.position, note.said.entry(), note.said.judge, reading)
    add_whole(record, [note.said for note in found if note.position is None], reading)
    return read_object(record, reading.entries, str(root.path), root.line)


def _root(trace: _Trace) -> Row:
    """The row with question and answer; the span without a parent; else any but retrievers."""
    if trace.answers:
        return trace.answers[0]
    for row in trace.spans:
        if not row.value.get("parent_id"):
            return row
    others = [r for r in trace.spans if r.value.get("span_kind") != _RETRIEVER]
    return (others or trace.spans or trace.documents)[0]


def _context(trace: _Trace) -> list[dict[str, Any]] | None:
    """The documents of the trace, in their order; None where nothing says what was retrieved."""
    if trace.documents:
        rows = sorted(
            enumerate(trace.documents), key=lambda p: (position_of(p[1].value) or 0, p[0])
        )
        return [_document(row.value) for _, row in rows]
    spans = [r.value for r in trace.spans if r.value.get("span_kind") == _RETRIEVER]
    found = [s[_DOCUMENTS] for s in spans if s.get(_DOCUMENTS) is not None]
    if not found:
        return [] if spans and all(_DOCUMENTS in s for s in spans) else None
    return [chunk for documents in found for chunk in chunks_in(listed(inner(documents))) or []]


def _document(value: Mapping[str, Any]) -> dict[str, Any]:
    metadata = object_in(value.get("document_metadata"))
    chunk: dict[str, Any] = {"text": text_in(value, "document", "reference", needed=True)}
    name = metadata.get("id", metadata.get("document_id"))
    if id_text(name) is not None:
        chunk["id"] = name
    return chunk


def _on_chunk(
    record: dict[str, Any], position: int, entry: dict[str, Any], judge: str, reading: Reading
) -> None:
    """An annotation of one retrieved document, by its position from 0."""
    context = record["context"] or []
    if not 0 <= position < len(context) or entry["entailed"] is None:
        reading.count("annotations of documents that are not here, or no yes or no: left out")
        return
    chunk = context[position]
    entry = {**entry, "metric": "context_relevancy"}
    if "annotator" in entry:
        chunk.setdefault("human", []).append(entry)
    else:
        chunk.setdefault("judges", {})[judge] = entry
