"""What the evidence pane shows, as rows: sections of text, each with a title row.

No widget and no style here, so that it can be tested without a screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from trueup.domain.model import Span
from trueup_tui.wrap import Wrapped

EAGER = 300_000
"""Documents up to so many characters are wrapped at once; longer ones as far as is looked at."""


@dataclass(slots=True)
class Section:
    """One text with a title; `marks` are ranges by role. `passage` is its index among those that
    the claim is held against, None for the answer and other texts."""

    title: str
    text: str
    passage: int | None = None
    marks: dict[str, list[Span]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Row:
    """One row: a title (`start` is -1), or a range of the section's text."""

    section: int
    start: int
    end: int

    @property
    def is_title(self) -> bool:
        """Whether the row is a section's title."""
        return self.start < 0


class Document:
    """Sections wrapped to a width. Rows beyond what was looked at are estimated in `height`."""

    def __init__(self, sections: Sequence[Section], width: int) -> None:
        self.sections = list(sections)
        self.width = width
        self._wrapped = [Wrapped(s.text, width) for s in self.sections]
        if sum(len(s.text) for s in self.sections) <= EAGER:
            for wrapped in self._wrapped:
                wrapped.wrap_to(len(wrapped.text))

    @property
    def height(self) -> int:
        """Rows in all: a title, the text and a blank row for each section, none after the last."""
        return max(0, sum(w.height + 2 for w in self._wrapped) - 1)

    @property
    def complete(self) -> bool:
        """Whether every row is known."""
        return all(w.done for w in self._wrapped)

    def wrap_more(self, rows: int) -> None:
        """Wrap so many rows more, for the time when nothing else is to be done."""
        for wrapped in self._wrapped:
            if not wrapped.done:
                wrapped.wrap_rows(len(wrapped.rows) + rows)
                return

    def row(self, index: int) -> Row | None:
        """The row at an index; None for a blank one and beyond the end."""
        top = 0
        for number, wrapped in enumerate(self._wrapped):
            inside = index - top - 1
            if inside < 0:
                return Row(number, -1, -1) if index == top else None
            if not wrapped.done and inside < wrapped.height:
                wrapped.wrap_rows(inside + 1)
            if inside < len(wrapped.rows):
                return Row(number, *wrapped.rows[inside])
            top += wrapped.height + 2
        return None

    def row_of(self, section: int, offset: int = -1) -> int:
        """Index of the row that holds an offset of a section; of its title for -1."""
        top = sum(w.height + 2 for w in self._wrapped[:section])
        return top if offset < 0 else top + 1 + self._wrapped[section].row_of(offset)

    def place(self, index: int) -> tuple[int, int]:
        """The section and offset that stand at or above a row: to find it again after a resize."""
        for above in range(index, -1, -1):
            row = self.row(above)
            if row is not None:
                return (row.section, row.start)
        return (0, -1)
