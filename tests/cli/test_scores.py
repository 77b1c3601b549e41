"""`trueup scores`: series, breaks, gates, and what moved between two releases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from runner import Command, Said

from score_help import line, shares, write
from shared import golden_cases


@pytest.fixture
def scored(trueup: Command, tmp_path: Path) -> Any:
    """Imports lines into a workspace without judges of its own; returns the command."""

    def make(lines: list[dict[str, Any]], toml: str = "") -> Command:
        assert trueup("init").code == 0
        (tmp_path / "trueup.toml").write_text(toml, "utf-8")
        assert trueup("import", write(tmp_path / "r.jsonl", lines)).code == 0
        return trueup

    return make


def rows(said: Said) -> list[dict[str, Any]]:
    assert said.code == 0, said.err
    found: list[dict[str, Any]] = said.json()["series"]
    return found


def test_releases_and_what_stands_beside_a_score(scored: Any) -> None:
    """Release, judge, model, prompt hash, calibration, records, nulls, mean with interval."""
    trueup = scored(shares("r1", "j", [4, 3, 2]) + shares("r2", "j", [4, 4, 4]))
    said = trueup("scores", "--json").json()

    assert said["schema"] == "trueup.scores/1"
    first, second = said["series"]
    assert (first["release"], second["release"]) == ("r1", "r2")
    assert first["mean"]["value"] == pytest.approx(0.75)
    assert first["mean"]["low"] < 0.75 < first["mean"]["high"]
    assert first["calibration"] is None
    assert first["corrected"]["value"] is None
    assert "uncalibrated" in first["corrected"]["reason"]
    assert {"fingerprint", "judge", "model", "answered_model", "prompt_sha256"} <= first.keys()
    assert (first["n_records"], first["n_null"]) == (3, {})
    assert said["not_comparable"] == []
    assert said["breaks"] == []


def test_a_change_of_judge_is_a_visible_break(scored: Any) -> None:
    """In JSON by pairs and a sentence, in the terminal by a cut through the plot."""
    trueup = scored(
        shares("r1", "old", [4, 3, 2]) + shares("r2", "old", [4, 3, 3])
        + shares("r3", "new", [2, 2, 2]) + shares("r4", "new", [2, 2, 3])
    )  # fmt: skip
    said = trueup("scores", "--json").json()
    prints = list(dict.fromkeys(row["fingerprint"] for row in said["series"]))

    assert said["not_comparable"] == [prints]
    (cut,) = said["breaks"]
    assert (cut["from_release"], cut["to_release"]) == ("r2", "r3")
    assert cut["changed"] == ["judge"]
    shown = trueup("scores").out
    assert "┊" in shown.split("release")[0]
    assert "trueup rebaseline --from old --to new" in shown


def test_two_judges_of_the_same_releases_are_two_lines(scored: Any) -> None:
    """Neither breaks, and still they do not compare."""
    both = [
        line(f"q-{i}", r, {"a": [True, False], "b": [True, True]})
        for r in ("r1", "r2")
        for i in range(3)
    ]
    said = scored(both)("scores", "--json").json()

    assert len(said["not_comparable"]) == 1
    assert said["breaks"] == []


@pytest.mark.parametrize("case", golden_cases("stats", "failed-in-mean", "aggregate"))
def test_failures_stay_beside_the_mean(case: dict[str, Any], scored: Any) -> None:
    """A mean is of the scored records, and how many were not scored stands beside it."""
    given, check = case["input"], case["check"]
    if "records" in given:
        lines = [line(f"q-{i}", "r", {"j": r["claims"]}) for i, r in enumerate(given["records"])]
        (row,) = rows(scored(lines)("scores", "--json"))
        assert row["mean"]["value"] == pytest.approx(check["macro"])
        return
    runs = {name: list(run.values()) for name, run in given.items() if name.startswith("run")}
    runs = runs or {"run": given["scores"] or [None] * check["total"]}
    verdicts: dict[float | None, list[bool | None]] = {
        None: [None, None], 1.0: [True, True], 0.5: [True, False],
    }  # fmt: skip
    lines = [
        line(f"q-{i}", name, {"j": verdicts[s]})
        for name, run in runs.items()
        for i, s in enumerate(run)
    ]
    found = rows(scored(lines)("scores", "--json"))
    if "coverage" in check:
        assert [r["n_scored"] / r["n_records"] for r in found] == check["coverage"]
    else:
        (row,) = found
        assert (row["mean"]["value"], row["n_scored"]) == (check["mean"], check["n"])
        assert sum(row["n_null"].values()) == check.get("failed", check["total"])
        assert f"{check['n']} of {check['total']}" in scored(lines)("scores").out


MANY = [4, 4, 3, 4, 4, 3, 4, 4, 4, 4, 4, 3, 4, 4, 4, 4, 4, 4, 4, 4] * 3


@pytest.mark.parametrize(
    ("bar", "options", "code", "decision"),
    [
        ("groundedness >= 0.9", (), 3, "inconclusive"),
        ("groundedness >= 0.9", ("--allow", "uncalibrated"), 0, "pass"),
        ("faithfulness >= 90%", ("--allow", "uncalibrated"), 0, "pass"),
        ("groundedness >= 0.96", ("--allow", "uncalibrated"), 3, "inconclusive"),
        ("groundedness >= 0.999", ("--allow", "uncalibrated"), 1, "fail"),
        ("groundedness >= 0.9 and groundedness >= 0.999", ("--allow", "uncalibrated"), 1, "fail"),
    ],
)
def test_a_gate_decides_by_the_interval(
    scored: Any, bar: str, options: tuple[str, ...], code: int, decision: str
) -> None:
    """Passed, failed, not decided; an uncalibrated judge decides nothing unless it is allowed."""
    said = scored(shares("r1", "j", MANY))("scores", "--gate", bar, *options, "--json")

    assert said.code == code
    assert said.json()["gate"]["decision"] == decision


def test_a_gate_of_a_judge_that_people_calibrate(scored: Any) -> None:
    """Labels of people on the judge's units are all it takes; agreement and kappa are shown."""
    labelled = [
        line(f"p-{i}", "r1", {"j": [True, i % 5 > 0]}, people=[True, i % 4 > 0]) for i in range(20)
    ]
    trueup = scored(shares("r1", "j", MANY) + labelled)
    said = trueup("scores", "--gate", "groundedness >= 0.5", "--json")

    assert said.code == 0
    mark = said.json()["series"][0]["calibration"]
    assert mark["labels"] == "workspace"
    assert (mark["n_records"], mark["n_units"]) == (20, 40)
    assert mark["agreement"]["value"] == pytest.approx(0.8, abs=0.06)
    assert mark["kappa"]["low"] < mark["kappa"]["value"] < mark["kappa"]["high"]
    assert mark["date"]
    corrected = said.json()["series"][0]["corrected"]
    assert corrected["method"].startswith("rogan_gladen")
    assert "is calibrated by workspace" in trueup("scores").out


def test_constructed_labels_calibrate_only_where_they_are_allowed(scored: Any) -> None:
    """Labels that nobody gave say so, and decide no gate by themselves."""
    lines = shares("r1", "j", MANY)
    for one in lines:
        for claim in one["claims"]:
            claim["human"] = [{"annotator": "x", "entailed": True, "origin": "constructed"}]
    trueup = scored(lines)

    assert trueup("scores", "--gate", "groundedness >= 0.5").code == 3
    assert trueup("scores", "--gate", "groundedness >= 0.5", "--allow", "constructed").code == 0


def test_too_many_failures_are_not_a_pass(scored: Any) -> None:
    """Where the judge failed on more records than gate.max_undecided allows, the code is 4."""
    lines = [*shares("r1", "j", MANY)]
    lines += [line(f"bad-{i}", "r1", {"j": [None, None]}) for i in range(2)]
    trueup = scored(lines, "[gate]\nmax_undecided = 0.02\n")

    allow = ("--allow", "uncalibrated")
    assert trueup("scores", "--gate", "groundedness >= 0.9", *allow).code == 4
    assert trueup("scores", "--gate", "groundedness >= 0.999", *allow).code == 1


@pytest.mark.parametrize(
    "bad", ["groundedness", "groundednes >= 0.9", "groundedness <= 0.9", "groundedness >= 1.5",
            "groundedness@5 >= 0.5", "recall.corrected >= 0.5", ""],
)  # fmt: skip
def test_what_is_no_bar_is_wrong_usage(scored: Any, bad: str) -> None:
    """Exit 2, with what a bar looks like or the nearest name."""
    said = scored(shares("r1", "j", [4, 4]))("scores", "--gate", bad)

    assert said.code == 2
    assert "--gate" in said.err


def test_a_gate_needs_to_know_which_judge(scored: Any) -> None:
    """Two judges of one release: the user says which counts."""
    lines = [line(f"q-{i}", "r1", {"a": [True], "b": [False]}) for i in range(9)]
    trueup = scored(lines)
    said = trueup("scores", "--gate", "groundedness >= 0.5")

    assert said.code == 2
    assert "--judge" in said.err
    allow = ("--allow", "uncalibrated")
    assert trueup("scores", "--judge", "b", "--gate", "groundedness >= 0.5", *allow).code == 1


def test_a_share_passes_the_threshold_of_a_metric(scored: Any) -> None:
    """[metrics.groundedness] threshold gives passed or not per record, and the share."""
    trueup = scored(shares("r1", "j", [4, 3, 2, 1]), "[metrics.groundedness]\nthreshold = 0.75\n")

    (row,) = rows(trueup("scores", "--json"))
    assert row["passed"]["value"] == 0.5


def test_each_record_has_its_score(scored: Any) -> None:
    """Value or null with the reason, counts, model and prompt hash."""
    lines = [*shares("r1", "j", [3]), line("q-x", "r1", {"j": [True, None]})]
    said = scored(lines)("scores", "--per-record", "--json").json()

    first, second = said["records"]
    assert (first["record"], first["score"], first["n_decided"]) == ("q-0", 0.75, 4)
    assert (second["score"], second["reason"], second["n_undecided"]) == (None, "incomplete", 1)
    assert first["prompt_sha256"] == said["series"][0]["prompt_sha256"]


def test_failing_counts_stand_beside(scored: Any) -> None:
    """The end-to-end verdict by release, with how many are not known."""
    lines = shares("r1", "j", [4, 4, 4])
    for one, failing in zip(lines, (True, False, None), strict=True):
        one["failing"] = failing

    said = scored(lines)("scores", "--json").json()
    assert said["end_to_end"] == [{"release": "r1", "failing": 1, "n": 2, "unknown": 1}]


def test_the_questions_that_moved(scored: Any) -> None:
    """Not only the mean: each question whose score changed, the largest move first."""
    trueup = scored(shares("r1", "j", [4, 4, 2, 3]) + shares("r2", "j", [4, 2, 4, 2]))
    said = trueup("scores", "--against", "r1", "--json").json()

    assert [(m["record"], m["from"], m["to"]) for m in said["moved"]] == [
        ("q-1", 1.0, 0.5), ("q-2", 0.5, 1.0), ("q-3", 0.75, 0.5),
    ]  # fmt: skip
    (change,) = said["against"]["changes"]
    assert change["n_common"] == 4
    assert change["change"]["value"] == pytest.approx(-0.0625)
    assert "q-1 (groundedness): 1.00 → 0.50" in trueup("scores", "--against", "r1").out


def test_fingerprints_are_not_set_against_each_other(scored: Any) -> None:
    """A release by another judge: no change, no moves, and what to do instead."""
    trueup = scored(shares("r1", "old", [4, 4]) + shares("r2", "new", [2, 2]))
    said = trueup("scores", "--against", "r1", "--json").json()

    assert said["moved"] == []
    (change,) = said["against"]["changes"]
    assert change["comparable"] is False
    assert change["change"]["value"] is None
    assert "trueup rebaseline" in change["notes"][0]


def test_other_questions_move_a_mean_without_any_question_moving(scored: Any) -> None:
    """The part of a jump that a changed set of questions made is told apart."""
    lines = shares("r1", "j", [4, 4, 0, 0]) + shares("r2", "j", [4, 4])
    said = scored(lines)("scores", "--against", "r1", "--json").json()

    (change,) = said["against"]["changes"]
    assert (change["n_only_from"], change["change"]["value"]) == (2, 0.0)
    assert "other questions made 0.500" in change["notes"][0]


def test_a_release_that_there_is_not(scored: Any) -> None:
    """Named wrongly: exit 2 and the nearest one."""
    said = scored(shares("2026-11-30", "j", [4, 4]))("scores", "--against", "2026-11-31")

    assert said.code == 2
    assert "2026-11-30" in said.err


def test_another_definition_explains_a_jump(scored: Any, tmp_path: Path) -> None:
    """A choice in trueup.toml that changed later: announced, and its effect told in figures."""
    lines = [line(f"q-{i}", r, {"j": [True, None]}) for r in ("r1", "r2") for i in range(4)]
    lines += [line("q-9", r, {"j": [False, False]}) for r in ("r1", "r2")]
    trueup = scored(lines, "[workspace]\nmin_decided = 0.5\n")
    assert rows(trueup("scores", "--json"))[0]["mean"]["value"] == pytest.approx(0.8)

    (tmp_path / "trueup.toml").write_text("[workspace]\nmin_decided = 0.8\n", "utf-8")
    said = trueup("scores", "--against", "r1", "--json").json()

    assert said["series"][0]["mean"]["value"] == 0.0
    assert "min_decided was 0.5 when r1, r2 were first measured" in said["notes"][0]
    (told,) = said["against"]["explained"]
    assert "first measured as 0.800" in told
    assert "No answer changed by that" in told


def test_another_label_set_explains_a_jump_of_corrected_rates(scored: Any, tmp_path: Path) -> None:
    """The same verdicts, corrected by other labels: said, with both figures."""
    judged = {"j": [True, True, False, False]}
    first = [line(f"a-{i}", "r1", judged, people=[True, True, False, i > 8]) for i in range(12)]
    trueup = scored(first + shares("r2", "j", [2, 2, 3]))
    assert rows(trueup("scores", "--json"))[0]["calibration"]["n_units"] == 48

    more = [line(f"b-{i}", "r1", judged, people=[i < 3, True, False, False]) for i in range(12)]
    trueup("import", write(tmp_path / "more.jsonl", more))
    said = trueup("scores", "--against", "r1", "--json").json()

    (told,) = said["against"]["explained"]
    assert "(96 units) and was by workspace (48 units) before" in told


def retrieved(release: str, gold: list[list[str]]) -> list[dict[str, Any]]:
    """A record for each gold set, of which the chunks c0 and c1 arrive."""
    return [
        line(f"q-{i}", release, {"j": [True, True]}, gold=ids, retrieved=["c0", "c1"])
        for i, ids in enumerate(gold)
    ]


def test_recall_that_becomes_hit_rate_is_no_better_system(scored: Any, tmp_path: Path) -> None:
    """The false jump of some points between the two is the definition's, and said to be."""
    gold = [["c0", "c7"]] * 2 + [["c0"]] * 8
    trueup = scored(
        retrieved("r1", gold) + retrieved("r2", gold),
        '[workspace]\nretrieval_headline = "recall"\n',
    )
    assert trueup("scores", "--json").json()["notes"] == []

    (tmp_path / "trueup.toml").write_text('[workspace]\nretrieval_headline = "hit_rate"\n', "utf-8")
    said = trueup("scores", "--against", "r1", "--json").json()

    assert "retrieval_headline was recall when r1, r2 were first measured" in said["notes"][0]
    sides = said["against"]["retrieval"]
    assert sides["from"]["recall"] == sides["to"]["recall"]
    (told,) = said["against"]["explained"]
    assert "of the jump of 0.100, 0.100 is the change of definition and 0.000 the change" in told


def test_larger_gold_sets_are_no_worse_retrieval(scored: Any) -> None:
    """More gold ids for the same questions lower recall; how much is told, with both sizes."""
    before, after = [["c0"]] * 10, [["c0", "c8"]] * 5 + [["c0"]] * 5
    said = scored(retrieved("r1", before) + retrieved("r2", after))(
        "scores", "--against", "r1", "--json"
    ).json()

    (told,) = said["against"]["explained"]
    assert "the gold sets of 5 questions changed" in told
    assert "1.00 in r1, 1.50 in r2" in told
    assert "by −0.250" in told
    assert said["against"]["retrieval"]["to"]["mean_gold"] == 1.5


def test_a_gate_on_retrieval_needs_no_calibration(scored: Any) -> None:
    """Recall and hit rate ask no judge."""
    trueup = scored(retrieved("r1", [["c0", "c1"]] * 20 + [["c0", "c9"]] * 20))

    assert trueup("scores", "--gate", "hit_rate@2 >= 0.9").code == 0
    assert trueup("scores", "--gate", "recall@2 >= 0.9").code == 1
    assert trueup("scores", "--gate", "hit_rate@1 >= 0.9 and recall@1 >= 0.9").code == 1


def test_recall_says_which_metric_is_the_headline(scored: Any, tmp_path: Path) -> None:
    """Both always together, by release too; a headline that changed is announced."""
    gold = [["c0", "c7"]] * 2 + [["c0"]] * 8
    trueup = scored(retrieved("r1", gold) + retrieved("r2", gold[2:]))
    said = trueup("recall", "--json").json()

    assert said["headline"] == "recall"
    at = {name: part["k"]["10"] for name, part in said["by_release"].items()}
    assert at["r1"]["recall"]["value"] == pytest.approx(0.9)
    assert at["r1"]["hit_rate"]["value"] == at["r2"]["recall"]["value"] == 1.0
    assert said["by_release"]["r1"]["mean_gold"] == 1.2
    assert not any("headline" in n for n in said["notes"])

    (tmp_path / "trueup.toml").write_text('[workspace]\nretrieval_headline = "hit_rate"\n', "utf-8")
    said = trueup("recall", "--json").json()
    assert "retrieval_headline was recall" in said["notes"][-1]
    assert "hit rate (headline)" in trueup("recall").out


def test_a_screen_reads_the_newest_releases_and_json_all(scored: Any) -> None:
    """Of more releases than a plot holds the newest are read; --all and --json give every one."""
    trueup = scored([x for i in range(70) for x in shares(f"r{i:02}", "j", [4, 3])])

    shown = trueup("scores").out
    assert "r69" in shown
    assert "r00" not in shown
    assert "earlier releases: --all" in shown
    assert "r00" in trueup("scores", "--all").out
    assert len(trueup("scores", "--json").json()["series"]) == 70
    assert trueup("scores", "--against", "r00").code == 0
