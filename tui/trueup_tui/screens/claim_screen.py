"""What the screens with a claim share: the layout, the evidence pane, and how it is filled."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingsMap
from textual.containers import Horizontal, Vertical
from textual.screen import Screen

from trueup.domain.model import Span
from trueup.domain.tasks import LabelTask
from trueup_tui.document import Section
from trueup_tui.keymap import Key, bindings
from trueup_tui.label_views import SLICE, best_place, is_very_long, places_of, words_in
from trueup_tui.screens.reading import ReadingActions
from trueup_tui.widgets.bars import KeyStrip, StatusLine
from trueup_tui.widgets.claim_card import ClaimCard
from trueup_tui.widgets.claim_list import ClaimList
from trueup_tui.widgets.evidence import EvidencePane, Place
from trueup_tui.widgets.notice import TooSmall
from trueup_tui.widgets.sides import Sides


class ClaimScreen(ReadingActions, Screen[None]):
    """Status line, claim card, evidence pane, key strip; a list and the answer where there is room.

    A subclass gives the texts and draws the card; `redraw` is called when the layout changed.
    """

    AUTO_FOCUS = "#evidence"
    ESCAPE_TO_MINIMIZE: ClassVar[bool] = False
    has_sides: ClassVar[bool] = False
    """Whether what others said stands beside the claim."""

    def __init__(self, table: tuple[Key, ...]) -> None:
        super().__init__()
        self.table = table
        self._bindings = BindingsMap.merge([self._bindings, BindingsMap(bindings(table))])
        self.texts: LabelTask | None = None
        self.set_class(self.has_sides, "sided")

    def compose(self) -> ComposeResult:
        """Status, body, keys."""
        yield TooSmall()
        yield StatusLine(id="status")
        with Horizontal(id="body"):
            yield ClaimList(id="claims")
            with Vertical(id="main"):
                yield ClaimCard(id="card")
                if self.has_sides:
                    yield Sides(id="sides")
                yield EvidencePane(id="evidence")
            answer = EvidencePane(id="answer")
            answer.can_focus = False
            yield answer
        yield KeyStrip(self.table, id="keys")

    # ---- parts

    @property
    def is_filled(self) -> bool:
        """Whether the screen has its widgets: not before it is shown, nor while it is torn down."""
        return bool(self.query("#keys"))

    @property
    def pane(self) -> EvidencePane:
        """The evidence pane."""
        return self.query_one("#evidence", EvidencePane)

    @property
    def card(self) -> ClaimCard:
        """The claim card."""
        return self.query_one("#card", ClaimCard)

    @property
    def status(self) -> StatusLine:
        """The status line."""
        return self.query_one("#status", StatusLine)

    @property
    def strip(self) -> KeyStrip:
        """The keys, where messages appear too."""
        return self.query_one("#keys", KeyStrip)

    @property
    def shows_answer_pane(self) -> bool:
        """Whether the answer has a pane of its own, and is left out of card and evidence."""
        return self.has_class("full")

    def say(self, message: str, *, bad: bool = False) -> None:
        """A line for the person, until the next key."""
        self.strip.say(message, bad=bad)

    def claim_text(self) -> str:
        """What `copy` copies where nothing is selected."""
        return self.texts.claim if self.texts else ""

    # ---- the pane

    def show_sections(self, sections: Sequence[Section], *, same_answer: bool) -> None:
        """Fill the pane, and bring the place to look at first on the screen."""
        self.pane.show(sections, keep_place=same_answer)
        self.places = places_of(sections)
        best = best_place(sections)
        self.place_at = self.places.index(best) if best in self.places else -1
        if best is not None:
            self.pane.reveal_place(best)
        task = self.texts
        if task is not None and is_very_long(task):
            self.run_worker(self._highlight_rest(task), group="highlights", exclusive=True)
        if task is not None and self.shows_answer_pane:
            self._show_answer(task)

    async def _highlight_rest(self, task: LabelTask) -> None:
        """Mark the claim's words of a very long context, a slice at a time, keys in between."""
        sections = list(self.pane.sections)
        for section in sections:
            if section.passage is None:
                continue
            found: list[Span] = []
            for start in range(0, len(section.text), SLICE):
                found += words_in(task, section.passage, start)
                section.marks["mark_words"] = found
                await asyncio.sleep(0.01)
                if self.texts is not task:
                    return
            self.pane.redraw()
        self.places = places_of(sections)

    def _show_answer(self, task: LabelTask) -> None:
        answer = self.query_one("#answer", EvidencePane)
        section = Section(task.source_name, task.source)
        answer.show([section] if task.source else [], keep_place=True)
        if task.span is not None and task.source:
            section.marks["mark_span"] = [task.span]
            answer.reveal_place(Place(0, task.span))

    # ---- layout

    def redraw(self) -> None:
        """Draw card and pane anew, for another layout."""
        raise NotImplementedError

    def on_resize(self, event: events.Resize) -> None:
        """Choose the layout: too small, plain, with the claim list, with the answer pane."""
        width, height = event.size
        tiny = width < 60 or height < 16
        before = self.shows_answer_pane
        self.set_class(tiny, "tiny")
        self.set_class(width >= 100 and not tiny, "wide")
        self.set_class(width >= 140 and not tiny, "full")
        self.set_class(height < 22, "short")
        self.set_class(height >= 36, "tall")
        if before != self.shows_answer_pane:
            self.redraw()
