"""Dawid and Skene's model of raters with different error rates: a diagnostic, never a label."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trueup.stats.counts import FloatArray, IntArray
from trueup.stats.raters import Ratings, codes


@dataclass(frozen=True, slots=True, eq=False)
class DawidSkene:
    """`prior` (k,); `posterior` (N, k) of each unit; `confusion` (R, k, k): P(says j | is i).

    `labels` (N,): the likelier class, the lower code on a tie. Raters without a rating of a class
    have zeros there.
    """

    prior: FloatArray
    posterior: FloatArray
    confusion: FloatArray
    labels: IntArray
    iterations: int
    converged: bool

    @property
    def accuracy(self) -> FloatArray:
        """P(says i | is i) by rater and class, (R, k)."""
        return np.asarray(np.diagonal(self.confusion, axis1=1, axis2=2))


def dawid_skene(
    units_by_raters: Ratings, *, tolerance: float = 1e-12, max_iterations: int = 10_000
) -> DawidSkene | None:
    """EM from majority-vote shares, without smoothing, until posteriors move less than tolerance.

    Units without a rating are left out (their posterior is the prior). None where no unit has a
    rating. Dawid & Skene 1979.
    """
    matrix = codes(units_by_raters)
    if matrix.size == 0 or (matrix < 0).all():
        return None
    k = int(matrix.max(initial=1)) + 1
    said = (matrix[:, :, None] == np.arange(k)).astype(np.float64)
    rated = said.sum(axis=(1, 2)) > 0
    said = said[rated]
    posterior = said.sum(axis=1) / said.sum(axis=(1, 2))[:, None]
    converged, step = False, 0
    while not converged and step < max_iterations:
        prior, confusion = _maximise(said, posterior)
        moved = _expect(said, prior, confusion)
        converged = bool(np.abs(moved - posterior).max() < tolerance)
        posterior, step = moved, step + 1
    prior, confusion = _maximise(said, posterior)
    full = np.tile(prior, (len(matrix), 1))
    full[rated] = posterior
    return DawidSkene(prior, full, confusion, full.argmax(axis=1), step, converged)


def _maximise(said: FloatArray, posterior: FloatArray) -> tuple[FloatArray, FloatArray]:
    prior = posterior.mean(axis=0)
    joint = np.einsum("ni,nrj->rij", posterior, said)
    total = joint.sum(axis=2, keepdims=True)
    return prior, joint / np.where(total == 0, 1, total)


def _expect(said: FloatArray, prior: FloatArray, confusion: FloatArray) -> FloatArray:
    """Posterior of each unit; in logarithms, since many raters underflow a product."""
    with np.errstate(divide="ignore"):
        log_confusion, log_prior = np.log(confusion), np.log(prior)
    floor = np.where(np.isfinite(log_confusion), log_confusion, -1e4)
    score = np.where(np.isfinite(log_prior), log_prior, -1e4) + np.einsum(
        "nrj,rij->ni", said, floor
    )
    likely = np.exp(score - score.max(axis=1, keepdims=True))
    return np.asarray(likely / likely.sum(axis=1, keepdims=True), dtype=np.float64)
