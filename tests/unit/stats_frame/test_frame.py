"""Frames from arrays and codes, slices, weights, disagreements, abstentions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from trueup.domain.model import Sample, SampleMember
from trueup.errors import UsageError
from trueup.stats.binary import binary_codes
from trueup.stats.counts import Clusters, count_matrix
from trueup.stats.frame import Frame
from trueup.stats.frame_rows import (
    LabelRow,
    SampleWeights,
    VerdictRow,
    frame_from_codes,
    frame_from_rows,
)
from trueup.stats.resolve import LabelColumns
from trueup.stats.summary import agreement

YES, NO = "entailed", "not_entailed"


def labelled(cells: dict[str, list[tuple[int, int]]], **options: Any) -> Frame:
    """A frame of records with (human, judge) units; negative codes are unsure and undecided."""
    words = {1: YES, 0: NO}
    labels, verdicts = [], []
    for record, units in cells.items():
        for i, (human, judge) in enumerate(units):
            unit = f"{record}#{i}"
            labels.append(LabelRow(unit, record, "ana", words.get(human, "unsure")))  # type: ignore[arg-type]
            verdicts.append(VerdictRow(unit, "j", words.get(judge, "undecided"), "timeout"))  # type: ignore[arg-type]
    return frame_from_rows(labels, verdicts, **options)


def test_arrays_and_rows_agree() -> None:
    """The fast path gives the figures of the rows."""
    rng = np.random.default_rng(3)
    answer, human = rng.integers(0, 9, 60), rng.integers(-1, 2, 60)
    judge = rng.integers(-1, 2, 60)
    fast = Frame.from_arrays(answer, human, {"j": judge})
    cells: dict[str, list[tuple[int, int]]] = {}
    for a, h, j in zip(answer.tolist(), human.tolist(), judge.tolist(), strict=True):
        cells.setdefault(str(a), []).append((h, j))
    slow = labelled(cells)
    assert agreement(fast, "j").figures == agreement(slow, "j").figures
    assert agreement(fast, "j").n_undecided == agreement(slow, "j").n_undecided


def test_codes_of_a_store_agree_with_rows() -> None:
    """Unit and record numbers with gaps, judged units without labels, a relabelled unit."""
    labels = LabelColumns(
        unit=np.array([70, 5, 900, 5]),
        annotator=np.zeros(4, np.int64),
        value=np.array([1, 1, 0, 0], np.int8),
        blind=np.ones(4, np.bool_),
        origin=np.zeros(4, np.int8),
        repeat=np.zeros(4, np.int8),
    )
    record = np.array([3, 3, 8, 3])
    verdicts = {"j": (np.array([5, 6, 70, 900, 901]), np.array([0, 1, 1, -1, 1], np.int8))}
    frame = frame_from_codes(labels, record, verdicts)
    assert frame.n_records == 2
    assert frame.human.tolist() == [0, 1, 0]
    assert frame.verdict("j").tolist() == [0, 1, -1]
    assert frame.clusters("j").raw_totals.tolist() == [1, 0, 0, 1]


def test_codes_of_an_empty_store() -> None:
    """No labels: an empty frame, whatever was judged."""
    none = np.zeros(0, np.int64)
    columns = LabelColumns(
        none, none, none.astype(np.int8), none.astype(bool), none.astype(np.int8),
        none.astype(np.int8),
    )  # fmt: skip
    frame = frame_from_codes(columns, none, {"j": (np.array([4]), np.array([1], np.int8))})
    assert agreement(frame, "j").n_units == 0


def test_slices_split_the_units() -> None:
    """Each value of a slice has its own figures; records without it are in none."""
    cells = {"a": [(1, 1), (0, 1)], "b": [(1, 1)], "c": [(0, 0)]}
    slices = {"a": {"plan": "team"}, "b": {"plan": "free"}}
    found = agreement(labelled(cells, slices=slices), "j")
    assert {k: v.n_units for k, v in found.by_slice["plan"].items()} == {"free": 1, "team": 2}
    assert found.by_slice["plan"]["team"].table["judge_only_entailed"] == 1


def test_disagreements_name_unit_record_and_both_sides() -> None:
    """Only units that both decided, in the order of the units."""
    frame = labelled({"a": [(1, 0), (1, 1), (-1, 0)], "b": [(0, 1), (0, -1)]})
    found = [(d.unit, d.record, d.human, d.judge) for d in frame.disagreements("j")]
    assert found == [("a#0", "a", YES, NO), ("b#0", "b", NO, YES)]


def test_abstentions_bound_the_agreement() -> None:
    """Rates per rater, and the agreement if every abstention were wrong, or right."""
    frame = labelled({"a": [(1, 1), (1, 0), (-1, 1), (1, -1), (-1, -1)]})
    found = frame.abstention("j")
    assert (found.n_unsure, found.n_undecided) == (2, 2)
    assert (found.human_rate, found.judge_rate) == (0.4, 0.4)
    assert (found.worst, found.best) == (0.2, 0.8)


def test_record_scores_are_shares_of_common_units() -> None:
    """People's and the judge's share per record, over the units that both decided."""
    frame = labelled({"a": [(1, 1), (0, 1)], "b": [(1, -1)], "c": [(0, 0)]})
    records, human, judge = frame.record_scores("j")
    assert records.tolist() == [0, 2]
    assert (human.tolist(), judge.tolist()) == ([0.5, 0], [1, 0])


STRATA = {"a": "low", "b": "low", "c": "high", "d": "high", "e": "high"}
SAMPLE = SampleWeights({r: 10.0 if s == "low" else 2.0 for r, s in STRATA.items()}, STRATA)
CELLS = {
    "a": [(1, 1)],
    "b": [(0, 1), (1, 1)],
    "c": [(1, 1), (1, 1)],
    "d": [(0, 0)],
    "e": [(1, 0), (1, 1)],
}


def test_a_designed_sample_weighs_and_says_so() -> None:
    """Weighted shares are Σ w x / Σ w m, and the summary says that it is weighted."""
    found = agreement(labelled(CELLS, sample=SAMPLE), "j")
    assert found.weighted
    assert found.to_json()["weighted"] is True
    assert found["percent_agreement"].value == pytest.approx((10 + 10 + 4 + 2 + 2) / (30 + 10))
    assert found.table["both_entailed"] == 5


def test_nonresponse_is_counted_and_stood_in_for() -> None:
    """A drawn record with an unlabelled unit leaves; the rest of its stratum weighs more."""
    units = {f"{r}#{i}": r for r, cells in CELLS.items() for i in range(len(cells))}
    frame = labelled(CELLS, sample=SAMPLE, units={**units, "e#2": "e", "x#0": "x"})
    assert frame.n_nonresponse == 1
    assert frame.excluded() == {"nonresponse": 3}
    assert frame.record_names == ["a", "b", "c", "d"]
    assert frame.weight is not None
    assert frame.weight.tolist() == [10, 10, 3, 3]


def test_records_outside_the_sample_are_left_out() -> None:
    """Labels beyond the design do not enter its figures."""
    frame = labelled({**CELLS, "z": [(1, 1), (0, 0)]}, sample=SAMPLE)
    assert frame.excluded() == {"outside_sample": 2}
    assert frame.n_records == 5


def test_a_simple_random_sample_is_unweighted() -> None:
    """Equal weights in one stratum leave the figures as they are; the corpus size is kept."""
    sample = SampleWeights(dict.fromkeys(CELLS, 4.0), {}, {"": 20})
    frame = labelled(CELLS, sample=sample)
    assert not frame.weighted
    plain, drawn = agreement(labelled(CELLS), "j"), agreement(frame, "j")
    assert drawn["kappa"] == plain["kappa"]
    narrow, wide = drawn["human_rate"].se, plain["human_rate"].se
    assert narrow == pytest.approx((wide or 0) * np.sqrt(1 - 5 / 20))


def test_weights_of_a_drawn_sample() -> None:
    """1/probability by record, strata with their sizes; a convenience sample has none."""
    members = tuple(
        SampleMember(r, 0.1 if s == "low" else 0.5, s, i) for i, (r, s) in enumerate(STRATA.items())
    )
    sample = Sample(
        "s", "groundedness", "score-bands", 1, 26, members, strata={"low": 20, "high": 6}
    )
    found = SampleWeights.from_sample(sample)
    assert found is not None
    assert found.weight == SAMPLE.weight
    frame = labelled(CELLS, sample=found)
    assert frame.population is not None
    assert frame.population.tolist() == [20, 6]
    empty = Sample("s", "groundedness", "convenience", 1, 0, ())
    assert SampleWeights.from_sample(empty) is None


def test_a_slice_of_a_designed_sample_is_a_domain() -> None:
    """The other answers stay in their strata: the variance is that of the zero-filled sample."""
    slices = {r: {"s": "in" if r in "ace" else "out"} for r in CELLS}
    found = agreement(labelled(CELLS, sample=SAMPLE, slices=slices), "j")
    part = found.by_slice["s"]["in"]
    counts = [[1, 0, 0, 0], [0] * 4, [2, 0, 0, 0], [0] * 4, [1, 1, 0, 0]]
    weight, stratum = [10, 10, 2, 2, 2], [0, 0, 1, 1, 1]
    w = np.array(weight) / (10 + 4 + 4)
    p = 16 / 18
    z = w * np.array([1 - p, 0, 2 - 2 * p, 0, 1 - 2 * p])
    expected = 2 * np.var(z[:2], ddof=1) + 3 * np.var(z[2:], ddof=1)
    assert part.figures["percent_agreement"].se == pytest.approx(np.sqrt(expected))
    assert part.n_records == 3
    kept = Clusters.from_counts(counts, weight=weight, stratum=stratum, keep_empty=True)
    assert kept.n_answers == 3


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ([True, False], [1, 0]),
        ([1, 0, -1, -3], [1, 0, -1, -1]),
        ([1.0, float("nan"), 0.0], [1, -1, 0]),
        ([True, None, "Yes", "FALSE", "not entailed", " unsure "], [1, -1, 1, 0, 0, -1]),
        ([], []),
    ],
)
def test_values_become_codes(values: list[Any], codes: list[int]) -> None:
    """Booleans, numbers, None, NaN and words, in any mixture."""
    assert binary_codes(values).tolist() == codes


@pytest.mark.parametrize("values", [[2], [0.5], [1, 0, 7], ["maybe"], [object()], [[1, 0]]])
def test_other_values_are_refused(values: list[Any]) -> None:
    """What is neither yes nor no is named, never guessed."""
    with pytest.raises(UsageError):
        binary_codes(values)


def test_arrays_that_do_not_fit_are_refused() -> None:
    """Lengths must match; a weight belongs to an answer, not to a claim."""
    with pytest.raises(UsageError):
        Frame.from_arrays([1, 2], [True], {})
    with pytest.raises(UsageError):
        Frame.from_arrays([1, 2], [True, True], {"j": [True]})
    with pytest.raises(UsageError):
        Frame.from_arrays([1, 1], [True, True], {"j": [True, True]}, weight=[1.0, 2.0])


def test_counts_that_make_no_sense_are_refused() -> None:
    """Negative or fractional counts, weights that are not positive, wrong shapes."""
    for bad in ([[-1, 0]], [[0.5, 1]], [1, 2]):
        with pytest.raises(UsageError):
            Clusters.from_counts(bad)
    with pytest.raises(UsageError):
        Clusters.from_counts([[1, 0]], weight=[0.0])
    with pytest.raises(UsageError):
        Clusters.from_counts([[1, 0]], stratum=[0, 1])
    with pytest.raises(UsageError):
        Clusters.from_counts([[1, 0]], population=[1, 2])
    with pytest.raises(UsageError):
        count_matrix([0], [4], 4)
    with pytest.raises(UsageError):
        count_matrix([0, 1], [0], 4)


def test_grouping_survives_counts_too_large_for_one_number() -> None:
    """Rows whose digits overflow 64 bits are grouped rightly all the same."""
    rows = np.array([[2**20, i % 2, 2**20 - 1, 7] * 2 for i in range(6)])
    found = Clusters.from_counts(rows)
    assert sorted(found.multiplicity.tolist()) == [3, 3]
    assert found.raw_totals.tolist() == rows.sum(axis=0).tolist()


def test_thin_strata_are_merged_with_a_neighbour() -> None:
    """Single-answer strata join the next one (the last one the one before), and it is said."""
    clusters = Clusters.from_counts(
        [[1, 0, 0, 0]] * 6, stratum=[0, 1, 1, 2, 3, 4], population=[5, 6, 7, 8, 9]
    )
    merged, n = clusters.thin_strata_merged()
    assert n == 3
    assert merged.n_strata == 2
    assert merged.population is not None
    assert merged.population.tolist() == [11, 24]
    figure = agreement_flag(clusters)
    assert "strata_merged" in figure


def agreement_flag(clusters: Clusters) -> tuple[str, ...]:
    from trueup.stats.agreement_intervals import estimate

    return estimate(clusters, "percent_agreement").flags
