"""Real labels and recorded judges, straight from JSONL: counts, kappa, TPR, TNR, McNemar."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from shared import shared_dir
from trueup.stats.frame import Frame
from trueup.stats.frame_rows import LabelRow, VerdictRow, frame_from_rows
from trueup.stats.people import against_ceiling, people
from trueup.stats.summary import agreement, compare

SETS = ("summhay", "quintd1", "mtrag_human")


@cache
def expected(name: str) -> dict[str, Any]:
    path = shared_dir() / "golden" / "groundedness_expected.json"
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))["datasets"][name]
    return found


@cache
def frame(name: str) -> Frame:
    """A frame of one file; units are numbered by place, so repeated sentences stay two."""
    path = shared_dir() / "data" / "groundedness" / f"{name}.jsonl"
    labels, verdicts = [], []
    for n, line in enumerate(path.read_bytes().split(b"\n")):
        if not line:
            continue
        for k, claim in enumerate(json.loads(line)["claims"]):
            unit = f"{n}#{k}"
            for one in claim.get("human", []):
                word = {True: "entailed", False: "not_entailed", None: "unsure"}[one["entailed"]]
                labels.append(LabelRow(unit, str(n), one["annotator"], word))  # type: ignore[arg-type]
            for judge, said in claim.get("judges", {}).items():
                word = {True: "entailed", False: "not_entailed", None: "undecided"}[
                    said["entailed"]
                ]
                verdicts.append(VerdictRow(unit, judge, word))  # type: ignore[arg-type]
    return frame_from_rows(labels, verdicts)


@pytest.mark.parametrize("name", SETS)
def test_each_judge(name: str) -> None:
    """Tables, agreement, kappa and both rates of every judge."""
    data = frame(name)
    assert len(data.human) == expected(name)["claims"]
    assert sum(data.excluded().values()) == expected(name)["human_undecided"]
    for judge, figures in expected(name)["judges"].items():
        found = agreement(data, judge)
        assert found.n_units == figures["n_claims"]
        assert all(found.table[cell] == figures[cell] for cell in found.table)
        for key in ("percent_agreement", "kappa", "tpr", "tnr"):
            assert found[key].value == pytest.approx(figures[key], abs=1e-6)


@pytest.mark.parametrize("name", SETS)
def test_each_pair_of_judges(name: str) -> None:
    """Who is right where on the common claims, and exact McNemar to eight digits."""
    for pair, figures in expected(name)["compare"].items():
        found = compare(frame(name), *pair.split(" || "))
        assert found.n_units == figures["n_claims"]
        assert found.only_a_right == figures["only_a_right"]
        assert found.only_b_right == figures["only_b_right"]
        assert found.p_mcnemar_exact == pytest.approx(figures["p_mcnemar_exact"], rel=1e-7)


def test_people_are_compared_where_two_labelled() -> None:
    """A single annotator has no ceiling; several have one, with the judge beside it."""
    assert people(frame("summhay")).kappa.value is None
    several = people(frame("mtrag_human"))
    assert several.n_doubly_labelled == 363
    assert several.kappa.low is not None
    ceiling = against_ceiling(frame("mtrag_human"), "rl_f@0.75")
    assert ceiling.difference.value == pytest.approx(
        (ceiling.judge.value or 0) - (ceiling.human.value or 0)
    )
