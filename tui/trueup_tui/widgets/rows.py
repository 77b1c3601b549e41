"""Rows of segments: how data text with marked ranges becomes something to draw."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import pairwise

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from trueup.domain.model import Span
from trueup_tui.text import cells, drawn
from trueup_tui.theme import Palette

Marks = Mapping[str, Sequence[Span]]
"""Ranges of a text by role of the palette, each list in order and free of overlaps."""

MARK_ORDER = (
    "entailed",
    "not_entailed",
    "unsure",
    "flag",
    "mark_words",
    "mark_own",
    "mark_span",
    "mark_quote",
    "mark_pick",
    "mark_search",
    "mark_found",
    "mark_selected",
)
"""Later roles are drawn over earlier ones."""


def strip(parts: Sequence[tuple[str, Style]], width: int, fill: Style | None = None) -> Strip:
    """One row: parts of drawn text with their styles, cut or padded to the width."""
    made = Strip([Segment(text, style) for text, style in parts if text])
    return made.adjust_cell_length(width, fill)


def marked_parts(
    text: str, start: int, end: int, marks: Marks, palette: Palette, base: Style
) -> list[tuple[str, Style, int]]:
    """The range [start, end) of a text cut where its style changes.

    Each piece as drawn, its style, and where it begins in the text.
    """
    layers = [(role, _within(marks[role], start, end)) for role in MARK_ORDER if marks.get(role)]
    cuts = {start, end}
    for _, spans in layers:
        for span in spans:
            cuts.add(max(span.start, start))
            cuts.add(min(span.end, end))
    edges = sorted(cuts)
    parts: list[tuple[str, Style, int]] = []
    column = 0
    for left, right in pairwise(edges):
        style = base
        for role, spans in layers:
            if any(s.start <= left < s.end for s in spans):
                style += palette[role]
        shown = drawn(text[left:right], column)
        parts.append((shown, style, left))
        column += cells(shown)
    return parts


def _within(spans: Sequence[Span], start: int, end: int) -> list[Span]:
    """The spans that touch a range; the list is in order."""
    first = bisect_left(spans, start, key=lambda s: s.end)
    found = []
    for span in spans[first:]:
        if span.start >= end:
            break
        if span.end > start:
            found.append(span)
    return found


class RowsWidget(Widget):
    """A widget of a few rows made by `make_rows`; drawn without any renderable in between."""

    DEFAULT_CSS = "RowsWidget { height: 1; }"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's name)
        super().__init__(id=id)
        self._rows: list[Strip] | None = None
        self._made_for = (0, 0)

    @property
    def palette(self) -> Palette:
        """The styles in force."""
        found = getattr(self.app, "palette", None)
        assert isinstance(found, Palette)
        return found

    def make_rows(self, width: int, height: int) -> list[Strip]:
        """Every row, top to bottom; fewer than `height` leaves the rest blank."""
        raise NotImplementedError

    def changed(self) -> None:
        """Draw anew."""
        self._rows = None
        self.refresh()

    def notify_style_update(self) -> None:
        """The theme changed."""
        super().notify_style_update()
        self._rows = None

    def render_line(self, y: int) -> Strip:
        """One row for the compositor."""
        size = (self.size.width, self.size.height)
        if self._rows is None or self._made_for != size:
            self._rows = self.make_rows(*size)
            self._made_for = size
        made = self._rows[y] if y < len(self._rows) else Strip.blank(size[0])
        return made.apply_style(self.rich_style)
