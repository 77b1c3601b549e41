"""Writes trueup JSONL: what `jsonl.py` reads back as the same, each line by itself."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from trueup.domain.model import Chunk, Record, Unit, UnitKind
from trueup.domain.transfer import ClaimSetInfo, ImportedRecord
from trueup.domain.units import CHUNK_SPLITTER
from trueup.exchange.claims import KINDS
from trueup.exchange.entries_write import human_entries, judge_entries, judge_keys

_OF: dict[UnitKind, str] = {kind: of for of, kind in KINDS.items()}


def write_jsonl(items: Iterable[ImportedRecord]) -> Iterator[str]:
    """One line per record, with its claims, all label events and verdicts; ends in a line feed.

    What is usual is left out (a first claim set, a blind label), so that a file that was imported
    comes out in much the shape it had.
    """
    for item in items:
        yield json.dumps(item_line(item), ensure_ascii=False, allow_nan=False) + "\n"


def item_line(item: ImportedRecord) -> dict[str, Any]:
    """One record with all that is said of it as the JSON object of a line."""
    entries = _entries(item)
    units = [u for units in item.claims.values() for u in units]
    sets = {(s.kind, s.version): s for s in item.sets}
    line = record_line(item.record, units, sets=sets)
    for unit, claim in zip(_claims_of(units), line.get("claims", ()), strict=True):
        claim.update(entries.get(unit.key, {}))
    chunks = sorted(item.claims.get("chunk", ()), key=lambda u: u.ordinal)
    for unit, chunk in zip(chunks, line.get("context", ()), strict=False):
        chunk.update(entries.get(unit.key, {}))
    said = [_set_line(s) for s in item.sets if _must_be_said(s, item, entries)]
    if said:
        line["claim_sets"] = said
    if declared := judge_keys(item.judges).declared:
        line["judges"] = declared
    return line


def record_line(
    record: Record,
    units: Iterable[Unit] = (),
    *,
    sets: Mapping[tuple[UnitKind, int], ClaimSetInfo] | None = None,
) -> dict[str, Any]:
    """One record with its claims as the JSON object of a line; chunk units are left out.

    A claim's splitter is left out where `sets` gives the same for its claim set.
    """
    line: dict[str, Any] = {"id": record.id}
    if record.question is not None:
        line["question"] = record.question
    if record.context is not None:
        line["context"] = [_chunk(c) for c in record.context]
    line["answer"] = record.answer
    if record.reference is not None:
        line["reference"] = record.reference
    for name in ("gold", "gold_context", "retrieved"):
        if (value := getattr(record, name)) is not None:
            line[name] = list(value)
    if record.release:
        line["release"] = record.release
    if record.slices:
        line["slices"] = dict(record.slices)
    if record.failing is not None:
        line["failing"] = record.failing
    if record.meta:
        line["meta"] = dict(record.meta)
    claims = claim_lines(record, _claims_of(units), sets or {})
    if claims:
        line["claims"] = claims
    return line


def claim_lines(
    record: Record,
    units: Sequence[Unit],
    sets: Mapping[tuple[UnitKind, int], ClaimSetInfo],
) -> list[dict[str, Any]]:
    """Claims as JSON objects, without what a reader would make of them by itself."""
    counts: Counter[tuple[UnitKind, int]] = Counter()
    lines = []
    for unit in units:
        counts[unit.kind, unit.claim_set] += 1
        info = sets.get((unit.kind, unit.claim_set))
        usual = {
            "claim_set": 1,
            "splitter": "given" if info is None else info.splitter,
            "parent": None,
            "provisional": False,
            "context": None,
            "ordinal": counts[unit.kind, unit.claim_set],
        }
        claim: dict[str, Any] = {"id": unit.id, "text": unit.text}
        if unit.kind != "answer_claim":
            claim["of"] = _OF[unit.kind]
        claim |= _span(record, unit)
        claim |= {n: v for n in usual if (v := getattr(unit, n)) != usual[n]}
        if unit.meta:
            claim["meta"] = dict(unit.meta)
        lines.append(claim)
    return lines


def _claims_of(units: Iterable[Unit]) -> list[Unit]:
    return [u for u in units if u.kind in _OF]


def _span(record: Record, unit: Unit) -> dict[str, Any]:
    """The place of a claim; an explicit null where a reader would find one that is not stored."""
    if unit.span is not None:
        return {"start": unit.span.start, "end": unit.span.end}
    source = record.reference if unit.kind == "reference_claim" else record.answer
    found = bool(unit.text) and unit.text in (source or "")
    return {"start": None, "end": None} if found else {}


def _chunk(chunk: Chunk) -> dict[str, Any]:
    line: dict[str, Any] = {"id": chunk.id, "text": chunk.text}
    if chunk.source is not None:
        line["source"] = chunk.source
    if chunk.meta:
        line["meta"] = dict(chunk.meta)
    return line


def _entries(item: ImportedRecord) -> dict[str, dict[str, Any]]:
    """Unit key -> its `human` and `judges`."""
    units = {u.key: u for units in item.claims.values() for u in units}
    entries: dict[str, dict[str, Any]] = {}
    labels: dict[str, list[Any]] = {}
    for label in item.labels:
        labels.setdefault(label.unit, []).append(label)
    for key, own in labels.items():
        entries[key] = {"human": human_entries(own, units[key].kind)}
    verdicts: dict[str, list[Any]] = {}
    for verdict in item.verdicts:
        verdicts.setdefault(verdict.unit, []).append(verdict)
    names = judge_keys(item.judges)
    for key, ruled in verdicts.items():
        found = judge_entries(ruled, units[key].kind, names)
        entries.setdefault(key, {})["judges"] = found
    return entries


def _must_be_said(
    info: ClaimSetInfo, item: ImportedRecord, entries: Mapping[str, dict[str, Any]]
) -> bool:
    """Whether a reader could not tell this of a claim set by the claims alone."""
    units = [u for u in item.claims.get(info.kind, ()) if u.claim_set == info.version]
    if info.kind == "chunk":
        made = info.splitter == CHUNK_SPLITTER and any(u.key in entries for u in units)
        return not made or bool(info.meta)
    first = next((u for u in units if not u.provisional), None)
    usual = first is not None and first.splitter == info.splitter == "given"
    return not usual or bool(info.meta)


def _set_line(info: ClaimSetInfo) -> dict[str, Any]:
    line: dict[str, Any] = {"of": _OF.get(info.kind, info.kind), "splitter": info.splitter}
    if info.version != 1:
        line["version"] = info.version
    if info.meta:
        line["meta"] = dict(info.meta)
    return line
