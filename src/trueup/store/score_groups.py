"""Records of one release counted by what became of their units, and how that is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trueup.domain.ids import content_id
from trueup.domain.model import Metric
from trueup.domain.scores import Tally
from trueup.store.tallies import RecordTally

Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ScoreGroup:
    """The records of one release that one judge ruled on through one answered model.

    `tallies` counts records by what became of their units: one tally a record, or two (precision,
    recall) in a group of `answer_correctness`. `claim_sets` and `system_fingerprints` count records
    by these. Records that the judge was never asked about are in the largest group of their
    release, with units that are all undecided.
    """

    fingerprint: str
    metric: Metric
    release: str
    answered_model: str | None
    system_fingerprints: Mapping[str, int]
    claim_sets: Mapping[str, int]
    tallies: Mapping[tuple[Tally, ...], int]

    @property
    def n_records(self) -> int:
        """Records of the group."""
        return sum(self.tallies.values())

    @property
    def claim_set(self) -> str | None:
        """The claim set that most records were counted on: splitter and version."""
        return max(sorted(self.claim_sets), key=self.claim_sets.__getitem__, default=None)


Line = tuple[tuple[Tally, ...], RecordTally]
"""A record's tallies, and the record as its first judge left it."""


def pair_fingerprint(precision: str, recall: str) -> str:
    """The fingerprint of `answer_correctness` made from two judges' scores."""
    return content_id("judge-pair", [precision, recall])


def single(tallies: Iterable[RecordTally]) -> list[Line]:
    """One tally a record."""
    return [((t.tally,), t) for t in tallies]


def joined(precision: Sequence[RecordTally], recall: Iterable[RecordTally]) -> list[Line]:
    """Two tallies a record, for the records that both judges were asked about or could not be."""
    other = {t.key: t for t in recall}
    return [((t.tally, other[t.key].tally), t) for t in precision if t.key in other]


def bodies(lines: Sequence[Line]) -> list[Body]:
    """Groups as they are stored, the largest first; none where the judge ruled on no record."""
    judged: dict[str | None, list[Line]] = {}
    rest = []
    for line in lines:
        known = line[1].judged and line[1].answered_model is not None
        if known:
            judged.setdefault(line[1].answered_model, []).append(line)
        else:
            rest.append(line)
    if not judged and not any(line[1].judged for line in rest):
        return []
    ordered = sorted(judged.items(), key=lambda item: (-len(item[1]), item[0] or ""))
    if not ordered:
        return [_body(None, rest)]
    model, largest = ordered[0]
    return [_body(model, [*largest, *rest]), *(_body(m, some) for m, some in ordered[1:])]


def _body(model: str | None, lines: Sequence[Line]) -> Body:
    counts = Counter(tallies for tallies, _ in lines)
    judged = [record for _, record in lines if record.judged]
    return {
        "model": model,
        "systems": _counted(r.system_fingerprint for r in judged),
        "sets": _counted(r.claim_set for r in judged),
        "tallies": [
            [[[t.units, t.entailed, t.not_entailed, t.state, t.reason] for t in tallies], n]
            for tallies, n in sorted(counts.items())
        ],
    }


def _counted(values: Iterable[str | None]) -> dict[str, int]:
    return dict(sorted(Counter(v for v in values if v is not None).items()))


def group_of(fingerprint: str, metric: Metric, release: str, body: Body) -> ScoreGroup:
    """A group from its stored form."""
    return ScoreGroup(
        fingerprint=fingerprint,
        metric=metric,
        release=release,
        answered_model=body["model"],
        system_fingerprints=body["systems"],
        claim_sets=body["sets"],
        tallies={tuple(Tally(*t) for t in tallies): n for tallies, n in body["tallies"]},
    )
