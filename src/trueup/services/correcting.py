"""The corpora that a judge's rate is corrected for: all records that it ruled on, and parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from trueup.report.model import Corrected, CorrectedPart
from trueup.services.sampled import sampled_releases
from trueup.stats.correction import Correction, corrected_rate
from trueup.stats.counts import Clusters, IntArray, count_matrix
from trueup.stats.frame import Mask

if TYPE_CHECKING:
    from trueup.services.workspace import Workspace
    from trueup.services.yardstick import KnownJudge, Yardstick
    from trueup.stats.frame import Frame
    from trueup.store import Store

RELEASE = "release"
_ENOUGH_HERE = 20
"""Labelled answers from which a part is corrected by its own labels."""

Groups = Mapping[str, Mapping[str, IntArray]]
"""Release or slice name → value → row ids of the records, sorted."""


@dataclass(frozen=True, slots=True, eq=False)
class _Ruled:
    """Verdicts of one judge: `record` (n,) row ids, `no` (n,) 1 where it says not entailed."""

    record: IntArray
    no: IntArray

    @classmethod
    def of(cls, store: Store, metric: str, fingerprint: str) -> _Ruled:
        arrays = store.verdict_arrays(metric=metric, fingerprint=fingerprint)
        decided = arrays.value >= 0
        return cls(arrays.record[decided], 1 - arrays.value[decided].astype(np.int64))

    def clusters(self, records: IntArray | None = None) -> Clusters:
        """Units that the judge calls entailed and not, per record (U, 2); of these records."""
        record, no = self.record, self.no
        if records is not None:
            kept = np.isin(record, records)
            record, no = record[kept], no[kept]
        _, answer = np.unique(record, return_inverse=True)
        return Clusters.from_counts(count_matrix(answer, no, 2))


def corrections(
    workspace: Workspace, stick: Yardstick, frame: Frame, judges: Sequence[KnownJudge]
) -> dict[str, Corrected]:
    """Corrected rates of each judge that has verdicts in the store: whole, by release, by slice.

    PPI++ needs labels that are a probability sample of the corpus: those of a drawn sample, as
    long as the records are those that it was drawn from. Other labels (a set, or gathered outside
    one sample's design) give the clustered Rogan–Gladen rate.
    """
    if stick.discordant is not None or not workspace.has_store:
        return {}
    store = workspace.store
    releases = None if stick.sample is None else sampled_releases(store, stick.sample)
    every = {name for name, _ in store.releases()}
    groups = _groups(store, stick)
    out = {}
    for judge in judges:
        ruled = _Ruled.of(store, stick.metric, judge.fingerprint)
        corpus = ruled.clusters()
        if not corpus.n_units:
            continue
        labelled = frame.clusters(judge.name)
        whole = corrected_rate(
            labelled, corpus, probability_sample=releases is not None and every <= set(releases)
        )
        parts = _parts(stick, frame, judge.name, ruled, groups, set(releases or ()), every)
        out[judge.name] = Corrected(whole, tuple(parts))
    return out


def _groups(store: Store, stick: Yardstick) -> Groups:
    """Records by release, where there are several, and by the slices that labelled records have."""
    names = sorted({name for record in stick.records.values() for name in record.slices})
    several = len(store.releases()) > 1
    if not names and not several:
        return {}
    found: dict[str, dict[str, list[int]]] = {}
    for row, release, slices in store.record_groups(slices=bool(names)):
        told = {name: slices[name] for name in names if name in slices}
        for by, value in (*([(RELEASE, release)] if several else []), *told.items()):
            found.setdefault(by, {}).setdefault(value, []).append(row)
    return {
        by: {value: np.array(rows, np.int64) for value, rows in sorted(values.items())}
        for by, values in found.items()
    }


def _parts(
    stick: Yardstick, frame: Frame, judge: str, ruled: _Ruled, groups: Groups,
    sampled: set[str], every: set[str],
) -> Iterator[CorrectedPart]:  # fmt: skip
    labelled = frame.clusters(judge)
    for by, values in groups.items():
        for value, records in values.items():
            corpus = ruled.clusters(records)
            if not corpus.n_units:
                continue
            own = frame.part(_of_part(stick, frame, by, value)).clusters(judge)
            covered = value in sampled if by == RELEASE else bool(sampled) and every <= sampled
            made = _corrected_part(labelled, own, corpus, covered)
            yield CorrectedPart(
                by, value, corpus.n_answers, corpus.n_units, own.n_answers, made.rate, made.alt
            )


def _corrected_part(
    labelled: Clusters, own: Clusters, corpus: Clusters, covered: bool
) -> Correction:
    """By the part's own labels where they are enough of a sample, else by all labels' errors."""
    if covered and own.n_answers >= _ENOUGH_HERE:
        return corrected_rate(own, corpus, probability_sample=True)
    return corrected_rate(labelled, corpus, probability_sample=False)


def _of_part(stick: Yardstick, frame: Frame, by: str, value: str) -> Mask:
    """Units of the frame (n,) in a release or a slice."""
    inside = []
    for name in frame.record_names or ():
        record = stick.records.get(name)
        told = (
            None if record is None else record.release if by == RELEASE else record.slices.get(by)
        )
        inside.append(told == value)
    return np.array(inside, np.bool_)[frame.answer]
