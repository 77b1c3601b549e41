"""The 88 to 94 example: fifty answers of four claims, a verbatim-quote prompt against a plain."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from runner import Command

CELLS = ("111", "110", "101", "100", "011", "010", "001", "000")
TYPES = (
    "40000000x18 30000100x7 20000101x4 20000200x1 30001000x4 20001001x2 31000000x2 30100000x2 "
    "20010001x1 20020000x1 10000012x1 00000004x2 10000003x1 20000002x2 30000001x2"
)


def answers() -> list[list[str]]:
    """Each answer's claims as cells (human, before, after)."""
    out = []
    for entry in TYPES.split():
        counts, times = entry.split("x")
        cells = [cell for cell, n in zip(CELLS, counts, strict=True) for _ in range(int(n))]
        out += [cells] * int(times)
    return out


def lines() -> list[str]:
    """The answers as trueup JSONL with one annotator and two recorded judges."""
    out = []
    for number, cells in enumerate(answers()):
        claims = [
            {
                "text": f"Claim {i} of answer {number}.",
                "human": [{"annotator": "ana", "entailed": cell[0] == "1"}],
                "judges": {
                    "plain": {"entailed": cell[1] == "1"},
                    "quoted": {"entailed": cell[2] == "1"},
                },
            }
            for i, cell in enumerate(cells)
        ]
        record = {"id": f"r{number}", "question": "q", "context": "c", "answer": "a"}
        out.append(json.dumps({**record, "claims": claims}))
    return out


@pytest.fixture
def compared(trueup: Command, tmp_path: Path) -> dict[str, Any]:
    """What `trueup compare plain quoted --json` says."""
    (tmp_path / "records.jsonl").write_text("\n".join(lines()), "utf-8")
    assert trueup("init").code == 0
    # The names of the default judges are taken by the file's recorded ones here.
    (tmp_path / "trueup.toml").write_text("", "utf-8")
    assert trueup("import", "records.jsonl").code == 0
    said = trueup("compare", "plain", "quoted", "--json")
    assert said.code == 0
    result: dict[str, Any] = said.json()
    return result


def near(value: float, digits: int) -> Any:
    return pytest.approx(value, abs=0.5 * 10**-digits)


FIGURES = [
    # figure, judge, value, low, high, digits
    ("percent_agreement", "plain", 0.88, 0.82766, 0.91802, 5),
    ("percent_agreement", "quoted", 0.94, 0.89661, 0.96587, 5),
    ("kappa", "plain", 0.620733, 0.42597, 0.76051, 5),
    ("kappa", "quoted", 0.827982, 0.69083, 0.90761, 5),
    ("pabak", "plain", 0.76, None, None, 6),
    ("pabak", "quoted", 0.88, None, None, 6),
    ("gwet_ac1", "plain", 0.825086, None, None, 6),
    ("gwet_ac1", "quoted", 0.907869, None, None, 6),
    ("krippendorff_alpha", "plain", 0.618729, None, None, 6),
    ("krippendorff_alpha", "quoted", 0.828387, None, None, 6),
    ("mcc", "plain", 0.636506, None, None, 6),
    ("mcc", "quoted", 0.828322, None, None, 6),
    ("precision_not_entailed", "plain", 0.84375, None, None, 6),
    ("precision_not_entailed", "quoted", 0.886364, None, None, 6),
    ("recall_not_entailed", "plain", 0.586957, None, None, 6),
    ("recall_not_entailed", "quoted", 0.847826, None, None, 6),
    ("f1_not_entailed", "plain", 0.692308, None, None, 6),
    ("f1_not_entailed", "quoted", 0.866667, None, None, 6),
    ("mean_score", "plain", 0.84, None, None, 6),
    ("mean_score", "quoted", 0.78, None, None, 6),
    ("human_mean_score", "plain", 0.77, None, None, 6),
]


def test_figures_of_each_judge(compared: dict[str, Any]) -> None:
    """Every printed digit of the table."""
    by_judge = {a["judge"]: a for a in compared["agreement"]}
    for name, judge, value, low, high, digits in FIGURES:
        got = by_judge[judge][name]
        assert got["value"] == near(value, 6), (name, judge)
        if low is not None:
            assert (got["low"], got["high"]) == (near(low, digits), near(high, digits))
    assert by_judge["plain"]["kappa"]["se"] == near(0.082966, 6)
    assert by_judge["quoted"]["kappa"]["se"] == near(0.051970, 6)


def test_the_tables(compared: dict[str, Any]) -> None:
    """n11, n10, n01, n00 before and after."""
    tables = [list(a["table"].values()) for a in compared["agreement"]]

    assert tables == [[149, 5, 19, 27], [149, 5, 7, 39]]


def test_the_paired_figures(compared: dict[str, Any]) -> None:
    """Differences with their intervals, the exact tests, and the counts."""
    (c,) = compared["comparisons"]

    assert (c["only_a_right"], c["only_b_right"]) == (3, 15)
    assert c["delta_agreement"]["value"] == near(0.06, 6)
    assert c["delta_agreement"]["se"] == near(0.020898, 6)
    assert c["delta_agreement"]["low"] == near(0.018003, 6)
    assert c["delta_agreement"]["high"] == near(0.101997, 6)
    assert c["delta_kappa"]["value"] == near(0.207248, 6)
    assert c["delta_kappa"]["low"] == near(0.054465, 6)
    assert c["delta_kappa"]["high"] == near(0.360031, 6)
    assert c["p_mcnemar_exact"] == near(0.00753784, 8)
    assert c["p"] == near(0.01089478, 8)
    assert c["p_mid"] == near(0.00650024, 8)
    assert c["delta_mean_score"]["value"] == near(-0.06, 6)
    assert c["delta_mean_score"]["low"] == near(-0.101997, 6)
    assert c["delta_mean_score"]["high"] == near(-0.018003, 6)


def test_it_says_why_the_score_fell(compared: dict[str, Any]) -> None:
    """The judge stopped passing unsupported claims; the answers did not get worse."""
    said = " ".join(compared["summary"])

    assert "fell" in said
    assert "unsupported" in said
    assert "not because answers got worse" in said
