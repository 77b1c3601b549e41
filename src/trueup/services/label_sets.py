"""Label sets: labels frozen for use as a yardstick, in a directory that stands alone.

    label_sets/NAME/card.md         who labelled what, and how; `key: value` lines between --- marks
                    records.jsonl   records and their frozen claims (trueup JSONL)
                    labels.jsonl    one label a line
                    verdicts.jsonl  the verdicts present when it was frozen, with fingerprints
                    judges.jsonl    those judges: model, prompt hash, evidence rule

The content hash covers records and labels: the yardstick itself. Verdicts may be added later.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from trueup.domain.assignment import is_assignment
from trueup.domain.display import safe_filename
from trueup.domain.model import (
    Evidence,
    JudgeSpec,
    Label,
    Record,
    Span,
    Unit,
    UnitKind,
    Verdict,
)
from trueup.domain.transfer import spec_from_json, spec_to_json
from trueup.errors import InputError, UsageError
from trueup.services.label_files import bound, label_row, read_labels

if TYPE_CHECKING:
    from trueup.services.workspace import Workspace

RECORDS, LABELS, VERDICTS, JUDGES, CARD = (
    "records.jsonl",
    "labels.jsonl",
    "verdicts.jsonl",
    "judges.jsonl",
    "card.md",
)
_KINDS: tuple[UnitKind, ...] = ("answer_claim", "reference_claim", "chunk")

UnitNames: TypeAlias = dict[tuple[str, str, str, str], str]
"""(record id, release, unit kind, unit id) → unit key."""


@dataclass(frozen=True, slots=True)
class LabelSet:
    """A label set in memory. `sha256` is its content hash; `card` its front matter."""

    name: str
    path: Path
    sha256: str
    card: Mapping[str, str]
    records: Mapping[str, Record]
    units: Mapping[str, Unit]
    labels: tuple[Label, ...]
    verdicts: tuple[Verdict, ...]
    judges: tuple[JudgeSpec, ...]

    @property
    def constructed(self) -> bool:
        """True where the card says that no person labelled."""
        return self.card.get("labels") == "constructed"


def find(workspace_root: Path | None, name: str) -> Path | None:
    """The directory of a label set: a path, one of the workspace's, or a bundled one."""
    candidates = [Path(name)]
    if workspace_root is not None:
        candidates.append(workspace_root / "label_sets" / name)
    if bundled := bundled_dir():
        candidates.append(bundled / name)
    return next((c for c in candidates if (c / RECORDS).is_file()), None)


def bundled_dir() -> Path | None:
    """Where the label sets that ship with trueup are: in the wheel, or in a source checkout."""
    inside = Path(str(resources.files("trueup"))) / "label_sets"
    checkout = Path(__file__).resolve().parents[3] / "label_sets"
    return next((d for d in (inside, checkout) if d.is_dir()), None)


def load(path: Path) -> LabelSet:
    """Read a label set. Raises InputError with file, line and field."""
    from trueup.exchange.jsonl import read_jsonl

    items = list(read_jsonl(path / RECORDS))
    records = {i.record.key: i.record for i in items}
    units = {u.key: u for i in items for claims in i.claims.values() for u in claims}
    units |= {u.key: u for i in items for u in _chunk_units(i.record)}
    by_name: UnitNames = {
        (records[u.record].id, records[u.record].release, u.kind, u.id): u.key
        for u in units.values()
    }
    labels = tuple(_labels(path / LABELS, by_name))
    specs = tuple(_judge_specs(path / JUDGES))
    verdicts = tuple(_verdicts(path / VERDICTS, by_name, {s.fingerprint for s in specs}))
    return LabelSet(
        name=path.name,
        path=path,
        sha256=content_hash(path),
        card=read_card(path / CARD),
        records=records,
        units=units,
        labels=labels,
        verdicts=verdicts,
        judges=specs,
    )


def content_hash(path: Path) -> str:
    """SHA-256 over the records and labels, each line by itself and sorted: order says nothing."""
    digest = hashlib.sha256()
    for name in (RECORDS, LABELS):
        lines = sorted((path / name).read_bytes().replace(b"\r\n", b"\n").split(b"\n"))
        digest.update(name.encode() + b"\n" + b"\n".join(line for line in lines if line))
    return digest.hexdigest()


def read_card(path: Path) -> dict[str, str]:
    """The `key: value` lines between the first two `---` of a card; {} where there are none."""
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        return {}
    parts = text.split("---\n", 2)
    if len(parts) < 3 or parts[0].strip():
        return {}
    pairs = (line.partition(":") for line in parts[1].splitlines() if ":" in line)
    return {key.strip(): value.strip() for key, _, value in pairs}


def freeze(workspace: Workspace, name: str, *, sample: str | None = None, note: str = "") -> Path:
    """Write label_sets/NAME/: labelled records whole, their labels, the verdicts present.

    Raises UsageError where nothing is labelled or the directory is there already.
    """
    store = workspace.store
    events = _lasting(workspace, sample)
    if not events:
        raise UsageError("nothing is labelled yet", hint="trueup label, or trueup labels import")
    if safe_filename(name) != name:
        raise UsageError(f"{name!r} cannot name a directory", hint="use letters, digits, - and _")
    if store.sample(name) is not None:
        raise UsageError(
            f"a sample is named {name!r}: --labels {name} would mean either",
            hint="choose another name for the set",
        )
    target = workspace.root / "label_sets" / name
    if target.exists():
        raise UsageError(
            f"label set {name!r} is there already", hint="a frozen set never changes: choose a name"
        )
    units = store.units_by_key({x.unit for x in events})
    keys = sorted({u.record for u in units.values()})
    draft = target.with_name(target.name + ".part")
    draft.mkdir(parents=True)
    _write(draft / RECORDS, _record_lines(workspace, keys))
    refs = store.record_refs(set(keys))
    _write(
        draft / LABELS, (label_row(x, units[x.unit], refs[units[x.unit].record]) for x in events)
    )
    _write_verdicts(workspace, draft, keys)
    (draft / CARD).write_text(
        _card(workspace, name, events, len(keys), note), "utf-8", newline="\n"
    )
    draft.rename(target)
    return target


def _lasting(workspace: Workspace, sample: str | None) -> list[Label]:
    """Label events on claims that are frozen with them: not on parts of a split or added claims
    that nobody adjudicated yet, nor on claims of an older version. Who took which answer is none.
    """
    store = workspace.store
    events = [e.label for e in store.label_events(sample=sample) if not is_assignment(e.label)]
    keys = sorted({u.record for u in store.units_by_key({x.unit for x in events}).values()})
    current = {u.key for kind in _KINDS for u in store.units(kind, records=keys)}
    return [x for x in events if x.unit in current]


def _chunk_units(record: Record) -> Iterator[Unit]:
    from trueup.domain.units import chunk_units

    yield from chunk_units(record)


def _labels(path: Path, by_name: UnitNames) -> Iterator[Label]:
    from trueup.domain.metrics import METRICS

    for item in read_labels(path):
        kind = METRICS[item.label.metric].units
        key = by_name.get((item.record, item.release, kind, item.unit))
        if key is None:
            raise InputError(
                f"no unit {item.unit!r} of record {item.record!r} in {RECORDS}",
                path=path, line=item.line, field="unit",
            )  # fmt: skip
        yield bound(item.label, key)


def _record_lines(workspace: Workspace, keys: list[str]) -> Iterator[dict[str, Any]]:
    from trueup.exchange.jsonl_write import record_line

    store = workspace.store
    units: dict[str, list[Unit]] = {}
    for kind in ("answer_claim", "reference_claim"):
        for unit in store.units(kind, records=keys):
            units.setdefault(unit.record, []).append(unit)
    for record in store.iter_records(keys=keys):
        yield record_line(record, units.get(record.key, []))


def _write_verdicts(workspace: Workspace, target: Path, keys: list[str]) -> None:
    store = workspace.store
    units: dict[str, Unit] = {}
    for kind in _KINDS:
        units |= {u.key: u for u in store.units(kind, records=keys)}
    refs = store.record_refs(set(keys))
    judges = store.judges()
    lines = (
        _verdict_line(v, units[v.unit], refs[units[v.unit].record].id,
                      refs[units[v.unit].record].release)
        for metric in sorted({j.spec.metric for j in judges})
        for v in store.verdicts(metric=metric, units=set(units), repeat=None)
    )  # fmt: skip
    _write(target / VERDICTS, lines)
    _write(target / JUDGES, (_judge_line(j.spec) for j in judges))


def _verdict_line(verdict: Verdict, unit: Unit, record: str, release: str) -> dict[str, Any]:
    return {
        "unit": unit.id,
        "record": record,
        "release": release,
        "kind": unit.kind,
        "metric": verdict.metric,
        "fingerprint": verdict.fingerprint,
        "value": verdict.value,
        "own_value": verdict.own_value,
        "reason": verdict.reason,
        "repeat": verdict.repeat,
        "flags": list(verdict.flags),
        "evidence": [
            {"quote": e.quote, "match": e.match, "chunk": e.chunk,
             "spans": [[s.start, s.end] for s in e.spans]}
            for e in verdict.evidence
        ],
    }  # fmt: skip


def _judge_line(spec: JudgeSpec) -> dict[str, Any]:
    return {**spec_to_json(spec), "fingerprint": spec.fingerprint}


def _judge_specs(path: Path) -> Iterator[JudgeSpec]:
    yield from map(spec_from_json, _rows(path))


def _verdicts(path: Path, by_name: UnitNames, known: set[str]) -> Iterator[Verdict]:
    for number, row in enumerate(_rows(path), start=1):
        key = by_name.get((row["record"], row["release"], row["kind"], row["unit"]))
        if key is None or row["fingerprint"] not in known:
            raise InputError(
                f"a verdict of an unknown unit or judge ({row['unit']!r})", path=path, line=number
            )
        yield Verdict(
            unit=key,
            metric=row["metric"],
            fingerprint=row["fingerprint"],
            value=row["value"],
            own_value=row["own_value"],
            reason=row["reason"],
            evidence=tuple(
                Evidence(e["quote"], e["match"], e["chunk"], tuple(Span(*s) for s in e["spans"]))
                for e in row["evidence"]
            ),
            flags=tuple(row["flags"]),
            repeat=row["repeat"],
        )


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    if not path.is_file():
        return
    with path.open(encoding="utf-8", newline="\n") as file:
        for number, line in enumerate(file, start=1):
            try:
                yield json.loads(line)
            except ValueError as error:
                raise InputError(f"not valid JSON: {error}", path=path, line=number) from error


def _write(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False, allow_nan=False, sort_keys=True) + "\n")


def _card(workspace: Workspace, name: str, events: list[Label], n_records: int, note: str) -> str:
    people = sorted({x.annotator for x in events if x.origin == "person"})
    kind = "people" if people else "constructed"
    unblinded = sum(not x.blind for x in events)
    return (
        f"---\nname: {name}\nlabels: {kind}\nannotators: {len(people)}\nrecords: {n_records}\n"
        f"events: {len(events)}\nunblinded: {unblinded}\n"
        f"policy_sha256: {workspace.policy_sha256}\nfew_shot: no\n---\n\n# {name}\n\n"
        f"{note or 'Frozen with `trueup labels freeze`.'}\n\n"
        "Set `few_shot: yes` above when a judge's examples were written from records of this set:\n"
        "`trueup validate` then refuses it as a yardstick for that judge.\n\n"
        f"## Policy that people labelled by\n\n{workspace.policy}"
    )
