"""Series of scores: what breaks them, and by which labels their rates are corrected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from store_help import claims, item, judge, judgement, label, record, verdict
from trueup.domain.judging import Reply
from trueup.domain.model import JudgeSpec, Record, VerdictValue
from trueup.services.scoring import Scores, row_of, scores
from trueup.services.workspace import Workspace

YES: VerdictValue = "entailed"
NO: VerdictValue = "not_entailed"


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace.init(tmp_path / "ws", toml="") as opened:
        yield opened


def rule(
    workspace: Workspace,
    of: Record,
    values: Sequence[VerdictValue],
    spec: JudgeSpec | None = None,
    *,
    model: str = "small-2026",
    system: str | None = None,
) -> None:
    """Commit one call on a record, as a run does."""
    spec = spec or judge()
    kinds = {"answer_claim": claims(of)}
    units = kinds["answer_claim"]
    ruled = tuple(verdict(u, spec, v, evidence=()) for u, v in zip(units, values, strict=False))
    answered = Reply("{}", "stop", answered_model=model, system_fingerprint=system)
    workspace.store.sink(spec).commit([judgement(of, spec, ruled, reply=answered)])


def records(workspace: Workspace, release: str, count: int = 3) -> list[Record]:
    made = [record(f"q-{i}", release=release) for i in range(count)]
    workspace.store.import_records([item(r) for r in made])
    return made


def keys(found: Scores) -> list[str]:
    return [row.key for row in found.series]


def test_another_answered_model_is_a_break(workspace: Workspace) -> None:
    """The same judge, and another model answers: two series of one fingerprint."""
    for release, model in (("r1", "m-1"), ("r2", "m-1"), ("r3", "m-2")):
        for one in records(workspace, release):
            rule(workspace, one, (YES, NO), model=model)
    found = scores(workspace)

    first, second, third = keys(found)
    assert first == second != third
    assert len({row.fingerprint for row in found.series}) == 1
    (cut,) = found.breaks
    assert (cut.before, cut.after, cut.changed) == ("r2", "r3", ("answered_model",))
    assert "m-1 → m-2" in cut.sentence
    assert found.to_json()["not_comparable"] == [[first, third]]


@pytest.mark.parametrize(("second", "broken"), [("fp_2", True), ("fp_1", False), (None, False)])
def test_another_system_fingerprint_is_a_break(
    workspace: Workspace, second: str | None, broken: bool
) -> None:
    """Provider-side drift shows in the system fingerprint alone; one that is not told is none."""
    for release, system in (("r1", "fp_1"), ("r2", second)):
        for one in records(workspace, release):
            rule(workspace, one, (YES, NO), system=system)

    found = scores(workspace)
    assert [cut.changed for cut in found.breaks] == [("system_fingerprint",)] * broken


def test_two_models_within_a_release_are_two_rows(workspace: Workspace) -> None:
    """Neither speaks for the release; a record without a call is in the larger one."""
    made = records(workspace, "r1", 5)
    for one, model in zip(made, ("m-1", "m-1", "m-2"), strict=False):
        rule(workspace, one, (YES, NO), model=model)
    found = scores(workspace)

    assert [(r.answered_model, r.n_records, dict(r.n_null)) for r in found.series] == [
        ("m-1", 4, {"missing_verdict": 2}), ("m-2", 1, {}),
    ]  # fmt: skip
    with pytest.raises(Exception, match="several models answered"):
        row_of(workspace, found, "groundedness", "r1")


def test_another_claim_set_is_a_break(workspace: Workspace) -> None:
    """Claims that were split otherwise change the denominator."""
    for one in records(workspace, "r1"):
        rule(workspace, one, (YES, NO))
    for one in records(workspace, "r2"):
        more = claims(one, "One.", "Two.", "Three.")
        workspace.store.import_records([item(one, claims={"answer_claim": more})], update=True)
        spec = judge()
        units = [u for u in workspace.store.units("answer_claim") if u.record == one.key]
        ruled = tuple(verdict(u, spec, evidence=()) for u in units)
        workspace.store.sink(spec).commit([judgement(one, spec, ruled)])

    (cut,) = scores(workspace).breaks
    assert cut.changed == ("claim_set",)
    assert "given@1 → given@2" in cut.sentence


def labelled(workspace: Workspace, release: str, count: int) -> list[Record]:
    """Records that the judge ruled on, two claims each, the second of every third not entailed."""
    made = records(workspace, release, count)
    for i, one in enumerate(made):
        rule(workspace, one, (YES, YES if i % 3 else NO))
    return made


def people(workspace: Workspace, some: Sequence[str]) -> None:
    """Ana's labels on all claims of these records: a little stricter than the judge."""
    units = [u for u in workspace.store.units("answer_claim") if u.record in set(some)]
    for i, unit in enumerate(units):
        strict = unit.ordinal == 2 and i % 4 == 1
        workspace.store.append_label(label(unit, value=NO if strict else YES, id=f"l{i}"))


def test_a_labelled_sample_corrects_its_release_by_ppi(workspace: Workspace) -> None:
    """Labels drawn at random from a release are its own yardstick."""
    labelled(workspace, "r1", 60)
    sample = workspace.sample("s", records=30)
    people(workspace, [m.record for m in sample.members])

    (row,) = scores(workspace).series
    assert row.calibration is not None
    assert row.calibration.labels == "s"
    assert row.corrected.method.startswith("ppi")
    assert row.corrected_alt is not None
    assert row.corrected.low is not None
    assert row.corrected.value is not None
    assert row.corrected.low < row.corrected.value


def test_labels_of_another_release_correct_by_error_rates(workspace: Workspace) -> None:
    """A release without labels of its own is corrected by the judge's error rates elsewhere."""
    labelled(workspace, "r1", 40)
    sample = workspace.sample("s", records=30)
    people(workspace, [m.record for m in sample.members])
    labelled(workspace, "r2", 20)

    first, second = scores(workspace).series
    assert first.corrected.method.startswith("ppi")
    assert second.corrected.method.startswith("rogan_gladen")


def test_a_sample_of_fewer_records_than_there_are_now_is_no_sample(workspace: Workspace) -> None:
    """Records that came into the release after the draw had no chance to be drawn."""
    labelled(workspace, "r1", 40)
    sample = workspace.sample("s", records=30)
    people(workspace, [m.record for m in sample.members])
    late = [record(f"late-{i}", release="r1") for i in range(5)]
    workspace.store.import_records([item(r) for r in late])

    (row,) = scores(workspace).series
    assert row.corrected.method.startswith("rogan_gladen")


def test_a_new_label_measures_anew(workspace: Workspace) -> None:
    """A calibration is of a state of labels and verdicts; when nothing changed its date stays."""
    made = labelled(workspace, "r1", 12)
    people(workspace, [r.key for r in made[:6]])
    before = scores(workspace).series[0].calibration
    assert before == scores(workspace).series[0].calibration or before is not None

    people(workspace, [r.key for r in made])
    after = scores(workspace).series[0].calibration
    assert before is not None
    assert after is not None
    assert (before.n_records, after.n_records) == (6, 12)
    assert len(workspace.store.calibrations()) == 2


def test_a_frozen_set_calibrates_where_nothing_is_labelled(workspace: Workspace) -> None:
    """Labels in label_sets/ count by the keys of their units."""
    made = labelled(workspace, "r1", 12)
    people(workspace, [r.key for r in made])
    workspace.freeze("gold")
    with workspace.store.db.writing() as connection:
        connection.exec_driver_sql("DELETE FROM label")

    mark = scores(workspace).series[0].calibration
    assert mark is not None
    assert (mark.labels, mark.n_records) == ("gold", 12)
    assert mark.sha256


def test_an_unknown_label_set_is_refused(workspace: Workspace) -> None:
    """A name that is neither a set nor a sample."""
    labelled(workspace, "r1", 3)

    with pytest.raises(Exception, match="no sample or label set is named 'gone'"):
        scores(workspace, labels="gone")


def test_the_same_look_twice_is_the_same(workspace: Workspace) -> None:
    """What is kept between two looks changes nothing of what is shown."""
    made = labelled(workspace, "r1", 12)
    people(workspace, [r.key for r in made])

    assert scores(workspace).to_json() == scores(workspace).to_json()


def test_the_python_interface_asks_the_same_questions(workspace: Workspace) -> None:
    """A gate, what moved, and the series as a frame."""
    labelled(workspace, "r1", 6)
    for one in records(workspace, "r2", 6):
        rule(workspace, one, (YES, YES))

    held = workspace.gate("groundedness >= 0.5", release="r1", allow=["uncalibrated"])
    assert held.decision == "pass"
    assert [(m.record, m.before, m.after) for m in workspace.moved("r1").moved] == [
        ("q-0", 0.5, 1.0), ("q-3", 0.5, 1.0),
    ]  # fmt: skip
    frame = workspace.scores().to_frame()
    assert list(frame["release"]) == ["r1", "r2"]
    assert list(frame["mean"]) == pytest.approx([5 / 6, 1.0])
