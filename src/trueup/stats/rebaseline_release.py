"""A release under an old and a new judge: means, the shift between them, and what made it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from trueup.domain.model import Sample
from trueup.errors import UsageError
from trueup.stats.bounded import mean_over
from trueup.stats.counts import FloatArray
from trueup.stats.estimate import Estimate
from trueup.stats.intervals import t_quantile
from trueup.stats.rebaseline import LEAST_OVERLAP, restated_mean

REJUDGED = "rejudged_t_over_records"
SHIFT = "paired_t_over_records"
NO_RECORD = "no record decided under both judges"
NO_VARIATION = "every record moved by the same amount: no variation to judge by"

_NO_SPREAD = 1e-9


@dataclass(frozen=True, slots=True)
class RestatedRelease:
    """One release under both judges, on the same N records.

    `old`, `new`: mean scores; `shift` = new − old. `n_records` N scored by the old judge,
    `n_overlap` m scored by both. `left_out`: records that are undecided under a judge, by which.
    """

    method: str
    old: Estimate
    new: Estimate
    shift: Estimate
    n_records: int
    n_overlap: int
    left_out: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ShiftPart:
    """One step from the old judge to the new one, and the change of the mean that it made."""

    name: str
    change: Estimate


def restate_overlap(
    sample: Sample,
    old: Mapping[str, float | None],
    new: Mapping[str, float | None],
    *,
    conf: float = 0.95,
    least: int = LEAST_OVERLAP,
) -> RestatedRelease:
    """One release from its overlap sample, drawn from the records that the old judge decided.

    `old` holds the scores of all N records of the population, `new` those of the rejudged members;
    None is undecided. Members without a new score are left out and counted (the others of their
    stratum stand for them). Raises UsageError where a member has no old score.
    """
    homes = {m.record: m.stratum for m in sample.members}
    both = sorted(r for r in homes if new.get(r) is not None)
    if any(old.get(r) is None for r in homes):
        raise UsageError("an overlap is drawn from records that the old judge decided")
    left_out = _left_out(old, {r: new.get(r) for r in homes})
    scored = _column(old, sorted(r for r, score in old.items() if score is not None))
    if len(both) == len(scored):
        return _exact(_column(old, both), _column(new, both), left_out, conf)
    names = sorted({homes[r] for r in both})
    sizes, merged = _cover(sample.strata, names)
    after = restated_mean(
        _column(old, both),
        _column(new, both),
        old_all_mean=float(scored.mean()),
        n_total=len(scored),
        stratum=[homes[r] for r in both] if both else None,
        stratum_sizes=[sizes[name] for name in names],
        conf=conf,
        least=least,
    ).best
    if merged:
        after = replace(after, flags=(*after.flags, "strata_merged"))
    return RestatedRelease(
        "overlap",
        mean_over(scored, conf),
        after,
        _shift_of(after, float(scored.mean()), conf),
        len(scored),
        len(both),
        left_out,
    )


def _cover(strata: Mapping[str, int], names: Sequence[str]) -> tuple[dict[str, int], bool]:
    """Sizes of the strata that answered; one that did not goes to the last before it that did."""
    sizes = dict.fromkeys(names, 0)
    held, lost = 0, False
    last: str | None = None
    for name, size in strata.items():
        if name in sizes:
            last = name
            sizes[name] += size + held
            held = 0
        elif last is not None:
            sizes[last] += size
            lost = True
        else:
            held, lost = held + size, True
    return sizes, lost


def restate_rejudged(
    old: Mapping[str, float | None], new: Mapping[str, float | None], *, conf: float = 0.95
) -> RestatedRelease:
    """One release of which every record was rejudged: exact, with the sampling interval only.

    Means over the records that both judges decided; the others are counted.
    """
    both = sorted(r for r, score in old.items() if score is not None and new.get(r) is not None)
    return _exact(_column(old, both), _column(new, both), _left_out(old, new), conf)


def _column(scores: Mapping[str, float | None], records: Sequence[str]) -> FloatArray:
    """The scores of records that are known to have one."""
    return np.array([scores[r] for r in records], dtype=np.float64)


def _exact(
    old: FloatArray, new: FloatArray, left_out: Mapping[str, int], conf: float
) -> RestatedRelease:
    after = mean_over(new, conf)
    if after.value is not None:
        after = replace(after, method=REJUDGED)
    shift = _paired(new - old, conf)
    return RestatedRelease(
        "rejudged", mean_over(old, conf), after, shift, len(old), len(old), left_out
    )


def _left_out(old: Mapping[str, float | None], new: Mapping[str, float | None]) -> dict[str, int]:
    before = {r for r, score in old.items() if score is None}
    after = {r for r, score in new.items() if score is None}
    counts = {
        "undecided_old": len(before - after),
        "undecided_new": len(after - before),
        "undecided_both": len(before & after),
    }
    return {name: n for name, n in counts.items() if n}


def _shift_of(after: Estimate, before: float, conf: float) -> Estimate:
    """new − old with the error of the new mean alone: the old one of these records is known."""
    if after.value is None or after.se is None:
        return Estimate.undefined(after.reason or NO_RECORD, after.method)
    value = float(after.extra.get("value_unclipped", after.value) or 0.0) - before
    df = after.extra.get("df")
    assert isinstance(df, (int, float))
    return _plus_minus(value, after.se, df, after.method, conf)


def _paired(differences: FloatArray, conf: float) -> Estimate:
    """Mean difference with a t interval over records; one record has none."""
    n = len(differences)
    if n == 0:
        return Estimate.undefined(NO_RECORD, SHIFT)
    value = float(differences.mean())
    if n == 1:
        return Estimate(value, method=SHIFT, reason="fewer than two records")
    return _plus_minus(value, float(differences.std(ddof=1)) / math.sqrt(n), n - 1, SHIFT, conf)


def _plus_minus(value: float, se: float, df: float, method: str, conf: float) -> Estimate:
    """θ ± t·s; without variation there is nothing to make an interval of."""
    if se < _NO_SPREAD:
        flags = ("identical",) if value == 0 else ()
        return Estimate(value, method=method, reason=NO_VARIATION, se=se, flags=flags)
    half = t_quantile(conf, df) * se
    return Estimate(value, value - half, value + half, method, se=se)


def attribute_shift(
    steps: Sequence[tuple[str, Mapping[str, float | None]]], *, conf: float = 0.95
) -> tuple[list[ShiftPart], int]:
    """What each change made of the shift, and on how many records.

    `steps`: the old scores under the name of the old judge, then the scores after each change
    (`verdicts`, `evidence rule`, `splitter`, `answered model`), each on top of those before. Only
    records decided at every step count, so the parts add up to the whole shift on them.
    """
    if len(steps) < 2:
        raise UsageError("a shift has an old and a new state at least")
    first = steps[0][1]
    common = sorted(r for r in first if all(s.get(r) is not None for _, s in steps))
    states = [_column(scores, common) for _, scores in steps]
    parts = [
        ShiftPart(name, _paired(after - before, conf))
        for (name, _), before, after in zip(steps[1:], states, states[1:], strict=False)
    ]
    return parts, len(common)
