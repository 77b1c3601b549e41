"""Labels as JSONL or CSV, out and in again: one label a line, with the contract's fields."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from trueup.domain.metrics import METRICS, metric
from trueup.domain.model import Label, LabelValue, Origin, Unit
from trueup.domain.transfer import ImportCounts, iso, label_id
from trueup.errors import InputError, UsageError

if TYPE_CHECKING:
    from trueup.services.workspace import Workspace
    from trueup.store import RecordRef, Store

_ENTAILED: dict[str | None, bool] = {"entailed": True, "not_entailed": False}
_VALUES = get_args(LabelValue)
_ORIGINS = get_args(Origin)


def label_row(label: Label, unit: Unit, ref: RecordRef) -> dict[str, Any]:
    """The export line of a label; optional fields only where they say something."""
    row: dict[str, Any] = {
        "unit": unit.id,
        "record": ref.id,
        "metric": label.metric,
        "text": unit.text,
        "annotator": label.annotator,
        "label": label.label,
        "entailed": _ENTAILED.get(label.label),
        "note": label.note,
        "blind": label.blind,
        "policy_sha256": label.policy_sha256,
        "ms": label.ms,
        "at": iso(label.at),
        "event": label.id,
    }
    optional = {
        "release": ref.release or None,
        "quote": label.quote,
        "origin": label.origin if label.origin != "person" else None,
        "sample": label.sample,
        "repeat": label.repeat or None,
    }
    return row | {k: v for k, v in optional.items() if v is not None}


def export_labels(
    workspace: Workspace, *, labels: Iterable[Label] | None = None, events: bool = False
) -> Iterator[dict[str, Any]]:
    """Rows of the current labels (or of all events, undone ones included), in the order made.

    Who took which answer is the screen's own bookkeeping and is left out.
    """
    from trueup.domain.assignment import is_assignment

    store = workspace.store
    if labels is None:
        labels = [e.label for e in store.label_events()] if events else store.current_labels()
    chosen = list(labels)
    units = store.units_by_key({x.unit for x in chosen})
    refs = store.record_refs({u.record for u in units.values()})
    for label in chosen:
        if (label.label is None and not events) or is_assignment(label):
            continue
        unit = units[label.unit]
        yield label_row(label, unit, refs[unit.record])


def chosen_labels(workspace: Workspace, name: str | None, events: bool) -> list[Label] | None:
    """The labels of a sample or a label set of that name; None (all) without a name."""
    if name is None:
        return None
    store = workspace.store
    if store.sample(name) is not None:
        if events:
            return [e.label for e in store.label_events(sample=name)]
        return [x for x in store.current_labels() if x.sample == name]
    from trueup.services import label_sets

    path = label_sets.find(workspace.root, name)
    if path is None:
        raise UsageError(
            f"no sample or label set is named {name!r}",
            hint="samples are drawn by `trueup sample`, sets frozen by `trueup labels freeze`",
        )
    return list(label_sets.load(path).labels)


def to_jsonl(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """One JSON object a line."""
    from trueup.exchange.tables_write import jsonl_lines

    return jsonl_lines(rows)


def to_csv(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """CSV with a header; cells that a spreadsheet would run are made safe, reversibly."""
    from trueup.exchange.tables_write import csv_lines
    from trueup.services.export_rows import LABEL_COLUMNS

    return csv_lines(rows, LABEL_COLUMNS)


@dataclass(frozen=True, slots=True)
class LabelLine:
    """One label as read from a file, before its unit is found in a store or a label set."""

    unit: str
    record: str
    release: str
    label: Label
    line: int


def read_labels(path: Path) -> Iterator[LabelLine]:
    """Labels of a JSONL, CSV or Parquet file. Raises InputError with file, line and field."""
    for number, row in _rows(path):
        yield _line(row, path, number)


def import_labels(workspace: Workspace, path: Path) -> ImportCounts:
    """Store the labels of a file: all of them, or (an error) none; those already there once.

    Raises InputError where a line names a unit that the workspace does not have.
    """
    items = list(read_labels(path))
    if not items:
        raise InputError("holds no label", path=path)
    if any(METRICS[item.label.metric].units == "chunk" for item in items):
        from trueup.services.splitting import freeze_missing

        freeze_missing(workspace, "context_relevancy")
    find = unit_finder(workspace.store)
    events = []
    for item in items:
        key = find(item)
        if key is None:
            raise InputError(
                f"no unit {item.unit!r} of record {item.record!r} in this workspace",
                path=path,
                line=item.line,
                field="unit",
                hint="import the records first: trueup import RECORDS.jsonl",
            )
        events.append(bound(item.label, key))
    return ImportCounts(labels=workspace.store.append_labels(events))


def unit_finder(store: Store) -> Callable[[LabelLine], str | None]:
    """A look-up from (record, release, unit id, metric's kind) to a unit's key."""
    refs = store.record_refs()
    by_kind: dict[str, dict[tuple[str, str, str], str]] = {}

    def find(item: LabelLine) -> str | None:
        kind = METRICS[item.label.metric].units
        if kind not in by_kind:
            by_kind[kind] = {
                (refs[u.record].id, refs[u.record].release, u.id): u.key
                for u in store.units(kind, provisional=True)
            }
        return by_kind[kind].get((item.record, item.release, item.unit))

    return find


def bound(label: Label, unit_key: str) -> Label:
    """The label on its unit, with an event id made from its content where the file gave none."""
    label = replace(label, unit=unit_key)
    return label if label.id else replace(label, id=label_id(label))


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line, fields) of each label: of JSON as they stand, of a table with its texts read."""
    from trueup.exchange.reading import Reading
    from trueup.exchange.rows import is_json, rows_of

    table = not is_json(path)
    for row in rows_of([path], Reading()):
        line = row.line or 0
        yield line, _typed_cells(row.value, path, line) if table else row.value


def _typed_cells(row: Mapping[str, Any], path: Path, line: int) -> dict[str, Any]:
    """A row of a table with its yes and no, its numbers, and null for an empty cell."""
    from trueup.exchange.entries import FieldError
    from trueup.exchange.literals import boolean

    found: dict[str, Any] = {name: None if value == "" else value for name, value in row.items()}
    try:
        for name in ("blind", "entailed"):
            if name in found:
                found[name] = boolean(found[name])
    except FieldError as error:
        raise InputError(error.message, path=path, line=line, field=name) from None
    for name in ("ms", "repeat"):
        text = found.get(name)
        if isinstance(text, str) and text.isascii() and text.isdigit():
            found[name] = int(text)
    return found


def _line(row: Mapping[str, Any], path: Path, number: int) -> LabelLine:
    def fail(field: str, message: str) -> InputError:
        return InputError(message, path=path, line=number, field=field)

    def text(field: str) -> str:
        value = row.get(field)
        if not isinstance(value, str) or not value:
            raise fail(field, "a text is required")
        return value

    try:
        spec = metric(row.get("metric") or "groundedness")
    except (KeyError, TypeError) as error:
        raise fail("metric", f"unknown metric {row.get('metric')!r}") from error
    origin: Origin = row.get("origin") or "person"
    if origin not in _ORIGINS:
        raise fail("origin", f"must be one of {', '.join(_ORIGINS)}")
    label = Label(
        id=str(row.get("event") or ""),
        unit="",
        metric=spec.name,
        annotator=text("annotator"),
        label=_value(row, fail),
        at=_instant(row.get("at"), fail),
        blind=_typed(row, "blind", bool, fail, default=True),
        note=_typed(row, "note", str, fail),
        quote=_typed(row, "quote", str, fail),
        policy_sha256=_typed(row, "policy_sha256", str, fail),
        ms=_typed(row, "ms", int, fail),
        origin=origin,
        sample=_typed(row, "sample", str, fail),
        repeat=_typed(row, "repeat", int, fail, default=0),
        meta={k: row[k] for k in ("cause",) if k in row},
    )
    release = row.get("release") or ""
    return LabelLine(text("unit"), text("record"), str(release), label, number)


def _value(row: Mapping[str, Any], fail: Callable[[str, str], InputError]) -> LabelValue | None:
    entailed = row.get("entailed")
    if not (entailed is None or isinstance(entailed, bool)):
        raise fail("entailed", "must be true, false or null")
    if "label" not in row:
        return "unsure" if entailed is None else "entailed" if entailed else "not_entailed"
    value: LabelValue | None = row["label"]
    if value is not None and value not in _VALUES:
        raise fail("label", f"must be one of {', '.join(_VALUES)}")
    if entailed is not None and _ENTAILED.get(value) is not entailed:
        raise fail("entailed", f"contradicts label {value!r}")
    return value


def _instant(value: object, fail: Callable[[str, str], InputError]) -> datetime:
    if value is None:
        return datetime(1970, 1, 1, tzinfo=UTC)
    try:
        at = datetime.fromisoformat(str(value))
    except ValueError as error:
        raise fail("at", "must be an ISO 8601 time") from error
    return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)


def _typed(
    row: Mapping[str, Any],
    field: str,
    kind: type,
    fail: Callable[[str, str], InputError],
    default: Any = None,
) -> Any:
    value = row.get(field)
    if value is None:
        return default
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise fail(field, f"must be {'a number' if kind is int else 'a ' + kind.__name__}")
    return value
