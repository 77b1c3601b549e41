"""Reads RAGTruth: responses with spans that people marked as hallucinated, and their sources."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from trueup.domain.model import Span
from trueup.domain.sentences import sentences
from trueup.domain.transfer import ImportedRecord
from trueup.errors import InputError
from trueup.exchange.base import id_text
from trueup.exchange.entries import FieldError
from trueup.exchange.jsonl import read_object
from trueup.exchange.outside import left_over, listed, object_in, text_in
from trueup.exchange.reading import Reading, Row
from trueup.exchange.rows import rows_of

ANNOTATOR = "ragtruth"
_SPLITTER = "sentences"
_PASSAGE = re.compile(r"(?:^|\n)passage (\d+):")
_USED = ("id", "source_id", "model", "labels", "response")


def read_ragtruth(paths: Sequence[Path], reading: Reading) -> Iterator[ImportedRecord]:
    """One record for each response; its sentences are the claims, labelled by the marked spans.

    A sentence that a span touches is not entailed (also where the span is marked as true by
    accident: the context does not say it); every other one is entailed. The model is the release.
    """
    sources: dict[str, Mapping[str, Any]] = {}
    responses: list[Row] = []
    for row in rows_of(paths, reading):
        if "response" in row.value:
            responses.append(row)
        elif (name := id_text(row.value.get("source_id"))) is not None:
            sources[name] = row.value
        else:
            keys = ", ".join(row.value)
            reading.refuse(row.path, row.line, FieldError("", f"is not of RAGTruth (keys: {keys})"))
    if sources and not responses:
        raise InputError(
            "holds RAGTruth's sources without the responses", path=paths[0],
            hint="give both files: trueup import response.jsonl source_info.jsonl",
        )  # fmt: skip
    if responses and not sources:
        reading.say(
            "RAGTruth's responses came without source_info.jsonl: no question and no context"
        )
    yield from reading.each(iter(responses), lambda row: _record(row, sources, reading))


def _record(row: Row, sources: Mapping[str, Mapping[str, Any]], reading: Reading) -> ImportedRecord:
    value = row.value
    answer = text_in(value, "response", needed=True) or ""
    name = id_text(value.get("source_id")) or ""
    source = sources.get(name, {})
    if sources and not source:
        reading.count("responses whose source_id is in no file of sources: no context")
    record: dict[str, Any] = {
        "id": id_text(value.get("id")),
        "answer": answer,
        "release": id_text(value.get("model")) or "",
        "claims": _claims(answer, value.get("labels")),
        "meta": {"source_id": name, **left_over(value, _USED)},
        **_source(source),
    }
    if not record["claims"]:
        del record["claims"]
    return read_object(record, reading.entries, str(row.path), row.line)


def _source(source: Mapping[str, Any]) -> dict[str, Any]:
    """Question, context and task of a source: passages of a question, one text, or one object."""
    found: dict[str, Any] = {}
    if isinstance(source.get("task_type"), str):
        found["slices"] = {"task_type": source["task_type"]}
    info = source.get("source_info")
    whole = object_in(info)
    if "passages" in whole:
        found["question"] = text_in(whole, "question")
        found["context"] = _passages(str(whole["passages"]))
    elif isinstance(info, str) and info:
        found["context"] = [{"text": info}]
    elif whole:
        found["context"] = [{"text": json.dumps(whole, ensure_ascii=False)}]
    return found


def _passages(text: str) -> list[dict[str, Any]]:
    """`passage 1:…` as chunks named by their numbers."""
    marks = list(_PASSAGE.finditer(text))
    if not marks:
        return [{"text": text.strip()}] if text.strip() else []
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return [
        {"id": f"passage {mark[1]}", "text": text[mark.end() : end].strip()}
        for mark, end in zip(marks, ends, strict=True)
    ]


def _claims(answer: str, labels: Any) -> list[dict[str, Any]]:
    """The sentences of an answer, each with its label."""
    if labels is None:
        return []
    marks = [_mark(answer, label, i) for i, label in enumerate(listed(labels))]
    claims = []
    for span in sentences(answer):
        touching = [info for mark, info in marks if mark.start < span.end and span.start < mark.end]
        human: dict[str, Any] = {"annotator": ANNOTATOR, "entailed": not touching}
        if touching:
            human["note"] = "; ".join(str(info.get("label_type") or "marked") for info in touching)
            human["meta"] = {"spans": touching}
        claims.append(
            {
                "text": answer[span.start : span.end], "start": span.start, "end": span.end,
                "splitter": _SPLITTER, "human": [human],
            }
        )  # fmt: skip
    return claims


def _mark(answer: str, label: Any, place: int) -> tuple[Span, dict[str, Any]]:
    """A marked span, by its offsets where its text stands there, else where the text is found."""
    info = object_in(label)
    start, end, text = info.get("start"), info.get("end"), info.get("text")
    kept = left_over(info, ())
    if isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= len(answer):
        there = answer[start:end]
        if text is None or there == text or there.split() == str(text).split():
            return Span(start, end), kept
    at = answer.find(text) if isinstance(text, str) and text else -1
    if at >= 0:
        return Span(at, at + len(str(text))), kept
    said = f"{start} to {end} is not {str(text)[:40]!r} in the answer"
    raise FieldError(f"labels[{place}]", said)
