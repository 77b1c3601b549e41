"""The only door from data to the screen.

Text of records, judges and people passes `visible` before it is drawn: control characters are
replaced one code point for one (so offsets hold), never interpreted. Nothing here, and nothing that
draws data, goes through a markup parser: rows are built from segments, and the few texts that
Textual draws itself are `Content` made by `plain`.
"""

from __future__ import annotations

from rich.cells import get_character_cell_size
from textual.content import Content

from trueup.domain.display import display

TAB_STOP = 4
_DROPPED = frozenset("\u200d\ufe0e\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")
"""Joiners, variation selectors and skin tones: terminals disagree about the width of what they
make, so emoji are drawn one by one and the columns stay straight everywhere."""
_DROP = dict.fromkeys(map(ord, _DROPPED))
_RTL = (
    (0x0590, 0x08FF),
    (0xFB1D, 0xFDFF),
    (0xFE70, 0xFEFF),
    (0x10800, 0x10FFF),
    (0x1E800, 0x1EFFF),
)


class _Widths(dict[str, int]):
    """Cells taken by each code point as drawn; filled as code points are met."""

    def __missing__(self, char: str) -> int:
        shown = char if char in _DROPPED else display(char)
        width = 0 if char in _DROPPED else sum(map(get_character_cell_size, shown))
        self[char] = width
        return width


WIDTHS = _Widths()
"""Cells of one code point. A tab is one here: where it ends depends on its column."""


def visible(text: str) -> str:
    """The text as it may be drawn, in as many code points."""
    return display(text)


def drawn(text: str, column: int = 0) -> str:
    """The text as it is drawn from a column on: made visible, tabs widened to the next stop,
    joiners dropped. Offsets do not hold in it."""
    if text.isascii() and "\t" not in text:
        return display(text)
    if "\t" not in text:
        return display(text).translate(_DROP)
    parts: list[str] = []
    for index, piece in enumerate(text.split("\t")):
        if index:
            fill = TAB_STOP - column % TAB_STOP
            parts.append(display("\t")[:1] + " " * (fill - 1))
            column += fill
        shown = display(piece).translate(_DROP)
        parts.append(shown)
        column += cells(piece)
    return "".join(parts)


def cells(text: str) -> int:
    """Columns that a text without tabs takes when drawn."""
    if text.isascii():
        return len(text)
    return sum(map(WIDTHS.__getitem__, text))


def one_line(text: str, width: int) -> str:
    """A text on one line of at most `width` columns, cut with `…`; line ends become spaces."""
    flat = " ".join(text.split())
    if cells(flat) <= width:
        return drawn(flat)
    used, kept = 1, []
    for char in flat[: width * 4]:
        used += WIDTHS[char]
        if used > width:
            break
        kept.append(char)
    return drawn("".join(kept)) + "…" if width > 0 else ""


def plain(text: str) -> Content:
    """Data for a widget that Textual draws: made visible, never parsed as markup."""
    return Content("\n".join(drawn(line) for line in text.split("\n")))


def is_right_to_left(text: str) -> bool:
    """Whether letters of a right-to-left script are in a text."""
    if text.isascii():
        return False
    return any(low <= ord(c) <= high for c in text for low, high in _RTL)
