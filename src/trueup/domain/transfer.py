"""What an importer hands to the store: one record of a file with all that the file says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import Any

from trueup.domain.ids import content_id
from trueup.domain.model import (
    UNKNOWN_TIME,
    Json,
    JudgeSpec,
    Label,
    Record,
    Unit,
    UnitKind,
    Verdict,
)


@dataclass(frozen=True, slots=True)
class ClaimSetInfo:
    """A frozen claim set: its kind, version and splitter, without its units.

    `meta["abstained"]` is true where the answer only declines. A set may be empty: the text was
    split, and claims nothing. `current` is false for a version that a later one replaced.
    """

    kind: UnitKind
    version: int = 1
    splitter: str = "given"
    meta: Mapping[str, Json] = field(default_factory=dict)
    current: bool = True


@dataclass(frozen=True, slots=True)
class ImportedRecord:
    """One record with its claims, recorded verdicts and labels.

    `claims` holds the frozen units per kind that the file gives (of several claim-set versions
    where it holds old ones); their `record` is the record's key. Verdicts and labels refer to unit
    keys of `claims`. `path` and `line` (1-based) say where it came from.
    """

    record: Record
    claims: Mapping[UnitKind, tuple[Unit, ...]] = field(default_factory=dict)
    verdicts: tuple[Verdict, ...] = ()
    labels: tuple[Label, ...] = ()
    judges: tuple[JudgeSpec, ...] = ()
    """The judges that the verdicts' fingerprints belong to: recorded ones, or ours as exported."""
    sets: tuple[ClaimSetInfo, ...] = ()
    """Where the file says how its claims were made; else each set in `claims` is "given"."""
    path: str = ""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class ImportCounts:
    """What an import did: new, already there, and replaced."""

    records: int = 0
    records_unchanged: int = 0
    records_updated: int = 0
    units: int = 0
    verdicts: int = 0
    labels: int = 0
    judges: int = 0


def iso(at: datetime) -> str:
    """An instant in UTC with `Z`, to the microsecond where there is one."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


_UNKNOWN_ISO = iso(UNKNOWN_TIME)


def iso_or_none(at: datetime) -> str | None:
    """As `iso`; None for a time that is not known."""
    return None if at == UNKNOWN_TIME else iso(at)


def label_id(label: Label, nth: int = 0) -> str:
    """The id of a label event that its file gives none: from its content, so that a second import
    of the same event is the same event.

    `nth` counts equal events of one unit, so that saying the same twice stays two events.
    """
    at = _UNKNOWN_ISO if label.at is UNKNOWN_TIME else iso(label.at)
    content: list[Json] = [
        label.unit, label.metric, label.annotator, label.label, at, label.note, label.quote,
        label.repeat,
    ]  # fmt: skip
    return content_id("label", [*content, nth] if nth else content)


def spec_to_json(spec: JudgeSpec) -> dict[str, Any]:
    """A judge as JSON, whole: `spec_from_json` makes it again, with the same fingerprint."""
    return {f.name: _plain(getattr(spec, f.name)) for f in fields(spec)}


def spec_from_json(stored: Mapping[str, Any]) -> JudgeSpec:
    """The judge that `spec_to_json` wrote. Fields that this program does not know are left out."""
    known = {f.name for f in fields(JudgeSpec)}
    return JudgeSpec(**{name: value for name, value in stored.items() if name in known})


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if isinstance(value, Mapping) else value
