"""The difference of two judges from the units on which they differ, drawn with known probability.

A unit on which both judges say the same adds nothing to agreement(b) − agreement(a), whatever
people would say of it: only discordant units need labels. Their number in every record of the
corpus is known from the verdicts alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from trueup.errors import UsageError
from trueup.stats.counts import Clusters, FloatArray
from trueup.stats.estimate import Estimate
from trueup.stats.gate import non_inferiority
from trueup.stats.intervals import ONE_ANSWER, t_quantile, variance
from trueup.stats.paired import CELLS, Comparison, compare_cells, p_of

METHOD = "discordant_t"
CANNOT = "a discordant sample holds only claims on which two judges differ: it cannot give this"
OTHER_JUDGES = "the sample was drawn where two other judges differ"
CHANGED = (
    "records came or went since the sample was drawn: it is no sample of the present corpus; "
    "draw another"
)
T_OF_DISCORDANT = "t of the weighted difference"
_NOT_GIVEN = (
    "agreement_a", "agreement_b", "kappa_a", "kappa_b", "delta_kappa", "delta_tnr",
    "mean_score_human",
)  # fmt: skip
NO_VARIATION = "every labelled record differs by the same amount: no variation to judge by"

_NO_SPREAD = 1e-12
_SWAPPED = np.zeros((8, 8), np.int64)
for _i, (_h, _a, _b) in enumerate(CELLS):
    _SWAPPED[_i, CELLS.index((_h, _b, _a))] = 1
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


@dataclass(frozen=True, slots=True, eq=False)
class DiscordantCorpus:
    """The records that a discordant sample was drawn from.

    `a`, `b`: the two judges. `both` (U, 8): units per record that both decided; what people would
    say of them is not known and not read, so that they stand in the cells of human = 1. `records`:
    how many records were drawn from. `reason`: why nothing can be estimated, if so.
    """

    a: str
    b: str
    both: Clusters
    records: int
    reason: str | None = None

    def of(self, a: str, b: str) -> DiscordantCorpus | None:
        """The corpus with the judges in this order, None for other judges."""
        if (a, b) == (self.a, self.b):
            return self
        if (b, a) == (self.a, self.b):
            return replace(self, a=a, b=b, both=self.both.mapped(_SWAPPED))
        return None


def discordant_comparison(
    pair: Clusters, a: str, b: str, corpus: DiscordantCorpus, *, margin: float = 0.03
) -> Comparison:
    """Two judges from a discordant sample: Δ agreement of the corpus, p by its t; the rest is null.

    `pair` as in `discordant_delta`. Mean scores and their difference need no labels: they are
    those of the whole corpus. Judges that the sample was not drawn for, and a corpus that changed,
    leave every estimate null with its reason.
    """
    plain = compare_cells(pair, a, b, margin=margin)
    mine = corpus.of(a, b)
    why = OTHER_JUDGES if mine is None else mine.reason
    if mine is None or why is not None:
        gain = scores = None
        change = Estimate.undefined(why or CANNOT, METHOD)
    else:
        change = discordant_delta(pair, corpus_records=mine.records, corpus_units=mine.both.n_units)
        gain, scores = p_of(change), compare_cells(mine.both, a, b)
    none = Estimate.undefined(why or CANNOT, METHOD)
    return replace(
        plain,
        **dict.fromkeys(_NOT_GIVEN, none),  # type: ignore[arg-type]
        delta_agreement=change,
        delta_mean_score=none if scores is None else scores.delta_mean_score,
        mean_score_a=none if scores is None else scores.mean_score_a,
        mean_score_b=none if scores is None else scores.mean_score_b,
        p=gain,
        p_mid=None,
        p_method=T_OF_DISCORDANT,
        non_inferiority=non_inferiority(change, None, margin, plain.n_records, plain.n_units),
        weighted=True,
    )
