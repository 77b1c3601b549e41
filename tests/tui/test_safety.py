"""Nothing is shown as saved before it is, and nothing that was shown as saved is lost."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest

from shared import golden_cases
from trueup.domain.session import Action, TaskItem
from trueup.errors import StoreError
from trueup.services.labelling import LabellingService, News
from trueup_tui import courier
from tui_help import app_on, labels, service, started, text_of, until, workspace


class Gate:
    """Stands between the screen and the service: holds deliveries, or lets them fail."""

    def __init__(self, service: LabellingService, monkeypatch: pytest.MonkeyPatch) -> None:
        self.open = threading.Event()
        self.failing = False
        self.tried = 0
        deliver = service.deliver

        def gated(item: TaskItem, action: Action) -> News | None:
            self.tried += 1
            if self.failing:
                raise StoreError("disk full")
            self.open.wait(30)
            return deliver(item, action)

        monkeypatch.setattr(service, "deliver", gated)


async def test_while_saving_it_says_so_and_the_cursor_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mark stands on the claim as not saved yet; keys meant for this claim do nothing."""
    store = workspace(tmp_path)
    made = service(store)
    gate = Gate(made, monkeypatch)
    app = app_on(made)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await started(pilot)
        first = screen.item
        await pilot.press("a")
        await until(pilot, lambda: gate.tried)
        assert "saved ✓" not in text_of(app)
        await until(pilot, lambda: "saving…" in text_of(app))
        assert "saved ✓" not in text_of(app)
        assert "not saved yet" in text_of(app)
        assert screen.item == first
        assert labels(store) == {}
        await pilot.press("x")
        gate.open.set()
        await until(pilot, lambda: "saved ✓" in text_of(app))

        assert list(labels(store).values()) == ["entailed"]


async def test_a_store_error_keeps_the_mark_says_so_and_retries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until the store takes it."""
    monkeypatch.setattr(courier, "_DELAYS_S", (0.01,))
    store = workspace(tmp_path)
    made = service(store)
    gate = Gate(made, monkeypatch)
    gate.failing = True
    gate.open.set()
    app = app_on(made)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await started(pilot)
        first = screen.item
        await pilot.press("x")
        await until(pilot, lambda: gate.tried > 2)
        assert "NOT SAVED" in text_of(app)
        assert "disk full" in text_of(app)
        assert "not entailed" in text_of(app).split("\n")[1]
        assert screen.item == first
        gate.failing = False
        await until(pilot, lambda: labels(store))
        await until(pilot, lambda: "saved ✓" in text_of(app))

        assert list(labels(store).values()) == ["not_entailed"]
        assert len(store.label_events(metric="groundedness")) == 1


async def test_an_unsaved_mark_can_be_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Undo drops it, and the screen goes on."""
    store = workspace(tmp_path)
    made = service(store)
    gate = Gate(made, monkeypatch)
    gate.failing = True
    gate.open.set()
    app = app_on(made)
    async with app.run_test(size=(80, 24)) as pilot:
        await started(pilot)
        await pilot.press("x")
        await until(pilot, lambda: "NOT SAVED" in text_of(app))
        await pilot.press("backspace")
        await until(pilot, lambda: "taken back" in text_of(app))
        gate.failing = False
        await pilot.press("a")
        await until(pilot, lambda: labels(store))

        assert list(labels(store).values()) == ["entailed"]


async def test_leaving_with_an_unsaved_mark_is_asked_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stay is the answer of Enter."""
    store = workspace(tmp_path)
    made = service(store)
    gate = Gate(made, monkeypatch)
    gate.failing = True
    gate.open.set()
    app = app_on(made)
    async with app.run_test(size=(80, 24)) as pilot:
        await started(pilot)
        await pilot.press("x")
        await until(pilot, lambda: "NOT SAVED" in text_of(app))
        await pilot.press("Q")
        await until(pilot, lambda: "could not be stored" in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: len(app.screen_stack) == 1)
        gate.failing = False
        await until(pilot, lambda: "saved ✓" in text_of(app))
        await pilot.press("Q")
        await until(pilot, lambda: not app.is_running)

    assert list(labels(store).values()) == ["not_entailed"]


async def test_leaving_waits_for_a_mark_that_is_being_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Quit never loses."""
    store = workspace(tmp_path)
    made = service(store)
    gate = Gate(made, monkeypatch)
    app = app_on(made)
    async with app.run_test(size=(80, 24)) as pilot:
        await started(pilot)
        await pilot.press("a")
        await until(pilot, lambda: gate.tried)
        await pilot.press("ctrl+q")
        await pilot.pause()
        assert app.is_running
        gate.open.set()
        await until(pilot, lambda: not app.is_running)

    assert list(labels(store).values()) == ["entailed"]


async def test_two_terminals_of_one_annotator_see_each_other_on_the_next_move(
    tmp_path: Path,
) -> None:
    """The last mark wins in both."""
    store = workspace(tmp_path)
    one, two = app_on(service(store)), app_on(service(store))
    async with one.run_test(size=(80, 24)) as first, two.run_test(size=(80, 24)) as second:
        here, there = await started(first), await started(second)
        claim = here.item
        assert claim is not None
        await first.press("a")
        await until(first, lambda: here.item != claim)
        await second.press("x")
        await until(second, lambda: there.item != claim)
        await first.press("p")
        await until(first, lambda: here.item == claim)
        assert here.session is not None
        assert here.session.state(claim.key).label == "not_entailed"
        assert "1/6" in text_of(one)
        assert labels(store) == {claim.unit.id: "not_entailed"}


@pytest.mark.parametrize("case", golden_cases("store", "locked")[1:])
async def test_golden_a_lock_held_for_seconds_delays_the_mark_and_loses_nothing(
    case: dict[str, object], tmp_path: Path
) -> None:
    """The screen stays alive and does not show the mark as saved before it is."""
    store = workspace(tmp_path)
    app = app_on(service(store))
    async with app.run_test(size=(80, 24)) as pilot:
        await started(pilot)
        held = sqlite3.connect(tmp_path / "trueup.db", isolation_level=None)
        held.execute("BEGIN IMMEDIATE")
        await pilot.press("a")
        await until(pilot, lambda: "saving…" in text_of(app))
        await pilot.press("j")
        assert "saved ✓" not in text_of(app)
        held.execute("ROLLBACK")
        held.close()
        await until(pilot, lambda: "saved ✓" in text_of(app))

        assert list(labels(store).values()) == ["entailed"]


@pytest.mark.parametrize("case", golden_cases("tui", "quit"))
async def test_golden_copy_and_quit_lose_nothing(case: dict[str, object], tmp_path: Path) -> None:
    """A mark, Ctrl-C, Ctrl-Q in one breath."""
    store = workspace(tmp_path)
    app = app_on(service(store))
    async with app.run_test(size=(80, 24)) as pilot:
        await started(pilot)
        await pilot.press("a", "ctrl+c", "ctrl+q")
        await until(pilot, lambda: not app.is_running)

    assert len(labels(store)) == case["check"]["labels"]  # type: ignore[index]


@pytest.mark.parametrize("case", golden_cases("tui", "double-key"))
async def test_golden_a_doubled_key_never_labels_one_claim_twice(
    case: dict[str, object], tmp_path: Path
) -> None:
    """The second press belongs to the next claim, which was shown."""
    store = workspace(tmp_path)
    app = app_on(service(store))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await started(pilot)
        first = screen.item
        assert first is not None
        await pilot.press("a", "a")
        await until(pilot, lambda: len(labels(store)) == 2)

        of_first = [
            e for e in store.label_events(metric="groundedness") if e.label.unit == first.unit.key
        ]
        assert len(of_first) == case["check"]["labels_for_claim_1"]  # type: ignore[index]
