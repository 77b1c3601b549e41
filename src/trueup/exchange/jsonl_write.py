"""Writes trueup JSONL: what `jsonl.py` reads back as the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from trueup.domain.model import Record, Unit

_OF = {"answer_claim": "answer", "reference_claim": "reference", "answer": "whole_answer"}


def record_line(record: Record, units: Iterable[Unit] = ()) -> dict[str, Any]:
    """One record with its claims as the JSON object of a line; chunk units are left out."""
    line: dict[str, Any] = {"id": record.id}
    if record.question is not None:
        line["question"] = record.question
    if record.context is not None:
        line["context"] = [_chunk(c) for c in record.context]
    line["answer"] = record.answer
    for name in ("reference", "failing"):
        if (value := getattr(record, name)) is not None:
            line[name] = value
    for name in ("gold", "gold_context", "retrieved"):
        if (value := getattr(record, name)) is not None:
            line[name] = list(value)
    if record.release:
        line["release"] = record.release
    if record.slices:
        line["slices"] = dict(record.slices)
    if record.meta:
        line["meta"] = dict(record.meta)
    claims = claim_lines([u for u in units if u.kind in _OF])
    if claims:
        line["claims"] = claims
    return line


def claim_lines(units: Sequence[Unit]) -> list[dict[str, Any]]:
    """Claims as JSON objects, without what a reader would make of them by itself."""
    counts: dict[tuple[str, int], int] = {}
    lines = []
    for unit in units:
        counts[unit.kind, unit.claim_set] = counts.get((unit.kind, unit.claim_set), 0) + 1
        claim: dict[str, Any] = {"id": unit.id, "text": unit.text, "of": _OF[unit.kind]}
        if unit.span is not None:
            claim["start"], claim["end"] = unit.span.start, unit.span.end
        for name, usual in _USUAL.items():
            if (value := getattr(unit, name)) != usual:
                claim[name] = value
        if unit.ordinal != counts[unit.kind, unit.claim_set]:
            claim["ordinal"] = unit.ordinal
        if unit.meta:
            claim["meta"] = dict(unit.meta)
        lines.append(claim)
    return lines


_USUAL: Mapping[str, Any] = {
    "claim_set": 1,
    "splitter": "given",
    "parent": None,
    "provisional": False,
    "context": None,
}


def _chunk(chunk: Any) -> dict[str, Any]:
    line = {"id": chunk.id, "text": chunk.text}
    if chunk.source is not None:
        line["source"] = chunk.source
    if chunk.meta:
        line["meta"] = dict(chunk.meta)
    return line
