"""Reads trueup JSONL: one record a line, with its claims, labels and recorded verdicts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from trueup.domain.model import Chunk, Json, JudgeSpec, Label, Record, Unit, UnitKind, Verdict
from trueup.domain.transfer import ImportedRecord
from trueup.domain.units import chunk_units
from trueup.errors import InputError
from trueup.exchange.base import BadLine, finite, id_text, parse_json, raw_lines
from trueup.exchange.claims import build_units, claim_sets, loose_labels
from trueup.exchange.entries import UNNAMED_JUDGE, Entries, FieldError
from trueup.exchange.fields import HOW_TO_MAP
from trueup.exchange.reading import Reading, Row
from trueup.exchange.shapes import (
    ALIASES,
    CHUNK,
    CHUNK_KEYS,
    RECORD,
    RECORD_KEYS,
    collect_meta,
    first_error,
)

_ID_HEX = 12
_TEXT_KEYS = ("text", "content", "page_content")


def read_jsonl(
    path: Path,
    *,
    bad: list[BadLine] | None = None,
    progress: Callable[[int], None] | None = None,
) -> Iterator[ImportedRecord]:
    """The records of a file, one at a time.

    A line that cannot be read raises InputError with file, line and field; with `bad` it is added
    there and left out. A file without a record raises InputError. `progress(n)` is told of n more
    bytes read. Nothing that the data names is ever opened.
    """
    entries = Entries()
    name = str(path)
    found = 0
    for number, raw in raw_lines(path):
        try:
            item = read_line(raw, entries, name, number)
        except FieldError as error:
            if bad is None:
                raise InputError(
                    error.message, path=path, line=number, field=error.field or None,
                    hint=error.hint,
                ) from None  # fmt: skip
            bad.append(BadLine(name, number, error.message, error.field or None))
            continue
        finally:
            if progress is not None:
                progress(len(raw))
        found += 1
        yield item
    if not found:
        what = f"none of its {len(bad)} lines can be read" if bad else "holds no record"
        raise InputError(what, path=path)


def import_jsonl(paths: Sequence[Path], reading: Reading) -> Iterator[ImportedRecord]:
    """As `read_jsonl`, for several files; what is not one object a line, or has columns of `--map`,
    is read as any other rows are."""
    for path in paths:
        first = next(raw_lines(path), (0, b""))[1].strip()
        if first[:1] == b"{" and first != b"{" and not reading.mapping:
            yield from read_jsonl(path, bad=reading.bad)
            continue
        from trueup.exchange.tables import plain_rows, read_tables

        if reading.mapping:
            yield from read_tables([path], reading)
        else:
            yield from reading.each(plain_rows(path, reading), lambda row: _of_row(row, reading))


def _of_row(row: Row, reading: Reading) -> ImportedRecord:
    return read_object(row.value, reading.entries, str(row.path), row.line)


def read_line(raw: bytes, entries: Entries, path: str = "", line: int = 1) -> ImportedRecord:
    """The record of one line. Raises FieldError."""
    try:
        value = parse_json(raw)
    except ValueError as error:
        raise FieldError("", str(error)) from None
    if not isinstance(value, dict):
        raise FieldError("", f"must be an object, not {_kind(value)}")
    return read_object(value, entries, path, line)


def read_object(
    value: dict[str, Any], entries: Entries, path: str = "", line: int | None = None
) -> ImportedRecord:
    """The record of one JSON object. Raises FieldError."""
    shape = _checked(value)
    record, chunk_entries = _record(shape)
    declared = shape.get("judges") or {}
    claims: dict[UnitKind, tuple[Unit, ...]] = {}
    labels: list[Label] = []
    ruled: list[tuple[JudgeSpec, Verdict]] = []
    sets = claim_sets(shape.get("claim_sets"))
    placed = build_units(record, shape.get("claims") or [], sets)
    for unit, claim, where in placed:
        labels += entries.labels(unit, claim.get("human"), f"{where}.human")
        ruled += entries.verdicts(unit, claim.get("judges"), declared, f"{where}.judges")
        if "entailed" in claim:
            own = {k: claim[k] for k in ("entailed", "evidence") if k in claim}
            ruled += entries.verdicts(unit, {UNNAMED_JUDGE: own}, declared, where)
    for unit, _, _ in placed:
        claims[unit.kind] = (*claims.get(unit.kind, ()), unit)
    for unit, entry, where in loose_labels(placed, shape.get("labels")):
        labels += entries.labels(unit, [entry], where)
    if chunk_entries or any(s.kind == "chunk" for s in sets):
        units = claims["chunk"] = chunk_units(record)
        for rank, chunk in chunk_entries.items():
            where = f"context[{rank}]"
            labels += entries.labels(units[rank], chunk.get("human"), f"{where}.human")
            ruled += entries.verdicts(units[rank], chunk.get("judges"), declared, f"{where}.judges")
    return ImportedRecord(
        record=record,
        claims=claims,
        verdicts=tuple(verdict for _, verdict in ruled),
        labels=tuple(labels),
        judges=tuple({id(spec): spec for spec, _ in ruled}.values()),
        sets=sets,
        path=path,
        line=line,
    )


def _checked(value: dict[str, Any]) -> Mapping[str, Any]:
    """The object with our field names and types."""
    for other, ours in ALIASES.items():
        if other in value and ours not in value:
            value[ours] = value.pop(other)
    try:
        return RECORD.validate_python(value)
    except ValidationError as error:
        # NaN is no JSON; where other writers put it, they mean that there is nothing.
        mended = {k: v if k == "claims" else finite(v) for k, v in value.items()}
        if mended != value:
            try:
                return RECORD.validate_python(mended)
            except ValidationError as again:
                raise FieldError(*first_error(again)) from None
        raise FieldError(*first_error(error)) from None


def _record(shape: Mapping[str, Any]) -> tuple[Record, dict[int, Mapping[str, Any]]]:
    """The record, and its chunks that carry labels or verdicts, by rank."""
    answer = shape.get("answer")
    if answer is None and not any(shape.get(k) for k in ("claims", "gold", "retrieved")):
        keys = ", ".join(list(shape)[:20])
        said = f"is missing, and there are no claims (keys here: {keys})"
        raise FieldError("answer", said, hint=HOW_TO_MAP)
    chunks, chunk_entries = _context(shape.get("context"))
    meta = collect_meta(shape, RECORD_KEYS)
    reference = shape.get("reference")
    if isinstance(reference, list):
        if len(reference) > 1:
            meta.setdefault("references", reference)
        reference = "\n\n".join(reference) if reference else None
    gold_context = shape.get("gold_context")
    record = Record(
        id=id_text(shape.get("id")) or "",
        answer=answer or "",
        question=shape.get("question"),
        context=chunks,
        reference=reference,
        gold=_ids(shape.get("gold"), "gold"),
        gold_context=(gold_context,) if isinstance(gold_context, str) else _tuple(gold_context),
        retrieved=_ids(shape.get("retrieved"), "retrieved"),
        release=id_text(shape.get("release")) or "",
        failing=shape.get("failing"),
        slices=_slices(shape.get("slices")),
        meta=meta,
    )
    if not record.id:
        if shape.get("id") not in {None, ""} and id_text(shape.get("id")) is None:
            raise FieldError("id", "must be a text or a number")
        object.__setattr__(record, "id", record.key[:_ID_HEX])
        object.__setattr__(record, "_key", None)
    return record, chunk_entries


def _context(value: Any) -> tuple[tuple[Chunk, ...] | None, dict[int, Mapping[str, Any]]]:
    if value is None or value != value:
        return None, {}
    if value == "":
        return (), {}
    if not isinstance(value, (str, list)):
        raise FieldError("context", f"must be a text or a list, not {_kind(value)}")
    items = [value] if isinstance(value, str) else value
    shapes = [_chunk(item, i) for i, item in enumerate(items)]
    taken = {name for shape in shapes if (name := id_text(shape.get("id")))}
    chunks = []
    for rank, shape in enumerate(shapes, 1):
        name = id_text(shape.get("id")) or _free_id(rank, taken)
        meta: dict[str, Json] = collect_meta(shape, CHUNK_KEYS)
        chunks.append(Chunk(name, shape["text"], shape.get("source"), meta))
    marked = {i: s for i, s in enumerate(shapes) if s.get("human") or s.get("judges")}
    return tuple(chunks), marked


def _chunk(item: Any, place: int) -> Mapping[str, Any]:
    where = f"context[{place}]"
    if isinstance(item, str):
        return {"text": item}
    if not isinstance(item, dict):
        raise FieldError(where, f"must be a text or an object, not {_kind(item)}")
    if "text" not in item:
        other = next((k for k in _TEXT_KEYS if k in item), None)
        if other is None:
            raise FieldError(f"{where}.text", "is missing")
        item = {"text" if k == other else k: v for k, v in item.items()}
    try:
        return CHUNK.validate_python(item)
    except ValidationError as error:
        field, message = first_error(error)
        raise FieldError(f"{where}.{field}", message) from None


def _free_id(rank: int, taken: set[str]) -> str:
    """`c1`, `c2` … by rank, avoiding the ids that the file gives to other chunks."""
    name = f"c{rank}"
    while name in taken:
        name += "'"
    taken.add(name)
    return name


def _ids(value: list[Any] | None, field: str) -> tuple[str, ...] | None:
    if value is None:
        return None
    ids = [id_text(item) for item in value]
    if None in ids:
        raise FieldError(f"{field}[{ids.index(None)}]", "is empty")
    return tuple(i for i in ids if i is not None)


def _tuple(value: list[str] | None) -> tuple[str, ...] | None:
    return None if value is None else tuple(value)


def _slices(value: Mapping[str, Any] | None) -> dict[str, str]:
    """Slices as texts: true is `true`, a number its digits; a null slice is none."""
    found = {}
    for name, part in (value or {}).items():
        if isinstance(part, str):
            text: str | None = part
        else:
            text = ("true" if part else "false") if isinstance(part, bool) else id_text(part)
        if text is not None:
            found[name] = text
    return found


def _kind(value: Any) -> str:
    names = {
        type(None): "null", bool: "true or false", int: "a number", float: "a number",
        str: "a text", list: "a list", dict: "an object",
    }  # fmt: skip
    return names.get(type(value), type(value).__name__)
