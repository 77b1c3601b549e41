"""Series of scores: one row a release and series, and where a series breaks.

A series is keyed by metric, judge fingerprint, claim set (splitter and version) and answered model;
system fingerprints that have nothing in common with those of the release before begin a new one.
Two keys are never on one line. A rebaseline restates releases on the scale of its target.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise
from typing import Any

from trueup.domain.ids import content_id
from trueup.domain.model import JudgeSpec
from trueup.domain.scores import SCORED_METRICS
from trueup.services.calibration_marks import Calibration
from trueup.stats.estimate import Estimate

CHANGES = {
    "judge": "the judge changed",
    "answered_model": "another model answered under the same name",
    "claim_set": "the claims were split otherwise",
    "system_fingerprint": "the provider's system fingerprint changed",
}


@dataclass(frozen=True, slots=True)
class SeriesRow:
    """One release of one series.

    `n_records` counts all records of the release; `n_null` those without a score, by reason;
    `n_flagged` those whose score (or null) follows from the record: `empty_context`, `abstained`,
    `no_claims`. `passed` is the share at or above the metric's threshold. `rebaselined_from` is the
    fingerprint that the release was restated from; a row that was restated onto another judge's
    scale is `superseded`. `key` names the series.
    """

    release: str
    metric: str
    fingerprint: str
    judge: str
    spec: JudgeSpec
    answered_model: str | None
    claim_set: str | None
    system_fingerprints: tuple[str, ...]
    n_records: int
    n_null: Mapping[str, int]
    n_flagged: Mapping[str, int]
    mean: Estimate
    corrected: Estimate
    corrected_alt: Estimate | None = None
    passed: Estimate | None = None
    calibration: Calibration | None = None
    rebaselined_from: str | None = None
    superseded: bool = False
    restated: bool = False
    """The mean was estimated from an overlap: no single score of this release is on this scale."""
    key: str = ""
    notes: tuple[str, ...] = ()

    @property
    def n_scored(self) -> int:
        """Records with a score."""
        return self.n_records - sum(self.n_null.values())

    def to_json(self) -> dict[str, Any]:
        """The contract's row of `series`."""
        return {
            "release": self.release,
            "metric": self.metric,
            "fingerprint": self.fingerprint,
            "judge": self.judge,
            "model": self.spec.model,
            "answered_model": self.answered_model,
            "prompt_sha256": self.spec.prompt_sha256,
            "claim_set": self.claim_set,
            "system_fingerprints": list(self.system_fingerprints),
            "key": self.key,
            "calibration": None if self.calibration is None else self.calibration.to_json(),
            "n_records": self.n_records,
            "n_scored": self.n_scored,
            "n_null": dict(self.n_null),
            "n_flagged": dict(self.n_flagged),
            "mean": self.mean.to_json(),
            "passed": None if self.passed is None else self.passed.to_json(),
            "corrected": self.corrected.to_json(),
            "corrected_alt": None if self.corrected_alt is None else self.corrected_alt.to_json(),
            "rebaselined_from": self.rebaselined_from,
            "restated": self.restated,
            "superseded": self.superseded,
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True)
class Break:
    """A place where the line of a metric ends: no series goes on from one release to the next."""

    metric: str
    before: str
    after: str
    changed: tuple[str, ...]
    from_key: str
    to_key: str
    sentence: str

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "metric": self.metric,
            "from_release": self.before,
            "to_release": self.after,
            "changed": list(self.changed),
            "from": self.from_key,
            "to": self.to_key,
            "sentence": self.sentence,
        }


@dataclass(slots=True)
class _Era:
    """How far one key has come: its number, and the system fingerprints seen last."""

    number: int = 1
    systems: frozenset[str] = field(default_factory=frozenset)


def keyed(rows: Iterable[SeriesRow], order: Mapping[str, int]) -> list[SeriesRow]:
    """Rows in the order of metrics, releases and judges, each with the key of its series."""
    places = {name: i for i, name in enumerate(SCORED_METRICS)}
    ordered = sorted(
        rows, key=lambda r: (places[r.metric], order.get(r.release, len(order)), r.judge)
    )
    eras: dict[tuple[Any, ...], _Era] = {}
    numbered = []
    for row in ordered:
        base = _identity(row)
        era = eras.setdefault(base, _Era())
        systems = frozenset(row.system_fingerprints)
        if systems and era.systems and not systems & era.systems:
            era.number += 1
        era.systems = systems or era.systems
        numbered.append((row, (*base, era.number)))
    keys: dict[tuple[str, str], set[tuple[Any, ...]]] = {}
    for row, identity in numbered:
        keys.setdefault((row.metric, row.fingerprint), set()).add(identity)
    return [
        replace(
            row,
            key=_key_name(row, identity, alone=len(keys[row.metric, row.fingerprint]) == 1),
        )
        for row, identity in numbered
    ]


def _identity(row: SeriesRow) -> tuple[Any, ...]:
    return row.metric, row.fingerprint, row.claim_set, row.answered_model


def _key_name(row: SeriesRow, identity: tuple[Any, ...], *, alone: bool) -> str:
    """The fingerprint, with a suffix where one fingerprint has several series."""
    if alone:
        return row.fingerprint
    return f"{row.fingerprint}/{content_id('series', list(identity))[:8]}"


def not_comparable(rows: Sequence[SeriesRow]) -> list[list[str]]:
    """Pairs of keys of one metric, none of whose scores may be set against each other."""
    keys: dict[str, dict[str, None]] = {}
    for row in rows:
        if not row.superseded:
            keys.setdefault(row.metric, {})[row.key] = None
    found = {pair: None for mine in keys.values() for pair in combinations(mine, 2)}
    return [list(pair) for pair in found]


def breaks(rows: Sequence[SeriesRow]) -> list[Break]:
    """Where no series goes on from one scored release to the next, by metric."""
    found = []
    for metric in dict.fromkeys(row.metric for row in rows):
        by_release: dict[str, list[SeriesRow]] = {}
        for row in rows:
            if row.metric == metric and not row.superseded:
                by_release.setdefault(row.release, []).append(row)
        for before, after in pairwise(by_release.values()):
            if not {r.key for r in before} & {r.key for r in after}:
                found.append(_break(before, after))
    return found


def _break(before: Sequence[SeriesRow], after: Sequence[SeriesRow]) -> Break:
    """The break between the two rows that have most in common."""
    old, new = min(
        ((a, b) for a in before for b in after), key=lambda pair: len(differences(*pair))
    )
    changed = differences(old, new)
    return Break(
        old.metric, old.release, new.release, changed, old.key, new.key,
        break_sentence(old, new, changed),
    )  # fmt: skip


def differences(old: SeriesRow, new: SeriesRow) -> tuple[str, ...]:
    """What parts two rows of a metric, by the words of CHANGES; a new judge is all there is."""
    if old.fingerprint != new.fingerprint:
        return ("judge",)
    changed = tuple(
        name for name in ("answered_model", "claim_set") if getattr(old, name) != getattr(new, name)
    )
    return changed or (() if old.key == new.key else ("system_fingerprint",))


def break_sentence(old: SeriesRow, new: SeriesRow, changed: Sequence[str]) -> str:
    """What changed, from what to what, and what mends it."""
    said = "; ".join(f"{CHANGES[name]} ({_from_to(old, new, name)})" for name in changed)
    mend = (
        f"mend it with `trueup rebaseline --from {old.judge} --to {new.judge}`"
        if "judge" in changed
        else "name a judge of its own for what answers now, and rebaseline onto it"
    )
    return f"{old.release or '–'} → {new.release or '–'}: {said}: not comparable; {mend}"


def _from_to(old: SeriesRow, new: SeriesRow, name: str) -> str:
    if name == "judge":
        return f"{old.judge} → {new.judge}"
    if name == "system_fingerprint":
        return f"{', '.join(old.system_fingerprints)} → {', '.join(new.system_fingerprints)}"
    return f"{getattr(old, name) or 'unknown'} → {getattr(new, name) or 'unknown'}"


def lines(rows: Sequence[SeriesRow]) -> Iterator[tuple[str, list[SeriesRow]]]:
    """(metric, its rows that are on a line) in order."""
    for metric in dict.fromkeys(row.metric for row in rows):
        yield metric, [r for r in rows if r.metric == metric and not r.superseded]
