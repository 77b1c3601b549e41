"""Forms of the labelling screen: split a claim, add a missed one, leave with something unsaved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static, TextArea

from trueup.domain.model import Span
from trueup.domain.sentences import sentences
from trueup_tui.document import Section
from trueup_tui.text import plain
from trueup_tui.widgets.evidence import EvidencePane, Place

_CANCEL = Binding("ctrl+g,escape,ctrl+c", "cancel", "cancel", priority=True)


class SplitForm(ModalScreen[list[str] | None]):
    """One part a line; the claim is there to be cut."""

    BINDINGS: ClassVar[list[BindingType]] = [
        _CANCEL,
        Binding("ctrl+d", "done", "done", priority=True),
    ]

    def __init__(self, claim: str, parts: Sequence[str] = ()) -> None:
        super().__init__()
        self._claim = claim
        self._start = "\n".join(parts) or claim

    def compose(self) -> ComposeResult:
        """Title, lines, hint."""
        with Vertical(id="box"):
            yield Static(plain("Split the claim: one part on each line"), id="box-title")
            yield TextArea(self._start, id="box-area", soft_wrap=True, tab_behavior="focus")
            yield Static(plain("Enter: new line   ^d: done   ^g: cancel"), id="box-hint")

    def action_done(self) -> None:
        """Take the parts; two at least."""
        lines = self.query_one("#box-area", TextArea).text.split("\n")
        parts = [line.strip() for line in lines if line.strip()]
        if len(set(parts) - {self._claim.strip()}) < 2:
            hint = self.query_one("#box-hint", Static)
            hint.update(plain("Two parts at least, each on a line of its own   ^g: cancel"))
            return
        self.dismiss(parts)

    def action_cancel(self) -> None:
        """Leave the claim as it is."""
        self.dismiss(None)


class MissedForm(ModalScreen[tuple[str, int] | None]):
    """Pick the sentence of the answer that holds the claim, then put it into words."""

    BINDINGS: ClassVar[list[BindingType]] = [
        _CANCEL,
        Binding("down,ctrl+n", "pick(1)", "next sentence", priority=True),
        Binding("up,ctrl+p", "pick(-1)", "previous sentence", priority=True),
    ]

    def __init__(self, source: str, near: Span | None) -> None:
        super().__init__()
        self._source = source
        self._spans = sentences(source) or [Span(0, len(source))]
        start = near.start if near else 0
        self._at = next((i for i, s in enumerate(self._spans) if s.end > start), 0)

    def compose(self) -> ComposeResult:
        """The answer, the claim's words, hint."""
        with Vertical(id="page"):
            yield Static(plain("A claim that the split missed"), id="box-title")
            pane = EvidencePane(id="page-text")
            pane.can_focus = False
            yield pane
            yield Input(id="box-input", select_on_focus=False)
            hint = "↓ ↑: sentence   type: put it into words   Enter: add   ^g: cancel"
            yield Static(plain(hint), id="box-hint")

    def on_mount(self) -> None:
        """Fill the answer in once it has its size."""
        self.query_one("#box-input", Input).focus()
        self.call_after_refresh(self._fill)

    def _fill(self) -> None:
        pane = self.query_one("#page-text", EvidencePane)
        pane.show([Section("Answer", self._source)], keep_place=False)
        self._mark()

    def _mark(self) -> None:
        span = self._spans[self._at]
        place = Place(0, span)
        pane = self.query_one("#page-text", EvidencePane)
        pane.mark("mark_pick", [place])
        pane.reveal_place(place)
        self.query_one("#box-input", Input).value = " ".join(
            self._source[span.start : span.end].split()
        )

    def action_pick(self, step: int) -> None:
        """The next or previous sentence."""
        self._at = max(0, min(len(self._spans) - 1, self._at + step))
        self._mark()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter."""
        event.stop()
        text = event.value.strip()
        self.dismiss((text, self._spans[self._at].start) if text else None)

    def action_cancel(self) -> None:
        """Add nothing."""
        self.dismiss(None)


class LeaveForm(ModalScreen[bool]):
    """Asked only while something is not saved."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,n,escape,ctrl+g", "stay", "stay"),
        Binding("y,Q", "leave", "leave"),
    ]

    def __init__(self, what: str) -> None:
        super().__init__()
        self._what = what

    def compose(self) -> ComposeResult:
        """The question."""
        with Vertical(id="box"):
            yield Static(plain("One mark is not saved yet"), id="box-title")
            yield Static(plain(f"“{self._what}” could not be stored so far; it is being retried."))
            yield Static(plain("Enter: keep trying   y: leave without it"), id="box-hint")

    def action_stay(self) -> None:
        """Keep trying."""
        self.dismiss(False)

    def action_leave(self) -> None:
        """Leave without the mark."""
        self.dismiss(True)
