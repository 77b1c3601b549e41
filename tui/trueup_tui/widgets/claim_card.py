"""The claim card: the claim, the question, and the answer with the claim's span marked.

Its height never changes while labelling, so nothing on the screen jumps. What does not fit is cut
with `…` and stands whole in the evidence pane.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rich.style import Style
from textual.strip import Strip

from trueup.domain.ledger import ItemState
from trueup.domain.model import Span
from trueup.domain.tasks import LabelTask
from trueup_tui.text import cells, drawn, is_right_to_left, one_line
from trueup_tui.theme import SIGNS, Sign
from trueup_tui.widgets.rows import Marks, RowsWidget, marked_parts, strip
from trueup_tui.wrap import Wrapped

_LEAD = 3
_MOST = 40
"""More rows than any card has."""


@dataclass(frozen=True, slots=True)
class CardView:
    """What the card shows: the task, where it stands, and what was said of it."""

    task: LabelTask
    number: int
    count: int
    state: ItemState
    pending: str | None = None
    show_source: bool = True
    signs: Mapping[str | None, Sign] = field(default_factory=lambda: SIGNS)


class ClaimCard(RowsWidget):
    """Header, claim, question, answer."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's name)
        super().__init__(id=id)
        self.view: CardView | None = None
        self.notice = "opening …"

    def show(self, view: CardView | None, notice: str = "") -> None:
        """Show a claim, or a notice where there is none."""
        self.view, self.notice = view, notice
        self.changed()

    def make_rows(self, width: int, height: int) -> list[Strip]:
        """Header, then as many rows for claim, question and answer as they need and fit."""
        palette = self.palette
        if self.view is None:
            lines = self.notice.split("\n")
            return [
                Strip.blank(width),
                *(strip([(" " + one_line(t, width - 2), palette["dim"])], width) for t in lines),
            ]
        task = self.view.task
        room = height - 1
        texts = self._texts(task)
        heights = _shares([len(w.rows) for _, w, _, _ in texts], room)
        spare = room - sum(heights)
        rows = [self._header(width)]
        for (lead, wrapped, base, marks), share in zip(texts, heights, strict=True):
            rows += self._block(lead, wrapped, base, marks, share, width)
            if spare > 1:
                rows.append(Strip.blank(width))
                spare -= 1
        return rows

    def _texts(self, task: LabelTask) -> list[tuple[str, Wrapped, Style, Marks]]:
        palette, width = self.palette, self.size.width - _LEAD - 2
        texts: list[tuple[str, Wrapped, Style, Marks]] = []
        if task.claim:
            texts.append(("▌", _start_of(task.claim, width), palette["bright"], {}))
        if task.question is not None:
            # Of a conversation the last turn is what was asked: it is shown from its end.
            upto = len(task.question) if "\n" in task.question.strip() else 0
            texts.append(("Q", _start_of(task.question.rstrip(), width, upto), palette["text"], {}))
        if self.view is not None and self.view.show_source and task.source:
            spans = {} if task.span is None else {"mark_span": [task.span]}
            wrapped = _start_of(task.source, width, task.span.end if task.span else 0)
            texts.append((task.source_name[:1], wrapped, palette["text"], spans))
        return texts

    def _block(
        self, lead: str, wrapped: Wrapped, base: Style, marks: Marks, share: int, width: int
    ) -> list[Strip]:
        palette = self.palette
        if lead == "Q" and "\n" in wrapped.text:
            first = max(0, len(wrapped.rows) - share)
        else:
            first = _first_row(wrapped, marks.get("mark_span"), share)
        shown = wrapped.rows[first : first + share]
        rows = []
        for index, (start, end) in enumerate(shown):
            more_above = index == 0 and first > 0
            more_below = index == len(shown) - 1 and first + share < len(wrapped.rows)
            sign = lead if index == 0 or lead == "▌" else " "
            style = self._bar_style() if lead == "▌" else palette["dim"]
            rtl = "«" if is_right_to_left(wrapped.text[start:end]) else " "
            edge = "…" if more_above else rtl
            parts = [(f" {sign}", style), (edge, palette["dim"])]
            parts += [
                (t, s) for t, s, _ in marked_parts(wrapped.text, start, end, marks, palette, base)
            ]
            if more_below:
                parts.append(("…", palette["dim"]))
            rows.append(strip(parts, width))
        return rows

    def _bar_style(self) -> Style:
        assert self.view is not None
        label = self.view.pending or self.view.state.label
        return self.palette[SIGNS[label].role if label else "rule"]

    def _header(self, width: int) -> Strip:
        """Where we are on the left, what was said on the right."""
        palette, view = self.palette, self.view
        assert view is not None
        state = view.state
        label = view.pending or state.label
        sign = view.signs["skipped" if label is None and state.skipped else label]
        right = f"{sign.glyph} {sign.word}"
        extras = [
            word
            for word, on in (
                ("not saved yet", view.pending is not None),
                ("comment", state.note is not None),
                ("quote", state.quote is not None),
                ("not blind", state.label is not None and not state.blind),
                ("older guideline", state.outdated),
            )
            if on
        ]
        tail = "".join(f" · {e}" for e in extras)
        what = "Claim" if view.task.claim else "Chunk"
        left = f" {what} {view.number} of {view.count} · "
        name = one_line(view.task.unit_id, max(4, width - len(left) - len(right + tail) - 3))
        gap = width - cells(left) - cells(name) - cells(right) - cells(tail) - 1
        return strip(
            [
                (left, palette["dim"]),
                (name, palette["dim"]),
                (" " * max(1, gap), palette["dim"]),
                (drawn(right), palette[sign.role]),
                (tail, palette["dim"]),
            ],
            width,
        )


def _start_of(text: str, width: int, upto: int = 0) -> Wrapped:
    """A text wrapped as far as a card can show, and past an offset that it has to show."""
    wrapped = Wrapped(text, width)
    wrapped.wrap_to(upto)
    wrapped.wrap_rows(len(wrapped.rows) + _MOST)
    return wrapped


def _shares(wanted: list[int], room: int) -> list[int]:
    """Rows for each text: one each first, then in turn to those that still want some."""
    given = [min(1, w) for w in wanted]
    while sum(given) < room and any(g < w for g, w in zip(given, wanted, strict=True)):
        for index, want in enumerate(wanted):
            if given[index] < want and sum(given) < room:
                given[index] += 1
    return given


def _first_row(wrapped: Wrapped, spans: object, share: int) -> int:
    """The first row to show, so that the marked span is among them."""
    if not isinstance(spans, list) or not spans or len(wrapped.rows) <= share:
        return 0
    span = spans[0]
    assert isinstance(span, Span)
    top, bottom = wrapped.row_of(span.start), wrapped.row_of(span.end - 1)
    spare = max(0, share - (bottom - top + 1))
    return max(0, min(top - spare // 2, len(wrapped.rows) - share))
