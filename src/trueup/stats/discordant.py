"""The difference of two judges from the units on which they differ, drawn with known probability.

A unit on which both judges say the same adds nothing to agreement(b) − agreement(a), whatever
people would say of it: only discordant units need labels. Their number in every record of the
corpus is known from the verdicts alone.
"""

from __future__ import annotations

import math

import numpy as np

from trueup.errors import UsageError
from trueup.stats.counts import Clusters, FloatArray
from trueup.stats.estimate import Estimate
from trueup.stats.intervals import ONE_ANSWER, t_quantile, variance
from trueup.stats.paired import CELLS

METHOD = "discordant_t"
NO_VARIATION = "every labelled record differs by the same amount: no variation to judge by"

_NO_SPREAD = 1e-12
_GAIN = np.array([(h == b) - (h == a) for h, a, b in CELLS], dtype=np.int64)


def discordant_delta(
    pair: Clusters, *, corpus_records: int, corpus_units: int, conf: float = 0.95
) -> Estimate:
    """agreement(b) − agreement(a) over the corpus, from a discordant sample; t_df interval.

    `pair` (U, 8): cells (human, a, b) per labelled record, with weights N_h/n_h, strata, and
    `population` (H,) of the strata drawn from; cells on which the judges agree are not read, so
    they need no labels. `corpus_records` N and `corpus_units` M count the records and the units
    that both judges decided, those without a discordant unit included. With g_i = units on which
    only b is right − only a:

    Δ = Σ w g / M,   v = Σ_h N_h²/n_h·s²_gh / M² + Σ_h N_h (ḡ_h − Δ·M/N)² / M²

    The first term is of the sample, without finite-population correction; the second is of the
    corpus, itself a sample of answers to come (double sampling, Cochran 1977, 12.2), with the
    records without a discordant unit as a stratum of ḡ = 0. df = n − H. Raises UsageError for a
    sample without strata sizes or counts that do not fit.
    """
    if pair.population is None or not pair.designed:
        raise UsageError("a discordant sample carries weights, strata and their sizes")
    if corpus_units < 1 or corpus_records < pair.population.sum():
        raise UsageError("the corpus holds at least the records that were drawn from")
    gain = (pair.vectors @ _GAIN).astype(np.float64)
    value = float(pair.mass @ gain) / corpus_units
    spread = variance(pair, pair.weight * gain / corpus_units)
    if spread is None:
        return Estimate(value, method=METHOD, reason=ONE_ANSWER)
    square = spread.value + _between(pair, gain, value, corpus_records, corpus_units)
    if square < _NO_SPREAD:
        return Estimate(value, method=METHOD, reason=NO_VARIATION)
    se = math.sqrt(square)
    half = t_quantile(conf, spread.df) * se
    low, high = max(-1.0, value - half), min(1.0, value + half)
    return Estimate(value, low, high, METHOD, se=se, extra={"df": spread.df})


def _between(
    pair: Clusters, gain: FloatArray, value: float, corpus_records: int, corpus_units: int
) -> float:
    """Variance of the corpus between strata: small beside the sample's where N is large."""
    assert pair.population is not None
    strata = len(pair.population)
    drawn = np.bincount(pair.stratum, weights=pair.multiplicity, minlength=strata)
    total = np.bincount(pair.stratum, weights=pair.multiplicity * gain, minlength=strata)
    expected = value * corpus_units / corpus_records
    off = total / np.maximum(drawn, 1) - expected
    agreeing = corpus_records - float(pair.population.sum())
    return float(pair.population @ off**2 + agreeing * expected**2) / corpus_units**2
