"""Which claims of a discordant sample people are asked about, and the corpus it was drawn from."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from trueup.domain.metrics import METRICS
from trueup.domain.model import Sample, Unit
from trueup.services.sampled import sampled_releases
from trueup.stats.counts import Clusters, count_matrix
from trueup.stats.discordant import CHANGED, DiscordantCorpus

if TYPE_CHECKING:
    from trueup.store import Store

DISCORDANT = "discordant"
_CODES = {"entailed": 1, "not_entailed": 0}


def asked(store: Store, sample: Sample) -> list[Unit]:
    """The units of a sample that need a label: all of the drawn records', in their order.

    Of a discordant sample only those that its two judges decided differently: the others say
    nothing of the difference, and which judge said what is not told.
    """
    units = store.units(METRICS[sample.metric].units, records=[m.record for m in sample.members])
    if sample.design != DISCORDANT:
        return units
    said = _decided(store, sample, {u.key for u in units})
    return [u for u in units if u.key in said and len(set(said[u.key])) == 2]


def corpus_of_sample(store: Store, sample: Sample) -> DiscordantCorpus:
    """What the two judges of a discordant sample say of the records that it was drawn from.

    Its judges go by their fingerprints. Records that came or went since the draw are told as
    `reason`.
    """
    releases = sampled_releases(store, sample)
    units = store.units(METRICS[sample.metric].units, releases=releases)
    record = {u.key: u.record for u in units}
    said = _decided(store, sample, set(record))
    names = {name: i for i, name in enumerate(dict.fromkeys(record[u] for u in said))}
    answer = np.array([names[record[u]] for u in said], np.int64)
    cell = np.array([3 - 2 * a - b for a, b in said.values()], np.int64)
    first, second = sample.judge_fingerprints
    return DiscordantCorpus(
        first,
        second,
        Clusters.from_counts(count_matrix(answer, cell, 8)),
        sample.population,
        CHANGED if releases is None else None,
    )


def _decided(store: Store, sample: Sample, units: Collection[str]) -> dict[str, tuple[int, int]]:
    """Unit → what the sample's two judges say, where both decided."""
    said: dict[str, dict[str, int]] = {}
    for v in store.verdicts(
        metric=sample.metric, fingerprints=sample.judge_fingerprints, units=units
    ):
        if v.value in _CODES:
            said.setdefault(v.unit, {})[v.fingerprint] = _CODES[v.value]
    first, second = sample.judge_fingerprints
    return {u: (s[first], s[second]) for u, s in said.items() if len(s) == 2}
