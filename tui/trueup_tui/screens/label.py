"""The labelling screen: its keys, translated into commands of the session."""

from __future__ import annotations

import asyncio

from trueup.domain.model import Json, LabelValue
from trueup.domain.sentences import sentences
from trueup.domain.tasks import LabelTask
from trueup_tui.keymap import OVERVIEW_KEYS, Key
from trueup_tui.screens.label_base import LabelBase
from trueup_tui.screens.pages import guideline_page, help_page
from trueup_tui.text import one_line
from trueup_tui.widgets.claim_list import ClaimList
from trueup_tui.widgets.evidence import Place


class LabelScreen(LabelBase):
    """One annotator, one sample."""

    def __init__(
        self, table: tuple[Key, ...], overview_table: tuple[Key, ...] = OVERVIEW_KEYS
    ) -> None:
        super().__init__(table)
        self.overview_table = overview_table

    picks: list[Place] = []  # noqa: RUF012 (replaced as a whole, never changed in place)
    pick_at = 0

    # ---- keys: while a sentence is picked, keys for moving move the pick and no others work

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Which keys work at the moment."""
        if not self.picking:
            return True
        return action in {"scroll", "next_claim", "previous_claim", "confirm", "quote"}

    def action_scroll(self, rows: int) -> None:
        """Scroll by rows, or move the pick."""
        self.move_pick(rows) if self.picking else super().action_scroll(rows)

    def action_confirm(self) -> None:
        """Enter: keep the pick, else the next occurrence of what was searched for."""
        self.keep_pick() if self.picking else super().action_confirm()

    def on_claim_list_chosen(self, message: ClaimList.Chosen) -> None:
        """Go to a claim that was clicked."""
        self.move(lambda s: s.goto(message.index), "")

    # ---- keys: labels

    def action_mark(self, label: LabelValue) -> None:
        """Label the claim."""
        self.do(lambda s: s.mark(label))

    def action_skip(self) -> None:
        """Leave it for later."""
        self.do(lambda s: s.skip())

    def action_undo(self) -> None:
        """Take back the last thing done; an unsaved mark is dropped."""
        if self.courier is not None and self.courier.state == "unsaved":
            self.courier.drop()
            return
        self.do(lambda s: s.undo())

    def action_next_claim(self) -> None:
        """The claim below."""
        if self.picking:
            self.move_pick(1)
            return
        self.move(lambda s: s.next_claim(), "this is the last claim")

    def action_previous_claim(self) -> None:
        """The claim above."""
        if self.picking:
            self.move_pick(-1)
            return
        self.move(lambda s: s.previous_claim(), "this is the first claim")

    def action_next_answer(self) -> None:
        """The next answer."""
        self.move(lambda s: s.next_answer(), "this is the last answer")

    def action_previous_answer(self) -> None:
        """The answer before."""
        self.move(lambda s: s.previous_answer(), "this is the first answer")

    def action_next_unlabelled(self) -> None:
        """The next claim without a label."""
        self.move(lambda s: s.next_unlabelled(), "no other claim waits for a label")

    # ---- texts

    def action_comment(self) -> None:
        """Write, change or remove the comment."""
        if (item := self.item) is None or self.session is None:
            return
        from trueup_tui.screens.prompt import Prompt

        note = self.session.state(item.key).note or ""

        def done(text: str | None) -> None:
            if text is not None:
                self.do(lambda s: s.comment(text))

        hint = "Enter: save   empty: remove   ^g: cancel"
        self.app.push_screen(Prompt("Comment on this claim", note, hint), done)

    def action_split(self) -> None:
        """Cut a badly split claim into its parts."""
        if (texts := self.texts) is None:
            return
        if not texts.claim:
            self.say("a chunk cannot be split")
            return
        from trueup_tui.screens.forms import SplitForm

        def done(parts: list[str] | None) -> None:
            if parts is not None:
                self.do(lambda s: s.split(parts, texts.source))

        self.app.push_screen(SplitForm(texts.claim), done)

    def action_missed(self) -> None:
        """Add a claim that the split missed."""
        if (texts := self.texts) is None:
            return
        if not texts.source:
            self.say("there is no answer that a claim could be missing from")
            return
        from trueup_tui.screens.forms import MissedForm

        def done(found: tuple[str, int] | None) -> None:
            if found is not None:
                self.do(lambda s: s.add_missed(found[0], texts.source, found[1]))

        self.app.push_screen(MissedForm(texts.source, texts.span), done)

    # ---- one's own evidence

    @property
    def picking(self) -> bool:
        """Whether a sentence is being picked, and keys mean that."""
        return bool(self.picks)

    def action_quote(self) -> None:
        """Begin to pick the sentence that decides; again: stop."""
        if self.picking:
            self._end_pick("nothing picked")
            return
        if (texts := self.texts) is None:
            return
        self.picks = self._sentences(texts)
        if not self.picks:
            self.say("there is no sentence to pick")
            return
        self.pick_at = self._first_pick()
        self._show_pick()

    def _sentences(self, texts: LabelTask) -> list[Place]:
        return [
            Place(i, span)
            for i, section in enumerate(self.pane.sections)
            if section.passage is not None
            for span in sentences(section.text)
        ]

    def _first_pick(self) -> int:
        """The sentence of the best place, which is on the screen."""
        if not self.places:
            return 0
        here = self.places[max(0, self.place_at)]
        for index, pick in enumerate(self.picks):
            if pick.section == here.section and pick.span.end > here.span.start:
                return index
        return 0

    def _show_pick(self) -> None:
        pick = self.picks[self.pick_at]
        self.pane.mark("mark_pick", [pick])
        self.pane.reveal_place(pick)
        self.say("pick the sentence: ↓ ↑ or n p move, Enter keeps it, q stops")

    def move_pick(self, step: int) -> None:
        """The next or previous sentence."""
        self.pick_at = max(0, min(len(self.picks) - 1, self.pick_at + step))
        self._show_pick()

    def keep_pick(self) -> None:
        """Keep the picked sentence; the one already kept is taken away."""
        pick = self.picks[self.pick_at]
        section = self.pane.sections[pick.section]
        text = section.text[pick.span.start : pick.span.end]
        texts = self.texts
        self._end_pick("")
        if self.item is None or self.session is None or texts is None or section.passage is None:
            return
        if self.session.state(self.item.key).quote == text:
            self.do(lambda s: s.quote(None))
            return
        where: dict[str, Json] = {
            "passage": section.passage,
            "chunk": texts.passages[section.passage].id,
            "start": pick.span.start,
            "end": pick.span.end,
        }
        self.do(lambda s: s.quote(text, where))

    def _end_pick(self, message: str) -> None:
        self.picks = []
        self.pane.mark("mark_pick", ())
        self.say(message)

    # ---- reveal, guideline, help, leave

    def action_reveal(self) -> None:
        """Show the judge and others: stored first, then read."""

        async def go() -> None:
            item = self.item
            assert self.session is not None
            assert self.service is not None
            if item is None:
                return
            if not self.session.state(item.key).revealed:
                await self.perform(lambda s: s.reveal())
            self.revealed[item.key] = await asyncio.to_thread(self.service.reveal, item)
            self.draw()
            self.action_top()

        self.line_up(go)

    def action_guideline(self) -> None:
        """The question and the policy."""
        if self.service is not None and self.session is not None:
            states = (self.session.state(i.key) for i in self.session.items)
            outdated = sum(s.outdated for s in states)
            page = guideline_page(self.service.metric, self.service.policy, outdated)
            self.app.push_screen(page)

    def action_overview(self) -> None:
        """Where every sample stands, and back."""
        from trueup_tui.screens.overview import OverviewScreen

        if self.service is not None:
            look = self.service.overview
            self.app.push_screen(OverviewScreen(self.overview_table, look, over=True))

    def action_help(self) -> None:
        """Every key."""
        self.app.push_screen(help_page(self.table))

    def action_leave(self) -> None:
        """Leave once everything is stored; asked first only while something cannot be."""
        if self.courier is None or self.courier.state != "unsaved":
            self.leave()
            return
        from trueup_tui.screens.forms import LeaveForm

        def done(leave: bool | None) -> None:
            if leave:
                self.app.exit()

        said = self.courier.waiting.said if self.courier.waiting else ""
        self.app.push_screen(LeaveForm(one_line(said, 40)), done)
