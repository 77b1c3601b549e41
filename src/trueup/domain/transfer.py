"""What an importer hands to the store: one record of a file with all that the file says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from trueup.domain.model import Json, JudgeSpec, Label, Record, Unit, UnitKind, Verdict


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

    `claims` holds the frozen units per kind that the file gives (of several claim-set versions where
    it holds old ones); their `record` is the record's key. Verdicts and labels refer to unit keys
    of `claims`. `path` and `line` (1-based) say where it came from.
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
