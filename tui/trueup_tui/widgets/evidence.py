"""The evidence pane: the context with what is marked in it, drawn row by row (Line API).

A row is made only when it is on the screen, so the length of the context costs little. Nothing
scrolls unless what is looked for is off the screen, and nothing is animated.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from trueup.domain.model import Span
from trueup_tui.document import Document, Row, Section
from trueup_tui.text import is_right_to_left, one_line
from trueup_tui.theme import Palette
from trueup_tui.widgets.rows import marked_parts

_GUTTER = 2
_IDLE_ROWS = 2000


@dataclass(frozen=True, slots=True)
class Place:
    """A range of one section of the pane."""

    section: int
    span: Span


class EvidencePane(ScrollView, can_focus=True, inherit_bindings=False):
    """Sections of text with marked ranges: scrolls, searches, selects, and finds places."""

    DEFAULT_CSS = """
    EvidencePane {
        overflow-x: hidden;
        overflow-y: scroll;
        scrollbar-size-vertical: 1;
        padding: 0;
    }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's name)
        super().__init__(id=id)
        self._sections: list[Section] = []
        self._document = Document((), 2)
        self._found: list[Place] = []
        self._found_at = -1
        self.lit = True

    # ---- content

    @property
    def sections(self) -> Sequence[Section]:
        """What is shown."""
        return self._sections

    @property
    def document(self) -> Document:
        """The sections in rows."""
        return self._document

    def show(self, sections: Sequence[Section], *, keep_place: bool) -> None:
        """Show other sections; `keep_place` where the texts are the same as before."""
        self._sections = list(sections)
        self._found, self._found_at = [], -1
        if keep_place and [s.text for s in sections] == [s.text for s in self._document.sections]:
            self._document.sections = self._sections
            self.refresh()
            return
        self._layout_rows()
        self.scroll_to(0, 0, animate=False, immediate=True)

    def redraw(self) -> None:
        """Draw the rows on the screen anew, after marks or the theme changed."""
        self.refresh()

    def _text_width(self) -> int:
        return max(2, self.size.width - _GUTTER - 2)

    def _layout_rows(self) -> None:
        self._document = Document(self._sections, self._text_width())
        self._fit()
        self.refresh()
        if not self._document.complete:
            self.call_later(self._wrap_in_idle_time, self._document)

    def _fit(self) -> None:
        self.virtual_size = Size(self.size.width, self._document.height)

    def _wrap_in_idle_time(self, document: Document) -> None:
        """Wrap a long context a part at a time, keys in between."""
        if document is not self._document or document.complete:
            return
        document.wrap_more(_IDLE_ROWS)
        self._fit()
        self.set_timer(0.01, lambda: self._wrap_in_idle_time(document))

    def on_resize(self, event: events.Resize) -> None:
        """Wrap to the new width and keep the text at the top where it was."""
        if self._document.width == self._text_width():
            self._fit()
            return
        section, offset = self._document.place(self.scroll_offset.y)
        self._layout_rows()
        if self._sections:
            self.scroll_to(0, self._document.row_of(section, offset), animate=False)

    # ---- places

    def reveal_place(self, place: Place) -> None:
        """Scroll so that a place is on the screen, with a row above it; not if it is already."""
        top = self._document.row_of(place.section, place.span.start)
        bottom = self._document.row_of(place.section, max(place.span.start, place.span.end - 1))
        self._fit()
        height = self.size.height or 1
        first = self.scroll_offset.y
        if top >= first and min(bottom, top + height - 1) < first + height:
            return
        lead = 2 if bottom - top + 2 < height else 0
        self.scroll_to(0, max(0, top - lead), animate=False)

    def reveal_title(self, section: int) -> None:
        """Scroll a section's title to the top."""
        self.scroll_to(0, self._document.row_of(section), animate=False)

    def section_at_top(self) -> int:
        """The section that the first row on the screen belongs to."""
        return self._document.place(self.scroll_offset.y)[0]

    def scroll_rows(self, rows: int) -> None:
        """Scroll down (up when negative) by rows."""
        self.scroll_to(0, max(0, self.scroll_offset.y + rows), animate=False)

    def mark(self, role: str, places: Sequence[Place]) -> None:
        """Give a role its ranges, in place of those it had."""
        for section in self._sections:
            section.marks.pop(role, None)
        for place in places:
            self._sections[place.section].marks.setdefault(role, []).append(place.span)
        self.refresh()

    # ---- search

    def search(self, needle: str) -> int:
        """Mark every occurrence in the passages, case ignored; go to the first; return how many."""
        pattern = re.compile(re.escape(needle), re.IGNORECASE) if needle else None
        self._found = [
            Place(i, Span(m.start(), m.end()))
            for i, s in enumerate(self._sections)
            if s.passage is not None
            for m in (pattern.finditer(s.text) if pattern else ())
        ]
        self._found_at = -1
        self.mark("mark_search", self._found)
        self.mark("mark_found", ())
        if self._found:
            self.next_found()
        return len(self._found)

    def next_found(self, step: int = 1) -> tuple[int, int]:
        """Go to the next occurrence, round the end; returns its number (from 1) and the count."""
        if not self._found:
            return (0, 0)
        self._found_at = (self._found_at + step) % len(self._found)
        here = self._found[self._found_at]
        self.mark("mark_found", [here])
        self.reveal_place(here)
        return (self._found_at + 1, len(self._found))

    # ---- drawing

    @property
    def palette(self) -> Palette:
        """The styles in force."""
        found = getattr(self.app, "palette", None)
        assert isinstance(found, Palette)
        return found

    def render_line(self, y: int) -> Strip:
        """One row for the compositor."""
        index = self.scroll_offset.y + y
        width = self.size.width
        row = self._document.row(index)
        base = self.rich_style
        if row is None:
            return Strip.blank(width, base)
        palette = self.palette
        section = self._sections[row.section]
        if row.is_title:
            title = f"{one_line(section.title, width - 6)} "
            parts = [("── ", palette["rule"]), (title, palette["rule"])]
            rule = "─" * width
            made = Strip([Segment(t, s) for t, s in [*parts, (rule, palette["faint"])]])
            return made.crop(0, width - 1).adjust_cell_length(width).apply_style(base)
        marks = section.marks if self.lit else _without_words(section.marks)
        chosen = self._selected_span(index, row)
        if chosen is not None:
            marks = {**marks, "mark_selected": [chosen]}
        rtl = is_right_to_left(section.text[row.start : row.end])
        segments = [Segment("« " if rtl else "  ", palette["faint"])]
        for text, style, left in marked_parts(
            section.text, row.start, row.end, marks, palette, palette["text"]
        ):
            where = Style.from_meta({"offset": (left - row.start, index)})
            segments.append(Segment(text, style + where))
        return Strip(segments).adjust_cell_length(width).apply_style(base)

    # ---- selection with the mouse

    def _selected_span(self, index: int, row: Row) -> Span | None:
        selection = self.text_selection
        found = selection.get_span(index) if selection is not None else None
        if found is None:
            return None
        start = row.start + max(0, found[0])
        end = row.end if found[1] == -1 else min(row.end, row.start + found[1])
        return Span(start, end) if start < end else None

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected part of the texts, as it is in the record."""
        first = selection.start.y if selection.start else 0
        last = selection.end.y if selection.end else self._document.height - 1
        parts: list[str] = []
        before: Row | None = None
        for index in range(first, last + 1):
            row = self._document.row(index)
            found = selection.get_span(index)
            if row is None or row.is_title or found is None:
                continue
            start = row.start + max(0, found[0])
            end = row.end if found[1] == -1 else min(row.end, row.start + found[1])
            text = self._sections[row.section].text
            if before is not None and before.section == row.section:
                parts.append(text[before.end : row.start])
            elif before is not None:
                parts.append("\n\n")
            parts.append(text[start:end])
            before = row
        return ("".join(parts), "\n")

    def selection_updated(self, selection: Selection | None) -> None:
        """Draw the selection."""
        self.refresh()


def _without_words(marks: dict[str, list[Span]]) -> dict[str, list[Span]]:
    return {role: spans for role, spans in marks.items() if role != "mark_words"}
