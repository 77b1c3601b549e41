"""What an importer hands to the store: one record of a file with all that the file says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from trueup.domain.model import JudgeSpec, Label, Record, Unit, UnitKind, Verdict


@dataclass(frozen=True, slots=True)
class ImportedRecord:
    """One record with its claims, recorded verdicts and labels.

    `claims` holds a frozen claim set per unit kind that the file gives; their `record` is the
    record's key. Verdicts and labels refer to unit keys of `claims` (or of chunk units there).
    `path` and `line` (1-based) say where it came from.
    """

    record: Record
    claims: Mapping[UnitKind, tuple[Unit, ...]] = field(default_factory=dict)
    verdicts: tuple[Verdict, ...] = ()
    labels: tuple[Label, ...] = ()
    judges: tuple[JudgeSpec, ...] = ()
    """Recorded judges (backend "recorded") that the verdicts' fingerprints belong to."""
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
