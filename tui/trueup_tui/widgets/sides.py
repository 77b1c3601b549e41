"""What people and judges said of a claim, side by side: one column each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.strip import Strip

from trueup_tui.text import cells, drawn, one_line
from trueup_tui.theme import SIGNS
from trueup_tui.widgets.rows import RowsWidget, strip
from trueup_tui.wrap import Wrapped

_LEAST = 22
"""A column narrower than this says nothing: they stand below one another then."""


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
        """A rule, then columns, or lines where there is no room for so many columns."""
        palette = self.palette
        if not self.sides:
            return []
        rule = strip([("── what was said " + "─" * width, palette["rule"])], width)
        if len(self.sides) * _LEAST <= width - 1:
            return [rule, *self._columns(width, height - 1)]
        return [rule, *self._lines(width, height - 1)]

    def _columns(self, width: int, height: int) -> list[Strip]:
        """Names with what they said, their words below."""
        palette = self.palette
        column = (width - 2) // len(self.sides)
        blocks = [self._block(side, column - 1, height) for side in self.sides]
        rows = []
        for line in range(height):
            parts = [(" ", palette["text"])]
            for block in blocks:
                text, role = block[line] if line < len(block) else ("", "text")
                parts += [
                    (text, palette[role]),
                    (" " * (column - cells(text)), palette["text"]),
                ]
            rows.append(strip(parts, width))
        return rows

    def _lines(self, width: int, height: int) -> list[Strip]:
        """One after the other, then the words of those who gave any."""
        palette = self.palette
        lines: list[list[tuple[str, str]]] = [[]]
        used = 1
        for side in self.sides:
            sign = SIGNS[side.label]
            text = one_line(f"{sign.glyph} {side.name}: {sign.word}", width - 2)
            if lines[-1] and used + cells(text) + 2 > width:
                lines.append([])
                used = 1
            lines[-1].append((text, sign.role))
            used += cells(text) + 2
        lines += [
            [(one_line(f"{side.name}: {words}", width - 2), "text")]
            for side in self.sides
            for words in side.words
        ]
        if len(lines) > height:
            lines[height - 1] = [*lines[height - 1][:1], ("…", "dim")]
        return [
            strip(
                [(" ", palette["text"])]
                + [
                    piece
                    for t, role in line
                    for piece in ((t, palette[role]), ("  ", palette["text"]))
                ],
                width,
            )
            for line in lines[:height]
        ]

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
