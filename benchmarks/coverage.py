"""How often intervals hold the truth, and tests reject it: the study behind docs/statistics.md.

Claims in answers are drawn from beta-binomial models whose true kappa, agreement and rates are
known; each method's nominal 95 % interval either holds the truth or not. Prints Markdown; with
`--out` it is written to a file. Same seed, same table.

    python benchmarks/coverage.py --reps 1000 --out coverage.md
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from scipy.special import ndtr, ndtri

from trueup.stats.agreement import MEASURES
from trueup.stats.agreement_intervals import estimate
from trueup.stats.bootstrap import bootstrap
from trueup.stats.counts import Clusters
from trueup.stats.intervals import Interval, jackknife
from trueup.stats.paired import compare_cells
from trueup.stats.summary import mean_share

SIZES = (20, 50, 200)
RESAMPLES = 1000
JUDGE_YES = np.array([1, 0, 1, 0])
TESTS = ("McNemar", "sign-flip", "mid-p", "jackknife t")
METHODS = ("this", "naive", "percentile", "BCa")
STUDIED = ("kappa", "percent_agreement", "tnr", "gwet_ac1", "mcc", "f1_not_entailed", "mean_score")


@dataclass(frozen=True)
class Scenario:
    """Share of claims entailed, judge's rates, intraclass correlation, claims per answer."""

    name: str
    rate: float
    tpr: float
    tnr: float
    icc: float
    claims: tuple[int, ...]

    def truth(self) -> np.ndarray:
        """Expected cell shares n11, n10, n01, n00."""
        p = self.rate
        return np.array(
            [p * self.tpr, p * (1 - self.tpr), (1 - p) * (1 - self.tnr), (1 - p) * self.tnr]
        )


SCENARIOS = (
    Scenario("typical judge", 0.80, 0.95, 0.75, 0.15, (3, 4, 5)),
    Scenario("rare unsupported claims", 0.95, 0.97, 0.75, 0.15, (3, 4, 5)),
    Scenario("heavy clustering", 0.75, 0.92, 0.75, 0.50, (4, 6, 8)),
    Scenario("near-perfect judge", 0.80, 0.99, 0.97, 0.15, (3, 4, 5)),
    Scenario("uneven answers", 0.80, 0.93, 0.75, 0.20, (1, 2, 3, 5, 8, 15)),
    Scenario("weak judge", 0.60, 0.75, 0.65, 0.20, (3, 4, 5)),
)


Covered: TypeAlias = dict[tuple[str, str, str, int], tuple[int, int, float]]
"""(measure, method, scenario, answers) → intervals that hold the truth, given, summed width."""


def rates(rng: np.random.Generator, mean: float, icc: float, size: int) -> np.ndarray:
    """Rates of answers: a beta distribution of that mean and intraclass correlation."""
    weight = 1 / icc - 1
    return rng.beta(mean * weight, (1 - mean) * weight, size)


def draw(rng: np.random.Generator, one: Scenario, k: int) -> np.ndarray:
    """Counts (k, 4) of one labelled set."""
    m = rng.choice(one.claims, k)
    yes = rng.binomial(m, rates(rng, one.rate, one.icc, k))
    right = rng.binomial(yes, rates(rng, one.tpr, one.icc, k))
    caught = rng.binomial(m - yes, rates(rng, one.tnr, one.icc, k))
    return np.stack([right, yes - right, m - yes - caught, caught], axis=1)


def intervals(counts: np.ndarray, seed: int) -> Iterator[tuple[str, str, Interval]]:
    """(measure, method, interval): ours, the naive one, and two bootstraps over answers.

    A method that gives no interval for a measure yields nothing.
    """
    clusters = Clusters.from_counts(counts)
    kernels = {name: MEASURES[name].kernel for name in STUDIED if name in MEASURES}
    drawn = bootstrap(clusters, kernels, resamples=RESAMPLES, seed=seed).values
    for name in STUDIED:
        ours = mean_share(clusters, JUDGE_YES) if name == "mean_score" else estimate(clusters, name)
        if ours.low is not None and ours.high is not None:
            yield name, "this", (ours.low, ours.high)
        if "naive_low" in ours.extra:
            naive = ours.extra["naive_low"], ours.extra["naive_high"]
            yield name, "naive", (float(naive[0] or 0), float(naive[1] or 0))
        if ours.value is None or name not in drawn:
            continue
        values = drawn[name][np.isfinite(drawn[name])]
        if len(values) >= RESAMPLES / 2:
            low, high = np.quantile(values, [0.025, 0.975])
            yield name, "percentile", (float(low), float(high))
            corrected = bca(clusters, name, ours.value, values)
            if corrected is not None:
                yield name, "BCa", corrected


def bca(clusters: Clusters, name: str, value: float, drawn: np.ndarray) -> Interval | None:
    """Bias-corrected and accelerated percentile interval over answers (Efron 1987)."""
    found = jackknife(clusters, MEASURES[name].kernel)
    if found.se is None:
        return None
    times = clusters.multiplicity
    lean = times @ found.replicates / times.sum() - found.replicates
    spread = float(times @ lean**2)
    bend = float(times @ lean**3) / (6 * spread**1.5) if spread > 0 else 0.0
    share = np.clip((drawn < value).mean() + (drawn == value).mean() / 2, 1e-6, 1 - 1e-6)
    shift = ndtri(share)
    ends = shift + ndtri(np.array([0.025, 0.975]))
    low, high = np.quantile(drawn, ndtr(shift + ends / (1 - bend * ends)))
    return float(low), float(high)


def cover(reps: int, seed: int) -> Covered:
    """Draw `reps` labelled sets of each scenario and size, and count what the intervals hold."""
    found: dict[tuple[str, str, str, int], list[float]] = defaultdict(lambda: [0, 0, 0.0])
    for s, one in enumerate(SCENARIOS):
        cells = one.truth()
        truth = {name: float(MEASURES[name].kernel(cells)) for name in STUDIED if name in MEASURES}
        truth["mean_score"] = float(cells @ JUDGE_YES)
        for k in SIZES:
            rng = np.random.default_rng([seed, s, k])
            for rep in range(reps):
                counts = draw(rng, one, k)
                for name, method, (low, high) in intervals(counts, rep):
                    cell = found[name, method, one.name, k]
                    cell[0] += low <= truth[name] <= high
                    cell[1] += 1
                    cell[2] += high - low
    return {key: (int(a), int(b), c) for key, (a, b, c) in found.items()}


def draw_pair(rng: np.random.Generator, one: Scenario, k: int) -> np.ndarray:
    """Counts (k, 8) of two judges that are equally good: the null of a comparison.

    The judges share an answer's difficulty but have their own luck with each answer.
    """
    counts = np.zeros((k, 8), np.int64)
    yes_rate = rates(rng, one.rate, one.icc, k)
    tpr = [rates(rng, one.tpr, one.icc, k) for _ in "ab"]
    tnr = [rates(rng, one.tnr, one.icc, k) for _ in "ab"]
    for i, m in enumerate(rng.choice(one.claims, k)):
        human = rng.random(m) < yes_rate[i]
        said = [rng.random(m) < np.where(human, tpr[j][i], 1 - tnr[j][i]) for j in (0, 1)]
        cell = 4 * ~human + 2 * ~said[0] + ~said[1]
        counts[i] = np.bincount(cell, minlength=8)
    return counts


def reject(reps: int, seed: int) -> dict[tuple[str, str, int], float]:
    """(method, scenario, answers) → share of tests at 5 % that reject two equal judges."""
    found: dict[tuple[str, str, int], float] = {}
    for s, one in enumerate(SCENARIOS):
        for k in SIZES:
            rng = np.random.default_rng([seed, 1000 + s, k])
            hits = np.zeros(4)
            for _ in range(reps):
                made = compare_cells(Clusters.from_counts(draw_pair(rng, one, k)))
                ends = made.delta_agreement
                outside = ends.low is not None and not ends.low <= 0 <= (ends.high or 0)
                p, mid = made.p or 1, made.p_mid or 1
                hits += (made.p_mcnemar_exact <= 0.05, p <= 0.05, mid <= 0.05, outside)
            for method, n in zip(
                ("McNemar", "sign-flip", "mid-p", "jackknife t"), hits, strict=True
            ):
                found[method, one.name, k] = float(n / reps)
    return found


def coverage_table(found: Covered, reps: int) -> str:
    """Our intervals: one row a measure and scenario; columns the numbers of answers."""
    head = " | ".join(f"K = {k}" for k in SIZES)
    lines = [f"| measure | scenario | {head} |", "|---|---|" + "---|" * len(SIZES)]
    for name in STUDIED:
        for one in SCENARIOS:
            row = " | ".join(_cell(found.get((name, "this", one.name, k)), reps) for k in SIZES)
            lines.append(f"| {name} | {one.name} | {row} |")
    return "\n".join(lines)


def _cell(found: tuple[int, int, float] | None, reps: int) -> str:
    """Coverage in percent, mean width, and the share without an interval where there is one."""
    if not found or not found[1]:
        return "no interval"
    hits, given, width = found
    text = f"{100 * hits / given:.1f} % (±{width / given / 2:.3f})"
    missing = 100 * (1 - given / reps)
    if not missing:
        return text
    return f"{text}, none in {'<1' if missing < 1 else round(missing)} %"


def range_table(found: Covered) -> str:
    """Lowest and highest coverage over the scenarios, by measure and method."""
    head = " | ".join(f"K = {k}" for k in SIZES)
    lines = [f"| measure | method | {head} |", "|---|---|" + "---|" * len(SIZES)]
    for name in STUDIED:
        for method in METHODS:
            cells = []
            for k in SIZES:
                some = [found.get((name, method, one.name, k)) for one in SCENARIOS]
                shares = [100 * c[0] / c[1] for c in some if c and c[1]]
                cells.append(f"{min(shares):.0f}–{max(shares):.0f}" if shares else "")
            if any(cells):
                lines.append(f"| {name} | {method} | {' | '.join(cells)} |")
    return "\n".join(lines)


def rejection_table(found: dict[tuple[str, str, int], float]) -> str:
    """Type I error at 5 %, one row a method and scenario."""
    head = " | ".join(f"K = {k}" for k in SIZES)
    lines = [f"| test | scenario | {head} |", "|---|---|" + "---|" * len(SIZES)]
    for method in TESTS:
        for one in SCENARIOS:
            row = " | ".join(f"{100 * found[method, one.name, k]:.1f} %" for k in SIZES)
            lines.append(f"| {method} | {one.name} | {row} |")
    return "\n".join(lines)


def main() -> None:
    """Run the study and print or write its tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reps", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    start = time.process_time()
    covered = cover(options.reps, options.seed)
    rejected = reject(options.reps, options.seed)
    text = "\n\n".join(
        [
            f"Nominal 95 %, {options.reps} repetitions, seed {options.seed}.",
            "**Coverage, lowest–highest over the six scenarios (%)**",
            range_table(covered),
            "**Type I error at 5 % of two equal judges**",
            rejection_table(rejected),
            "**Coverage of this method by scenario (half the mean width)**",
            coverage_table(covered, options.reps),
        ]
    )
    if options.out:
        options.out.write_text(text + "\n", encoding="utf-8")
    print(text)
    print(f"\n{time.process_time() - start:.0f} s CPU")


if __name__ == "__main__":
    main()
