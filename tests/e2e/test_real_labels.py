"""Real people's labels and real judges' verdicts, from the file to the report's figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from shared import shared_dir
from trueup import Workspace
from trueup.report.json import to_json

COUNTS = {"summhay": (200, 1419, 8514, 1419), "quintd1": (663, 3636, 14499, 4081),
          "mtrag_human": (363, 363, 726, 1078)}  # fmt: skip
FIGURES = ("percent_agreement", "kappa", "tpr", "tnr")


@pytest.fixture(scope="module", params=sorted(COUNTS))
def imported(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Workspace, Any]:
    """(name, a workspace that holds the file, what the import counted)."""
    path = shared_dir() / "data" / "groundedness" / f"{request.param}.jsonl"
    workspace = Workspace.init(tmp_path_factory.mktemp(request.param))
    return request.param, workspace, workspace.import_files([path])


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    path = Path(shared_dir()) / "golden" / "groundedness_expected.json"
    data: dict[str, Any] = json.loads(path.read_text("utf-8"))["datasets"]
    return data


def test_nothing_is_lost_on_the_way_in(imported: tuple[str, Workspace, Any]) -> None:
    """Every record, claim, verdict and label of the file is in the store."""
    name, workspace, outcome = imported
    counts, stored = outcome.counts, workspace.store.counts()

    assert (counts.records, counts.units, counts.verdicts, counts.labels) == COUNTS[name]
    assert (stored.records, stored.units, stored.verdicts, stored.labels) == COUNTS[name]


@pytest.fixture(scope="module")
def report(imported: tuple[str, Workspace, Any]) -> dict[str, Any]:
    return to_json(imported[1].report())


def test_figures_of_each_judge(
    imported: tuple[str, Workspace, Any], report: dict[str, Any], expected: dict[str, Any]
) -> None:
    """Counts, agreement, kappa, TPR and TNR to six digits."""
    found = {a["judge"]: a for a in report["agreement"]}
    judges = expected[imported[0]]["judges"]

    assert set(found) == set(judges)
    for judge, wanted in judges.items():
        got = found[judge]
        assert got["n_units"] == wanted["n_claims"]
        assert got["table"] == {k: v for k, v in wanted.items() if k in got["table"]}
        for figure in FIGURES:
            assert got[figure]["value"] == pytest.approx(wanted[figure], abs=1e-6), (judge, figure)
            assert got[figure]["low"] <= got[figure]["value"] <= got[figure]["high"]


def test_comparisons_of_each_pair(
    imported: tuple[str, Workspace, Any], report: dict[str, Any], expected: dict[str, Any]
) -> None:
    """Only-a-right, only-b-right and the exact McNemar p, on common units."""
    found = {(c["a"], c["b"]): (c, "only_a_right", "only_b_right") for c in report["comparisons"]}
    found |= {(b, a): (c, two, one) for (a, b), (c, one, two) in found.items()}
    for pair, wanted in expected[imported[0]].get("compare", {}).items():
        a, b = pair.split(" || ")
        got, only_a, only_b = found[a, b]

        assert got["n_units"] == wanted["n_claims"]
        assert (got[only_a], got[only_b]) == (wanted["only_a_right"], wanted["only_b_right"])
        assert got["p_mcnemar_exact"] == pytest.approx(wanted["p_mcnemar_exact"], rel=1e-6)


def test_a_second_import_changes_nothing(imported: tuple[str, Workspace, Any]) -> None:
    """The same file again: no new record, unit, verdict or label."""
    name, workspace, _ = imported
    path = shared_dir() / "data" / "groundedness" / f"{name}.jsonl"
    again = workspace.import_files([path]).counts
    stored = workspace.store.counts()

    assert (again.records, again.units, again.verdicts, again.labels) == (0, 0, 0, 0)
    assert (stored.records, stored.units, stored.verdicts, stored.labels) == COUNTS[name]
