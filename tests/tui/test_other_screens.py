"""Adjudicate, disagreements and overview over a real store."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import pytest

from trueup.domain.model import Label, Unit
from trueup.services.adjudicating import AdjudicationService
from trueup.services.claim_service import Policy
from trueup.services.disagreeing import DisagreementService, Filter
from trueup.services.overview import overview
from trueup.services.workspace import Workspace
from trueup.store import Store
from trueup_tui.app import AdjudicateApp, DisagreementsApp, OverviewApp
from tui_help import JUDGE, labels, record, service, text_of, until, workspace

_IDS = count()


def _label(unit: Unit, annotator: str, value: str, **more: object) -> Label:
    return Label(
        id=f"t{next(_IDS)}",
        unit=unit.key,
        metric="groundedness",
        annotator=annotator,
        label=value,  # type: ignore[arg-type]
        at=datetime(2026, 1, 1, tzinfo=UTC),
        ms=3000,
        **more,  # type: ignore[arg-type]
    )


def _disputed(folder: Path) -> Store:
    """Two answers: the first claim of each is in dispute, the second is not."""
    store = workspace(folder, [record(0), record(1)])
    for unit in store.units("answer_claim"):
        first = unit.id.endswith("#1")
        note = "90 is Enterprise" if first else None
        store.append_labels(
            [
                _label(unit, "ana", "entailed", sample="pilot"),
                _label(unit, "bo", "not_entailed" if first else "entailed", note=note),
            ]
        )
    return store


def _adjudication(store: Store, name: str = "cleo") -> AdjudicationService:
    return AdjudicationService(store, "groundedness", name, Policy.of("x"), store.sample("pilot"))


async def test_adjudication_shows_both_labels_and_notes_and_one_key_decides(
    tmp_path: Path,
) -> None:
    """The decision is an event of its own; the labels stay."""
    store = _disputed(tmp_path)
    app = AdjudicateApp(lambda: _adjudication(store), theme="dark")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "bo: not entailed" in text_of(app))
        shown = text_of(app)
        assert "ana: entailed" in shown
        assert "90 is Enterprise" in shown
        assert "0/2" in shown
        assert "quoted" not in shown
        await pilot.press("x", "a")
        await until(pilot, lambda: "all decided" in text_of(app))

    decisions = [
        e for e in store.current_labels(metric="groundedness") if e.origin == "adjudication"
    ]
    assert sorted(str(e.label) for e in decisions) == ["entailed", "not_entailed"]
    assert {e.annotator for e in decisions} == {"cleo"}
    assert all(e.blind for e in decisions)
    assert list(labels(store, "bo").values()).count("not_entailed") == 2


async def test_a_decision_of_another_adjudicator_is_not_asked_again(tmp_path: Path) -> None:
    """It counts as decided, and undo does not touch it."""
    store = _disputed(tmp_path)
    first = _adjudication(store, "dora")
    session = first.session()
    assert session.current is not None
    first.deliver(session.current, session.mark("entailed"))

    again = _adjudication(store).session()
    assert again.progress().done == 1
    assert again.undo().said == "nothing to undo"


async def test_the_adjudicators_own_label_survives_the_decision(tmp_path: Path) -> None:
    """Ana may decide where she was a party; her label stays her label."""
    store = _disputed(tmp_path)
    made = _adjudication(store, "ana")
    session = made.session()
    assert session.current is not None
    made.deliver(session.current, session.mark("not_entailed"))

    assert set(labels(store, "bo").values()) == {"entailed", "not_entailed"}
    own = [e for e in store.current_labels(annotator="ana") if e.origin == "person"]
    assert [e.label for e in own] == ["entailed"] * 4


def _split_by_ana(store: Store) -> None:
    """Ana splits the first claim in two and labels the parts, and adds a claim."""
    made = service(store)
    session = made.session()
    for action in (
        lambda: session.split(["Logs are retained.", "It is for 90 days."], ""),
        lambda: session.mark("entailed"),
        lambda: session.mark("not_entailed"),
        lambda: session.add_missed("A claim that was missed."),
        lambda: session.mark("unsure"),
    ):
        item, done = session.current, action()
        assert item is not None
        made.deliver(item, done)
        session.commit(done)


async def test_accepted_splits_and_additions_become_the_next_version_of_the_claims(
    tmp_path: Path,
) -> None:
    """With the labels of everyone carried along; the old version keeps its units and labels."""
    store = workspace(tmp_path, [record(0)])
    old = {u.id: u for u in store.units("answer_claim")}
    _split_by_ana(store)
    store.append_label(_label(old["q-0#2"], "bo", "entailed"))
    app = AdjudicateApp(lambda: _adjudication(store), theme="dark")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "ana: bad split" in text_of(app))
        await pilot.press("b")
        await until(pilot, lambda: "It is for 90 days." in text_of(app))
        await pilot.press("ctrl+d")
        await until(pilot, lambda: "split into 2 claims" in text_of(app))
        await pilot.press("a", "x", "u")
        await until(pilot, lambda: "all decided" in text_of(app))
        await pilot.press("W")
        await until(pilot, lambda: "1 answer has a new version" in text_of(app))
        await pilot.press("W")
        await until(pilot, lambda: "nothing" in text_of(app) or "stay as they are" in text_of(app))

    new = store.units("answer_claim")
    assert [u.text for u in new] == [
        "Logs are retained.",
        "It is for 90 days.",
        old["q-0#2"].text,
        "A claim that was missed.",
    ]
    assert {u.claim_set for u in new} == {2}
    assert not any(u.provisional for u in new)
    carried = {
        (e.unit, e.annotator, e.label) for e in store.current_labels(units=[u.key for u in new])
    }
    assert (new[0].key, "ana", "entailed") in carried
    assert (new[2].key, "bo", "entailed") in carried
    kept = store.current_labels(units=[old["q-0#1"].key], annotator="ana")
    assert [e.label for e in kept] == ["bad_split"]


async def test_without_a_dispute_adjudication_says_so(tmp_path: Path) -> None:
    """And W and the other keys do no harm."""
    store = workspace(tmp_path)
    app = AdjudicateApp(lambda: _adjudication(store), theme="dark")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "nothing to adjudicate" in text_of(app))
        await pilot.press("a", "W", "b", "n")
        await pilot.press("Q")
        await until(pilot, lambda: not app.is_running)


def _against_the_judge(folder: Path) -> Workspace:
    """The judge says entailed of all; people disagree on the first claim of each answer."""
    made = Workspace.init(folder)
    quoted = record(0)
    invented = record(1, quote="This sentence is nowhere to be found in it.")
    made.store.import_records([quoted, invented])
    for unit in made.store.units("answer_claim"):
        value = "not_entailed" if unit.id.endswith("#1") else "entailed"
        made.store.append_label(_label(unit, "ana", value))
    return made


async def test_disagreements_show_people_judge_and_quote(tmp_path: Path) -> None:
    """The quote is marked where it was found, or said to be found nowhere."""
    made = _against_the_judge(tmp_path)
    app = DisagreementsApp(lambda: DisagreementService(made, "ana"), theme="dark")
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: "quoted: entailed" in text_of(app))
        screen = app.screen_stack[0]
        assert "ana: not entailed" in text_of(app)
        assert "exact: “Audit log" in text_of(app), text_of(app)
        assert any(s.marks.get("mark_quote") for s in screen.pane.sections)
        await pilot.press("n")
        await until(pilot, lambda: "found nowhere: “This" in text_of(app))
        assert not any(s.marks.get("mark_quote") for s in screen.pane.sections)


async def test_relabelling_a_disagreement_is_recorded_as_not_blind(tmp_path: Path) -> None:
    """It is the annotator's new current label."""
    made = _against_the_judge(tmp_path)
    app = DisagreementsApp(lambda: DisagreementService(made, "ana"), theme="dark")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "quoted: entailed" in text_of(app))
        await pilot.press("a")
        await until(pilot, lambda: "saved ✓" in text_of(app))

    changed = [e for e in made.store.current_labels() if not e.blind]
    assert [e.label for e in changed] == ["entailed"]


async def test_disagreements_can_be_filtered_by_evidence(tmp_path: Path) -> None:
    """From any to each value and back."""
    made = _against_the_judge(tmp_path)
    app = DisagreementsApp(lambda: DisagreementService(made, "ana"), theme="dark")
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: "/2" in text_of(app))
        await pilot.press("E")
        await until(pilot, lambda: "evidence absent" in text_of(app))
        await until(pilot, lambda: "/1" in text_of(app))
        await pilot.press("E", "E")
        await until(pilot, lambda: "all disagreements" in text_of(app))


@pytest.mark.parametrize(
    ("kept", "by"),
    [
        (2, Filter()),
        (2, Filter(judge=JUDGE.name, direction="judge_entailed")),
        (0, Filter(direction="people_entailed")),
        (0, Filter(slice_="plan=team")),
        (1, Filter(match="exact")),
    ],
)
def test_filters(kept: int, by: Filter, tmp_path: Path) -> None:
    """Each narrows what is looked at."""
    found = DisagreementService(_against_the_judge(tmp_path), "ana")
    found.load()

    assert sum(by.keeps(d) for d in found.found) == kept


def test_the_overview_counts_people_claims_and_disputes(tmp_path: Path) -> None:
    """And names the next step."""
    store = _disputed(tmp_path)

    (one,) = overview(store, "other policy")

    assert (one.answers, one.claims, one.labelled, one.differ) == (2, 4, 4, 2)
    assert one.next_step == "2 claims to decide: trueup adjudicate pilot"
    assert [(a.annotator, a.done, a.total, a.pace_s) for a in one.annotators] == [
        ("ana", 4, 4, 3.0)
    ]


async def test_overview_lists_samples_and_returns_the_choice(tmp_path: Path) -> None:
    """Enter labels, d adjudicates, Q leaves."""
    store = _disputed(tmp_path)
    app = OverviewApp(lambda: overview(store), theme="dark")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "trueup adjudicate pilot" in text_of(app))
        assert "ana" in text_of(app)
        assert "4/4" in text_of(app)
        await pilot.press("j", "k", "question_mark", "enter", "r", "d")
        await until(pilot, lambda: not app.is_running)

    assert app.overview.choice is not None
    assert (app.overview.choice.what, app.overview.choice.sample) == ("adjudicate", "pilot")
