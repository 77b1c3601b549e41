"""The screens as pictures, at every size and in every state that a person works in for hours."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from trueup.domain.model import Label
from trueup.errors import StoreError
from trueup.services.adjudicating import AdjudicationService
from trueup.services.claim_service import Policy
from trueup.services.overview import overview
from trueup.store import Store
from trueup_tui import courier
from trueup_tui.app import AdjudicateApp, OverviewApp
from tui_help import (
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
from tui_snapshot import check

SIZES = [(60, 20), (80, 24), (100, 30), (140, 40), (200, 60)]
CJK = "監査ログはエンタープライズプランでは九十日間保存されます。" * 12
EMOJI = "日本語のテキスト と emoji 😀👍🏽 👨‍👩‍👧 ｆｕｌｌ e\u0301 ❤️ שלום עולם."


def _store(folder: Path) -> Store:
    """Three answers; some claims of the first labelled at a known pace."""
    table = "| plan | days |\n|------|------|\n| Team\t| 30\t|\r\n| Enterprise | 90 |"
    context = (
        "Audit log retention on the Enterprise plan is 90 days. Logs are removed at the end of "
        "the retention window.\n\n" + table,
        "Team plan customers can export audit logs as CSV for 30 days after an event.",
        "Nothing of interest stands in here.",
    )
    store = workspace(folder, [record(i, context=context) for i in range(3)])
    item = service(store).session().items[0]
    store.append_label(
        Label(
            "given",
            item.unit.key,
            "groundedness",
            "ana",
            "not_entailed",
            datetime(2026, 1, 1, tzinfo=UTC),
            ms=14_200,
            sample="pilot",
            policy_sha256=Policy.of("Be fair.").sha256,
        )
    )
    return store


@pytest.mark.parametrize("size", SIZES, ids=lambda s: f"{s[0]}x{s[1]}")
async def test_blind_at_each_size(size: tuple[int, int], tmp_path: Path) -> None:
    """Claim, question, answer and context with the claim's own words marked."""
    app = app_on(service(_store(tmp_path)))
    async with app.run_test(size=size) as pilot:
        await started(pilot)
        check(f"blind-{size[0]}x{size[1]}", app)


@pytest.mark.parametrize("theme", ["light", "high-contrast", "ansi"])
async def test_themes(theme: str, tmp_path: Path) -> None:
    """The same screen in other colours."""
    app = app_on(service(_store(tmp_path)), theme=theme)
    async with app.run_test(size=(80, 24)) as pilot:
        await started(pilot)
        check(f"theme-{theme}", app)


async def test_monochrome(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any colour, highlights are underlined and the span is bold."""
    monkeypatch.setenv("NO_COLOR", "1")
    app = app_on(service(_store(tmp_path)))
    async with app.run_test(size=(80, 24)) as pilot:
        await started(pilot)
        check("monochrome", app)


async def test_revealed(tmp_path: Path) -> None:
    """The verdict, and the quote where it was found."""
    app = app_on(service(_store(tmp_path)))
    async with app.run_test(size=(80, 24)) as pilot:
        await started(pilot)
        await pilot.press("v")
        await until(pilot, lambda: "quoted: entailed" in text_of(app))
        check("revealed", app)


async def test_a_labelled_claim_with_comment_and_evidence(tmp_path: Path) -> None:
    """What was said stands at the right of the claim's header."""
    store = _store(tmp_path)
    app = app_on(service(store))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await started(pilot)
        await pilot.press("p")
        await until(pilot, lambda: screen.session is not None and screen.session.cursor == 0)
        await pilot.press("m")
        await until(pilot, lambda: len(app.screen_stack) == 2)
        await pilot.press(*"why", "enter")
        await until(pilot, lambda: "not entailed · comment" in text_of(app))
        check("labelled", app)


async def test_unsaved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store error: the mark stays on the screen, and it says so."""
    monkeypatch.setattr(courier, "_DELAYS_S", (60.0,))
    made = service(_store(tmp_path))

    def failing(*_: object) -> None:
        raise StoreError("trueup.db: the disk is full")

    app = app_on(made)
    async with app.run_test(size=(80, 24)) as pilot:
        await started(pilot)
        monkeypatch.setattr(made, "deliver", failing)
        await pilot.press("a")
        await until(pilot, lambda: "NOT SAVED (" in text_of(app))
        check("unsaved", app)
    assert len(labels(made._store)) == 1


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (140, 40)], ids=lambda s: f"{s[0]}x{s[1]}")
async def test_wide_text(size: tuple[int, int], tmp_path: Path) -> None:
    """Chinese and Japanese, emoji, combining marks and right-to-left text keep the columns."""
    claim = CJK[: CJK.index("。") + 1]
    item = record(context=[CJK, EMOJI], claims=[claim, EMOJI], question="監査ログは？")
    app = app_on(service(workspace(tmp_path, [item])))
    async with app.run_test(size=size) as pilot:
        await started(pilot)
        check(f"wide-{size[0]}x{size[1]}", app)


async def test_too_small(tmp_path: Path) -> None:
    """A line asks for a larger window."""
    app = app_on(service(_store(tmp_path)))
    async with app.run_test(size=(50, 12)) as pilot:
        await until(pilot, lambda: "larger" in text_of(app))
        check("too-small", app)


async def test_resizing_while_labelling_keeps_the_claim(tmp_path: Path) -> None:
    """Through every layout and back; nothing is lost, and the picture is the first one again."""
    app = app_on(service(_store(tmp_path)))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await started(pilot)
        before = screen.item
        for size in [(140, 40), (50, 12), (100, 30), (60, 16), (200, 60), (80, 24)]:
            await pilot.resize_terminal(*size)
            await pilot.pause()
        assert screen_of(app).item == before
        await until(pilot, lambda: app.size == (80, 24))
        check("blind-80x24", app)


async def test_help_guideline_and_forms(tmp_path: Path) -> None:
    """The pages and boxes that lie over the screen."""
    app = app_on(service(_store(tmp_path)))
    async with app.run_test(size=(80, 24)) as pilot:
        await started(pilot)
        for key, name, back in (
            ("question_mark", "help", "enter"),
            ("g", "guideline", "enter"),
            ("slash", "search", "ctrl+g"),
            ("b", "split", "ctrl+g"),
            ("M", "missed", "ctrl+g"),
        ):
            await pilot.press(key)
            await until(pilot, lambda: len(app.screen_stack) == 2)
            await pilot.pause()
            await until(pilot, lambda: app._batch_count == 0 and not app.screen._dirty_widgets)
            check(f"form-{name}", app)
            await pilot.press(back)
            await until(pilot, lambda: len(app.screen_stack) == 1)


async def test_adjudicate_and_overview(tmp_path: Path) -> None:
    """The other screens."""
    store = _store(tmp_path)
    given = store.label_events(metric="groundedness")[0].label
    store.append_label(
        Label(
            "other", given.unit, "groundedness", "bo", "entailed", given.at, ms=9000,
            note="It says 90 days, plainly.", sample="pilot",
        )
    )  # fmt: skip
    made = AdjudicationService(store, "groundedness", "cleo", Policy.of("x"), store.sample("pilot"))
    one = AdjudicateApp(lambda: made, theme="dark")
    async with one.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "bo: entailed" in text_of(one))
        await pilot.pause()
        check("adjudicate", one)
    two = OverviewApp(lambda: overview(store), theme="dark")
    async with two.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "trueup label pilot" in text_of(two))
        await pilot.pause()
        check("overview", two)
