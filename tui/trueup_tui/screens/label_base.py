"""The workings of the labelling screen: commands in order, storing, moving, drawing.

Keys are taken in order by one worker. A command is stored before the cursor moves; while a mark is
shown as not saved yet, further marks and moves are refused, for they were meant for the claim on
the screen.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

from textual.css.query import NoMatches

from trueup.domain.ledger import ItemKey
from trueup.domain.model import LabelValue
from trueup.domain.session import Action, LabelSession, Progress, TaskItem
from trueup.domain.tasks import LabelTask
from trueup.errors import StoreError
from trueup.services.claim_service import ClaimService, News
from trueup.services.revealing import Revealed
from trueup_tui.courier import Courier, Dropped
from trueup_tui.document import Section
from trueup_tui.keymap import Key
from trueup_tui.label_views import sections_of
from trueup_tui.screens.claim_screen import ClaimScreen
from trueup_tui.theme import SIGNS, signs_for
from trueup_tui.widgets.bars import SaveState, StatusView
from trueup_tui.widgets.claim_card import CardView
from trueup_tui.widgets.claim_list import ClaimList
from trueup_tui.widgets.sides import Side, Sides

Command = Callable[[], Awaitable[None]]


class LabelBase(ClaimScreen):
    """One annotator, one sample."""

    def __init__(self, table: tuple[Key, ...]) -> None:
        super().__init__(table)
        self.service: ClaimService | None = None
        self.session: LabelSession | None = None
        self.courier: Courier | None = None
        self.revealed: dict[ItemKey, Revealed] = {}
        self._commands: asyncio.Queue[Command] = asyncio.Queue()
        self._pending: LabelValue | None = None
        self._answer: ItemKey | None = None
        self._is_done = False
        self.signs = SIGNS

    @property
    def item(self) -> TaskItem | None:
        """The claim on the screen."""
        return self.session.current if self.session else None

    # ---- start

    async def start(self, service: ClaimService, session: LabelSession) -> None:
        """Begin with an opened service: stand on the first open claim."""
        self.service, self.session = service, session
        self.courier = Courier(service, self._save_changed)
        self.signs = signs_for(service.metric.yes, service.metric.no)
        self.table = tuple(replace(k, label=self._key_label(k)) for k in self.table)
        self.strip.use(self.table)
        await self.arrive(self.greeting())
        self.run_worker(self._work(), name="commands", exclusive=True)

    def greeting(self) -> str:
        """The line below the first claim."""
        return self.service.metric.question if self.service else ""

    def _key_label(self, key: Key) -> str:
        """The metric's own words for yes and no."""
        values = {"label-entailed": "entailed", "label-not-entailed": "not_entailed"}
        value = values.get(key.id)
        return self.signs[value].word if value else key.label

    async def _work(self) -> None:
        """Keys, one after another."""
        while True:
            command = await self._commands.get()
            try:
                await command()
            except Dropped:
                self._pending = None
                self.draw()
                self.say("that mark was not saved and is taken back")
            except StoreError as error:
                self.say(f"the store cannot be read: {error.message}", bad=True)
            except NoMatches:
                if self.is_filled:
                    raise
                return

    # ---- commands

    def line_up(self, command: Command, *, on_nothing: bool = False) -> None:
        """Line up a command, unless an unsaved mark stands on the screen.

        `on_nothing` is for commands that need no claim to act on.
        """
        if self.session is None or self.courier is None:
            return
        if self.item is None and not on_nothing:
            return
        if self.courier.is_late:
            self.courier.retry_now()
            undo = next((k.shown for k in self.table if k.id == "undo"), "undo")
            self.say(f"not saved yet: wait, or take the mark back with {undo}", bad=True)
            return
        self._commands.put_nowait(command)

    def leave(self) -> None:
        """Leave behind everything lined up, giving back answers that were only looked at."""
        service, session = self.service, self.session
        if service is None or session is None:
            self.app.exit()
            return

        async def go() -> None:
            try:
                await asyncio.to_thread(service.release, session)
            finally:
                self.app.exit()

        self._commands.put_nowait(go)

    def do(self, make: Callable[[LabelSession], Action]) -> None:
        """Line up a command of the session."""
        self.line_up(lambda: self.perform(make))

    async def perform(self, make: Callable[[LabelSession], Action]) -> None:
        session, item = self.session, self.item
        if session is None or item is None:
            return
        action = make(session)
        if not action.events:
            session.commit(action)
            await self.arrive(action.said)
            return
        news = await self._deliver(item, action)
        if news is None:
            session.drop_answers([item.unit.record])
            await self.arrive("another annotator has this answer: nothing was stored")
            return
        session.commit(action)
        self._take_in(news)
        await self.arrive(self._stored(item, action))

    async def _deliver(self, item: TaskItem, action: Action) -> News | None:
        assert self.courier is not None
        kind = action.events[-1].meta.get("kind")
        self._pending = action.events[-1].label if kind in {"mark", "split"} else None
        try:
            return await self.courier.deliver(item, action)
        finally:
            self._pending = None

    def _take_in(self, news: News) -> None:
        assert self.session is not None
        self.session.apply(news.events, news.units)
        if news.taken:
            self.session.drop_answers(news.taken)

    def move(self, step: Callable[[LabelSession], bool], nowhere: str) -> None:
        async def go() -> None:
            assert self.session is not None
            assert self.service is not None
            self._take_in(await asyncio.to_thread(self.service.news))
            moved = step(self.session)
            await self.arrive("" if moved else nowhere, take=False)

        self.line_up(go)

    async def arrive(self, message: str = "", *, take: bool = True) -> None:
        """Show the claim that the cursor stands on; in the flow its answer is taken first."""
        session, service = self.session, self.service
        assert session is not None
        assert service is not None
        while (item := session.current) is not None:
            record = item.unit.record
            if not take or not session.is_open(item.key) or not service.is_free(record):
                break
            if await asyncio.to_thread(service.take, record):
                break
            message = message or "an answer was taken by another annotator: here is the next"
            session.drop_answers([record])
        if item is not None:
            if service.has(item.unit.record):
                self.texts = service.task(item)
            else:
                self.texts = await asyncio.to_thread(service.task, item)
            if session.state(item.key).revealed and item.key not in self.revealed:
                self.revealed[item.key] = await asyncio.to_thread(service.reveal, item)
        else:
            self.texts = None
        self.draw()
        self.say(self._done_message() or message)

    def _done_message(self) -> str:
        """Once, when the last claim has its label."""
        assert self.session is not None
        progress = self.session.progress()
        before, self._is_done = self._is_done, 0 < progress.total == progress.done
        return self.finished() if self._is_done and not before else ""

    def finished(self) -> str:
        """What to say when every claim is labelled."""
        return "all claims are labelled: thank you. Leave with Q, or look around"

    # ---- drawing

    def _save_changed(self, state: SaveState, text: str) -> None:
        self._draw_status()
        if state in {"saving", "unsaved"}:
            self._draw_card()
            self.say(text, bad=True) if text else None

    def draw(self) -> None:
        self._draw_status()
        self._draw_card()
        self._draw_pane()
        self.query_one("#claims", ClaimList).show(self.session, self._pending)

    def _draw_status(self) -> None:
        assert self.session is not None
        assert self.service is not None
        assert self.courier is not None
        progress = self.session.progress()
        state: SaveState = self.courier.state
        if state == "none" and progress.done:
            state = "saved"
        self.status.show(
            StatusView(
                self.heading(),
                self.service.annotator,
                *self.counts(progress),
                state,
                "NOT SAVED",
                progress.pace_s,
                progress.left_s,
            )
        )

    def heading(self) -> str:
        """What is being labelled, for the status line."""
        return self.service.title if self.service else ""

    def counts(self, progress: Progress) -> tuple[int, int]:
        """The two numbers of the status line: how many are done, of how many."""
        return (progress.done, progress.total)

    def forget(self) -> None:
        """The session was replaced: nothing shown so far holds."""
        self.revealed.clear()
        self._answer = None

    def sides(self) -> list[Side]:
        """What stands beside the claim; nothing where people label blind."""
        return []

    def _draw_card(self) -> None:
        session, task, item = self.session, self.texts, self.item
        if session is None or task is None or item is None:
            self.card.show(None, self.empty_notice())
            return
        siblings = session.answer_items()
        number = 1 + next(n for n, (i, _) in enumerate(siblings) if i == session.cursor)
        self.card.show(
            CardView(
                task,
                number,
                len(siblings),
                session.state(item.key),
                self._pending,
                show_source=not self.shows_answer_pane,
                signs=self.signs,
            )
        )

    def empty_notice(self) -> str:
        return (
            "There is nothing to label here for you.\n"
            "Every answer of this sample belongs to another annotator, or has no claims.\n"
            "Draw a sample with --overlap to have answers labelled by everyone. Leave with Q."
        )

    def _draw_pane(self) -> None:
        session, task, item = self.session, self.texts, self.item
        if session is None or task is None or item is None:
            self.show_sections([], same_answer=False)
            if self.has_sides:
                self.query_one("#sides", Sides).show(())
            return
        sections = self.sections(task)
        if self.has_sides:
            self.query_one("#sides", Sides).show(self.sides())
        same = self._answer == item.answer
        self._answer = item.answer
        self.show_sections(sections, same_answer=same)

    def sections(self, task: LabelTask) -> list[Section]:
        """What the pane shows of the current claim."""
        assert self.session is not None
        assert self.item is not None
        return sections_of(
            task,
            self.session.state(self.item.key),
            self.revealed.get(self.item.key),
            with_source=not self.shows_answer_pane,
        )

    def redraw(self) -> None:
        """Card and pane, for another layout."""
        if self.session is not None:
            self._draw_card()
            self._draw_pane()

    def _stored(self, item: TaskItem, action: Action) -> str:
        """What was stored, to glance at while the next claim is there already."""
        event = action.events[-1]
        if event.meta.get("kind") != "mark":
            return action.said
        sign = self.signs[event.label]
        return f"{sign.glyph} {sign.word} · {item.unit.id}"
