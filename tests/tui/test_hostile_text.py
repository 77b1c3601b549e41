"""Text of records is data: it reaches neither a markup parser nor the terminal raw, and whatever
its script, every character of it can be reached and the columns stay straight."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from shared import golden_cases
from trueup.domain.display import display
from trueup.store import Store
from trueup_tui.text import drawn
from trueup_tui.widgets.evidence import EvidencePane
from tui_help import app_on, labels, record, service, started, text_of, until, workspace


def _store(folder: Path, given: dict[str, Any]) -> Store:
    """One record with the case's text in every place a text can be, ids included."""
    claim = given.get("claim") or "x"
    item = record(
        context=[given["context"], "A second chunk."],
        claims=[claim],
        question=given["context"][:200],
        answer=given["answer"],
        record_id=given["answer"][:60],
        quote=given.get("evidence") or "x",
    )
    return workspace(folder, [item])


def _pane_text(pane: EvidencePane) -> str:
    """Every row of the pane, those off the screen too."""
    rows = []
    for index in range(pane.document.height):
        row = pane.document.row(index)
        if row is not None and not row.is_title:
            rows.append(drawn(pane.sections[row.section].text[row.start : row.end]))
    return "".join(rows)


def _squeezed(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("case", golden_cases("tui", "markup"))
async def test_golden_markup_is_shown_as_it_is(case: dict[str, Any], tmp_path: Path) -> None:
    """In the claim, the question, the answer, the context, the list, a comment and a message."""
    visible = case["check"]["visible"]
    app = app_on(service(_store(tmp_path, case["input"])))
    async with app.run_test(size=(139, 40)) as pilot:
        screen = await started(pilot)
        shown = text_of(app)
        assert shown.count(visible) >= 4
        screen.say(visible)
        await pilot.press("v")
        await until(pilot, lambda: "quoted: entailed" in text_of(app))
        assert f"“{visible}”" in text_of(app)
        await pilot.click("#evidence", offset=(30, 4))
        await pilot.click("#card", offset=(30, 1))
        await pilot.pause()

        assert app.is_running
        assert labels(service(_again(tmp_path))._store) == {}


def _again(folder: Path) -> Store:
    return Store.open(folder / "trueup.db")


@pytest.mark.parametrize("case", golden_cases("tui", "markup-input"))
async def test_golden_a_field_takes_any_text(case: dict[str, Any], tmp_path: Path) -> None:
    """The search does; what is not found is named literally."""
    app = app_on(service(workspace(tmp_path)))
    async with app.run_test(size=(80, 24)) as pilot:
        await started(pilot)
        await pilot.press("/")
        await until(pilot, lambda: len(app.screen_stack) == 2)
        await pilot.press("[", "/", "]", "enter")
        await until(pilot, lambda: "no match for “[/]”" in text_of(app))


_HOSTILE = [
    *golden_cases("tui", "ansi"),
    *golden_cases("tui", "bidi"),
]
_CONTROLS = (*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_FORBIDDEN = frozenset(map(chr, (*_CONTROLS, 0x200B, 0x200E, 0x200F, 0x2060, 0xFEFF)))


@pytest.mark.parametrize("case", _HOSTILE)
async def test_golden_no_control_reaches_the_screen(case: dict[str, Any], tmp_path: Path) -> None:
    """Not from any place of a record, revealed or not, nor from the status line or the list."""
    app = app_on(service(_store(tmp_path, case["input"])))
    async with app.run_test(size=(140, 40)) as pilot:
        screen = await started(pilot)
        for key in ("v", "n", "v", "p"):
            await pilot.press(key)
            await pilot.pause()
        await until(pilot, lambda: "quoted: entailed" in text_of(app))
        everything = text_of(app).replace("\n", "") + _pane_text(screen.pane)

        assert not _FORBIDDEN & set(everything)
        assert display(case["input"]["claim"])[:10] in everything


@pytest.mark.parametrize("case", golden_cases("tui", "width"))
@pytest.mark.parametrize("size", [(80, 24), (60, 20), (140, 40)])
async def test_golden_wide_text_keeps_the_columns_and_every_character(
    case: dict[str, Any], size: tuple[int, int], tmp_path: Path
) -> None:
    """Every row is as wide as the terminal, and all of the text is in the pane."""
    app = app_on(service(_store(tmp_path, case["input"])))
    async with app.run_test(size=size) as pilot:
        screen = await started(pilot)
        for strip in app.screen._compositor.render_strips():
            assert cell_len("".join(s.text for s in strip)) == size[0]
        inside = _squeezed(_pane_text(screen.pane))
        assert _squeezed(drawn(case["input"]["context"])) in inside
        assert _squeezed(drawn(case["input"]["claim"])) in inside


@pytest.mark.parametrize("case", golden_cases("tui", "tabs"))
async def test_golden_tabs_align_and_highlights_stay_right(
    case: dict[str, Any], tmp_path: Path
) -> None:
    """A tab reaches to its stop; a search finds what stands behind it and marks just that."""
    app = app_on(service(_store(tmp_path, case["input"])))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await started(pilot)
        await until(pilot, lambda: "a   b   c" in text_of(app))
        assert "12345678    x" in text_of(app)
        assert screen.pane.search("x") >= 1
        section = screen.pane.sections[0]
        (span,) = section.marks["mark_found"]
        assert section.text[span.start : span.end] == "x"


@pytest.mark.parametrize("case", golden_cases("tui", "huge"))
async def test_golden_two_million_characters_in_one_line_are_scrollable(
    case: dict[str, Any], tmp_path: Path
) -> None:
    """The screen comes up and keys work; the end can be reached."""
    store = workspace(tmp_path, [record(context=["x" * 1_999_992 + " the end"])])
    app = app_on(service(store))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await started(pilot)
        await pilot.press("slash")
        await until(pilot, lambda: len(app.screen_stack) == 2)
        await pilot.press(*"the end", "enter")
        await until(pilot, lambda: "the end" in text_of(app))
        await pilot.press("a")
        await until(pilot, lambda: len(labels(store)) == 1)
        assert screen.pane.virtual_size.height > 20_000
