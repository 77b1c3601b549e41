"""Grouped cluster bootstrap: a seeded cross-check, and intervals for user-defined statistics.

Answers are resampled with replacement; since only their distinct count vectors matter, a resample
is one multinomial draw of multiplicities, and all statistics share the same draws. Percentile
intervals over answers undercover at few answers (see docs/statistics.md): never the headline.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trueup.errors import UsageError
from trueup.stats.counts import Clusters, FloatArray
from trueup.stats.estimate import Estimate
from trueup.stats.intervals import ONE_ANSWER, Statistic

PERCENTILE = "percentile_cluster_bootstrap"
_CHUNK_CELLS = 4_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Bootstrap:
    """`values` (resamples,) of each statistic, NaN where a resample leaves it undefined."""

    point: Mapping[str, float]
    values: Mapping[str, FloatArray]
    resamples: int
    seed: int
    n_answers: int

    def estimate(self, name: str, *, conf: float = 0.95) -> Estimate:
        """The statistic with its percentile interval over the defined resamples.

        extra: `boot_mean`, `undefined_share`, `resamples`, `seed`. Undefined statistic: null; one
        answer, or no defined resample: no interval.
        """
        value = self.point[name]
        if not np.isfinite(value):
            return Estimate.undefined("undefined on these labels", PERCENTILE)
        drawn = self.values[name]
        defined = drawn[np.isfinite(drawn)]
        extra: dict[str, float | int | str | None] = {
            "undefined_share": 1 - len(defined) / len(drawn),
            "resamples": self.resamples,
            "seed": self.seed,
        }
        if self.n_answers < 2 or len(defined) < 2:
            return Estimate(value, method=PERCENTILE, reason=ONE_ANSWER, extra=extra)
        low, high = np.quantile(defined, [(1 - conf) / 2, (1 + conf) / 2])
        extra["boot_mean"] = float(defined.mean())
        se = float(defined.std(ddof=1))
        return Estimate(value, float(low), float(high), PERCENTILE, se=se, extra=extra)


def bootstrap(
    clusters: Clusters,
    statistics: Mapping[str, Statistic],
    *,
    resamples: int = 10_000,
    seed: int = 0,
) -> Bootstrap:
    """Resample answers `resamples` times and evaluate every statistic on the cell totals.

    A statistic takes totals (B, C) and gives (B,), NaN where undefined; wrap a function of one
    table with `per_table`. Plain sample: multinomial(K, multiplicity/K). Designed sample: within
    strata n_h − 1 draws, weights times n_h/(n_h − 1) (Rao & Wu 1988). Same seed, same figures, in
    whatever order the answers come. Raises UsageError for fewer than one resample.
    """
    if resamples < 1:
        raise UsageError("a bootstrap needs at least one resample")
    full = clusters.without_empty()
    totals = full.totals
    point = {name: float(np.asarray(f(totals[None, :]))[0]) for name, f in statistics.items()}
    rng = np.random.default_rng(seed)
    values = {name: np.empty(resamples) for name in statistics}
    draw = _designed_draw if full.designed else _plain_draw
    chunk = max(1, min(resamples, _CHUNK_CELLS // max(len(full.vectors), 1)))
    for start in range(0, resamples, chunk):
        stop = min(start + chunk, resamples)
        drawn = draw(full, stop - start, rng)
        for name, statistic in statistics.items():
            values[name][start:stop] = statistic(drawn)
    return Bootstrap(point, values, resamples, seed, full.n_answers)


def _plain_draw(full: Clusters, size: int, rng: np.random.Generator) -> FloatArray:
    n = int(full.multiplicity.sum())
    if n == 0:
        return np.zeros((size, full.vectors.shape[1]))
    times = rng.multinomial(n, full.multiplicity / n, size=size)
    return np.asarray(times @ (full.weight[:, None] * full.vectors), dtype=np.float64)


def _designed_draw(full: Clusters, size: int, rng: np.random.Generator) -> FloatArray:
    merged, _ = full.thin_strata_merged()
    totals = np.zeros((size, merged.vectors.shape[1]))
    for h in np.unique(merged.stratum):
        inside = merged.stratum == h
        times, weight = merged.multiplicity[inside], merged.weight[inside]
        n = int(times.sum())
        if n < 2:
            totals += (times * weight) @ merged.vectors[inside]
            continue
        drawn = rng.multinomial(n - 1, times / n, size=size) * (n / (n - 1))
        totals += drawn @ (weight[:, None] * merged.vectors[inside])
    return totals


def per_table(function: Callable[..., float | None]) -> Statistic:
    """A statistic from a function of one table's cells, `f(n11, n10, n01, n00)`; None = undefined.

    Called once for each resample: slower than a statistic of whole arrays.
    """

    def statistic(tables: npt.NDArray[np.float64]) -> FloatArray:
        rows = tables.reshape(-1, tables.shape[-1])
        found = [function(*row) for row in rows.tolist()]
        values = np.array([np.nan if x is None else x for x in found], dtype=np.float64)
        return values.reshape(tables.shape[:-1])

    return statistic
