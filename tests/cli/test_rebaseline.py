"""`trueup rebaseline`: one line again after a judge changed, with lineage; and the canary."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from runner import Command

from score_help import line, shares, write

TOML = """
[judges.plain]
backend = "embedded"
prompt = "plain"
evidence = "off"

[judges.quoted]
extends = "plain"
prompt = "quoted"
evidence = "required"
"""
FACTS = [
    ("The quay at Lindow is 240 metres long.", "The quay at Lindow is 240 metres long."),
    ("Ferries leave at noon on weekdays.", "Ferries leave the quay at noon."),
    ("The lighthouse was built in 1902.", "The lighthouse was built in 1899."),
    ("Parking costs 3 euros a day.", "Parking is free of charge for members."),
]


def answers(release: str, count: int, *, more: str = "") -> list[dict[str, Any]]:
    """Records that the embedded judge can rule on: two claims each, some of them unsupported."""
    made = []
    for i in range(count):
        facts = [FACTS[i % 4], FACTS[(i + 1) % 4]]
        made.append(
            {
                "id": f"q-{i}", "release": release, "question": "What about the quay?",
                "context": [f"{a} Note {i}." for a, _ in facts],
                "answer": " ".join(b for _, b in facts) + more,
                "claims": [{"text": b} for _, b in facts],
            }
        )  # fmt: skip
    return made


@pytest.fixture
def imported(trueup: Command, tmp_path: Path) -> Any:
    """Imports lines into a workspace with two embedded judges; returns the command."""

    def make(lines: list[dict[str, Any]], toml: str = TOML) -> Command:
        assert trueup("init").code == 0
        (tmp_path / "trueup.toml").write_text(toml, "utf-8")
        assert trueup("import", write(tmp_path / "r.jsonl", lines)).code == 0
        return trueup

    return make


def test_the_line_goes_on_after_a_rebaseline(imported: Any) -> None:
    """Before: a break. After: one series, its restated part marked, the old scores still there."""
    trueup = imported(answers("r1", 8) + answers("r2", 8) + answers("r3", 8))
    for judge, releases in (("plain", ("r1", "r2")), ("quoted", ("r3",))):
        options = [x for r in releases for x in ("--release", r)]
        assert trueup("judge", "--judge", judge, *options).code == 0
    before = trueup("scores", "--json").json()
    assert [b["changed"] for b in before["breaks"]] == [["judge"]]
    assert len(before["not_comparable"]) == 1

    said = trueup("rebaseline", "--from", "plain", "--to", "quoted", "--json").json()

    assert said["schema"] == "trueup.rebaseline/1"
    assert (said["from"], said["to"], said["method"]) == ("plain", "quoted", "rejudged")
    assert [r["release"] for r in said["releases"]] == ["r1", "r2"]
    after = trueup("scores", "--json").json()
    assert (after["breaks"], after["not_comparable"]) == ([], [])
    line_ = [r for r in after["series"] if not r["superseded"]]
    assert [r["release"] for r in line_] == ["r1", "r2", "r3"]
    assert len({r["key"] for r in line_}) == 1
    plain = before["series"][0]
    assert [r["rebaselined_from"] for r in line_] == [plain["fingerprint"]] * 2 + [None]
    old = [r for r in after["series"] if r["superseded"]]
    assert [r["mean"] for r in old] == [r["mean"] for r in before["series"][:2]]
    assert "quoted (restated)" in trueup("scores").out
    assert "superseded" not in trueup("scores").out
    assert "plain (superseded)" in trueup("scores", "--all").out


def test_every_record_rejudged_is_exact(imported: Any) -> None:
    """Old and new means are those of both judges; the shift is theirs, with a paired interval."""
    trueup = imported(answers("r1", 12))
    trueup("judge", "--judge", "plain")
    (made,) = trueup("rebaseline", "--from", "plain", "--to", "quoted", "--json").json()["releases"]
    scores = {r["judge"]: r["mean"]["value"] for r in trueup("scores", "--json").json()["series"]}

    assert made["old"]["value"] == scores["plain"]
    assert made["new"]["value"] == scores["quoted"]
    assert made["shift"]["value"] == pytest.approx(scores["quoted"] - scores["plain"])
    assert (made["n_records"], made["n_overlap"]) == (12, 12)
    assert made["new"]["method"].startswith("rejudged")


def test_a_second_run_asks_nothing(imported: Any) -> None:
    """What was ruled on stays ruled on: run again, it only counts."""
    trueup = imported(answers("r1", 6))
    trueup("judge", "--judge", "plain")
    asked = trueup("rebaseline", "--from", "plain", "--to", "quoted", "--json").json()
    again = trueup("rebaseline", "--from", "plain", "--to", "quoted", "--json").json()

    assert (asked["judge"]["calls"], again["judge"]["calls"]) == (6, 0)
    assert asked["releases"] == again["releases"]


def test_a_dry_run_costs_and_changes_nothing(imported: Any) -> None:
    """Calls, units and tokens; no verdict, no restated release."""
    trueup = imported(answers("r1", 6))
    trueup("judge", "--judge", "plain")
    said = trueup("rebaseline", "--from", "plain", "--to", "quoted", "--dry-run", "--json").json()

    assert (said["judge"]["calls"], said["judge"]["units"]) == (6, 12)
    assert said["releases"] == []
    assert [r["judge"] for r in trueup("scores", "--json").json()["series"]] == ["plain"]


def both(release: str, count: int) -> list[dict[str, Any]]:
    """Records that two recorded judges ruled on, the new one a claim stricter on every third."""
    return [
        line(
            f"q-{i}", release,
            {
                "old": [j < 1 + i % 4 for j in range(4)],
                "new": [j < 1 + i % 4 - (i % 3 == 0) for j in range(4)],
                "newest": [j < 1 for j in range(4)],
            },
        )
        for i in range(count)
    ]  # fmt: skip


def test_an_overlap_estimates_the_mean_with_an_interval(imported: Any) -> None:
    """A random part of the release rejudged: the mean of all, with an interval that holds it."""
    trueup = imported(both("r1", 120), toml="")
    options = ("--from", "old", "--to", "new", "--overlap", 60, "--json")
    said = trueup("rebaseline", *options).json()

    assert said["method"] == "overlap"
    assert said["n_overlap"] == 60
    (made,) = said["releases"]
    truth = 0.625 - 40 / 120 / 4
    assert made["new"]["low"] < truth < made["new"]["high"]
    assert made["new"]["high"] - made["new"]["low"] < 0.06
    assert (made["n_records"], made["n_overlap"]) == (120, 60)
    assert said == trueup("rebaseline", *options).json()

    found = trueup("scores", "--json").json()
    restated = next(r for r in found["series"] if r["judge"] == "new")
    assert restated["restated"] is True
    assert restated["mean"] == made["new"]
    assert restated["n_records"] == 120
    assert next(r for r in found["series"] if r["judge"] == "old")["superseded"] is True


def test_restated_scores_are_not_restated_again(imported: Any) -> None:
    """A → B → C goes back to A, the judge that scored the release itself."""
    trueup = imported(both("r1", 120), toml="")
    first = trueup("rebaseline", "--from", "old", "--to", "new", "--overlap", 60, "--json").json()
    second = trueup("rebaseline", "--from", "new", "--to", "newest", "--json").json()

    (made,) = second["releases"]
    assert made["origin"] == first["from_fingerprint"]
    assert made["old"]["value"] == pytest.approx(0.625)
    assert "restated anew" in made["notes"][0]


def test_the_shift_is_laid_at_what_made_it(imported: Any) -> None:
    """The judge's own verdicts and its evidence rule are parts that add up to the shift."""
    trueup = imported(answers("r1", 16))
    trueup("judge", "--judge", "plain")
    (made,) = trueup("rebaseline", "--from", "plain", "--to", "quoted", "--json").json()["releases"]

    parts = {p["what"]: p["change"]["value"] for p in made["attribution"]}
    assert list(parts) == ["verdicts", "evidence rule"]
    assert sum(parts.values()) == pytest.approx(made["shift"]["value"])


def test_an_evidence_rule_alone_is_told_apart(imported: Any) -> None:
    """The same replies under a stricter rule: the verdicts did not move, the rule did."""
    same = TOML + '\n[judges.loose]\nextends = "quoted"\nevidence = "off"\n'
    trueup = imported(answers("r1", 16), same)
    trueup("judge", "--judge", "loose")
    (made,) = trueup("rebaseline", "--from", "loose", "--to", "quoted", "--json").json()["releases"]

    parts = {p["what"]: p["change"]["value"] for p in made["attribution"]}
    assert parts["verdicts"] == 0


def test_another_splitter_is_an_effect_of_its_own(imported: Any, tmp_path: Path) -> None:
    """The old judge ruled on new claims as well: what the claims made is told from the rest."""
    lines = answers("r1", 10)
    trueup = imported(lines)
    trueup("judge", "--judge", "plain")
    for one in lines:
        one["claims"].append({"text": "A third claim that nothing supports at all."})
    trueup("import", write(tmp_path / "r.jsonl", lines), "--update")
    trueup("judge", "--judge", "plain")
    (made,) = trueup("rebaseline", "--from", "plain", "--to", "quoted", "--json").json()["releases"]

    parts = {p["what"]: p["change"]["value"] for p in made["attribution"]}
    assert list(parts) == ["splitter", "verdicts", "evidence rule"]
    assert parts["splitter"] < 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--from", "plain"), "name both judges"),
        (("--from", "plain", "--to", "plain"), "the same judge"),
        (("--from", "quoted", "--to", "plain"), "has no groundedness verdicts"),
        (("--from", "plain", "--to", "gone"), "has no groundedness verdicts"),
        (("--from", "plain", "--to", "quoted", "--overlap", "20"), "too small"),
        (("--from", "plain", "--to", "quoted", "--release", "r9"), "no groundedness score of r9"),
        (("--canary", "gone"), "no label set is named"),
    ],
)
def test_wrong_usage(imported: Any, options: tuple[str, ...], said: str) -> None:
    """Exit 2, and what to do."""
    trueup = imported(answers("r1", 3))
    trueup("judge", "--judge", "plain")
    made = trueup("rebaseline", *options)

    assert made.code == 2
    assert said in made.err


def frozen(trueup: Command, tmp_path: Path) -> Path:
    """A label set of the workspace, without verdicts."""
    labels = tmp_path / "l.jsonl"
    exported = [json.loads(x) for x in trueup("export").out.splitlines()]
    rows = [
        {"unit": c["id"], "record": r["id"], "release": r["release"], "metric": "groundedness",
         "annotator": "ana", "label": "entailed" if n == 0 else "not_entailed"}
        for r in exported
        for n, c in enumerate(r["claims"])
    ]  # fmt: skip
    write(labels, rows)
    assert trueup("labels", "import", labels).code == 0
    assert trueup("labels", "freeze", "gold").code == 0
    return tmp_path / "label_sets" / "gold"


def test_a_canary_that_sings_on(imported: Any, tmp_path: Path) -> None:
    """Look after look the same: no alarm, and the records of the workspace are not touched."""
    trueup = imported(answers("r1", 12))
    frozen(trueup, tmp_path)
    looks = [trueup("rebaseline", "--canary", "gold", "--to", "quoted", "--json") for _ in range(3)]

    assert [x.code for x in looks] == [0, 0, 0]
    said = [x.json()["canary"] for x in looks]
    assert [s["look"] for s in said] == [0, 1, 2]
    assert said[2]["score_change"]["value"] == 0
    assert "the first look" in said[0]["notes"][0]
    assert trueup("scores", "--json").json()["series"] == []


def test_a_judge_that_changed_under_its_name_raises_the_alarm(
    imported: Any, tmp_path: Path
) -> None:
    """Another prompt in trueup.toml is another judge: exit 1."""
    trueup = imported(answers("r1", 6))
    frozen(trueup, tmp_path)
    assert trueup("rebaseline", "--canary", "gold", "--to", "quoted").code == 0
    changed = TOML.replace('evidence = "required"', 'evidence = "flag"')
    (tmp_path / "trueup.toml").write_text(changed, "utf-8")
    said = trueup("rebaseline", "--canary", "gold", "--to", "quoted")

    assert said.code == 1
    assert "is another judge than at the last look" in said.out


def test_verdicts_that_drift_raise_the_alarm(imported: Any, tmp_path: Path) -> None:
    """The set's own verdicts of this judge are what looks are held against; a shift is noticed."""
    trueup = imported(answers("r1", 40))
    trueup("judge", "--judge", "quoted")
    folder = frozen(trueup, tmp_path)
    said = trueup("rebaseline", "--canary", "gold", "--to", "quoted", "--json").json()["canary"]
    assert (said["alarm"], said["score_change"]["value"]) == (False, 0)

    path = folder / "verdicts.jsonl"
    rows = [json.loads(x) for x in path.read_text("utf-8").splitlines()]
    write(path, [r | {"value": "entailed"} for r in rows])
    said = trueup("rebaseline", "--canary", "gold", "--to", "quoted")
    assert said.code == 1
    assert "the score has drifted" in said.out
    shutil.rmtree(folder)


def test_two_judges_that_agree_have_no_shift(imported: Any) -> None:
    """A shift of nothing is nothing, and not an interval of width zero."""
    lines = [line(f"q-{i}", "r1", {"a": [True, False], "b": [True, False]}) for i in range(5)]
    trueup = imported(lines + shares("r2", "a", [4, 2]), toml="")
    options = ("--from", "a", "--to", "b", "--release", "r1", "--json")
    (made,) = trueup("rebaseline", *options).json()["releases"]

    assert made["shift"]["value"] == 0
    assert made["shift"]["low"] is None
    assert made["shift"]["reason"]
