"""Corrected rates, rebaselining and planning give the golden figures, to their tolerance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from shared import statistics_cases
from trueup.stats.correction import ppi_rate
from trueup.stats.correction_iid import corrected_rate_iid
from trueup.stats.counts import Clusters
from trueup.stats.drift import asymptotic_cs_radius
from trueup.stats.estimate import Estimate
from trueup.stats.intervals import t_quantile, z_quantile
from trueup.stats.planning import (
    Need,
    kappa_variance,
    n_for_halfwidth_kappa,
    n_for_halfwidth_rate,
    n_for_kappa_test,
    n_for_overlap,
)
from trueup.stats.rebaseline import restated_mean
from trueup.stats.rogan_gladen import rogan_gladen, rogan_gladen_lee, rogan_gladen_rate

Figures = dict[str, Any]


def unclipped(made: Estimate) -> list[Any]:
    """The interval before it was clipped to [0, 1]."""
    return [made.extra.get("low_unclipped", made.low), made.extra.get("high_unclipped", made.high)]


def of_rogan_gladen(**given: float) -> Figures:
    made = rogan_gladen(**given)
    return {
        "theta": made.value,
        "theta_unclipped": made.extra.get("value_unclipped"),
        "youden": made.extra["youden"],
        "defined": made.value is not None,
    }


def of_lee(**given: Any) -> Figures:
    made = rogan_gladen_lee(**given)
    low, high = unclipped(made)
    clipped = [min(1.0, max(0.0, end)) for end in (low, high)]
    # an interval of width zero is never handed out: there the clipped ends are told by the extra
    shown = [made.low, made.high] if clipped[0] < clipped[1] else clipped
    assert made.low is not None
    assert made.high is not None
    assert made.low < made.high
    return {
        "theta": made.value,
        "theta_unclipped": made.extra["value_unclipped"],
        "ci_clipped": shown,
        "ci_unclipped": [low, high],
    }


def of_iid(**given: int) -> Figures:
    made = corrected_rate_iid(**given)
    return {
        "rogan_gladen": made.rogan_gladen.value,
        "post_stratified": made.post_stratified.value,
        "post_stratified_se": made.post_stratified.se,
        "ppi": made.ppi.value,
        "ppi_ci": [made.ppi.low, made.ppi.high],
        "ppi_plus_plus": made.ppi_plus_plus.value,
        "ppi_lambda": made.ppi_plus_plus.extra["lambda"],
        "ppi_plus_plus_ci": [made.ppi_plus_plus.low, made.ppi_plus_plus.high],
    }


def of_clusters(
    calibration_counts: Any, unlabelled: Any, unlabelled_columns: str, conf: float
) -> Figures:
    assert unlabelled_columns == "judge_entailed,n_claims"
    labelled = Clusters.from_counts(calibration_counts)
    corpus = Clusters.from_counts([[x, n - x] for x, n in unlabelled])
    gladen = rogan_gladen_rate(labelled, corpus, conf=conf)
    ppi = ppi_rate(labelled, corpus, within=False, conf=conf)
    assert ppi.value is not None
    delta = float(ppi.extra["se_delta"])  # type: ignore[arg-type]
    half = t_quantile(conf, float(ppi.extra["df"])) * delta  # type: ignore[arg-type]
    return {
        "judge_rate": ppi.extra["judge_rate"],
        "rogan_gladen": gladen.value,
        "rogan_gladen_se": gladen.se,
        "rogan_gladen_ci": unclipped(gladen),
        "ppi_plus_plus": ppi.value,
        "ppi_lambda": ppi.extra["lambda"],
        "ppi_plus_plus_se": delta,
        "ppi_plus_plus_ci": [ppi.value - half, ppi.value + half],
        "ppi_plus_plus_se_jack": ppi.se,
        "ppi_plus_plus_ci_logit_jack": [ppi.low, ppi.high],
    }


def of_rebaseline(
    old_overlap: Any, new_overlap: Any, old_all_mean: float, n_total: int, conf: float
) -> Figures:
    made = restated_mean(
        old_overlap, new_overlap, old_all_mean=old_all_mean, n_total=n_total, conf=conf, least=3
    )
    regression, difference = made.regression, made.difference
    # fewer than 30 rejudged records: the slope is not trusted
    assert made.best == (regression if len(old_overlap) >= 30 else difference)
    return {
        "difference": difference.value,
        "difference_se": difference.se,
        "difference_ci": [difference.low, difference.high],
        "regression": regression.value,
        "slope": regression.extra["slope"],
        "correlation": regression.extra["correlation"],
        "regression_se": regression.se,
        "regression_ci": [regression.low, regression.high],
        "ratio": made.ratio.value,
        "ratio_se": made.ratio.se,
    }


def of_confidence_sequence(n: int, sd: float, alpha: float, rho: float) -> Figures:
    return {
        "radius": asymptotic_cs_radius(n, sd, alpha=alpha, rho=rho),
        "fixed_n_radius": z_quantile(1 - alpha) * sd / n**0.5,
    }


def of_need(made: Need, unit: str = "claims") -> Figures:
    return {
        f"n_{unit}_exact": made.exact,
        f"n_{unit}": made.claims,
        "n_answers": made.answers,
    }


def of_halfwidth_kappa(kappa: float, p_human: float, p_judge: float, **given: Any) -> Figures:
    return {
        "q_per_claim": kappa_variance(kappa, p_human, p_judge),
        **of_need(n_for_halfwidth_kappa(kappa, p_human, p_judge, **given)),
    }


METHODS: dict[str, Callable[..., Figures]] = {
    "n_for_kappa_test": lambda **given: of_need(n_for_kappa_test(**given)),
    "n_for_halfwidth_rate": lambda **given: of_need(n_for_halfwidth_rate(**given)),
    "n_for_halfwidth_kappa": of_halfwidth_kappa,
    "n_for_overlap": lambda **given: of_need(n_for_overlap(**given), "overlap"),
    "rogan_gladen": of_rogan_gladen,
    "rogan_gladen_lee": of_lee,
    "corrected_rate_iid": of_iid,
    "corrected_rate_cluster": of_clusters,
    "rebaseline": of_rebaseline,
    "asymptotic_cs_radius": of_confidence_sequence,
}


@pytest.mark.parametrize("case", statistics_cases(*METHODS))
def test_figures_are_those_of_the_case(case: Any) -> None:
    """Every expected figure comes out of the method's inputs; null only where null is expected."""

    found = METHODS[case["method"]](**case["inputs"])

    assert case["expected"].keys() <= found.keys()
    for name, expected in case["expected"].items():
        if expected is None or isinstance(expected, bool):
            assert found[name] is expected, name
        else:
            assert found[name] == pytest.approx(expected, abs=case["tolerance"]), name
