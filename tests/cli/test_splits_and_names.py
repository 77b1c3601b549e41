"""Claims that somebody split, and names that mean nothing or two things."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from runner import Command

SPLIT_THEN_LABEL = ["b", "One part.", "Another part.", "", "a", "x", "a"]
"""Line prompts for an answer of two claims: the first is split, its parts and the second marked."""


@pytest.fixture
def split(trueup: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """A workspace of three answers, ruled on by two styles, of whose claims ana split the first."""
    lines = [
        {
            "id": f"q-{i}",
            "question": "How long?",
            "context": ["Logs stay 30 days.", "Alerts stay 60 days."],
            "answer": f"Logs stay {i}0 days. Alerts stay 60 days.",
        }
        for i in (1, 2, 3)
    ]
    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    for command in (["init"], ["import", "r.jsonl"], ["judge"], ["sample", "all", "--records", 3]):
        assert trueup(*command).code == 0
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join([*SPLIT_THEN_LABEL * 3, "Q", ""])))
    said = trueup("label", "all", "--plain", "--annotator", "ana")
    assert "12 of 12 claims are labelled" in said.out
    return trueup


def test_parts_that_nobody_adjudicated_are_no_yardstick(split: Command) -> None:
    """No judge was asked about them, so they are neither labelled units nor missing verdicts."""
    report = split("report", "--json").json()

    assert report["labels"]["n_units"] == 3
    assert [a["n_undecided"] for a in report["agreement"]] == [0, 0]
    assert "never asked" not in split("report").out


def test_taking_an_answer_is_no_label(split: Command) -> None:
    """Who took which answer is kept beside the labels; no label was changed or lost by it."""
    report = split("report", "--json").json()

    assert "events_superseded" not in report["labels"]["left_out"]
    assert split("labels", "freeze", "gold", "--json").json()["labels"] == 6


def test_a_set_with_a_split_claim_can_be_frozen_and_measured_by(
    split: Command, tmp_path: Path
) -> None:
    """The parent keeps its flag; its parts stay behind. The set reads back, here and alone."""
    assert split("labels", "freeze", "gold").code == 0
    frozen = (tmp_path / "label_sets" / "gold" / "labels.jsonl").read_text("utf-8")
    rows = [json.loads(line) for line in frozen.splitlines()]

    assert sorted(r["label"] for r in rows) == ["bad_split"] * 3 + ["entailed"] * 3
    assert split("report", "--labels", "gold", "--json").json()["labels"]["n_units"] == 3


def test_what_is_left_out_is_said_in_words(split: Command) -> None:
    """The summary speaks of what happened, not in codes."""
    assert "left out: 3 units flagged as badly split" in split("report").out


def test_an_id_that_nothing_has_is_not_agreement(split: Command) -> None:
    """A typing error is told apart from a unit on which all agree."""
    said = split("disagreements", "q-9")

    assert said.code == 2
    assert "'q-9'" in said.err
    assert split("disagreements", "q-1#2").code == 0
    assert split("disagreements", "q-1").code == 0


@pytest.mark.parametrize("names", [("plain", "plain"), ("plain", "quoted", "embedded")])
def test_a_judge_is_not_compared_with_itself(split: Command, names: tuple[str, ...]) -> None:
    """Neither under one name nor under two: `embedded` is what `quoted` is by default."""
    said = split("compare", *names)

    assert said.code == 2
    assert "the same judge" in said.err


@pytest.mark.parametrize("name", ["..", "../up", "support-docs"])
def test_a_sample_name_is_a_plain_name_of_its_own(split: Command, name: str) -> None:
    """`--labels NAME` must not mean a sample today and a label set tomorrow."""
    said = split("sample", name, "--records", 1)

    assert said.code == 2
    assert "hint:" in said.err


def test_an_unknown_release_is_named(split: Command) -> None:
    """Not taken for a workspace in which nothing is split."""
    said = split("sample", "some", "--records", 1, "--release", "2031-01-01")

    assert said.code == 2
    assert "2031-01-01" in said.err


def test_nothing_to_rule_on_is_said(split: Command) -> None:
    """Zero units of a mistyped release are told apart from a run that was done before."""
    assert "no record here has units" in split("judge", "--release", "nope").out
    assert "no record here" not in split("judge").out


def test_the_demo_leaves_a_workspace_of_somebodys_own_alone(split: Command, tmp_path: Path) -> None:
    """Its records are not mixed with the bundled ones."""
    said = split("demo", ".", "--no-ui")

    assert said.code == 2
    assert "records of its own" in said.err
    assert len(split("export").out.splitlines()) == 3
