"""Wrapping of long texts into rows, by columns and only as far as it is needed.

A row is a half-open range of the original text, so offsets of highlights need no translation.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from trueup_tui.text import TAB_STOP, WIDTHS

_NOT_SIMPLE = re.compile(r"[^ -~\xa1-\xac\xae-\u02ff\u0370-\u0482\u2010-\u2027\u2500-\u25fc]")
"""Finds what may not be one column wide: everything outside these ranges is measured."""


class Wrapped:
    """One text in rows of at most `width` columns.

    Words break at spaces, longer ones anywhere between clusters; wide characters break freely.
    A space at a break hangs at the end of its row. Line ends (`\\n`, `\\r\\n`) belong to no row.
    """

    def __init__(self, text: str, width: int) -> None:
        self.text = text
        self.width = max(2, width)
        self.rows: list[tuple[int, int]] = []
        self._at = 0
        self._line_end = -1
        self.done = not text

    def wrap_rows(self, count: int) -> None:
        """Wrap until there are so many rows, or to the end."""
        while not self.done and len(self.rows) < count:
            self._next_row()

    def wrap_to(self, offset: int) -> None:
        """Wrap until the row that holds an offset exists."""
        while not self.done and self._at <= offset:
            self._next_row()

    def row_of(self, offset: int) -> int:
        """Index of the row that holds an offset of the text; wraps as far as needed."""
        self.wrap_to(offset)
        return max(0, bisect_right(self.rows, (offset, len(self.text) + 1)) - 1)

    @property
    def height(self) -> int:
        """Rows in all: counted where wrapped, estimated for the rest."""
        if self.done:
            return len(self.rows)
        return len(self.rows) + (len(self.text) - self._at) // self.width + 1

    def _next_row(self) -> None:
        text, start = self.text, self._at
        if self._line_end < start:
            found = text.find("\n", start)
            self._line_end = len(text) if found < 0 else found
        line_end = self._line_end
        stop = line_end
        if stop > start and stop < len(text) and text[stop - 1] == "\r":
            stop -= 1
        end = self._row_end(start, stop)
        self.rows.append((start, end))
        if end < stop:
            self._at = end
            return
        self._at = line_end + 1
        self.done = line_end >= len(text)

    def _row_end(self, start: int, stop: int) -> int:
        text, width = self.text, self.width
        limit = min(stop, start + width)
        if _NOT_SIMPLE.search(text, start, limit) is None:
            if limit == stop:
                return stop
            full = limit
        else:
            full = self._measured_end(start, stop)
            if full >= stop:
                return stop
        return self._break_before(start, full, stop)

    def _measured_end(self, start: int, stop: int) -> int:
        """Offset up to which a row can be filled, counting columns."""
        text, width, used, at = self.text, self.width, 0, start
        while at < stop:
            char = text[at]
            step = TAB_STOP - used % TAB_STOP if char == "\t" else WIDTHS[char]
            if used + step > width and used:
                return at
            used += step
            at += 1
        return at

    def _break_before(self, start: int, full: int, stop: int) -> int:
        """The best place to break at or before `full`."""
        text = self.text
        if text[full] in " \t":
            while full < stop and text[full] == " ":
                full += 1
            return full
        if WIDTHS[text[full]] == 2 or WIDTHS[text[full - 1]] == 2:
            return full
        space = max(text.rfind(" ", start, full), text.rfind("\t", start, full))
        wide = self._last_wide(max(space, start), full)
        cut = max(space, wide)
        return cut + 1 if cut > start else full

    def _last_wide(self, low: int, high: int) -> int:
        """Offset of the last wide character in a range, a place where a row may end; else -1."""
        text = self.text
        if _NOT_SIMPLE.search(text, low, high) is None:
            return -1
        for at in range(high - 1, low, -1):
            if WIDTHS[text[at]] == 2:
                while at + 1 < high and WIDTHS[text[at + 1]] == 0:
                    at += 1  # noqa: PLW2901 (a cluster keeps its marks)
                return at
        return -1
