"""The golden cases of area `stats`: faults of other tools, each kind right here."""

from __future__ import annotations

import json
from typing import Any

import pytest

from shared import golden_cases
from trueup.stats.agreement_intervals import estimate
from trueup.stats.binary import binary_codes
from trueup.stats.counts import Clusters
from trueup.stats.frame import Frame
from trueup.stats.frame_rows import LabelRow, VerdictRow, frame_from_rows
from trueup.stats.people import people
from trueup.stats.raters import krippendorff_alpha
from trueup.stats.scores import mean_score, score_change
from trueup.stats.summary import AgreementSummary, agreement, mean_share


def two_raters(a: list[Any], b: list[Any]) -> AgreementSummary:
    """Rater a as people, rater b as a judge, every item an answer of its own."""
    return agreement(Frame.from_arrays(range(len(a)), a, {"b": b}), "b")


@pytest.mark.parametrize("case", golden_cases("stats", "one-class", "paradox", "label-types"))
def test_two_raters(case: Any) -> None:
    """Agreement and kappa as expected: null where undefined, exactly 0 for one constant rater."""
    found = two_raters(case["input"]["a"], case["input"]["b"])
    check = case["check"]
    assert found["percent_agreement"].value == pytest.approx(check["agreement"], abs=1e-6)
    if "kappa" in check:
        assert found["kappa"].value == check["kappa"]
    if check.get("kappa", 0) is None:
        assert found["kappa"].reason
    if "n" in check:
        assert found.n_units == check["n"]
    text = json.dumps(found.to_json(), allow_nan=False)
    assert "NaN" not in text


@pytest.mark.parametrize("case", golden_cases("stats", "paradox"))
def test_skew_is_said(case: Any) -> None:
    """High agreement beside kappa 0 comes with the warning that explains it, and the counts."""
    found = two_raters(case["input"]["a"], case["input"]["b"])
    assert "high_expected_agreement" in found.warnings
    assert sum(found.table.values()) == found.n_units


@pytest.mark.parametrize("case", golden_cases("stats", "missing-as-class"))
def test_missing_is_no_class(case: Any) -> None:
    """What is missing counts neither as a category nor for the expected agreement."""
    given, check = case["input"], case["check"]
    if "raters" in given:
        assert krippendorff_alpha(list(given["raters"].values())).value == check["alpha"]
        rows = [
            LabelRow(str(i), str(i), name, [None, "not_entailed", "entailed"][int(v) + 1])  # type: ignore[arg-type]
            for name, values in given["raters"].items()
            for i, v in enumerate(binary_codes(values))
        ]
        pair = people(frame_from_rows(rows, [])).pairs[0]
        assert (pair.a, pair.b, pair.n_units, pair.percent_agreement.value) == ("r1", "r2", 2, 1)
    else:
        found = two_raters(given["a"], given["b"])
        assert found.n_units == check["n"]
        assert found["percent_agreement"].value == check["agreement"]
        assert found["kappa"].value == check["kappa"]


@pytest.mark.parametrize("case", golden_cases("stats", "failed-in-mean"))
def test_failed_scores_are_counted(case: Any) -> None:
    """A mean says how many records it is of; two runs are compared on what both scored."""
    given, check = case["input"], case["check"]
    if "scores" in given:
        found = mean_score(given["scores"] or [None] * len(given["status"]))
        assert found.mean.value == check["mean"]
        assert (found.n, found.total) == (check["n"], check["total"])
        assert found.n_null == check.get("failed", check["total"] - check["n"])
    else:
        runs = [list(given[name].values()) for name in ("run_a", "run_b")]
        change = score_change(*runs)
        assert [change.first.coverage, change.second.coverage] == check["coverage"]
        assert change.n == 1
        assert change.change.low is None


@pytest.mark.parametrize("case", golden_cases("stats", "aggregate"))
def test_macro_and_micro_are_two_figures(case: Any) -> None:
    """The mean over records and the share of claims stand under their own names."""
    counts = [
        [sum(r["claims"]), len(r["claims"]) - sum(r["claims"]), 0, 0]
        for r in case["input"]["records"]
    ]
    clusters = Clusters.from_counts(counts)
    assert mean_share(clusters, _column(0)).value == pytest.approx(case["check"]["macro"])
    assert estimate(clusters, "judge_rate").value == pytest.approx(case["check"]["micro"], abs=1e-6)


def _column(i: int) -> Any:
    import numpy as np

    return np.eye(4, dtype=np.int64)[i]


@pytest.mark.parametrize("case", golden_cases("stats", "double-submit"))
def test_a_double_submission_counts_once(case: Any) -> None:
    """Of an annotator's labels on a unit the last one counts."""
    rows = [
        LabelRow(unit, unit, who, "entailed" if value else "not_entailed", at=at)
        for who, unit, value, at in case["input"]["labels"]
    ]
    found = people(frame_from_rows(rows, []))
    assert found.n_doubly_labelled == case["check"]["n"]
    assert found.pairs[0].percent_agreement.value == case["check"]["agreement"]


@pytest.mark.parametrize("case", golden_cases("stats", "majority"))
def test_a_tie_is_undecided(case: Any) -> None:
    """Strict majority decides; a tie and an unlabelled unit are left out, each counted."""
    given = case["input"]["labels"]
    rows = [
        LabelRow(unit, unit, str(i), "entailed" if value else "not_entailed")
        for unit, values in given.items()
        for i, value in enumerate(values)
    ]
    verdicts = [VerdictRow(unit, "j", "entailed") for unit in given]
    frame = frame_from_rows(rows, verdicts, units={unit: unit for unit in given})
    expected = [-1 if x is None else int(x) for x in case["check"]["consensus"]]
    assert [max(int(x), -1) for x in frame.human] == expected
    assert frame.excluded() == {"tie": 1, "unlabelled": 1}
    assert agreement(frame, "j").n_units == 1
