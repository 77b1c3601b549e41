"""Keys for reading, shared by the screens with an evidence pane: scroll, search, highlights."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup_tui.text import one_line
from trueup_tui.widgets.evidence import EvidencePane, Place

if TYPE_CHECKING:
    from textual.screen import Screen

    _Base = Screen[None]
else:
    _Base = object


class ReadingActions(_Base):
    """Needs `pane`, `say` and the app; keeps the places that `e` goes through."""

    places: list[Place] = []  # noqa: RUF012 (replaced as a whole, never changed in place)
    place_at = -1

    @property
    def pane(self) -> EvidencePane:
        """The evidence pane."""
        raise NotImplementedError

    def say(self, message: str, *, bad: bool = False) -> None:
        """A line for the person."""
        raise NotImplementedError

    def claim_text(self) -> str:
        """What `copy` copies where nothing is selected."""
        return ""

    def action_next_highlight(self) -> None:
        """Go through the highlighted places, round the end."""
        if not self.places:
            self.say("nothing is highlighted")
            return
        self.place_at = (self.place_at + 1) % len(self.places)
        place = self.places[self.place_at]
        self.pane.mark("mark_found", [place])
        self.pane.reveal_place(place)
        self.say(f"place {self.place_at + 1} of {len(self.places)}")

    def action_toggle_highlights(self) -> None:
        """Highlights of the claim's words on or off."""
        self.pane.lit = not self.pane.lit
        self.pane.redraw()
        self.say("highlights on" if self.pane.lit else "highlights off")

    def action_chunk(self, step: int) -> None:
        """The title of the next or previous section to the top."""
        count = len(self.pane.sections)
        if not count:
            return
        here = self.pane.section_at_top()
        target = max(0, min(count - 1, here + step))
        self.pane.reveal_title(target)
        self.say(one_line(self.pane.sections[target].title, 60))

    def action_search(self) -> None:
        """Ask for a text and go to its first occurrence."""
        from trueup_tui.screens.prompt import Prompt

        def found(needle: str | None) -> None:
            if needle is None:
                return
            count = self.pane.search(needle)
            if not needle:
                self.say("search ended")
            elif count:
                self.say(f"1 of {count} for “{one_line(needle, 40)}”: Enter for the next")
            else:
                self.say(f"no match for “{one_line(needle, 40)}”")

        self.app.push_screen(Prompt("Search in the context"), found)

    def action_confirm(self) -> None:
        """Enter: the next occurrence of what was searched for."""
        number, count = self.pane.next_found()
        if count:
            self.say(f"{number} of {count}")

    def action_scroll(self, rows: int) -> None:
        """Scroll by rows."""
        self.pane.scroll_rows(rows)

    def action_page(self, pages: int) -> None:
        """Scroll by pages, keeping two rows in sight."""
        self.pane.scroll_rows(pages * max(1, self.pane.size.height - 2))

    def action_top(self) -> None:
        """To the first row."""
        self.pane.scroll_to(0, 0, animate=False)

    def action_bottom(self) -> None:
        """To the last row."""
        self.pane.scroll_to(0, self.pane.virtual_size.height, animate=False)

    def action_copy(self) -> None:
        """Copy the selection, else the claim."""
        chosen = self.get_selected_text()
        text = chosen or self.claim_text()
        if text:
            self.app.copy_to_clipboard(text)
            self.say("selection copied" if chosen else "claim copied")
