"""Progress, pace and time left of each annotator, for `trueup labels status`."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING, Any

from trueup.domain.model import Label, Sample
from trueup.services.discordance import asked

if TYPE_CHECKING:
    from trueup.store import Store


def status(store: Store, *, metric: str, sample: str | None = None) -> list[dict[str, Any]]:
    """A row for each sample and annotator, and one for labels outside any sample.

    `done` counts units with a current label or flag, `total` the units of the sample (null outside
    one), `seconds_per_claim` is the median time on screen, `seconds_left` what it takes at that
    pace. With `sample` only its rows; a sample that nobody began has one row without annotator.
    """
    current = [x for x in store.current_labels(metric=metric) if x.origin == "person"]
    rows: list[dict[str, Any]] = []
    for one in store.samples():
        if one.metric == metric and sample in (None, one.name):
            rows += _of_sample(store, one, [x for x in current if x.sample == one.name])
    if sample is None:
        outside = [x for x in current if x.sample is None]
        rows += [_row(None, who, labels, None) for who, labels in _by_annotator(outside)]
    return rows


def _of_sample(store: Store, sample: Sample, labels: Sequence[Label]) -> list[dict[str, Any]]:
    keys = {u.key for u in asked(store, sample)}
    # parts of splits, added claims and second showings are beside what was drawn
    own = [x for x in labels if x.unit in keys and x.repeat == 0]
    rows = [_row(sample.name, who, mine, len(keys)) for who, mine in _by_annotator(own)]
    return rows or [_row(sample.name, None, [], len(keys))]


def _by_annotator(labels: Sequence[Label]) -> list[tuple[str, list[Label]]]:
    people: dict[str, list[Label]] = {}
    for label in labels:
        people.setdefault(label.annotator, []).append(label)
    return sorted(people.items())


def _row(
    sample: str | None, annotator: str | None, labels: Sequence[Label], total: int | None
) -> dict[str, Any]:
    done = len({x.unit for x in labels if x.repeat == 0})
    times = [x.ms / 1000 for x in labels if x.ms is not None]
    pace = median(times) if times else None
    return {
        "sample": sample,
        "annotator": annotator,
        "done": done,
        "total": total,
        "seconds_per_claim": pace,
        "seconds_left": None if pace is None or total is None else pace * max(0, total - done),
        "unblinded": sum(not x.blind for x in labels),
        "flags": sum(x.label in {"bad_split", "not_a_claim"} for x in labels),
        "policies": sorted({x.policy_sha256 for x in labels if x.policy_sha256}),
    }
