"""Answers as count vectors: the one shape that every estimator takes.

Claims sit inside answers, so the answer is the sampling unit. Per answer only the counts of its
cells matter, and a million answers have a few hundred distinct count vectors. `Clusters` keeps the
distinct vectors with their multiplicities; each statistic then costs the number of distinct
vectors, and a delete-one-answer jackknife is one evaluation per distinct vector.

Cell order of one judge against people (person first, 1 = entailed): n11, n10, n01, n00.
Cell order of two judges (human, a, b): 111, 110, 101, 100, 011, 010, 001, 000.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from trueup.errors import UsageError

IntArray: TypeAlias = npt.NDArray[np.int64]
FloatArray: TypeAlias = npt.NDArray[np.float64]

_INT64_MAX = 2**62


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """Distinct count vectors of answers, with how many answers have each.

    `vectors` (U, C): units of an answer in each cell. `multiplicity` (U,): answers with that
    vector. `weight` (U,): inverse inclusion probability of such an answer. `stratum` (U,): codes
    0 … H−1. `designed`: the answers come from a sample with unequal weights or strata, so that
    variances are taken within strata, df = K − H. `population` (H,): answers of each stratum in
    the corpus, where known (for the finite-population correction). `n_empty`: answers left out
    because they have no unit in any cell.
    """

    vectors: IntArray
    multiplicity: IntArray
    weight: FloatArray
    stratum: IntArray
    designed: bool = False
    population: FloatArray | None = None
    n_empty: int = 0

    @classmethod
    def from_counts(
        cls,
        counts: npt.ArrayLike,
        *,
        weight: npt.ArrayLike | None = None,
        stratum: npt.ArrayLike | None = None,
        population: npt.ArrayLike | None = None,
        multiplicity: npt.ArrayLike | None = None,
        keep_empty: bool = False,
    ) -> Clusters:
        """Group a matrix of counts (K, C), one row an answer; `weight`, `stratum` are (K,).

        Strata may be any sortable values; they become codes in sorted order, and `population`
        (H,) holds their sizes in that order (one size for an unstratified sample). Answers
        without any unit are dropped and counted in `n_empty`, unless `keep_empty` (a slice of a
        designed sample, where the answers outside the slice still belong to their strata).
        Raises UsageError for negative counts, weights that are not positive, or shapes that do
        not fit.
        """
        rows = _int_matrix(counts)
        n = len(rows)
        w = np.ones(n) if weight is None else _vector(weight, n, "weight")
        h = np.zeros(n, np.int64) if stratum is None else _vector(stratum, n, "stratum")
        times = None if multiplicity is None else _vector(multiplicity, n, "multiplicity")
        if n and not (np.isfinite(w).all() and w.min() > 0):
            raise UsageError("weights of answers must be positive and finite")
        n_strata = 1
        if stratum is not None:
            codes, h = np.unique(h, return_inverse=True)
            n_strata = len(codes)
        index, count = _group(
            rows, None if weight is None else w, None if stratum is None else h, times
        )
        made = cls(
            vectors=rows[index],
            multiplicity=count,
            weight=w[index].astype(np.float64),
            stratum=h[index].astype(np.int64),
            designed=weight is not None or stratum is not None,
            population=_population(population, n_strata),
        )
        return made if keep_empty else made.without_empty()

    @classmethod
    def from_units(
        cls, answer: npt.ArrayLike, cell: npt.ArrayLike, n_cells: int, **options: Any
    ) -> Clusters:
        """Group units: `answer` (n,) is each unit's answer 0 … K−1, `cell` (n,) its cell.

        Units with a negative cell are skipped. Options are those of `from_counts`.
        """
        return cls.from_counts(count_matrix(answer, cell, n_cells), **options)

    @property
    def n_answers(self) -> int:
        """Answers with at least one unit (K)."""
        return int(self.multiplicity[self.sizes > 0].sum())

    @property
    def sizes(self) -> IntArray:
        """Units of each distinct vector, (U,)."""
        return np.asarray(self.vectors.sum(axis=1), dtype=np.int64)

    @property
    def n_units(self) -> int:
        """Units over all answers, unweighted."""
        return int(self.multiplicity @ self.sizes)

    @property
    def mass(self) -> FloatArray:
        """Multiplicity times weight, (U,)."""
        return self.multiplicity * self.weight

    @property
    def totals(self) -> FloatArray:
        """Weighted cell totals Σ w c, (C,)."""
        return np.asarray(self.mass @ self.vectors, dtype=np.float64)

    @property
    def raw_totals(self) -> IntArray:
        """Unweighted cell totals, (C,)."""
        return np.asarray(self.multiplicity @ self.vectors, dtype=np.int64)

    @property
    def n_strata(self) -> int:
        """Strata that hold an answer (H)."""
        return len(np.unique(self.stratum))

    def without_empty(self) -> Clusters:
        """The same answers without those that have no unit; they are added to `n_empty`."""
        keep = self.sizes > 0
        if keep.all():
            return self
        lost = int(self.multiplicity[~keep].sum())
        return replace(self._take(keep), n_empty=self.n_empty + lost)

    def mapped(self, matrix: npt.ArrayLike) -> Clusters:
        """Other cells: vectors @ matrix, with matrix (C, D) of integers ≥ 0; grouped again.

        Answers that have no unit in the new cells stay (their strata need them).
        """
        vectors = self.vectors @ _int_matrix(matrix)
        plain = not self.designed and bool(np.all(self.weight == 1.0))
        index, count = _group(
            vectors,
            None if plain else self.weight,
            None if plain else self.stratum,
            self.multiplicity,
        )
        return replace(
            self,
            vectors=vectors[index],
            multiplicity=count,
            weight=self.weight[index],
            stratum=self.stratum[index],
        )

    def per_answer(self) -> Clusters:
        """Every answer counts the same: weights divided by the answer's number of units.

        Turns a per-claim statistic into its per-answer estimand.
        """
        full = self.without_empty()
        return replace(full, weight=full.weight / full.sizes)

    def normalised(self) -> Clusters:
        """Weights scaled so that the weighted units number as many as the units themselves.

        For statistics with a small-sample term (Krippendorff's alpha): scaling all weights then
        changes nothing.
        """
        weighted = float(self.mass @ self.sizes)
        if weighted == 0 or bool(np.all(self.weight == 1.0)):
            return self
        return replace(self, weight=self.weight * (self.n_units / weighted))

    def thin_strata_merged(self) -> tuple[Clusters, int]:
        """Strata with a single answer merged with their neighbour; how many were merged.

        The neighbour is the next stratum in order (the one before for the last). Weights stay, so
        estimates stay; the variance of merged strata is conservative (collapsed strata, Cochran
        1977, 5A.12). Codes are renumbered 0 … H−1.
        """
        codes, inverse = np.unique(self.stratum, return_inverse=True)
        sizes = np.bincount(inverse, weights=self.multiplicity, minlength=len(codes))
        target = _neighbours(sizes)
        if len(codes) == 0 or (target == np.arange(len(codes))).all():
            return self, 0
        kept, renumbered = np.unique(target, return_inverse=True)
        population = self.population
        if population is not None:
            pooled = np.bincount(renumbered, weights=population[codes], minlength=len(kept))
            population = pooled.astype(np.float64)
        merged = replace(self, stratum=renumbered[inverse].astype(np.int64), population=population)
        return merged, len(codes) - len(kept)

    def _take(self, keep: npt.NDArray[np.bool_]) -> Clusters:
        return replace(
            self,
            vectors=self.vectors[keep],
            multiplicity=self.multiplicity[keep],
            weight=self.weight[keep],
            stratum=self.stratum[keep],
        )


def count_matrix(
    answer: npt.ArrayLike, cell: npt.ArrayLike, n_cells: int, n_answers: int = 0
) -> IntArray:
    """Counts (K, n_cells) of units by answer and cell; units with a negative cell are skipped.

    `answer` (n,) holds 0 … K−1; K is `n_answers`, or as many as the largest code needs.
    """
    a = np.asarray(answer, dtype=np.int64)
    c = np.asarray(cell, dtype=np.int64)
    if a.shape != c.shape or a.ndim != 1:
        raise UsageError("answers and cells of units must be two lists of the same length")
    n_answers = max(n_answers, int(a.max()) + 1 if a.size else 0)
    if a.size and c.min() < 0:
        a, c = a[c >= 0], c[c >= 0]
    if c.size and c.max() >= n_cells:
        raise UsageError(f"a cell beyond {n_cells - 1}")
    flat = np.bincount(a * n_cells + c, minlength=n_answers * n_cells)
    return flat.reshape(n_answers, n_cells).astype(np.int64, copy=False)


def _int_matrix(counts: npt.ArrayLike) -> IntArray:
    raw = np.asarray(counts)
    if raw.size == 0:
        raw = raw.reshape(0, raw.shape[1] if raw.ndim == 2 else 0)
    rows = raw.astype(np.int64, copy=False)
    if rows.ndim != 2:
        raise UsageError("counts must be a matrix: one row an answer, one column a cell")
    if rows.size and (rows.min() < 0 or not np.array_equal(rows, raw)):
        raise UsageError("counts must be whole numbers, not negative")
    return rows


def _vector(values: npt.ArrayLike, n: int, name: str) -> npt.NDArray[Any]:
    array = np.asarray(values)
    if array.shape != (n,):
        raise UsageError(f"{name}: one value for each of the {n} answers is needed")
    return array


def _population(sizes: npt.ArrayLike | None, n_strata: int) -> FloatArray | None:
    if sizes is None:
        return None
    array = np.atleast_1d(np.asarray(sizes, dtype=np.float64))
    if array.shape != (n_strata,):
        raise UsageError(f"population: one size for each of the {n_strata} strata is needed")
    return array


def _group(
    rows: IntArray,
    weight: npt.NDArray[Any] | None,
    stratum: npt.NDArray[Any] | None,
    times: npt.NDArray[Any] | None,
) -> tuple[IntArray, IntArray]:
    """Index of one answer of each group, and how many answers the group has.

    Rows are read as digits of one number in mixed radix, so that grouping is counting (or one
    sort of integers), never a sort of rows.
    """
    columns = [rows[:, j] for j in range(rows.shape[1])]
    if weight is not None:
        columns.append(np.unique(weight, return_inverse=True)[1])
    if stratum is not None:
        columns.append(stratum)
    code = _codes(columns, len(rows))
    if times is None and len(code) and code.max() <= max(4 * len(code), 1 << 16):
        return _count_small(code)
    _, index, inverse, count = np.unique(
        code, return_index=True, return_inverse=True, return_counts=True
    )
    if times is not None:
        count = np.zeros(len(index), np.int64)
        np.add.at(count, inverse, times.astype(np.int64))
    return index.astype(np.int64), count.astype(np.int64)


def _count_small(code: IntArray) -> tuple[IntArray, IntArray]:
    """Groups of small codes by counting: no sort."""
    count = np.bincount(code)
    seen = np.flatnonzero(count)
    place = np.empty(len(count), np.int64)
    place[code] = np.arange(len(code))
    return place[seen], count[seen].astype(np.int64)


def _codes(columns: list[npt.NDArray[Any]], n: int) -> IntArray:
    code = np.zeros(n, np.int64)
    span = 1
    for column in columns:
        radix = int(column.max()) + 1 if n else 1
        if span * radix > _INT64_MAX:
            # The digits so far are renumbered densely before the number would overflow.
            values, code = np.unique(code, return_inverse=True)
            span = len(values)
        if radix > 1:
            code = code * radix + column
            span *= radix
    return code.astype(np.int64, copy=False)


def _neighbours(sizes: npt.NDArray[Any]) -> IntArray:
    """For each stratum the first stratum of the run of neighbours it is merged into."""
    target = np.arange(len(sizes))
    start, held = 0, 0.0
    for h, size in enumerate(sizes):
        if held == 0:
            start = h
        held += size
        target[h] = start
        if held >= 2:
            held = 0.0
    if held and start > 0:
        target[target == start] = target[start - 1]
    return target
