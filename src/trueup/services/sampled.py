"""Of which records a sample is a probability sample: a number that later imports change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.domain.metrics import METRICS
from trueup.domain.model import Sample

if TYPE_CHECKING:
    from trueup.store import Store


def sampled_releases(store: Store, sample: Sample) -> tuple[str, ...] | None:
    """The releases whose records are what the sample was drawn from, by their number.

    All releases of the store, else those that records were drawn of; None where neither holds as
    many records with units as were drawn from, since records came or went.
    """
    kind = METRICS[sample.metric].units
    refs = store.record_refs([m.record for m in sample.members])
    drawn = tuple(sorted({ref.release for ref in refs.values()}))
    for releases in (tuple(name for name, _ in store.releases()), drawn):
        if store.count_with_units(kind, releases=releases) == sample.population:
            return releases
    return None
