"""Corrected rates of the whole corpus, by release and by slice, and weights beside each figure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from runner import Command

N = 120


def corpus(releases: tuple[str, ...] = ("one", "two")) -> list[dict[str, Any]]:
    """Answers of four claims; the judge passes half of those that are not entailed."""
    rows = []
    for release in releases:
        for i in range(N):
            claims = []
            for c in range(4):
                truth = (i + c) % (4 if release == "one" else 2) > 0
                said = truth or i % 2 == 0
                claims.append({"text": f"Fact {c}.", "judges": {"old": {"entailed": said}}})
            rows.append({"id": f"r{i}", "release": release, "answer": "a", "question": "q",
                         "context": ["c"], "slices": {"plan": "team" if i % 3 else "free"},
                         "claims": claims})  # fmt: skip
    return rows


@pytest.fixture
def judged(trueup: Command, tmp_path: Path) -> Command:
    """Two releases, all ruled on; people would call 3/4 and 1/2 of the claims entailed."""
    rows = corpus()
    for row in rows:
        for c, claim in enumerate(row["claims"]):
            truth = (int(row["id"][1:]) + c) % (4 if row["release"] == "one" else 2) > 0
            claim["human"] = [{"annotator": "ana", "entailed": truth}]
    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    assert trueup("init").code == 0
    assert trueup("import", "r.jsonl").code == 0
    return trueup


def draw(trueup: Command, name: str, *more: object) -> None:
    said = trueup("sample", name, "--records", 100, *more)
    assert said.code == 0, said.err


def test_a_sample_of_everything_corrects_each_release_and_slice(judged: Command) -> None:
    """Each part by its own labels, with PPI++, near its true rate."""
    draw(judged, "all")
    section = judged("report", "--labels", "all", "--json").json()["agreement"][0]
    parts = section["corrected_by"]

    assert section["corrected_rate"]["method"].startswith("ppi")
    assert set(parts) == {"release", "plan"}
    for release, truth in (("one", 0.75), ("two", 0.5)):
        rate = parts["release"][release]["corrected_rate"]
        assert rate["method"].startswith("ppi")
        assert rate["low"] <= truth <= rate["high"]
        assert rate["value"] == pytest.approx(truth, abs=0.08)
    assert parts["plan"]["team"]["n_records"] == 160
    assert parts["plan"]["team"]["n_units"] == 640


def test_a_sample_of_one_release_is_none_of_the_other(judged: Command) -> None:
    """The whole corpus and the other release get Rogan–Gladen, the drawn one PPI++."""
    draw(judged, "one", "--release", "one")
    section = judged("report", "--labels", "one", "--json").json()["agreement"][0]
    parts = section["corrected_by"]["release"]

    assert section["corrected_rate"]["method"].startswith("rogan")
    assert section["corrected_rate_alt"]["value"] is None
    assert parts["one"]["corrected_rate"]["method"].startswith("ppi")
    assert parts["two"]["corrected_rate"]["method"].startswith("rogan")


def test_records_that_came_later_make_it_no_sample(judged: Command, tmp_path: Path) -> None:
    """PPI++ is refused for a corpus that the sample was not drawn from."""
    draw(judged, "all")
    (tmp_path / "more.jsonl").write_text(
        "\n".join(map(json.dumps, corpus(("three",)))), "utf-8"
    )  # fmt: skip
    assert judged("import", "more.jsonl").code == 0
    section = judged("report", "--labels", "all", "--json").json()["agreement"][0]

    assert section["corrected_rate"]["method"].startswith("rogan")
    assert section["corrected_by"]["release"]["three"]["n_labelled"] == 0


def test_each_part_stands_in_every_output(judged: Command, tmp_path: Path) -> None:
    """Terminal, Markdown and page show what the JSON holds."""
    draw(judged, "all")
    text = judged("report", "--labels", "all", "--out", "out").out
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    markdown = (tmp_path / "out" / "report.md").read_text("utf-8")

    assert "corrected" in text
    for told in (page, markdown):
        assert "by release" in told.lower()
        assert "by plan" in told.lower()


def test_weighted_stands_beside_each_figure(judged: Command) -> None:
    """In a sample by score band; the counts and the naive column are not weighted."""
    draw(judged, "bands", "--design", "score-bands", "--judge", "old")
    section = judged("report", "--labels", "bands", "--json").json()["agreement"][0]

    for name in ("kappa", "tpr", "mean_score", "corrected_rate"):
        assert section[name]["weighted"] is True
    assert section["per_answer"]["kappa"]["weighted"] is True
    assert section["by_slice"]["plan"]["team"]["kappa"]["weighted"] is True
    assert "weighted" not in section["naive"]["kappa"]
    assert "weighted" not in section["table"]
