"""Tables of a report before they are markup: a caption, a head, rows of cells."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Link:
    """A text that leads to a place in the same page."""

    text: str
    anchor: str


Cell = str | Link
Row = tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """`align` holds a letter a column: `l` for text, `n` for numbers. `more` says what is left out.

    The first cell of a row is its heading.
    """

    caption: str
    head: tuple[str, ...]
    rows: tuple[Row, ...]
    align: str
    more: str = ""
