"""Each method of the golden statistics cases gives the expected figures, to their tolerance.

A case names a method, inputs and expected figures, null where undefined. Each method has one
function here from inputs to figures by the same names, so that any further case of it can be added.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from shared import statistics_cases
from trueup.stats.agreement import kappa, measures, percent_agreement
from trueup.stats.agreement_intervals import estimate
from trueup.stats.bootstrap import bootstrap
from trueup.stats.counts import Clusters
from trueup.stats.dawid_skene import dawid_skene
from trueup.stats.design_effect import icc_anova
from trueup.stats.estimate import Estimate
from trueup.stats.exact import clustered_mcnemar, holm, mcnemar, sign_flip
from trueup.stats.intervals import iid_wilson, linearised, standard_error
from trueup.stats.paired import compare_cells
from trueup.stats.raters import (
    codes,
    fleiss_kappa,
    kappa_fce_se,
    kappa_table,
    krippendorff_alpha,
    multi_ac1,
    rating_counts,
    retest,
)

Figures = dict[str, Any]


def ends(figure: Estimate) -> list[float | None] | None:
    """Both ends of an interval; None where there is none."""
    return None if figure.low is None else [figure.low, figure.high]


def agreement_2x2(n11: int, n10: int, n01: int, n00: int) -> Figures:
    found = {name: figure.value for name, figure in measures([n11, n10, n01, n00]).items()}
    n = n11 + n10 + n01 + n00
    found |= {
        "n": n,
        "agreement": found["percent_agreement"],
        "ac1": found["gwet_ac1"],
        "agreement_wilson_iid": ends(iid_wilson(n11 + n00, n)),
        "kappa_se_fce_iid": kappa_fce_se(n11, n10, n01, n00),
    }
    return found


def kappa_kxk(table: list[list[int]], weights: Any = None) -> Figures:
    found = kappa_table(table, weights)
    return {
        "kappa": found.kappa.value,
        "se_fce": found.se_fce,
        "se_null": found.se_null,
        "agreement": found.agreement,
    }


def wilson(x: float, n: float, conf: float = 0.95) -> Figures:
    found = iid_wilson(x, n, conf)
    return {"lo": found.low, "hi": found.high}


def cluster_ci(
    counts: list[list[int]], conf: float = 0.95, weights: Any = None, strata: Any = None
) -> Figures:
    clusters = Clusters.from_counts(np.array(counts).reshape(-1, 4), weight=weights, stratum=strata)
    share = estimate(clusters, "percent_agreement", conf=conf)
    chance = estimate(clusters, "kappa", conf=conf)
    tnr = estimate(clusters, "tnr", conf=conf)
    delta = linearised(clusters, kappa)
    return {
        "n_answers": clusters.n_answers,
        "n_answers_without_claims": clusters.n_empty,
        "n_claims": clusters.n_units,
        "df": share.extra.get("df"),
        "agreement": share.value,
        "agreement_se": share.se,
        "n_eff": share.extra.get("n_eff"),
        "agreement_ci": ends(share),
        "deff_agreement": share.extra.get("design_effect"),
        "kappa": chance.value,
        "kappa_se_delta": delta.se,
        "kappa_se_jack": standard_error(clusters, kappa).se,
        "kappa_ci": ends(chance),
        "kappa_ci_method": chance.method,
        "icc_anova_agreement": icc_anova(clusters, [0, 3], [0, 1, 2, 3]),
        "tnr": tnr.value,
        "tnr_se": tnr.se,
    }


def mcnemar_test(b: int, c: int) -> Figures:
    found = mcnemar(b, c)
    return {
        "p_exact": found.p_exact,
        "p_midp": found.p_midp,
        "chi2": found.chi2,
        "p_chi2": found.p_chi2,
    }


def clustered(**cells: list[int]) -> Figures:
    found = clustered_mcnemar(**cells)
    flip = sign_flip(np.array(cells["b"]) - np.array(cells["c"]))
    names = ("b", "c", "obuchowski", "durkalski", "yang", "eliasziw")
    tails = ("obuchowski_p", "durkalski_p", "yang_p", "eliasziw_p")
    figures = {name: getattr(found, name) for name in names + tails}
    return {**figures, "signflip_p": flip.p, "signflip_midp": flip.mid_p}


def paired(
    counts8: list[list[int]], conf: float = 0.95, margin: float = 0.03, cell_order: str = ""
) -> Figures:
    found = compare_cells(Clusters.from_counts(counts8), conf=conf, margin=margin)
    side = found.non_inferiority.sides[0]
    return {
        "n_answers": found.n_records,
        "n_claims": found.n_units,
        "agreement_a": found.agreement_a.value,
        "agreement_b": found.agreement_b.value,
        "kappa_a": found.kappa_a.value,
        "kappa_b": found.kappa_b.value,
        "delta_agreement": found.delta_agreement.value,
        "delta_agreement_se_jack": found.delta_agreement.se,
        "delta_agreement_ci": ends(found.delta_agreement),
        "delta_kappa": found.delta_kappa.value,
        "delta_kappa_se_jack": found.delta_kappa.se,
        "delta_kappa_ci": ends(found.delta_kappa),
        "b": found.only_b_right,
        "c": found.only_a_right,
        "mcnemar_exact_iid": found.p_mcnemar_exact,
        "signflip_p": found.p,
        "signflip_midp": found.p_mid,
        "score_a": found.mean_score_a.value,
        "score_b": found.mean_score_b.value,
        "score_diff": found.delta_mean_score.value,
        "score_diff_ci": ends(found.delta_mean_score),
        "noninferiority": {
            "margin": margin,
            "one_sided_95_lower": side.lower,
            "non_inferior": side.decision == "pass",
        },
    }


def krippendorff(raters_by_units: list[list[int | None]]) -> Figures:
    counts = rating_counts(codes(raters_by_units).T)
    return {"alpha": krippendorff_alpha(raters_by_units).value, "ac1": multi_ac1(counts).value}


def dawid_skene_model(items_by_raters: list[list[int]], missing: int = -1) -> Figures:
    found = dawid_skene([[None if x == missing else x for x in row] for row in items_by_raters])
    assert found is not None
    return {
        "prior_1": found.prior[1],
        "posterior_1": found.posterior[:, 1].tolist(),
        "accuracy": found.accuracy.tolist(),
        "labels": found.labels.tolist(),
    }


def test_retest(claims_by_runs: list[list[int | None]]) -> Figures:
    found = retest(claims_by_runs)
    return {
        "any_flip_rate": found.any_flip.value,
        "pairwise_flip_rate": found.pairwise_flip.value,
        "intra_judge_fleiss_kappa": found.kappa.value,
    }


test_retest.__test__ = False  # type: ignore[attr-defined]  # named after the method, not a test


METHODS: dict[str, Callable[..., Figures]] = {
    "agreement_2x2": agreement_2x2,
    "kappa_kxk": kappa_kxk,
    "wilson": wilson,
    "cluster_ci": cluster_ci,
    "stratified_ipw_ci": cluster_ci,
    "mcnemar": mcnemar_test,
    "clustered_mcnemar": clustered,
    "paired_comparison": paired,
    "holm": lambda p: {"adjusted": holm(p)},
    "fleiss_kappa": lambda counts: {
        "fleiss_kappa": fleiss_kappa(counts).value,
        "ac1": multi_ac1(counts).value,
    },
    "krippendorff_nominal": krippendorff,
    "dawid_skene": dawid_skene_model,
    "test_retest": test_retest,
}


def assert_same(found: Any, expected: Any, tolerance: float, where: str) -> None:
    """Equal to the tolerance all the way down; null only where null is expected."""
    if isinstance(expected, dict):
        for key, value in expected.items():
            assert_same(found[key], value, tolerance, f"{where}.{key}")
    elif isinstance(expected, list):
        assert found is not None, where
        assert len(found) == len(expected), where
        for i, value in enumerate(expected):
            assert_same(found[i], value, tolerance, f"{where}[{i}]")
    elif isinstance(expected, (bool, str)) or expected is None:
        assert found == expected, where
    else:
        assert found == pytest.approx(expected, abs=tolerance), where


@pytest.mark.parametrize("case", statistics_cases(*METHODS))
def test_figures_are_those_of_the_case(case: Any) -> None:
    """Every expected figure, interval and null comes out of the method's inputs."""
    found = METHODS[case["method"]](**case["inputs"])
    assert_same(found, case["expected"], case["tolerance"], case["name"])
    for name in case["undefined"]:
        assert found[name] is None, name


@pytest.mark.parametrize("case", statistics_cases("ideal_cluster_bootstrap"))
def test_bootstrap_comes_near_the_complete_enumeration(case: Any) -> None:
    """Standard errors and means within the tolerance; percentiles within one atom (0.03)."""
    clusters = Clusters.from_counts(case["inputs"]["counts"])
    statistics = {"agreement": percent_agreement, "kappa": kappa}
    found = bootstrap(clusters, statistics, resamples=case["inputs"]["resamples"], seed=1)
    expected = case["expected"]
    for name in statistics:
        figure = found.estimate(name)
        assert figure.se == pytest.approx(expected[f"{name}_boot_se"], abs=case["tolerance"])
        assert ends(figure) == pytest.approx(expected[f"{name}_pct"], abs=0.03)
    chance = found.estimate("kappa").extra
    assert chance["boot_mean"] == pytest.approx(expected["kappa_boot_mean"], abs=0.01)
    assert chance["undefined_share"] == pytest.approx(
        expected["kappa_undefined_share"], abs=case["tolerance"]
    )
