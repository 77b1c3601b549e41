"""What people and judges said of a claim, side by side: one column each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.strip import Strip

from trueup_tui.text import cells, drawn, one_line
from trueup_tui.theme import SIGNS
from trueup_tui.widgets.rows import RowsWidget, strip
from trueup_tui.wrap import Wrapped

_LEAST = 18
"""A column narrower than this says nothing: fewer are shown then, and how many more there are."""


@dataclass(frozen=True, slots=True)
class Side:
    """One column: who, what, and why in their own words."""

    name: str
    label: str | None
    words: tuple[str, ...] = ()


class Sides(RowsWidget):
    """As many columns as fit; the words below each name are cut when they are too long."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's name)
        super().__init__(id=id)
        self.sides: tuple[Side, ...] = ()

    def show(self, sides: Sequence[Side]) -> None:
        """Show other columns."""
        self.sides = tuple(sides)
        self.changed()

    def make_rows(self, width: int, height: int) -> list[Strip]:
        """A rule, names with what they said, then their words."""
        palette = self.palette
        if not self.sides:
            return []
        fitting = max(1, min(len(self.sides), (width - 1) // _LEAST))
        shown, more = self.sides[:fitting], len(self.sides) - fitting
        column = (width - 2) // fitting
        title = f"── what was said{f', and {more} more' if more else ''} "
        rule = title + "─" * max(0, width - cells(title))
        rows = [strip([(rule, palette["rule"])], width)]
        blocks = [self._block(side, column - 1, height - 1) for side in shown]
        for line in range(height - 1):
            parts = [(" ", palette["text"])]
            for block in blocks:
                text, role = block[line] if line < len(block) else ("", "text")
                parts += [
                    (text, palette[role]),
                    (" " * (column - cells(text)), palette["text"]),
                ]
            rows.append(strip(parts, width))
        return rows

    def _block(self, side: Side, width: int, height: int) -> list[tuple[str, str]]:
        sign = SIGNS[side.label]
        name = one_line(side.name, max(4, width - cells(sign.word) - 4))
        lines = [(one_line(f"{sign.glyph} {name}: {sign.word}", width), sign.role)]
        for words in side.words:
            wrapped = Wrapped(" ".join(words.split()), width)
            wrapped.wrap_rows(height)
            lines += [(drawn(wrapped.text[a:b].rstrip()), "text") for a, b in wrapped.rows]
        if len(lines) > height:
            lines = lines[:height]
            lines[-1] = (one_line(lines[-1][0], width - 1) + "…", lines[-1][1])
        return lines
