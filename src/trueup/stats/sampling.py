"""Designs that draw records to label, with the inclusion probability of each record.

Every design is a stratified simple random sample without replacement: n_h of the N_h records of
stratum h, so that a record's inclusion probability is n_h/N_h, always above 0, and the
probabilities of all records add up to n (Cochran 1977, ch. 5; Horvitz & Thompson 1952).

- `random`: one stratum.
- `score-bands`: strata are bands of the judge's score between fixed cut points; records without a
  score are a band of their own.
- `discordant`: strata are the numbers of units on which two judges differ; for comparing the two.

Pure and seeded: records are put in the order of their keys and given raw 64-bit numbers of PCG64,
whose stream numpy keeps stable, so the same seed draws the same sample on every platform and in
whatever order the records come.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np

from trueup.domain.model import Design, Sample, SampleMember
from trueup.errors import UsageError
from trueup.stats.allocation import Stratum, allocate, merged_to_fit

Allocation: TypeAlias = Literal["sqrt", "equal", "neyman", "proportional"]

DEFAULT_CUTS = (0.5, 0.8, 1.0)
"""Bands [0, 0.5), [0.5, 0.8), [0.8, 1) and exactly 1, where most records of a good system are."""

CANNOT_GIVE: Mapping[Design, tuple[str, ...]] = {
    "random": (),
    "score-bands": (),
    "discordant": (
        "percent_agreement",
        "kappa",
        "gwet_ac1",
        "pabak",
        "mcc",
        "tpr",
        "tnr",
        "precision_not_entailed",
        "recall_not_entailed",
        "f1_not_entailed",
        "human_rate",
        "judge_rate",
        "mean_score",
        "corrected_rate",
        "delta_kappa",
        "delta_tnr",
    ),
    "convenience": ("corrected_rate by PPI++",),
}
"""Figures that a design cannot estimate usefully, under the names of the report.

A discordant sample holds next to no record on which the judges agree, so it says how they differ
(`delta_agreement`, `delta_mean_score`, `p`) and nothing of how good either is.
"""

_EQUAL_WARNING = (
    "equal allocation is worse than a simple random sample for agreement and TNR at 50 answers: "
    "it spends most labels where few records are"
)
_DISCORDANT_NOTE = (
    "drawn for comparing two judges: it gives delta agreement and its p value; not {}"
)
_MANY_DISCORDANT = 4
_ASSUMED_RIGHT = 0.9


@dataclass(frozen=True, slots=True)
class _Plan:
    """Strata with the number of records to draw of each."""

    strata: tuple[Stratum, ...]
    sizes: tuple[int, ...]
    notes: tuple[str, ...]


def random_sample(
    name: str,
    metric: str,
    records: Iterable[str],
    n: int,
    *,
    seed: int,
    overlap: float = 0.0,
    repeats: float = 0.0,
) -> Sample:
    """A simple random sample of n of the records, each with probability n/N.

    Asking for more records than there are takes them all. `overlap` is the share of drawn records
    that every annotator gets, `repeats` the share that comes back to the same one. Raises
    UsageError for no records, n < 1, shares outside [0, 1] and a negative seed.
    """
    keys = _keys(records, n)
    plan = _Plan((Stratum("all", tuple(keys)),), (min(n, len(keys)),), ())
    return _draw(name, metric, "random", plan, seed, overlap, repeats)


def score_band_sample(
    name: str,
    metric: str,
    scores: Mapping[str, float | None],
    n: int,
    *,
    seed: int,
    judge_fingerprint: str,
    cuts: Sequence[float] = DEFAULT_CUTS,
    allocation: Allocation = "sqrt",
    spread: Mapping[str, float] | None = None,
    overlap: float = 0.0,
    repeats: float = 0.0,
) -> Sample:
    """A sample stratified by the judge's score of each record (None: a null score).

    Band h holds the scores in [cut_h, cut_h+1); equal scores are never parted. Allocation: `sqrt`
    n_h ∝ √N_h, at least two per band (the default: better than simple random for every headline
    figure); `equal` (with a warning); `neyman` n_h ∝ N_h·S_h with S_h from `spread` (standard
    deviation of the human score by band name), else guessed as √(p(1−p)) for p = 0.1 + 0.8·mean
    score of the band; `proportional` n_h ∝ N_h, for the overlap of a rebaseline. Bands of fewer
    than two records, and bands beyond n/2, are merged with a neighbour, and the notes say so.
    `judge_fingerprint` made the scores and is kept. Cochran 1977, 5.5 (Neyman allocation). Raises
    as `random_sample`, and for scores outside [0, 1].
    """
    keys = _keys(scores, n)
    bands = _bands(keys, scores, cuts)
    strata, notes = merged_to_fit([b for b in bands if b.records], n)
    if allocation == "equal":
        notes = (*notes, _EQUAL_WARNING)
    shares = [_share(stratum, scores, allocation, spread) for stratum in strata]
    plan = _Plan(tuple(strata), allocate([s.size for s in strata], n, shares), notes)
    return _draw(
        name, metric, "score-bands", plan, seed, overlap, repeats, fingerprints=(judge_fingerprint,)
    )


def discordant_sample(
    name: str,
    metric: str,
    discordant: Mapping[str, int],
    n: int,
    *,
    seed: int,
    judge_fingerprints: tuple[str, str],
    overlap: float = 0.0,
    repeats: float = 0.0,
) -> Sample:
    """A sample for comparing two judges, drawn by each record's number of discordant units.

    Only units on which the judges differ carry information about their difference. With d
    discordant units the difference b − c of a record has a standard deviation of about √d, so
    n_h ∝ N_h·√d (Neyman allocation, Cochran 1977, 5.5). Records without discordant units, whose
    difference is known to be 0, get two places, which keeps the weighted estimate unbiased. Raises
    as `random_sample`, and UsageError where the judges differ nowhere.
    """
    keys = _keys(discordant, n)
    if not any(discordant.values()):
        raise UsageError("the two judges differ on no unit: there is nothing to compare")
    groups: dict[int, list[str]] = {}
    for key in keys:
        groups.setdefault(min(discordant[key], _MANY_DISCORDANT), []).append(key)
    strata, notes = merged_to_fit(
        [Stratum(_discordant_name(d), tuple(groups[d])) for d in sorted(groups)], n
    )
    shares = [
        sum(math.sqrt(min(discordant[r], _MANY_DISCORDANT)) for r in s.records) for s in strata
    ]
    notes = (*notes, _DISCORDANT_NOTE.format(", ".join(CANNOT_GIVE["discordant"])))
    plan = _Plan(tuple(strata), allocate([s.size for s in strata], n, shares), notes)
    return _draw(
        name, metric, "discordant", plan, seed, overlap, repeats, fingerprints=judge_fingerprints
    )


def _keys(records: Iterable[str], n: int) -> list[str]:
    """The distinct records in the order of their keys."""
    keys = sorted(set(records))
    if not keys:
        raise UsageError("there is no record to draw from")
    if n < 1:
        raise UsageError("a sample needs at least one record")
    return keys


def _bands(
    keys: Sequence[str], scores: Mapping[str, float | None], cuts: Sequence[float]
) -> list[Stratum]:
    """Null scores first, then the bands from low to high."""
    edges = list(cuts)
    if edges != sorted(set(edges)) or not all(0 < cut <= 1 for cut in edges):
        raise UsageError("cut points of score bands must ascend within (0, 1]")
    held: list[list[str]] = [[] for _ in range(len(edges) + 2)]
    for key in keys:
        score = scores[key]
        if score is not None and not 0 <= score <= 1:
            raise UsageError(f"the score of {key} is {score}, not between 0 and 1")
        held[0 if score is None else bisect_right(edges, score) + 1].append(key)
    marks = [0.0, *edges, math.inf]
    names = ["null", *(_band_name(low, high) for low, high in pairwise(marks))]
    return [Stratum(name, tuple(group)) for name, group in zip(names, held, strict=True)]


def _band_name(low: float, high: float) -> str:
    if math.isinf(high):
        return f"{low:g}" if low == 1 else f"[{low:g},1]"
    return f"[{low:g},{high:g})"


def _discordant_name(units: int) -> str:
    return f"{units} or more discordant" if units == _MANY_DISCORDANT else f"{units} discordant"


def _share(
    stratum: Stratum,
    scores: Mapping[str, float | None],
    allocation: Allocation,
    spread: Mapping[str, float] | None,
) -> float:
    if allocation == "sqrt":
        return math.sqrt(stratum.size)
    if allocation == "equal":
        return 1.0
    if allocation == "proportional":
        return float(stratum.size)
    if allocation != "neyman":
        raise UsageError(f"allocation is sqrt, equal, neyman or proportional, not {allocation!r}")
    if spread is not None and stratum.name in spread:
        return stratum.size * spread[stratum.name]
    given = [0.5 if (s := scores[r]) is None else s for r in stratum.records]
    mean = math.fsum(given) / len(given)
    p = (1 - _ASSUMED_RIGHT) + (2 * _ASSUMED_RIGHT - 1) * mean
    return stratum.size * math.sqrt(p * (1 - p))


def _draw(
    name: str,
    metric: str,
    design: Design,
    plan: _Plan,
    seed: int,
    overlap: float,
    repeats: float,
    fingerprints: tuple[str, ...] = (),
) -> Sample:
    """Draws the plan: in each stratum the records with the smallest random numbers."""
    if seed < 0:
        raise UsageError("a seed is a whole number of at least 0")
    stream = np.random.PCG64(seed)
    probability: dict[str, tuple[float, str]] = {}
    for stratum, size in zip(plan.strata, plan.sizes, strict=True):
        for record in _first(stratum.records, stream, size):
            probability[record] = (size / stratum.size, stratum.name)
    order = _first(sorted(probability), stream, len(probability))
    shared = set(_first(order, stream, _count(overlap, len(order), "overlap")))
    again = set(_first(order, stream, _count(repeats, len(order), "repeats")))
    members = tuple(
        SampleMember(
            record, *probability[record], order=i, overlap=record in shared, repeat=record in again
        )
        for i, record in enumerate(order)
    )
    return Sample(
        name=name,
        metric=metric,
        design=design,
        seed=seed,
        population=sum(s.size for s in plan.strata),
        members=members,
        judge_fingerprints=fingerprints,
        strata={s.name: s.size for s in plan.strata},
        notes=plan.notes,
    )


def _first(records: Sequence[str], stream: np.random.PCG64, n: int) -> list[str]:
    """n of the records, in random order; every subset is equally likely."""
    numbers = stream.random_raw(len(records))
    return [records[i] for i in np.argsort(numbers, kind="stable")[:n].tolist()]


def _count(share: float, n: int, what: str) -> int:
    if not 0 <= share <= 1:
        raise UsageError(f"{what} is a share between 0 and 1, not {share}")
    return max(1, math.floor(share * n + 0.5)) if share else 0
