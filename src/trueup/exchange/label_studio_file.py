"""Reads files that Label Studio exports (JSON, JSON_MIN, CSV): tasks, annotations, predictions.

The pieces that read one task serve a server's answer as well as a file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trueup.domain.ids import canonical_json
from trueup.domain.model import Label, Unit, Verdict
from trueup.domain.transfer import ImportedRecord
from trueup.exchange.base import finite, id_text
from trueup.exchange.entries import FieldError
from trueup.exchange.jsonl import read_object
from trueup.exchange.label_studio_task import Mark, marks_of, pseudo_task
from trueup.exchange.outside import chunks_in, listed, text_in
from trueup.exchange.reading import Known, Reading, Row
from trueup.exchange.rows import rows_of


@dataclass(slots=True)
class _Claim:
    """One claim of a record, with what is said of it, by annotation and time."""

    id: str | None
    text: str | None
    of: str | None
    metric: str | None
    line: int | None
    marks: dict[str, Mark] = field(default_factory=dict)
    """Mark by its event id: a task that an export repeats is taken once."""


@dataclass(slots=True)
class _Record:
    """One record, of one task with all its claims or of a task for each claim."""

    path: Path
    line: int | None
    id: str | None
    data: Mapping[str, Any]
    claims: dict[str, _Claim] = field(default_factory=dict)


def read_label_studio(paths: Sequence[Path], reading: Reading) -> Iterator[ImportedRecord]:
    """Records with labels of annotations and verdicts of predictions.

    A claim is found by `record_id` and `claim_id` in the task's data, never by order or text. Where
    the workspace has the record, labels go to its claims; else record and claims are made of the
    task's data. Each annotation is an event: an annotator's newest one is current. Skipped ones,
    drafts and what cannot be read (with its task and annotation) are counted and said.
    """
    records: dict[str, _Record] = {}
    for row in rows_of(paths, reading):
        try:
            _add_task(row._replace(value=pseudo_task(row.value)), records, reading)
        except FieldError as error:
            reading.refuse(row.path, row.line, error)
    for record in records.values():
        try:
            yield from _imported(record, reading)
        except FieldError as error:
            reading.refuse(record.path, record.line, error)


def _add_task(row: Row, records: dict[str, _Record], reading: Reading) -> None:
    task = row.value
    data = task.get("data")
    if not isinstance(data, dict):
        raise FieldError("data", "is missing")
    claims = _claims_of(data, row.line)
    if not claims:
        reading.count("tasks without a claim (claim_id, claim or claims in their data): left out")
        return
    name = id_text(data.get("record_id"))
    texts = {k: finite(data.get(k)) for k in ("question", "answer", "context")}
    key = f"id {name}" if name else canonical_json(texts)
    record = records.setdefault(key, _Record(row.path, row.line, name, data))
    own = [record.claims.setdefault(claim.id or claim.text or "", claim) for claim in claims]
    for place, mark in marks_of(task, [c.id for c in own], reading):
        own[place].marks.setdefault(mark.event, mark)


def _claims_of(data: Mapping[str, Any], line: int | None) -> list[_Claim]:
    """The claims of a task: `claims`, or one under `claim` and `claim_id`."""
    given = data.get("claims")
    if given is None and ("claim" in data or "claim_id" in data):
        given = [
            {"id": data.get("claim_id"), "text": data.get("claim", data.get("claim_text")),
             "of": data.get("of")}
        ]  # fmt: skip
    claims = []
    for i, item in enumerate(listed(given)):
        claim = {"text": item} if isinstance(item, str) else item
        if not isinstance(claim, dict):
            raise FieldError(f"data.claims[{i}]", "must be an object with id and text")
        name = id_text(claim.get("id", claim.get("claim_id")))
        text = text_in(claim, "text", "claim")
        if name is None and text is None:
            raise FieldError(f"data.claims[{i}]", "has neither id nor text")
        metric = text_in(data, "metric")
        claims.append(_Claim(name, text, text_in(claim, "of"), metric, line))
    return claims


def _imported(record: _Record, reading: Reading) -> Iterator[ImportedRecord]:
    known = reading.lookup(record.id) if record.id else ()
    release = id_text(record.data.get("release"))
    fits = [k for k in known if release is None or k.record.release == release]
    if len(fits) > 1:
        raise FieldError("data.record_id", f"{record.id!r} is in several releases: data.release?")
    yield _on_known(record, fits[0], reading) if fits else _made(record, reading)


def _made(record: _Record, reading: Reading) -> ImportedRecord:
    """The record as the task's data tell it."""
    data = record.data
    value: dict[str, Any] = {
        "id": record.id,
        "question": text_in(data, "question"),
        "answer": text_in(data, "answer") or "",
        "context": chunks_in(data.get("context")),
        "reference": text_in(data, "reference"),
        "release": id_text(data.get("release")) or "",
        "claims": [],
    }
    for claim in record.claims.values():
        if claim.text is None:
            raise FieldError("data.claim", f"{claim.id!r} has no text, nor has the workspace")
        made: dict[str, Any] = {"text": claim.text, "id": claim.id, "of": claim.of}
        made |= entries_of(list(claim.marks.values()), claim.metric)
        value["claims"].append(made)
    return read_object(value, reading.entries, str(record.path), record.line)


def _on_known(record: _Record, known: Known, reading: Reading) -> ImportedRecord:
    """What is said of claims that the workspace has."""
    units = {unit.id: unit for unit in known.units} | {unit.key: unit for unit in known.units}
    labels: list[Label] = []
    ruled: list[tuple[Any, Verdict]] = []
    for claim in record.claims.values():
        unit = units.get(claim.id or "")
        if unit is None:
            raise FieldError("data.claim_id", f"{claim.id!r} is no claim of {record.id!r}")
        if claim.text is not None and not _same(claim.text, unit):
            raise FieldError("data.claim", f"{claim.id!r} has another text in the workspace")
        entries = entries_of(list(claim.marks.values()), claim.metric)
        labels += reading.entries.labels(unit, entries["human"], "annotations")
        ruled += reading.entries.verdicts(unit, entries["judges"], {}, "predictions")
    return ImportedRecord(
        record=known.record,
        verdicts=tuple(verdict for _, verdict in ruled),
        labels=tuple(labels),
        judges=tuple({id(spec): spec for spec, _ in ruled}.values()),
        path=str(record.path),
        line=record.line,
    )


def _same(text: str, unit: Unit) -> bool:
    return " ".join(text.split()) == " ".join(unit.text.split())


def entries_of(marks: Sequence[Mark], metric: str | None) -> dict[str, Any]:
    """Marks on one claim as entries under `human` (in order of time) and `judges`."""
    human = [m for m in marks if m.annotator is not None]
    judges: dict[str, list[dict[str, Any]]] = {}
    for mark in marks:
        if mark.annotator is None:
            entry = {**mark.entry(metric), "repeat": len(judges.get(mark.judge, ()))}
            judges.setdefault(mark.judge, []).append(entry)
    human.sort(key=lambda m: m.order)
    return {"human": [m.entry(metric) for m in human], "judges": judges}
