"""The labelling screen over a real store: keys, saving, blindness, moving."""

from __future__ import annotations

from pathlib import Path

import pytest

from trueup.store import Store
from tui_help import (
    QUOTE,
    app_on,
    labels,
    record,
    screen_of,
    service,
    started,
    text_of,
    until,
    workspace,
)


async def test_one_key_marks_saves_and_advances(tmp_path: Path) -> None:
    """The label is in the store when the next claim stands on the screen."""
    store = workspace(tmp_path)
    app = app_on(service(store))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await started(pilot)
        first = screen.item
        assert first is not None
        await pilot.press("a")
        await until(pilot, lambda: screen.item is not first)

        assert labels(store) == {first.unit.id: "entailed"}
        assert "saved ✓" in text_of(app)
        assert "1/6" in text_of(app)


async def test_claim_question_answer_and_context_are_on_screen(tmp_path: Path) -> None:
    """At the design size, with the span of the claim marked in the answer."""
    app = app_on(service(workspace(tmp_path)))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await started(pilot)
        shown = text_of(app)

        assert screen.item is not None
        assert screen.item.unit.text in shown
        assert "How long are audit logs kept?" in shown
        assert QUOTE in shown


async def test_nothing_of_the_judge_is_on_screen_or_in_memory_before_a_reveal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Verdicts and other people's labels are not even read from the store."""
    store = workspace(tmp_path)
    asked: list[str] = []
    for name in ("verdicts", "judges", "current_labels"):
        monkeypatch.setattr(Store, name, lambda *_, n=name, **__: asked.append(n))
    app = app_on(service(store))
    async with app.run_test(size=(100, 30)) as pilot:
        screen = await started(pilot)
        for key in ("a", "n", "p", "f", "e", "N"):
            await pilot.press(key)
            await pilot.pause()
        await until(pilot, lambda: screen.courier is not None and screen.courier.state == "saved")

        assert asked == []
        assert "quoted" not in text_of(app)


async def test_reveal_shows_the_judge_and_the_next_mark_is_not_blind(tmp_path: Path) -> None:
    """The quote is located and highlighted; the reveal is recorded."""
    store = workspace(tmp_path)
    app = app_on(service(store))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await started(pilot)
        item = screen.item
        assert item is not None
        await pilot.press("v")
        await until(pilot, lambda: "quoted: entailed" in text_of(app))
        marks = [s.marks.get("mark_quote") for s in screen.pane.sections]
        assert any(marks)
        await pilot.press("x")
        await until(pilot, lambda: labels(store))

        (label,) = store.current_labels(metric="groundedness")
        assert not label.blind


async def test_a_label_of_someone_else_appears_only_after_the_reveal(tmp_path: Path) -> None:
    """With the name of who gave it."""
    store = workspace(tmp_path)
    bo = service(store, "bo")
    session = bo.session()
    for _ in session.items:
        assert session.current is not None
        action = session.mark("not_entailed")
        bo.deliver(session.current, action)
        session.commit(action)
    app = app_on(service(store))
    async with app.run_test(size=(80, 24)) as pilot:
        await started(pilot)
        assert "bo" not in text_of(app).split()
        await pilot.press("v")
        await until(pilot, lambda: "bo: not entailed" in text_of(app))


async def test_undo_goes_back_and_says_what_was_undone(tmp_path: Path) -> None:
    """The claim is open again."""
    store = workspace(tmp_path)
    app = app_on(service(store))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await started(pilot)
        first = screen.item
        await pilot.press("x")
        await until(pilot, lambda: screen.item is not first)
        await pilot.press("backspace")
        await until(pilot, lambda: screen.item == first)

        assert "undone: not entailed" in text_of(app)
        assert labels(store) == {}


async def test_two_keys_at_once_label_two_claims(tmp_path: Path) -> None:
    """Never one claim twice."""
    store = workspace(tmp_path)
    app = app_on(service(store))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await started(pilot)
        assert screen.session is not None
        names = [i.unit.id for i in screen.session.items]
        await pilot.press("a", "a")
        await until(pilot, lambda: len(labels(store)) == 2)

        assert set(labels(store)) == set(names[:2])
        assert len(store.label_events(metric="groundedness")) == 2


async def test_reopening_stands_at_the_same_claim(tmp_path: Path) -> None:
    """With the same count."""
    store = workspace(tmp_path)
    async with app_on(service(store)).run_test(size=(80, 24)) as pilot:
        screen = await started(pilot)
        await pilot.press("a", "space", "u")
        await until(pilot, lambda: len(labels(store)) == 2)
        await until(pilot, lambda: screen.session is not None and screen.session.cursor == 3)
        before = screen.item
    async with app_on(service(store)).run_test(size=(80, 24)) as pilot:
        again = await started(pilot)

        assert again.item == before
        assert "2/6" in text_of(pilot.app)


async def test_splitting_a_claim_queues_its_parts(tmp_path: Path) -> None:
    """Parts are written one a line, and labelled next."""
    store = workspace(tmp_path)
    app = app_on(service(store))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await started(pilot)
        first = screen.item
        assert first is not None
        await pilot.press("b")
        await until(pilot, lambda: len(app.screen_stack) == 2)
        await pilot.press("home", *"One: ", "end", "enter", *"and more", "ctrl+d")
        await until(pilot, lambda: screen.item is not None and screen.item.unit.parent)

        assert labels(store) == {first.unit.id: "bad_split"}
        assert screen.session is not None
        parts = [i.unit.text for i in screen.session.items][1:3]
        assert parts == [f"One: {first.unit.text}", "and more"]


async def test_a_comment_is_stored_with_the_claim(tmp_path: Path) -> None:
    """Before any label, too."""
    store = workspace(tmp_path)
    app = app_on(service(store))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await started(pilot)
        await pilot.press("m")
        await until(pilot, lambda: len(app.screen_stack) == 2)
        await pilot.press(*"hm [/b]", "enter")
        item = screen.item
        assert item is not None
        assert screen.session is not None
        await until(pilot, lambda: screen.session.state(item.key).note == "hm [/b]")

        assert "comment" in text_of(app)


async def test_own_evidence_is_picked_by_sentence(tmp_path: Path) -> None:
    """Moved with a key, kept with Enter, with its place in the chunk."""
    store = workspace(tmp_path)
    app = app_on(service(store))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await started(pilot)
        await pilot.press("q")
        await until(pilot, lambda: screen.picking)
        await pilot.press("k", "k", "k", "enter")
        await until(pilot, lambda: not screen.picking)
        item = screen.item
        assert item is not None
        assert screen.session is not None
        await until(pilot, lambda: screen.session.state(item.key).quote)

        assert screen.session.state(item.key).quote == QUOTE
        assert any(s.marks.get("mark_own") for s in screen.pane.sections)


async def test_a_missed_claim_is_added_from_a_sentence_of_the_answer(tmp_path: Path) -> None:
    """And then stands in the queue."""
    answer = "Audit logs are retained for 90 days. They can be exported as CSV. And it is free."
    store = workspace(tmp_path, [record(answer=answer)])
    app = app_on(service(store))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await started(pilot)
        await pilot.press("M")
        await until(pilot, lambda: len(app.screen_stack) == 2)
        await pilot.press("down", "down", "enter")
        await until(
            pilot, lambda: screen.item is not None and screen.item.unit.text == "And it is free."
        )

        assert screen.session is not None
        assert screen.session.progress().total == 3


async def test_search_counts_its_matches_and_takes_any_text(tmp_path: Path) -> None:
    """Also what looks like markup; an empty search ends it."""
    app = app_on(service(workspace(tmp_path)))
    async with app.run_test(size=(80, 24)) as pilot:
        await started(pilot)
        await pilot.press("slash")
        await until(pilot, lambda: len(app.screen_stack) == 2)
        await pilot.press(*"audit log", "enter")
        await until(pilot, lambda: "1 of 2 for" in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: "2 of 2" in text_of(app))
        await pilot.press("slash")
        await until(pilot, lambda: len(app.screen_stack) == 2)
        await pilot.press("left_square_bracket", "slash", "right_square_bracket", "enter")
        await until(pilot, lambda: "no match for “[/]”" in text_of(app))


async def test_leaving_gives_back_an_answer_that_was_only_looked_at(tmp_path: Path) -> None:
    """Another annotator can have it then."""
    store = workspace(tmp_path, overlap=False)
    app = app_on(service(store))
    async with app.run_test(size=(80, 24)) as pilot:
        await started(pilot)
        assert len(service(store, "bo").session().items) == 4
        await pilot.press("Q")
        await until(pilot, lambda: not app.is_running)

    assert len(service(store, "bo").session().items) == 6


async def test_an_answer_taken_meanwhile_is_passed_over(tmp_path: Path) -> None:
    """Nobody labels the same claim twice unless it was drawn for overlap."""
    store = workspace(tmp_path, overlap=False)
    bo = service(store, "bo")
    ana = service(store)
    ana_session = ana.session()
    bo.session()
    app = app_on(ana)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await started(pilot)
        second = ana_session.items[2].unit.record
        assert bo.take(second)
        await pilot.press("a", "a")
        await until(pilot, lambda: len(labels(store)) == 2)
        await until(pilot, lambda: screen.item is not None and screen.item.unit.record != second)

        assert screen.session is not None
        assert second not in {i.unit.record for i in screen.session.items}


async def test_with_nothing_to_label_it_says_why(tmp_path: Path) -> None:
    """Every answer has an owner."""
    store = workspace(tmp_path, overlap=False)
    bo = service(store, "bo")
    for item in bo.session().items:
        bo.take(item.unit.record)
    app = app_on(service(store))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "nothing to label" in text_of(app))
        await pilot.press("a", "n", "v", "q", "b", "m", "M", "e", "c")
        await pilot.press("Q")
        await until(pilot, lambda: not app.is_running)


async def test_help_and_guideline_open_and_close(tmp_path: Path) -> None:
    """Every key is in the help; the policy is one key away."""
    app = app_on(service(workspace(tmp_path), policy="Be [/fair]."))
    async with app.run_test(size=(80, 40)) as pilot:
        await started(pilot)
        await pilot.press("question_mark")
        await until(pilot, lambda: "Take back the last thing done" in text_of(app))
        await pilot.press("enter", "g")
        await until(pilot, lambda: "Be [/fair]." in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: len(app.screen_stack) == 1)
        assert screen_of(app).item is not None
