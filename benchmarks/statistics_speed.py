"""What the statistics cost, as CPU seconds and as ratios to the usual ways, measured in one run.

    python benchmarks/statistics_speed.py [--answers 1000000] [--resamples 10000]

The usual ways are too slow to run whole: they are measured on a part and scaled up, which is said
beside each figure.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from trueup.stats.agreement import MEASURES, kappa
from trueup.stats.agreement_intervals import estimate
from trueup.stats.bootstrap import bootstrap
from trueup.stats.counts import Clusters, count_matrix
from trueup.stats.exact import sign_flip
from trueup.stats.frame import Frame
from trueup.stats.paired import compare_cells
from trueup.stats.summary import agreement

SEVEN = ("percent_agreement", "kappa", "gwet_ac1", "mcc", "tpr", "tnr", "f1_not_entailed")


def cpu(work: Callable[[], Any], repeats: int = 3) -> tuple[float, Any]:
    """Least CPU seconds of a few runs, and the last result."""
    best, result = float("inf"), None
    for _ in range(repeats):
        start = time.process_time()
        result = work()
        best = min(best, time.process_time() - start)
    return best, result


def claims(answers: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Five claims an answer on average: answer, human, and two judges with difficulty by answer."""
    rng = np.random.default_rng(seed)
    answer = np.repeat(np.arange(answers), rng.poisson(5, answers))
    hard = rng.beta(1, 6, answers)[answer]
    human = rng.random(len(answer)) < 0.78
    said = [np.where(rng.random(len(answer)) < hard * f, ~human, human) for f in (1.0, 0.8)]
    return answer, human, said[0], said[1]


def line(what: str, seconds: float, note: str = "") -> None:
    """One figure."""
    print(f"{what:<58}{seconds * 1000:>12.1f} ms  {note}")


def our_side(answers: int, resamples: int) -> dict[str, float]:
    """Our own figures on the whole; returns what the ratios need."""
    answer, human, first, second = claims(answers)
    print(f"{answers:,} answers, {len(answer):,} claims (CPU time)\n")
    cell = 2 * ~human + ~first
    t_count, counts = cpu(lambda: count_matrix(answer, cell, 4, answers))
    line("units → counts per answer", t_count)
    t_group, clusters = cpu(lambda: Clusters.from_counts(counts))
    line("counts → distinct vectors", t_group, f"{len(clusters.vectors):,} of them")
    t_seven, _ = cpu(lambda: [estimate(clusters, name) for name in SEVEN])
    line("seven measures with jackknife intervals", t_seven, "goal: 200 ms")
    t_frame, _ = cpu(lambda: agreement(Frame.from_arrays(answer, human, {"j": first}), "j"), 2)
    line("arrays → frame → every figure of the report", t_frame, "goal: 1,000 ms after grouping")
    kernels = {name: MEASURES[name].kernel for name in SEVEN}
    t_boot, _ = cpu(lambda: bootstrap(clusters, kernels, resamples=resamples), 1)
    line(f"bootstrap, {resamples:,} resamples, seven measures", t_boot, "goal: 5,000 ms")
    eight = count_matrix(answer, 4 * ~human + 2 * ~first + ~second, 8, answers)
    t_pair, _ = cpu(lambda: compare_cells(Clusters.from_counts(eight)), 1)
    line("two judges compared, eight cells", t_pair)
    d = eight[:100_000] @ np.array([0, -1, 1, 0, 0, 1, -1, 0])
    t_flip, _ = cpu(lambda: sign_flip(d))
    line("exact sign-flip, 100,000 answers", t_flip)
    pairs = min(1_000_000, len(human))
    t_kappa, _ = cpu(lambda: kappa(np.bincount(cell[:pairs], minlength=4)))
    line(f"kappa of {pairs:,} pairs, without interval", t_kappa)
    return {"boot": t_boot, "kappa": t_kappa, "pairs": pairs}


def other_ways(answers: int, resamples: int, ours: dict[str, float]) -> None:
    """The usual ways on a part, scaled to the same work."""
    print("\nThe usual ways, scaled from a part\n")
    answer, human, first, _ = claims(answers)
    pairs = int(ours["pairs"])
    t_sk, _ = cpu(lambda: cohen_kappa_score(human[:pairs], first[:pairs]), 1)
    line(f"cohen_kappa_score of {pairs:,} pairs", t_sk, f"{t_sk / ours['kappa']:,.0f}x")
    some = min(20_000, answers)
    counts = count_matrix(answer, 2 * ~human + ~first, 4, answers)[:some].astype(float)

    def statistic(index: np.ndarray, axis: int = -1) -> np.ndarray:
        return kappa(counts[index].sum(axis=axis - 1 if axis < 0 else axis))

    few = 20
    t_scipy, _ = cpu(
        lambda: stats.bootstrap(
            (np.arange(some),),
            statistic,
            n_resamples=few,
            vectorized=True,
            method="percentile",
            rng=np.random.default_rng(0),
        ),
        1,
    )
    whole = t_scipy * (resamples / few) * (answers / some)
    line(
        f"scipy.stats.bootstrap, vectorised, {resamples:,} resamples, kappa only",
        whole,
        f"{whole / ours['boot']:,.0f}x, from {few} resamples of {some:,} answers",
    )
    inside = answer < some
    starts = np.searchsorted(answer[inside], np.arange(some + 1))
    rng = np.random.default_rng(0)

    def loop() -> None:
        drawn = rng.integers(0, some, some)
        index = np.concatenate([np.arange(starts[i], starts[i + 1]) for i in drawn])
        cohen_kappa_score(human[index], first[index])

    t_loop, _ = cpu(loop, 2)
    whole = t_loop * resamples * (answers / some)
    line(
        f"a loop over cohen_kappa_score, {resamples:,} resamples",
        whole,
        f"{whole / ours['boot']:,.0f}x, from 1 resample of {some:,} answers",
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=1_000_000)
    parser.add_argument("--resamples", type=int, default=10_000)
    options = parser.parse_args()
    ours = our_side(options.answers, options.resamples)
    other_ways(options.answers, options.resamples, ours)


if __name__ == "__main__":
    main()
