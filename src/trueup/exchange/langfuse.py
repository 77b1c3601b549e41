"""Reads what Langfuse exports: observations (or traces), and scores, from one file or several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    first_in,
    inner,
    judge_name,
    left_over,
    listed,
    object_in,
    our_metric,
    question_in,
    said,
    snaked,
)
from trueup.exchange.reading import Reading, Row
from trueup.exchange.rows import rows_of
from trueup.exchange.whole import Said, add_to_known, add_whole

_PERSON, _JUDGE = "ANNOTATION", "EVAL"
_RETRIEVAL = frozenset({"RETRIEVER"})
_DOCUMENTS = ("documents", "results", "chunks", "matches", "nodes", "context", "contexts")
_META = (
    "environment", "trace_name", "name", "tags", "session_id", "user_id", "version", "total_cost",
)  # fmt: skip


@dataclass(slots=True)
class _Trace:
    """What is known of one trace."""

    rows: list[Row] = field(default_factory=list)
    scores: list[Said] = field(default_factory=list)
    first: Row | None = None


def read_langfuse(paths: Sequence[Path], reading: Reading) -> Iterator[ImportedRecord]:
    """One record for each trace: the root's input and output, the retriever's output as context.

    Scores of people (source ANNOTATION) are labels, those of evaluators (EVAL, API) verdicts of a
    recorded judge, on the whole answer. Scores of traces that are in none of the files go to the
    workspace's record of that id. Numbers that are no yes or no stay metadata.
    """
    traces: dict[str, _Trace] = {}
    for row in rows_of(paths, reading):
        try:
            _sort(Row(row.path, row.line, snaked(row.value)), traces)
        except FieldError as error:
            reading.refuse(row.path, row.line, error)
    for name, trace in traces.items():
        assert trace.first is not None
        try:
            if trace.rows:
                yield _record(name, trace, reading)
            else:
                yield add_to_known(name, trace.scores, trace.first, reading, "observations")
        except FieldError as error:
            reading.refuse(trace.first.path, trace.first.line, error)


def _sort(row: Row, traces: dict[str, _Trace]) -> None:
    value = row.value
    is_score = "source" in value and ("value" in value or "string_value" in value)
    name = id_text(value.get("trace_id"))
    if name is None and not is_score:
        name = id_text(value.get("id"))  # a row of the traces' own table
    if name is None:
        raise FieldError("trace_id", "is missing")
    trace = traces.setdefault(name, _Trace())
    if trace.first is None or (not is_score and not trace.rows):
        trace.first = row
    if is_score:
        trace.scores.append(_score(row))
        return
    trace.rows.append(row)
    for given in listed(value.get("scores")):
        if isinstance(given, dict):
            trace.scores.append(_score(row._replace(value=snaked(given))))


def _score(row: Row) -> Said:
    """One score: whose it is, and what it says."""
    value = row.value
    name = str(value.get("name") or "")
    source = str(value.get("source") or "").upper()
    kind = str(value.get("data_type") or "").upper()
    number, word = value.get("value"), value.get("string_value")
    if kind == "BOOLEAN":
        means = {"0": False, "0.0": False, "1": True, "1.0": True}.get(str(number).strip())
        means = said(word if number is None else number) if means is None else means
        if means is None:
            raise FieldError("value", f"must be 0 or 1 for BOOLEAN, not {number!r}")
    else:
        means = said(word) if isinstance(word, str) and word else None
    evaluator = name if source == _JUDGE else f"{source.lower() or 'api'}/{name}"
    author = value.get("author_user_id") or value.get("author") or "langfuse"
    return Said(
        metric=our_metric(name),
        means=means,
        person=str(author) if source == _PERSON else None,
        judge=judge_name("langfuse", evaluator),
        note=value.get("comment") or None,
        at=_time(value.get("timestamp") or value.get("created_at")),
        event=f"langfuse:{value['id']}" if source == _PERSON and value.get("id") else None,
        name=name,
        raw=word if word not in (None, "") else number,
    )


def _time(value: Any) -> str | None:
    """Langfuse writes times in UTC, in its exports without saying so."""
    return value.strip().replace(" UTC", "") if isinstance(value, str) and value.strip() else None


def _record(name: str, trace: _Trace, reading: Reading) -> ImportedRecord:
    root = _root(trace.rows)
    value = root.value
    retrievers = [r.value for r in trace.rows if str(r.value.get("type")) in _RETRIEVAL]
    given = inner(value.get("input"))
    meta = left_over({k: value.get(k) for k in _META}, ())
    meta |= left_over(object_in(value.get("metadata")), ())
    record: dict[str, Any] = {
        "id": name,
        "question": question_in(given),
        "answer": answer_in(value.get("output")) or "",
        "context": _context(retrievers, given),
        "reference": _reference(value),
        "release": id_text(value.get("release")) or "",
        "meta": meta,
    }
    add_whole(record, trace.scores, reading)
    return read_object(record, reading.entries, str(root.path), root.line)


def _root(rows: Sequence[Row]) -> Row:
    """The observation without a parent (or the trace itself); else the first but retrievers."""
    for row in rows:
        if not row.value.get("parent_observation_id") and (
            str(row.value.get("type")) not in _RETRIEVAL
        ):
            return row
    return next((r for r in rows if str(r.value.get("type")) not in _RETRIEVAL), rows[0])


def _context(retrievers: Sequence[dict[str, Any]], given: Any) -> list[dict[str, Any]] | None:
    if not retrievers:
        own = first_in(given, "context") if isinstance(given, dict) else None
        return chunks_in(own)
    chunks: list[dict[str, Any]] = []
    for retriever in retrievers:
        found = inner(retriever.get("output"))
        if isinstance(found, dict):
            found = next((found[k] for k in _DOCUMENTS if k in found), found)
        chunks += chunks_in(found) or []
    return chunks


def _reference(value: dict[str, Any]) -> str | None:
    found = value.get("expected_output")
    return answer_in(found) if found is not None else None
