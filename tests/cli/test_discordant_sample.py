"""A discordant sample from the draw to the decision: only the claims that differ are labelled."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from runner import Command

N = 80


def corpus() -> list[dict[str, Any]]:
    """Answers of four claims, the last one not entailed; `new` errs on it seldom, `old` often."""
    rows = []
    for i in range(N):
        claims = []
        for c in range(4):
            truth = c < 3
            old = truth if not (c == 3 and i % 4 == 0) else True
            new = truth if not (c == 0 and i % 16 == 0) else False
            said = {"old": {"entailed": old}, "new": {"entailed": new}, "third": {"entailed": True}}
            claims.append({"text": f"Fact {c} of {i}.", "judges": said})
        rows.append({"id": f"r{i}", "answer": "a", "question": "q", "context": ["c"],
                     "claims": claims})  # fmt: skip
    return rows


def label(path: Path, units: list[str]) -> None:
    """What ana says of these units: the truth."""
    lines = [
        json.dumps({"unit": u, "record": u.split("#")[0], "metric": "groundedness",
                    "annotator": "ana",
                    "label": "not_entailed" if u.endswith("#4") else "entailed"})
        for u in units
    ]  # fmt: skip
    path.write_text("\n".join(lines) + "\n", "utf-8")


def differing(record: str) -> list[str]:
    """Units of a record on which the two judges differ."""
    i = int(record[1:])
    return [f"{record}#4"] * (i % 4 == 0) + [f"{record}#1"] * (i % 16 == 0)


@pytest.fixture
def sampled(trueup: Command, tmp_path: Path) -> Command:
    """A workspace with a discordant sample of which exactly the differing claims are labelled."""
    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, corpus())), "utf-8")
    assert trueup("init").code == 0
    assert trueup("import", "r.jsonl").code == 0
    drawn = trueup("sample", "differ", "--records", 16, "--design", "discordant",
                   "--judge", "old", "--judge", "new")  # fmt: skip
    assert drawn.code == 0, drawn.err
    label(tmp_path / "l.jsonl", [u for i in range(N) for u in differing(f"r{i}")])
    assert trueup("labels", "import", "l.jsonl").code == 0
    return trueup


def test_it_gives_the_difference_over_the_whole_corpus(sampled: Command) -> None:
    """25 claims are fixed or broken among 320: 20 fixed, 5 broken, whatever was drawn."""
    said = sampled("compare", "old", "new", "--labels", "differ", "--json").json()
    pair = said["comparisons"][0]
    truth = (20 - 5) / (4 * N)

    assert pair["weighted"] is True
    assert pair["delta_agreement"]["method"] == "discordant_t"
    assert pair["delta_agreement"]["low"] < truth < pair["delta_agreement"]["high"]
    assert pair["delta_agreement"]["value"] == pytest.approx(truth, abs=0.02)
    assert pair["p"] < 0.05
    assert said["labels"]["design"] == "discordant"
    assert said["labels"]["n_records"] >= 13  # nonresponse is counted on differing claims alone
    assert not any("not labelled whole" in note for note in said["labels"]["notes"])


def test_the_change_of_the_score_is_the_corpus_own(sampled: Command) -> None:
    """It needs no labels: the two judges' verdicts on every record give it."""
    pair = sampled("compare", "old", "new", "--labels", "differ", "--json").json()["comparisons"][0]

    assert pair["delta_mean_score"]["value"] == pytest.approx(-25 / (4 * N))


def test_the_other_way_round_everything_is_reversed(sampled: Command) -> None:
    """a and b swap their signs, not their width."""
    one = sampled("compare", "old", "new", "--labels", "differ", "--json").json()["comparisons"][0]
    two = sampled("compare", "new", "old", "--labels", "differ", "--json").json()["comparisons"][0]

    for name in ("delta_agreement", "delta_mean_score"):
        assert two[name]["value"] == pytest.approx(-one[name]["value"])
        assert two[name]["low"] == pytest.approx(-one[name]["high"])


def test_what_it_cannot_give_is_null_with_the_reason(sampled: Command) -> None:
    """How good a judge is stands nowhere, and each report names what is missing."""
    said = sampled("report", "--labels", "differ", "--judge", "old", "--judge", "new", "--json")
    first = said.json()["agreement"][0]

    for name in ("kappa", "percent_agreement", "tnr", "mean_score", "corrected_rate"):
        assert first[name]["value"] is None
        assert "compare two judges" in first[name]["reason"]
    assert "kappa" in said.json()["labels"]["cannot_give"]
    assert "nothing of how good" in sampled("report", "--labels", "differ").out


def test_other_judges_get_no_figure(sampled: Command) -> None:
    """The sample was drawn where two others differ."""
    said = sampled("compare", "old", "third", "--labels", "differ", "--json").json()
    pair = said["comparisons"][0]

    assert pair["delta_agreement"]["value"] is None
    assert "two other judges" in pair["delta_agreement"]["reason"]
    assert pair["p"] is None


def test_a_corpus_that_grew_is_said(sampled: Command, tmp_path: Path) -> None:
    """A sample is of the records that were there."""
    more = [{**row, "id": f"more-{row['id']}"} for row in corpus()[:5]]
    (tmp_path / "more.jsonl").write_text("\n".join(map(json.dumps, more)), "utf-8")
    assert sampled("import", "more.jsonl").code == 0
    said = sampled("compare", "old", "new", "--labels", "differ", "--json").json()

    assert "since the sample was drawn" in said["comparisons"][0]["delta_agreement"]["reason"]


def test_the_screen_asks_only_what_differs(sampled: Command, tmp_path: Path) -> None:
    """The queue of a labeller holds the differing claims, without a word of who said what."""
    from trueup.services.labelling import LabellingService, Policy
    from trueup.services.workspace import Workspace

    with Workspace.open(tmp_path) as workspace:
        service = LabellingService.open(workspace.store, "differ", "ben", Policy.of("p"))
        queue = [item.unit.id for item in service.session().items]

    assert queue
    assert all(u in differing(u.split("#")[0]) for u in queue)


def test_nothing_else_is_measured_by_it(sampled: Command) -> None:
    """Neither a plan nor the calibration of scores rests on claims picked where judges differ."""
    plan = sampled("plan", "--judge", "old", "--labels", "differ")
    series = sampled("scores", "--labels", "differ", "--json").json()["series"]

    assert plan.code == 2
    assert "two judges differ" in plan.err
    assert series
    assert all(row["calibration"] is None for row in series)


def test_the_gate_reads_the_difference_and_leaves_the_bars_open(sampled: Command) -> None:
    """Not worse is decided by the drawn claims; kappa and TNR need another sample."""
    said = sampled("validate", "new", "--against", "old", "--labels", "differ", "--json")
    bars = {bar["name"]: bar["ok"] for bar in said.json()["bars"]}

    assert said.code == 3
    assert bars["min_kappa"] is None
    assert said.json()["comparisons"][0]["delta_agreement"]["value"] > 0
