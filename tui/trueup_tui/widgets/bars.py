"""The status line above and the key strip below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from textual import events
from textual.strip import Strip

from trueup_tui.keymap import Key
from trueup_tui.text import cells, one_line
from trueup_tui.widgets.rows import RowsWidget, strip

SaveState = Literal["saved", "saving", "unsaved", "none"]


@dataclass(frozen=True, slots=True)
class StatusView:
    """sample · annotator · done/total · saved · pace and time left."""

    sample: str = ""
    annotator: str = ""
    done: int = 0
    total: int = 0
    save: SaveState = "none"
    save_text: str = ""
    pace_s: float | None = None
    left_s: float | None = None


class StatusLine(RowsWidget):
    """One row, the most important on the right of the names, the least dropped first."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's name)
        super().__init__(id=id)
        self.view = StatusView()

    def show(self, view: StatusView) -> None:
        """Show other figures."""
        if view != self.view:
            self.view = view
            self.changed()

    def make_rows(self, width: int, height: int) -> list[Strip]:
        """The one row."""
        view, palette = self.view, self.palette
        style, dim = palette["bar"], palette["bar_dim"]
        save = {
            "saved": ("saved ✓", palette["bar_ok"]),
            "saving": ("saving…", palette["bar_busy"]),
            "unsaved": (view.save_text or "NOT SAVED", palette["bar_bad"]),
            "none": ("", dim),
        }[view.save]
        count = f"{view.done}/{view.total}" if view.total else ""
        pace = (
            ""
            if view.pace_s is None
            else f"{view.pace_s:.{0 if view.pace_s >= 9.5 else 1}f} s a claim"
        )
        left = "" if view.left_s is None or view.done == view.total else duration(view.left_s)
        tail = [t for t in (pace, left) if t]
        while tail and 40 + len(" · ".join(tail)) > width:
            tail.pop(0)
        end = "".join(f" · {t}" for t in tail)
        room = width - 8 - len(count) - cells(save[0]) - len(end)
        names = one_line(f"{view.sample} · {view.annotator}" if view.sample else "trueup", room)
        gap = " " * max(1, width - 2 - cells(names) - len(count) - cells(save[0]) - len(end) - 3)
        dot = " · " if save[0] and count else ""
        parts = [(f" {names}{gap}", style), (count, style), (dot, dim), save, (end, dim)]
        return [strip([*parts, (" " * width, style)], width)]


def seconds(pace_s: float) -> str:
    """A pace, for people."""
    return f"{pace_s:.1f} s" if pace_s < 9.95 else f"{pace_s:.0f} s"


def duration(left_s: float) -> str:
    """Time left, for people."""
    minutes = round(left_s / 60)
    if minutes < 1:
        return "under a minute left"
    return f"{minutes} min left" if minutes < 90 else f"{minutes / 60:.1f} h left"


class KeyStrip(RowsWidget):
    """The keys that fit, most needed first; a message takes the place of the second row."""

    def __init__(self, table: Sequence[Key], *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.table: list[Key] = []
        self.help_key = next((k for k in table if k.id == "help"), None)
        self.use(table)
        self.message = ""
        self.message_bad = False
        self._spots: list[tuple[int, int, int, str]] = []

    def use(self, table: Sequence[Key]) -> None:
        """Show other keys, most needed first."""
        self.table = sorted((k for k in table if k.weight), key=lambda k: k.weight)
        if self.is_mounted:
            self.changed()

    def say(self, message: str, *, bad: bool = False) -> None:
        """Show a message in place of the second row, until the next; empty shows keys again."""
        if (message, bad) != (self.message, self.message_bad):
            self.message, self.message_bad = message, bad
            self.changed()

    def make_rows(self, width: int, height: int) -> list[Strip]:
        """Two rows of keys, or one and the message."""
        palette = self.palette
        rows: list[Strip] = []
        self._spots = []
        todo = list(self.table)
        for y in range(height):
            if y == height - 1 and self.message:
                style = palette["bar_bad" if self.message_bad else "bright"]
                rows.append(strip([(" " + one_line(self.message, width - 2), style)], width))
                break
            last = y == height - 1 or (y == height - 2 and bool(self.message))
            rows.append(self._key_row(todo, y, width, last))
        return rows

    def _key_row(self, todo: list[Key], y: int, width: int, last: bool) -> Strip:
        palette = self.palette
        end = f" {self.help_key.shown} help " if self.help_key and last else ""
        x, parts = 1, [(" ", palette["key_text"])]
        while todo:
            key = todo[0]
            size = cells(key.shown) + 1 + len(key.label) + 2
            if x + size > width - len(end):
                break
            todo.pop(0)
            parts += [(key.shown, palette["key"]), (f" {key.label}  ", palette["key_text"])]
            self._spots.append((y, x, x + size, key.action))
            x += size
        if end and self.help_key:
            parts += [
                (" " * (width - x - len(end)), palette["key_text"]),
                (f" {self.help_key.shown}", palette["key"]),
                (" help ", palette["key_text"]),
            ]
            self._spots.append((y, width - len(end), width, self.help_key.action))
        return strip(parts, width)

    async def on_click(self, event: events.Click) -> None:
        """A click on a key does what the key does."""
        for y, left, right, action in self._spots:
            if event.y == y and left <= event.x < right:
                await self.screen.run_action(action)
                return
