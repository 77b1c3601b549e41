"""Pages to read and leave again: help, and the guideline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from trueup.domain.metrics import MetricSpec
from trueup.services.claim_service import Policy
from trueup_tui.document import Section
from trueup_tui.keymap import Key
from trueup_tui.text import cells, plain
from trueup_tui.theme import SIGNS
from trueup_tui.widgets.evidence import EvidencePane


class Page(ModalScreen[None]):
    """Sections of text to scroll through; any of several keys leaves."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,q,Q,g,question_mark,space,escape,ctrl+g,ctrl+q,ctrl+c", "leave", "back"),
        Binding("down,j", "scroll(1)", "down"),
        Binding("up,k", "scroll(-1)", "up"),
        Binding("pagedown", "page(1)", "page down"),
        Binding("pageup", "page(-1)", "page up"),
        Binding("home", "end(0)", "top"),
        Binding("end", "end(1)", "bottom"),
    ]

    def __init__(self, title: str, sections: Sequence[Section]) -> None:
        super().__init__()
        self._title = title
        self._sections = list(sections)

    def compose(self) -> ComposeResult:
        """Title, text, hint."""
        with Vertical(id="page"):
            yield Static(plain(self._title), id="box-title")
            yield EvidencePane(id="page-text")
            yield Static(plain("↓ ↑ PgDn PgUp: read on   Enter: back"), id="box-hint")

    @property
    def pane(self) -> EvidencePane:
        """The text."""
        return self.query_one("#page-text", EvidencePane)

    def on_mount(self) -> None:
        """Fill the page once it has its size."""
        self.call_after_refresh(lambda: self.pane.show(self._sections, keep_place=False))

    def action_leave(self) -> None:
        """Back to where one was."""
        self.dismiss(None)

    def action_scroll(self, rows: int) -> None:
        """Scroll by rows."""
        self.pane.scroll_rows(rows)

    def action_page(self, pages: int) -> None:
        """Scroll by pages."""
        self.pane.scroll_rows(pages * max(1, self.pane.size.height - 2))

    def action_end(self, last: int) -> None:
        """To the first or the last row."""
        self.pane.scroll_to(0, self.pane.virtual_size.height * last, animate=False)


def help_page(table: Sequence[Key]) -> Page:
    """Every key of a screen by group, and what the signs mean."""
    groups = dict.fromkeys(k.group for k in table)
    width = max(cells(k.all_shown) for k in table) + 2
    sections = [
        Section(
            group,
            "\n".join(
                f"{k.all_shown}{' ' * (width - cells(k.all_shown))}{k.help}"
                for k in table
                if k.group == group
            ),
        )
        for group in groups
    ]
    signs = "\n".join(
        f"{s.glyph} {s.letter or ' '}  {s.word}" for s in SIGNS.values() if s.word != "undecided"
    )
    rules = (
        "A mark is on disk before the next claim appears: “saved ✓” means just that.\n"
        "You are blind: neither the judge's verdict nor other people's labels are here, and the "
        "highlights are the claim's own words. Revealing shows them and is recorded: a label "
        "given afterwards counts as not blind.\n"
        "The same answer may come back later. Label it afresh."
    )
    return Page("Keys", [*sections, Section("Signs", signs), Section("Good to know", rules)])


def guideline_page(metric: MetricSpec, policy: Policy, outdated: int) -> Page:
    """The metric's question, what it is silent about, and the workspace's policy.

    `outdated` is how many of the annotator's labels were given under another policy text.
    """
    version = f"version {policy.sha256[:8]}, stored with each of your labels"
    if outdated:
        many = "label was" if outdated == 1 else "labels were"
        version += (
            f"\n{outdated} {many} given under another version: "
            "trueup label --requeue-outdated asks again"
        )
    return Page(
        "Guideline",
        [
            Section("The question", metric.question),
            Section("The metric is silent about", metric.silent_about),
            Section("The policy of this workspace", f"{version}\n\n{policy.text}"),
        ],
    )
