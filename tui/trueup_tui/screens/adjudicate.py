"""Adjudicate: claims on which people differ, their labels side by side, one key decides."""

from __future__ import annotations

import asyncio

from trueup.services.adjudicating import AdjudicationService
from trueup_tui.screens.label import LabelScreen
from trueup_tui.widgets.sides import Side


class AdjudicateScreen(LabelScreen):
    """One adjudicator. Decisions are events of their own; nobody's label changes."""

    has_sides = True

    @property
    def adjudication(self) -> AdjudicationService | None:
        """The service, once it is open."""
        return self.service if isinstance(self.service, AdjudicationService) else None

    def sides(self) -> list[Side]:
        """Everyone's label with note and quote."""
        service, item = self.adjudication, self.item
        if service is None or item is None:
            return []
        return [
            Side(
                label.annotator,
                label.label,
                tuple(
                    text
                    for text in (label.note, f"“{label.quote}”" if label.quote else None)
                    if text
                ),
            )
            for label in service.people(item)
        ]

    def greeting(self) -> str:
        """What to do here."""
        return "one key decides; nobody's own label changes"

    def action_split(self) -> None:
        """Take over the parts that someone made, as they are or changed."""
        service, item, texts = self.adjudication, self.item, self.texts
        if service is None or item is None or texts is None or not texts.claim:
            return

        async def ask() -> None:
            from trueup_tui.screens.forms import SplitForm

            parts = await asyncio.to_thread(service.offered_parts, item)

            def done(chosen: list[str] | None) -> None:
                if chosen is not None:
                    self.do(lambda s: s.split(chosen, texts.source))

            self.app.push_screen(SplitForm(texts.claim, parts), done)

        self.line_up(ask)

    def action_next_version(self) -> None:
        """Write what was accepted into the next version of the claim sets."""
        service = self.adjudication
        if service is None:
            return

        async def write() -> None:
            assert self.session is not None
            made = await asyncio.to_thread(service.next_claim_sets, self.session)
            if made:
                self.session = await asyncio.to_thread(service.session)
                self.forget()
            many = "answer has" if made == 1 else "answers have"
            await self.arrive(
                f"{made} {many} a new version of its claims; judge it again to score it"
                if made
                else "no accepted split or addition: the claim sets stay as they are"
            )

        self.line_up(write)

    def finished(self) -> str:
        """What to do when everything is decided."""
        return "all decided. W writes accepted splits and additions into the claim sets, Q leaves"

    def empty_notice(self) -> str:
        """Why there is nothing."""
        return (
            "There is nothing to adjudicate.\n"
            "People agree on every claim that two or more of them have labelled.\n"
            "Draw a sample with --overlap to have answers labelled by everyone. Leave with Q."
        )
