"""Records of one release counted by what became of their units, and how that is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from trueup.domain.ids import content_id
from trueup.domain.model import Metric
from trueup.domain.scores import Tally
from trueup.store.score_book import Book, Ints
from trueup.store.tallies import TallyColumns

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


def pair_fingerprint(precision: str, recall: str) -> str:
    """The fingerprint of `answer_correctness` made from two judges' scores."""
    return content_id("judge-pair", [precision, recall])


def bodies(book: Book, halves: Sequence[TallyColumns]) -> dict[str, list[Body]]:
    """Release → its groups as they are stored, the largest first; none where nothing was ruled on.

    `halves` is one judge's columns, or those of the two judges that make `answer_correctness`.
    """
    one = halves[0]
    model = np.where(one.judged, one.model, -1)
    found: dict[str, list[Body]] = {name: [] for name in book.releases}
    for code, release in enumerate(book.releases):
        mine = np.flatnonzero(book.release == code)
        if not one.judged[mine].any():
            continue
        counts = Counter(model[mine][one.judged[mine]].tolist())
        known = sorted((c for c in counts if c >= 0), key=lambda c: (-counts[c], one.models[c]))
        largest = known[0] if known else -1
        of = np.where(model[mine] < 0, largest, model[mine])
        for group in known or [-1]:
            found[release].append(_body(halves, group, mine[of == group]))
    return found


def _body(halves: Sequence[TallyColumns], model: int, places: Ints) -> Body:
    one = halves[0]
    judged = places[one.judged[places]]
    return {
        "model": None if model < 0 else one.models[model],
        "systems": _counted(one.system[judged], one.systems),
        "sets": _counted(one.claim_set[judged], one.claim_sets),
        "tallies": _tallies(halves, places),
    }


def _tallies(halves: Sequence[TallyColumns], places: Ints) -> list[Any]:
    """[[tally, …], how many records have them], sorted."""
    columns = [
        column[places]
        for h in halves
        for column in (h.units, h.entailed, h.not_entailed, h.state, h.reason)
    ]
    rows, counts = np.unique(np.stack(columns, axis=1), axis=0, return_counts=True)
    made = []
    for row, n in zip(rows.tolist(), counts.tolist(), strict=True):
        parts = [row[i : i + 5] for i in range(0, len(row), 5)]
        told = [
            [units, yes, no, h.states[state], h.reasons[reason]]
            for h, (units, yes, no, state, reason) in zip(halves, parts, strict=True)
        ]
        made.append([told, n])
    return sorted(made)


def _counted(codes: Ints, names: Sequence[str]) -> dict[str, int]:
    counts = Counter(codes[codes >= 0].tolist())
    return {names[c]: n for c, n in sorted(counts.items(), key=lambda item: names[item[0]])}


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
