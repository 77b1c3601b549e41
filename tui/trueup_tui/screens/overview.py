"""Overview: every sample with its annotators, and what comes next; Enter labels, d adjudicates."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingsMap
from textual.geometry import Size
from textual.screen import Screen
from textual.scroll_view import ScrollView
from textual.strip import Strip

from trueup.errors import TrueupError
from trueup.services.overview import AnnotatorProgress, SampleOverview
from trueup_tui.keymap import Key, bindings
from trueup_tui.text import cells, one_line
from trueup_tui.theme import Palette
from trueup_tui.widgets.bars import KeyStrip, StatusLine, StatusView, duration, seconds
from trueup_tui.widgets.notice import TooSmall
from trueup_tui.widgets.rows import strip

_BAR = 16


@dataclass(frozen=True, slots=True)
class Choice:
    """What the person wants to do next, and with which sample."""

    what: Literal["label", "adjudicate"]
    sample: str


class SampleList(ScrollView, can_focus=True, inherit_bindings=False):
    """Samples with a row for each annotator: only the rows on the screen are made."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's name)
        super().__init__(id=id)
        self.samples: tuple[SampleOverview, ...] = ()
        self.at = 0
        self._rows: list[tuple[int, AnnotatorProgress | str | None]] = []

    def show(self, samples: tuple[SampleOverview, ...]) -> None:
        """Show other figures."""
        self.samples = samples
        self.at = max(0, min(self.at, len(samples) - 1))
        self._rows = []
        for index, sample in enumerate(samples):
            self._rows.append((index, None))
            self._rows += [(index, a) for a in sample.annotators]
            self._rows += [(index, sample.next_step), (index, "")]
        self.virtual_size = Size(self.size.width, len(self._rows))
        self.refresh()

    def go(self, step: int) -> None:
        """The next or previous sample."""
        self.at = max(0, min(self.at + step, len(self.samples) - 1))
        top = next((i for i, (s, _) in enumerate(self._rows) if s == self.at), 0)
        end = top + sum(s == self.at for s, _ in self._rows)
        first = self.scroll_offset.y
        if top < first or end > first + self.size.height:
            self.scroll_to(0, top, animate=False)
        self.refresh()

    @property
    def palette(self) -> Palette:
        """The styles in force."""
        found = getattr(self.app, "palette", None)
        assert isinstance(found, Palette)
        return found

    def render_line(self, y: int) -> Strip:
        """One row for the compositor."""
        index, width = self.scroll_offset.y + y, self.size.width
        base = self.rich_style
        if index >= len(self._rows):
            return Strip.blank(width, base)
        number, what = self._rows[index]
        sample = self.samples[number]
        if what is None:
            made = self._head(sample, number == self.at, width)
        elif isinstance(what, str):
            made = strip([(f"    {one_line(what, width - 5)}", self.palette["bright"])], width)
        else:
            made = self._person(what, width)
        return made.apply_style(base)

    def _head(self, sample: SampleOverview, here: bool, width: int) -> Strip:
        palette = self.palette
        style = palette["here"] if here else palette["rule"]
        shared = f", {sample.overlap} for everyone" if sample.overlap else ""
        told = (
            f"{sample.labelled}/{sample.claims} claims labelled · {sample.answers} answers{shared}"
            f" · {sample.metric} · {sample.design}"
        )
        name = one_line(sample.name, max(8, width // 3))
        told = one_line(told, width - cells(name) - 6)
        return strip([(f" {'▸' if here else ' '} {name}  ", style), (told, palette["dim"])], width)

    def _person(self, person: AnnotatorProgress, width: int) -> Strip:
        palette = self.palette
        share = person.done / person.total if person.total else 0.0
        full = min(_BAR, round(share * _BAR))
        pace = "" if person.pace_s is None else f"{seconds(person.pace_s)} a claim"
        left = "" if person.left_s is None or share >= 1 else duration(person.left_s)
        notes = [t for t in (pace, left) if t]
        if person.not_blind:
            notes.append(f"{person.not_blind} not blind")
        if person.outdated:
            notes.append(f"{person.outdated} under an older policy")
        name = one_line(person.annotator, 14)
        count = f"{person.done}/{person.total}"
        return strip(
            [
                (f"    {name}{' ' * (15 - cells(name))}", palette["text"]),
                ("█" * full, palette["entailed"]),
                ("░" * (_BAR - full), palette["faint"]),
                (f" {count:>8}  ", palette["text"]),
                (" · ".join(notes), palette["dim"]),
            ],
            width,
        )

    def on_click(self, event: events.Click) -> None:
        """Choose a sample."""
        index = self.scroll_offset.y + event.y
        if index < len(self._rows):
            self.at = self._rows[index][0]
            self.refresh()


class OverviewScreen(Screen[None]):
    """Figures are read again with r, and whenever the screen comes back."""

    AUTO_FOCUS = "#samples"
    ESCAPE_TO_MINIMIZE: ClassVar[bool] = False

    def __init__(
        self,
        table: tuple[Key, ...],
        look: Callable[[], tuple[SampleOverview, ...]],
        *,
        over: bool = False,
    ) -> None:
        """`over` is for a look from another screen: leaving goes back to it."""
        super().__init__()
        self._over = over
        self.table = table
        self._bindings = BindingsMap.merge([self._bindings, BindingsMap(bindings(table))])
        self._look = look
        self.choice: Choice | None = None

    def compose(self) -> ComposeResult:
        """Status, samples, keys."""
        yield TooSmall()
        yield StatusLine(id="status")
        yield SampleList(id="samples")
        yield KeyStrip(self.table, id="keys")

    @property
    def samples(self) -> SampleList:
        """The list."""
        return self.query_one("#samples", SampleList)

    @property
    def strip(self) -> KeyStrip:
        """The keys, where messages appear too."""
        return self.query_one("#keys", KeyStrip)

    def on_mount(self) -> None:
        """Look behind the first paint."""
        self.query_one("#status", StatusLine).show(StatusView("overview", "every sample"))
        self.strip.say("looking …")
        self.call_after_refresh(self.action_refresh)

    def action_refresh(self) -> None:
        """Look again."""
        self.run_worker(self._refresh(), exclusive=True)

    async def _refresh(self) -> None:
        try:
            found = await asyncio.to_thread(self._look)
        except TrueupError as error:
            self.strip.say(error.message, bad=True)
            return
        self.samples.show(found)
        self.strip.say("" if found else "no sample yet: trueup sample NAME --records 50")

    def on_resize(self, event: events.Resize) -> None:
        """Ask for a larger window where there is no room."""
        self.set_class(event.size.width < 60 or event.size.height < 16, "tiny")

    def action_row(self, step: int) -> None:
        """The next or previous sample."""
        self.samples.go(step)

    def action_open(self) -> None:
        """Leave, and label this sample."""
        self._choose("label")

    def action_adjudicate(self) -> None:
        """Leave, and adjudicate this sample."""
        self._choose("adjudicate")

    def _choose(self, what: Literal["label", "adjudicate"]) -> None:
        if self._over:
            self.dismiss(None)
        elif self.samples.samples:
            self.choice = Choice(what, self.samples.samples[self.samples.at].name)
            self.app.exit()

    def action_help(self) -> None:
        """Every key."""
        from trueup_tui.screens.pages import help_page

        self.app.push_screen(help_page(self.table))

    def action_leave(self) -> None:
        """Leave without a choice, or go back to the screen below."""
        if self._over:
            self.dismiss(None)
        else:
            self.app.exit()
