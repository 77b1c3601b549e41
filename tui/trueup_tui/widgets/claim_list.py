"""The claims around the cursor and what was said of each: a virtual list, drawn rows only."""

from __future__ import annotations

from collections.abc import Sequence

from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip

from trueup.domain.model import LabelValue
from trueup.domain.session import LabelSession, TaskItem
from trueup_tui.text import one_line
from trueup_tui.theme import SIGNS
from trueup_tui.widgets.rows import RowsWidget, strip

_NONE = Style()


class ClaimList(RowsWidget):
    """One row a claim, a row for each answer's name."""

    class Chosen(Message):
        """A claim was clicked."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's name)
        super().__init__(id=id)
        self._session: LabelSession | None = None
        self._pending: LabelValue | None = None
        self._indices: list[int | None] = []

    def show(self, session: LabelSession | None, pending: LabelValue | None) -> None:
        """Show the claims around the session's cursor."""
        self._session, self._pending = session, pending
        if self.display:
            self.changed()

    def make_rows(self, width: int, height: int) -> list[Strip]:
        """Rows around the cursor, which stands a third from the top where it can."""
        self._indices = []
        if self._session is None or not self._session.items:
            return []
        lines = self._lines(height)
        rows = []
        for index in lines:
            self._indices.append(index if index >= 0 else None)
            rows.append(self._row(index, width))
        return rows

    def _lines(self, height: int) -> list[int]:
        """Item indices to show; an answer's name is the index of its first claim, made negative.

        Among answers with one claim each, none needs a name of its own.
        """
        assert self._session is not None
        items, cursor = self._session.items, self._session.cursor
        first = max(0, cursor - height)
        lines: list[int] = []
        at = 0
        for index in range(first, min(len(items), cursor + height)):
            begins = index == 0 or items[index - 1].answer != items[index].answer
            if begins and not (_alone(items, index) and (index == 0 or _alone(items, index - 1))):
                lines.append(-index - 1)
            if index == cursor:
                at = len(lines)
            lines.append(index)
        start = max(0, min(at - height // 3, len(lines) - height))
        return lines[start : start + height]

    def _row(self, index: int, width: int) -> Strip:
        assert self._session is not None
        palette = self.palette
        if index < 0:
            item = self._session.items[-index - 1]
            name = one_line(item.unit.id.split("#", 1)[0], width - 3)
            return strip([(f" {name}", palette["rule"])], width)
        item = self._session.items[index]
        here = index == self._session.cursor
        state = self._session.state(item.key)
        label = self._pending if here and self._pending else state.label
        sign = SIGNS["skipped" if label is None and state.skipped else label]
        indent = "  " if item.unit.parent else " "
        text = one_line(item.unit.text, width - 5 - len(indent))
        base = palette["here"] if here else palette["text" if label is None else "dim"]
        parts = [
            ("▸" if here else " ", base),
            (
                f"{sign.glyph}{sign.letter}",
                base + palette[sign.role] if here else palette[sign.role],
            ),
            (f"{indent}{text}", base),
        ]
        return strip(parts, width - 1, base if here else None)

    def on_click(self, event: events.Click) -> None:
        """Go to the claim that was clicked."""
        if event.y < len(self._indices) and (index := self._indices[event.y]) is not None:
            self.post_message(self.Chosen(index))


def _alone(items: Sequence[TaskItem], index: int) -> bool:
    """Whether a claim is the only one of its answer."""
    here = items[index].answer
    before = index > 0 and items[index - 1].answer == here
    return not before and not (index + 1 < len(items) and items[index + 1].answer == here)
