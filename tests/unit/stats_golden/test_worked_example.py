"""The 88 to 94 example: fifty answers of four claims, every printed digit of both judges."""

from __future__ import annotations

import pytest

from trueup.stats.counts import Clusters
from trueup.stats.frame_rows import LabelRow, VerdictRow, frame_from_rows
from trueup.stats.paired import CELLS, compare_cells, first_judge, second_judge
from trueup.stats.summary import agreement, cluster_figures, compare, table_of

ANSWERS = (
    "40000000x18 30000100x7 20000101x4 20000200x1 30001000x4 20001001x2 31000000x2 30100000x2 "
    "20010001x1 20020000x1 10000012x1 00000004x2 10000003x1 20000002x2 30000001x2"
)
"""Counts of the cells 111,110,101,100,011,010,001,000 of an answer, times answers."""


def rows() -> list[list[int]]:
    """The fifty answers, one row each."""
    found = []
    for kind in ANSWERS.split():
        digits, times = kind.split("x")
        found += [[int(d) for d in digits]] * int(times)
    return found


CLUSTERS = Clusters.from_counts(rows())
BEFORE = cluster_figures(first_judge(CLUSTERS))
AFTER = cluster_figures(second_judge(CLUSTERS))

PRINTED = {
    "percent_agreement": (".88", ".82766", ".91802"),
    "kappa": (".620733", ".42597", ".76051"),
    "pabak": (".76",),
    "gwet_ac1": (".825086",),
    "krippendorff_alpha": (".618729",),
    "mcc": (".636506",),
    "precision_not_entailed": (".84375",),
    "recall_not_entailed": (".586957",),
    "f1_not_entailed": (".692308",),
    "mean_score": (".84",),
    "human_mean_score": (".77",),
}
PRINTED_AFTER = {
    "percent_agreement": (".94", ".89661", ".96587"),
    "kappa": (".827982", ".69083", ".90761"),
    "pabak": (".88",),
    "gwet_ac1": (".907869",),
    "krippendorff_alpha": (".828387",),
    "mcc": (".828322",),
    "precision_not_entailed": (".886364",),
    "recall_not_entailed": (".847826",),
    "f1_not_entailed": (".866667",),
    "mean_score": (".78",),
    "human_mean_score": (".77",),
}


def printed(value: float | None, like: str) -> str:
    """The value with as many digits as the printed figure, written like it."""
    assert value is not None
    text = f"{abs(value):.{len(like.split('.')[1])}f}"[1:]
    return "-" + text if like.startswith("-") else text


@pytest.mark.parametrize("name", PRINTED)
@pytest.mark.parametrize("when", ["before", "after"])
def test_one_judge_to_all_printed_digits(name: str, when: str) -> None:
    """Value and interval of each judge's figures, digit for digit."""
    figure = (BEFORE if when == "before" else AFTER)[name]
    expected = (PRINTED if when == "before" else PRINTED_AFTER)[name]
    found = (figure.value, figure.low, figure.high)[: len(expected)]
    assert tuple(printed(x, like) for x, like in zip(found, expected, strict=True)) == expected


def test_tables_and_standard_errors() -> None:
    """The two tables, and the jackknife errors of kappa."""
    assert list(table_of(first_judge(CLUSTERS)).values()) == [149, 5, 19, 27]
    assert list(table_of(second_judge(CLUSTERS)).values()) == [149, 5, 7, 39]
    assert printed(BEFORE["kappa"].se, ".082966") == ".082966"
    assert printed(AFTER["kappa"].se, ".051970") == ".051970"


def test_the_paired_figures_to_all_printed_digits() -> None:
    """Differences with their intervals, the discordant units, and the three p-values."""
    found = compare_cells(CLUSTERS)
    checks = [
        (found.delta_agreement, ("+.06", ".020898", ".018003", ".101997")),
        (found.delta_kappa, ("+.207248", ".076028", ".054465", ".360031")),
    ]
    for figure, expected in checks:
        numbers = (figure.value, figure.se, figure.low, figure.high)
        for number, like in zip(numbers, expected, strict=True):
            assert printed(number, like) == like.lstrip("+")
    assert (found.only_a_right, found.only_b_right) == (3, 15)
    assert printed(found.p_mcnemar_exact, ".00753784") == ".00753784"
    assert printed(found.p, ".01089478") == ".01089478"
    assert printed(found.p_mid, ".00650024") == ".00650024"
    score = found.delta_mean_score
    assert [round(x or 0, 6) for x in (score.value, score.low, score.high)] == [
        -0.06,
        -0.101997,
        -0.018003,
    ]


def test_the_score_fell_for_a_reason_that_is_said() -> None:
    """The judge stopped passing unsupported claims; the answers are the same."""
    note = compare_cells(CLUSTERS, "before", "after").score_note
    assert note == (
        "The score fell because after passes 12 fewer unsupported claims than before, "
        "not because answers got worse."
    )


def test_a_frame_of_rows_gives_the_same_figures() -> None:
    """Label and verdict rows of the fifty answers lead to the same summary and comparison."""
    words = {1: "entailed", 0: "not_entailed"}
    labels, verdicts = [], []
    for r, answer in enumerate(rows()):
        units = [cell for cell, n in zip(CELLS, answer, strict=True) for _ in range(n)]
        for u, (human, a, b) in enumerate(units):
            unit = f"{r}#{u}"
            labels.append(LabelRow(unit, str(r), "ana", words[human]))  # type: ignore[arg-type]
            verdicts.append(VerdictRow(unit, "before", words[a]))  # type: ignore[arg-type]
            verdicts.append(VerdictRow(unit, "after", words[b]))  # type: ignore[arg-type]
    frame = frame_from_rows(labels, verdicts)
    assert agreement(frame, "after").figures == AFTER
    assert compare(frame, "before", "after") == compare_cells(CLUSTERS, "before", "after")
