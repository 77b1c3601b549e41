"""The Python interface: the commands' figures as dataclasses, and DataFrames in and out."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

import trueup
from trueup.services.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Twenty answers of three claims; the judge passes some that people do not."""
    rows = [
        {"id": f"r{i}", "answer": "a", "context": ["c"], "question": "q", "release": f"v{i % 2}",
         "slices": {"plan": "team"}, "gold": ["c1"], "retrieved": ["c1", "c2"],
         "claims": [{"text": f"Fact {c}.", "human": [{"annotator": "ana", "entailed": c != i % 4}],
                     "judges": {"old": {"entailed": c != i % 5}}} for c in range(3)]}
        for i in range(20)
    ]  # fmt: skip
    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    made = Workspace.init(tmp_path / "w")
    made.import_files([tmp_path / "r.jsonl"])
    return made


def test_a_report_becomes_a_frame(workspace: Workspace) -> None:
    """One row a figure, with the same numbers."""
    data = workspace.report(judges=["old"])
    frame = data.to_frame()
    kappa = frame[(frame.figure == "kappa") & (frame.part == "") & (frame.estimand == "per claim")]

    assert len(kappa) == 1
    assert kappa.iloc[0]["value"] == data.agreement[0].figures["kappa"].value
    assert {"per claim", "per answer", "naive"} <= set(frame.estimand)
    assert {"plan=team", "release=v0", "release=v1"} <= set(frame.part)


def test_labels_and_verdicts_come_out_as_a_frame_and_go_back_in(workspace: Workspace) -> None:
    """Columns of the frame give the report's own figures."""
    frame = workspace.to_frame(judges=["old"])
    made = trueup.agreement(frame["human"], frame["old"], frame["record"])

    assert isinstance(frame, pd.DataFrame)
    assert len(frame) == 60
    assert made["kappa"] == workspace.report().agreement[0].figures["kappa"]


def test_missing_values_of_pandas_leave_a_unit_out() -> None:
    """NA, None and NaN are no labels."""
    frame = pd.DataFrame({"h": [True, pd.NA, False, None], "j": [True, True, False, True]})

    assert trueup.agreement(frame["h"], frame["j"]).n_units == 2
    assert trueup.agreement(frame["h"].astype("boolean"), frame["j"]).n_units == 2


def test_a_statistic_of_your_own_gets_a_bootstrap(workspace: Workspace) -> None:
    """Seeded, the same from the workspace and from columns."""

    def jaccard(n11: float, n10: float, n01: float, n00: float) -> float | None:
        return n11 / (n11 + n10 + n01) if n11 + n10 + n01 else None

    one = workspace.bootstrap("old", jaccard, resamples=400, seed=3)
    frame = workspace.to_frame(judges=["old"])
    two = trueup.bootstrap(
        frame["human"], frame["old"], jaccard, frame["record"], resamples=400, seed=3
    )

    assert one == two
    assert one.low is not None
    assert one.value is not None
    assert one.low < one.value
    assert one.method == "percentile_cluster_bootstrap"


def test_commands_are_methods(workspace: Workspace) -> None:
    """Scores, retrieval, planning, labels and records come without the command line."""
    assert {row.release for row in workspace.scores().series} == {"v0", "v1"}
    assert workspace.recall().n_questions == 20
    assert workspace.plan("old").rows
    assert len(workspace.labels()) == 60
    assert len(list(workspace.export())) == 20
