"""Agreement with scikit-learn, statsmodels and krippendorff where they are right."""

from __future__ import annotations

from typing import Any

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import (
    cohen_kappa_score,
    f1_score,
    matthews_corrcoef,
    precision_score,
    recall_score,
)
from statsmodels.stats.contingency_tables import mcnemar as sm_mcnemar
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.inter_rater import fleiss_kappa as sm_fleiss
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from trueup.stats.agreement import measures
from trueup.stats.exact import holm, mcnemar
from trueup.stats.intervals import t_quantile, wilson
from trueup.stats.raters import (
    fleiss_kappa,
    kappa_table,
    krippendorff_alpha,
    rating_counts,
)

RNG = np.random.default_rng(20)
TABLES = RNG.integers(1, 40, size=(12, 4)).tolist()


def pairs_of(table: list[int]) -> tuple[list[int], list[int]]:
    """The labels of people and the judge that a table counts."""
    cells = [(1, 1), (1, 0), (0, 1), (0, 0)]
    both = [cell for cell, n in zip(cells, table, strict=True) for _ in range(n)]
    return [h for h, _ in both], [j for _, j in both]


@pytest.mark.parametrize("table", TABLES)
def test_two_by_two(table: list[int]) -> None:
    """Kappa, MCC, and precision, recall and F1 of not entailed are scikit-learn's."""
    human, judge = pairs_of(table)
    found = {name: figure.value for name, figure in measures(table).items()}
    assert found["kappa"] == pytest.approx(cohen_kappa_score(human, judge))
    assert found["mcc"] == pytest.approx(matthews_corrcoef(human, judge))
    for name, score in (
        ("precision_not_entailed", precision_score),
        ("recall_not_entailed", recall_score),
        ("f1_not_entailed", f1_score),
    ):
        assert found[name] == pytest.approx(score(human, judge, pos_label=0))
    assert found["tpr"] == pytest.approx(recall_score(human, judge))
    values = krippendorff.alpha([human, judge], level_of_measurement="nominal")
    assert found["krippendorff_alpha"] == pytest.approx(values)


@pytest.mark.parametrize("kind", [None, "linear", "quadratic"])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_square_tables(kind: Any, k: int) -> None:
    """(Weighted) kappa is scikit-learn's; its errors are statsmodels'."""
    table = RNG.integers(1, 20, size=(k, k))
    rows, columns = np.repeat(np.indices((k, k)).reshape(2, -1), table.ravel(), axis=1)
    found = kappa_table(table, kind)
    assert found.kappa.value == pytest.approx(cohen_kappa_score(rows, columns, weights=kind))
    theirs = cohens_kappa(table, wt=kind)
    assert found.se_fce == pytest.approx(theirs.std_kappa)
    assert found.se_null == pytest.approx(theirs.std_kappa0)


def test_fleiss_and_krippendorff_with_holes() -> None:
    """Many raters: Fleiss on full ratings, alpha with missing ones."""
    full = RNG.integers(0, 3, size=(30, 4))
    counts = rating_counts(full)
    assert fleiss_kappa(counts).value == pytest.approx(sm_fleiss(counts))
    holes = np.where(RNG.random((30, 4)) < 0.3, np.nan, full).T
    theirs = krippendorff.alpha(holes, level_of_measurement="nominal")
    assert krippendorff_alpha(holes.tolist()).value == pytest.approx(theirs)


@pytest.mark.parametrize(("x", "n"), [(0, 5), (5, 5), (3, 11), (99, 100), (1, 1), (500, 1001)])
@pytest.mark.parametrize("conf", [0.8, 0.95, 0.99])
def test_wilson(x: int, n: int, conf: float) -> None:
    """Wilson's interval, at the edges too."""
    theirs = proportion_confint(x, n, alpha=1 - conf, method="wilson")
    assert wilson(x / n, n, conf) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize(("b", "c"), [(1, 0), (5, 9), (30, 60), (7, 7)])
def test_mcnemar_and_holm(b: int, c: int) -> None:
    """Exact McNemar where it has a value, and Holm's adjustment."""
    theirs = sm_mcnemar([[0, b], [c, 0]], exact=True).pvalue
    assert mcnemar(b, c).p_exact == pytest.approx(min(1.0, theirs))
    p = RNG.random(b + 1)
    assert holm(p.tolist()) == pytest.approx(multipletests(p, method="holm")[1].tolist())


@pytest.mark.parametrize("df", [1, 2, 3.5, 49, 1e5])
def test_t_quantiles(df: float) -> None:
    """Student quantiles to twelve digits; infinite df is the normal."""
    from scipy import stats

    for conf in (0.9, 0.95, 0.99):
        assert t_quantile(conf, df) == pytest.approx(stats.t.ppf((1 + conf) / 2, df), rel=1e-9)
    assert t_quantile(0.95, np.inf) == pytest.approx(1.959963984540054, rel=1e-14)
