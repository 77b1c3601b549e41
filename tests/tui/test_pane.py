"""The evidence pane: places, chunks, highlights, search, selection and copying."""

from __future__ import annotations

from pathlib import Path

from trueup.domain.model import Span
from trueup_tui.widgets.evidence import Place
from tui_help import QUOTE, app_on, record, service, started, text_of, until, workspace

_FILLER = "Nothing of interest stands in this sentence, which is here to take up room. " * 12


async def test_the_pane_scrolls_to_where_the_claims_words_stand(tmp_path: Path) -> None:
    """And the words are marked there."""
    store = workspace(tmp_path, [record(context=[_FILLER, _FILLER, QUOTE])])
    app = app_on(service(store))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await started(pilot)
        assert QUOTE[:40] in text_of(app)
        section = screen.pane.sections[2]
        words = {section.text[s.start : s.end] for s in section.marks["mark_words"]}

        assert {"Audit", "90", "days"} <= words


async def test_it_does_not_scroll_when_the_place_is_on_the_screen(tmp_path: Path) -> None:
    """From claim to claim of one answer the text stays where it is."""
    context = _FILLER + "Logs are kept for 90 days.\n\nExport as CSV works.\n" + _FILLER
    claims = ["Logs are kept for 90 days.", "They can be exported as CSV."]
    store = workspace(tmp_path, [record(context=[context], claims=claims)])
    app = app_on(service(store))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await started(pilot)
        before, first = screen.pane.scroll_offset, screen.item
        assert before.y > 0
        await pilot.press("a")
        await until(pilot, lambda: screen.item != first)
        assert "Export as CSV" in text_of(app)

        assert screen.pane.scroll_offset == before


async def test_highlights_can_be_put_out_and_on(tmp_path: Path) -> None:
    """Only the claim's words: a search stays marked."""
    app = app_on(service(workspace(tmp_path, [record()])))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await started(pilot)
        marked = app.palette["mark_words"].bgcolor

        def drawn() -> bool:
            rows = app.screen._compositor.render_strips()
            return any(s.style and s.style.bgcolor == marked for row in rows for s in row)

        assert drawn()
        await pilot.press("t")
        await until(pilot, lambda: not drawn())
        await pilot.press("t")
        await until(pilot, drawn)
        assert screen.pane.lit


async def test_chunks_and_places_are_walked_through(tmp_path: Path) -> None:
    """Next and previous stop at the ends; places go round."""
    store = workspace(tmp_path, [record(context=[QUOTE + " " + _FILLER, _FILLER, QUOTE])])
    app = app_on(service(store))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await started(pilot)
        await pilot.press("]")
        await until(pilot, lambda: screen.pane.section_at_top() == 1)
        await pilot.press("]", "]", "]", "]")
        await until(pilot, lambda: "Answer" in text_of(app))
        await pilot.press("[", "[", "[", "[", "[")
        await until(pilot, lambda: screen.pane.section_at_top() == 0)
        seen = set()
        for _ in screen.places:
            await pilot.press("e")
            await until(pilot, lambda: screen.place_at not in seen)
            seen.add(screen.place_at)

        assert seen == set(range(len(screen.places)))
        assert f"of {len(screen.places)}" in text_of(app)


async def test_scrolling_reaches_both_ends(tmp_path: Path) -> None:
    """By rows, by pages, to the ends."""
    store = workspace(tmp_path, [record(context=[_FILLER * 6])])
    app = app_on(service(store))
    async with app.run_test(size=(80, 24)) as pilot:
        pane = (await started(pilot)).pane
        await pilot.press("end")
        await until(pilot, lambda: pane.scroll_offset.y == pane.max_scroll_y)
        await pilot.press("pageup", "k")
        await until(pilot, lambda: pane.scroll_offset.y < pane.max_scroll_y - 5)
        await pilot.press("home")
        await until(pilot, lambda: pane.scroll_offset.y == 0)
        await pilot.press("j", "down", "pagedown")
        await until(pilot, lambda: pane.scroll_offset.y > 5)


async def test_a_selection_copies_the_original_text(tmp_path: Path) -> None:
    """Tabs and hidden characters are copied as they are in the record, not as they are drawn."""
    text = "one\ttwo\u202e three\nfour five"
    store = workspace(tmp_path, [record(context=[text])])
    app = app_on(service(store))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await started(pilot)
        await pilot.press("home")
        await until(pilot, lambda: screen.pane.scroll_offset.y == 0)
        await pilot.mouse_down("#evidence", offset=(2, 1))
        await pilot.hover("#evidence", offset=(6, 2))
        await pilot.mouse_up("#evidence", offset=(6, 2))
        await until(pilot, screen.get_selected_text)
        assert screen.get_selected_text() == "one\ttwo\u202e three\nfour "
        await pilot.press("c")
        await until(pilot, lambda: "selection copied" in text_of(app))

        assert app.clipboard == "one\ttwo\u202e three\nfour "


async def test_without_a_selection_the_claim_is_copied(tmp_path: Path) -> None:
    """Ctrl-C too, which changes nothing else."""
    app = app_on(service(workspace(tmp_path)))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await started(pilot)
        await pilot.press("ctrl+c")
        await until(pilot, lambda: "claim copied" in text_of(app))

        assert app.clipboard == screen.claim_text()


async def test_a_resize_keeps_the_text_at_the_top(tmp_path: Path) -> None:
    """What was being read is still there when the window changes."""
    store = workspace(tmp_path, [record(context=["word " * 3000 + "marker " + "word " * 3000])])
    app = app_on(service(store))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await started(pilot)
        at = screen.pane.sections[0].text.index("marker")
        screen.pane.reveal_place(Place(0, Span(at, at + 6)))
        await until(pilot, lambda: "marker" in text_of(app))
        for size in ((120, 40), (70, 20), (80, 24)):
            await pilot.resize_terminal(*size)
            await until(pilot, lambda: app.size == size)  # noqa: B023
            await until(pilot, lambda: "marker" in text_of(app))


async def test_a_record_without_context_says_so(tmp_path: Path) -> None:
    """Instead of an empty pane."""
    store = workspace(tmp_path, [record(context=[])])
    app = app_on(service(store))
    async with app.run_test(size=(80, 24)) as pilot:
        await started(pilot)

        assert "retrieval returned nothing for this question" in text_of(app)
