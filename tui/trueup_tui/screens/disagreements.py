"""Disagreements: people against the judge, its quote where it was found, or said to be absent."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from trueup.domain.model import Label, LabelValue, Verdict
from trueup.domain.session import Progress
from trueup.domain.tasks import LabelTask
from trueup.services.disagreeing import DisagreementService
from trueup.services.revealing import JudgeSays, Revealed
from trueup_tui.document import Section
from trueup_tui.label_views import sections_of
from trueup_tui.screens.label import LabelScreen
from trueup_tui.widgets.sides import Side


class DisagreementsScreen(LabelScreen):
    """Nobody is blind here: a label given now is recorded so."""

    has_sides = True

    @property
    def disagreements(self) -> DisagreementService | None:
        """The service, once it is open."""
        return self.service if isinstance(self.service, DisagreementService) else None

    def heading(self) -> str:
        """What is looked at."""
        service = self.disagreements
        return (
            super().heading() if service is None else f"{service.title}: {service.filter.words()}"
        )

    def counts(self, progress: Progress) -> tuple[int, int]:
        """Where we are in the list: there is nothing to finish here."""
        return (progress.position, progress.total)

    def sides(self) -> list[Side]:
        """People, one column for each answer that they gave, then the judges."""
        service, item = self.disagreements, self.item
        if service is None or item is None:
            return []
        given: dict[LabelValue | None, list[Label]] = {}
        for label in service.people(item):
            given.setdefault(label.label, []).append(label)
        people = [
            Side(
                ", ".join(e.annotator for e in labels),
                value,
                tuple(f"{e.annotator}: {e.note}" for e in labels if e.note),
            )
            for value, labels in given.items()
        ]
        return people + [_judge(name, v) for name, v in service.judges_say(item)]

    def greeting(self) -> str:
        """What to do here."""
        return "J D S E filter; a label that you give here is recorded as not blind"

    def sections(self, task: LabelTask) -> list[Section]:
        """The texts with the judges' quotes marked."""
        service, item, session = self.disagreements, self.item, self.session
        assert service is not None
        assert item is not None
        assert session is not None
        says = tuple(JudgeSays(name, v) for name, v in service.judges_say(item))
        made = sections_of(
            task,
            session.state(item.key),
            Revealed(says, ()),
            with_source=not self.shows_answer_pane,
        )
        return [s for s in made if s.title != "Revealed"]

    def action_filter(self, what: str) -> None:
        """The next value of a filter, from any to the last and back to any."""
        service = self.disagreements
        if service is None or self.courier is None or self.courier.is_late:
            return
        values = [None, *getattr(service.choices(), what)]
        here = values.index(getattr(service.filter, what))
        service.filter = replace(service.filter, **{what: values[(here + 1) % len(values)]})

        async def again() -> None:
            self.session = await asyncio.to_thread(service.session)
            self.forget()
            await self.arrive(service.filter.words())

        self.line_up(again, on_nothing=True)

    def action_reveal(self) -> None:
        """Everything is revealed here."""
        self.say("nothing is hidden here: labels that you give now count as not blind")

    def finished(self) -> str:
        """Nothing is ever finished here."""
        return ""

    def empty_notice(self) -> str:
        """Why there is nothing."""
        return (
            "No disagreement passes the filter.\n"
            "J, D, S, E go through judges, directions, slices and evidence. Leave with Q."
        )


def _judge(name: str, verdict: Verdict) -> Side:
    words = [f"({verdict.reason})"] if verdict.reason else []
    if verdict.own_value != verdict.value:
        words.append("(the evidence rule changed it)")
    for e in verdict.evidence:
        where = e.match if e.spans else "found nowhere"
        words.append(f"{where}: “{e.quote}”")
    return Side(name, verdict.value, tuple(words))
