"""Text fields, which stand in a box of their own and nowhere else."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from trueup_tui.text import plain


class Prompt(ModalScreen[str | None]):
    """One line of text; None when it was left without an answer."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+g,escape,ctrl+c", "cancel", "cancel", priority=True)
    ]

    def __init__(self, title: str, value: str = "", hint: str = "") -> None:
        super().__init__()
        self._title, self._value = title, value
        self._hint = hint or "Enter: done   ^g: cancel"

    def compose(self) -> ComposeResult:
        """Title, field, hint."""
        with Vertical(id="box"):
            yield Static(plain(self._title), id="box-title")
            yield Input(self._value, id="box-input", select_on_focus=False)
            yield Static(plain(self._hint), id="box-hint")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter."""
        event.stop()
        self.dismiss(event.value)

    def action_cancel(self) -> None:
        """Leave without an answer."""
        self.dismiss(None)
