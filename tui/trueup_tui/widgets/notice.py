"""What stands on a terminal that is too small to label in."""

from __future__ import annotations

from textual.strip import Strip

from trueup_tui.widgets.rows import RowsWidget, strip


class TooSmall(RowsWidget):
    """Asks for a larger window; shown by the stylesheet when there is no room."""

    def make_rows(self, width: int, height: int) -> list[Strip]:
        """Two lines in the middle."""
        lines = ("Please make the window larger:", "60 × 16 is the least, 80 × 24 is good.")
        blank = [Strip.blank(width)] * max(0, (height - 2) // 2)
        return blank + [
            strip([(line.center(width), self.palette["bright"])], width) for line in lines
        ]
