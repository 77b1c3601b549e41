"""The demo: the whole loop on the bundled label set, and again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from trueup.services import demo


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> demo.DemoResult:
    return demo.run_demo(tmp_path_factory.mktemp("demo") / "ws")


def test_it_measures_both_styles_on_every_constructed_label(made: demo.DemoResult) -> None:
    """The two styles rule on the same units, and none is undecided."""
    sections = made.to_json()["agreement"]

    assert [s["judge"] for s in sections] == ["plain", "quoted"]
    assert {s["n_units"] for s in sections} == {386}
    assert {s["n_undecided"] for s in sections} == {0}


def test_the_ablation_is_a_real_one(made: demo.DemoResult) -> None:
    """Asking for a verbatim quote catches more of what is not entailed, at a price."""
    plain, quoted = made.to_json()["agreement"]

    assert quoted["tnr"]["value"] > plain["tnr"]["value"]
    assert quoted["tpr"]["value"] < plain["tpr"]["value"]


def test_the_summary_fits_one_screen_and_explains_the_decision(made: demo.DemoResult) -> None:
    """Figures with intervals, what changed, the gate's decision and its reasons."""
    text = made.summary()

    assert len(text.splitlines()) <= 50
    for word in (
        "kappa",
        "TPR",
        "TNR",
        "score",
        "May quoted replace plain?",
        "Allowed (constructed)",
    ):
        assert word in text


def test_the_three_files_are_written(made: demo.DemoResult) -> None:
    """HTML, Markdown and strict JSON stand beside each other."""
    folder = made.html.parent

    assert sorted(p.name for p in folder.iterdir()) == ["report.html", "report.json", "report.md"]
    report: dict[str, Any] = json.loads((folder / "report.json").read_text("utf-8"))
    assert report["schema"] == "trueup.report/1"
    assert report["labels"]["origin"] == "constructed"


def test_a_second_run_asks_nothing_and_writes_the_same_bytes(made: demo.DemoResult) -> None:
    """Same inputs, same output, byte for byte; no verdict is made twice."""
    before = {p.name: p.read_bytes() for p in made.html.parent.iterdir()}
    again = demo.run_demo(made.root)

    assert {p.name: p.read_bytes() for p in again.html.parent.iterdir()} == before
    with demo.Workspace.open(made.root) as workspace:
        runs = workspace.judge(["plain", "quoted"]).runs
    assert [r.summary.units for r in runs] == [0, 0]


def test_a_directory_that_holds_something_else_is_left_alone(tmp_path: Path) -> None:
    """The demo refuses a workspace whose records are not its own."""
    with demo.Workspace.init(tmp_path / "w") as workspace:
        path = tmp_path / "r.jsonl"
        path.write_text('{"id": "q-0001", "answer": "Mine.", "release": "2026-11-30"}\n', "utf-8")
        workspace.import_files([path])

    with pytest.raises(demo.UsageError, match="records of its own"):
        demo.run_demo(tmp_path / "w")
