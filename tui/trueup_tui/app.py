"""The applications, one per command, each around one screen. The CLI calls `run_*`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import App, SystemCommand
from textual.css.query import NoMatches
from textual.screen import Screen
from textual.worker import WorkerFailed

from trueup.domain.session import LabelSession
from trueup.errors import TrueupError
from trueup.services.claim_service import ClaimService
from trueup.services.labelling import LabellingService
from trueup_tui.keymap import (
    ADJUDICATE_KEYS,
    DISAGREEMENT_KEYS,
    LABEL_KEYS,
    OVERVIEW_KEYS,
    effective,
)
from trueup_tui.screens.label import LabelScreen
from trueup_tui.theme import PALETTES, THEMES, Palette, choose

if TYPE_CHECKING:
    from trueup.services.adjudicating import AdjudicationService
    from trueup.services.disagreeing import DisagreementService
    from trueup.services.overview import SampleOverview
    from trueup_tui.screens.overview import Choice, OverviewScreen


class TrueupApp(App[None]):
    """What every screen shares: palettes, themes, the command palette, no markup."""

    CSS_PATH = Path(__file__).parent / "app.tcss"
    TITLE = "trueup"
    ENABLE_COMMAND_PALETTE = True

    def __init__(self, *, theme: str | None = None) -> None:
        self.palette_name = choose(theme)
        super().__init__(ansi_color=True if self.palette_name == "mono" else None)
        self.animation_level = "none"
        for made in THEMES.values():
            self.register_theme(made)
        self.theme = THEMES["ansi" if self.palette_name == "mono" else self.palette_name].name
        self.failure: TrueupError | None = None

    @property
    def palette(self) -> Palette:
        """The styles in force."""
        return PALETTES[self.palette_name]

    def use_palette(self, name: str) -> None:
        """Change the theme."""
        self.palette_name = name
        self.theme = THEMES[name].name
        for widget in self.screen.walk_children():
            changed = getattr(widget, "changed", None)
            if callable(changed):
                changed()
            else:
                widget.refresh()

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """The command palette: every key of the screen, and the themes."""
        for key in getattr(screen, "table", ()):
            if key.action != "app.command_palette":
                run = _runner(screen, key.action)
                yield SystemCommand(f"{key.label} ({key.shown})", key.help, run)
        if self.palette_name != "mono":
            for name in THEMES:
                yield SystemCommand(
                    f"theme: {name}", "Change the colours", lambda n=name: self.use_palette(n)
                )

    async def action_quit(self) -> None:
        """Leave the way the screen leaves: once everything is stored."""
        await self.screen_stack[0].run_action("leave")

    def fail(self, error: TrueupError) -> None:
        """End with an error for the CLI to report."""
        self.failure = error
        self.exit()

    def run_to_end(self) -> None:
        """Run on the terminal. Raises the error that the screen ended with."""
        self.run()
        if self.failure is not None:
            raise self.failure
        if isinstance(self._exception, WorkerFailed):
            raise self._exception.error
        if self._exception is not None:
            raise self._exception

    def _print_error_renderables(self) -> None:
        """Textual would print a traceback here; the CLI reports what `run_to_end` raises."""
        self._exit_renderables.clear()


def _runner(screen: Screen[object], action: str) -> Callable[[], None]:
    def run() -> None:
        screen.call_later(screen.run_action, action)

    return run


class ClaimApp(TrueupApp):
    """A screen of claims: the frame is painted first, the store opened behind it."""

    def __init__(
        self,
        make_screen: Callable[[], LabelScreen],
        open_claims: Callable[[], tuple[ClaimService, LabelSession]],
        *,
        theme: str | None = None,
    ) -> None:
        super().__init__(theme=theme)
        self._make_screen = make_screen
        self._open_claims = open_claims

    def get_default_screen(self) -> LabelScreen:
        """The screen of claims."""
        return self._make_screen()

    def on_mount(self) -> None:
        """Open the store behind the first paint."""
        self.call_after_refresh(lambda: self.run_worker(self._open(), name="open"))

    async def _open(self) -> None:
        screen = self.screen_stack[0]
        assert isinstance(screen, LabelScreen)
        try:
            service, session = await asyncio.to_thread(self._open_claims)
            await screen.start(service, session)
        except TrueupError as error:
            self.fail(error)
        except NoMatches:
            # Left before the store was open: there is no screen to fill any more.
            if screen.is_filled:
                raise


class LabelApp(ClaimApp):
    """`trueup label`."""

    def __init__(
        self,
        open_service: Callable[[], LabellingService],
        *,
        keys: Mapping[str, str] | None = None,
        theme: str | None = None,
        requeue_outdated: bool = False,
    ) -> None:
        table = effective(LABEL_KEYS, keys)

        def open_claims() -> tuple[ClaimService, LabelSession]:
            service = open_service()
            return service, service.session(requeue_outdated=requeue_outdated)

        overview = effective(OVERVIEW_KEYS, keys)
        super().__init__(lambda: LabelScreen(table, overview), open_claims, theme=theme)


class AdjudicateApp(ClaimApp):
    """`trueup adjudicate`."""

    def __init__(
        self,
        open_service: Callable[[], AdjudicationService],
        *,
        keys: Mapping[str, str] | None = None,
        theme: str | None = None,
    ) -> None:
        table = effective(ADJUDICATE_KEYS, keys)

        def open_claims() -> tuple[ClaimService, LabelSession]:
            service = open_service()
            return service, service.session()

        from trueup_tui.screens.adjudicate import AdjudicateScreen

        super().__init__(lambda: AdjudicateScreen(table), open_claims, theme=theme)


class DisagreementsApp(ClaimApp):
    """`trueup disagreements`."""

    def __init__(
        self,
        open_service: Callable[[], DisagreementService],
        *,
        keys: Mapping[str, str] | None = None,
        theme: str | None = None,
    ) -> None:
        table = effective(DISAGREEMENT_KEYS, keys)

        def open_claims() -> tuple[ClaimService, LabelSession]:
            service = open_service()
            service.load()
            return service, service.session()

        from trueup_tui.screens.disagreements import DisagreementsScreen

        super().__init__(lambda: DisagreementsScreen(table), open_claims, theme=theme)


class OverviewApp(TrueupApp):
    """Where every sample stands."""

    def __init__(
        self,
        look: Callable[[], tuple[SampleOverview, ...]],
        *,
        keys: Mapping[str, str] | None = None,
        theme: str | None = None,
    ) -> None:
        super().__init__(theme=theme)
        from trueup_tui.screens.overview import OverviewScreen

        self.overview = OverviewScreen(effective(OVERVIEW_KEYS, keys), look)

    def get_default_screen(self) -> OverviewScreen:
        """The overview."""
        return self.overview


def run_label(
    service: LabellingService | Callable[[], LabellingService],
    *,
    keys: Mapping[str, str] | None = None,
    theme: str | None = None,
    requeue_outdated: bool = False,
) -> None:
    """Label on the terminal until the person leaves.

    Give a function that opens the service rather than the service: it is called after the first
    paint. Raises TrueupError where it cannot be opened, or `keys` ([label.keys]) is wrong.
    """
    opener = service if callable(service) else lambda: service
    LabelApp(opener, keys=keys, theme=theme, requeue_outdated=requeue_outdated).run_to_end()


def run_adjudicate(
    open_service: Callable[[], AdjudicationService],
    *,
    keys: Mapping[str, str] | None = None,
    theme: str | None = None,
) -> None:
    """Decide claims on which people differ, until the person leaves. Raises like `run_label`."""
    AdjudicateApp(open_service, keys=keys, theme=theme).run_to_end()


def run_disagreements(
    open_service: Callable[[], DisagreementService],
    *,
    keys: Mapping[str, str] | None = None,
    theme: str | None = None,
) -> None:
    """Read people against the judge, until the person leaves. Raises like `run_label`."""
    DisagreementsApp(open_service, keys=keys, theme=theme).run_to_end()


def run_overview(
    look: Callable[[], tuple[SampleOverview, ...]],
    *,
    keys: Mapping[str, str] | None = None,
    theme: str | None = None,
) -> Choice | None:
    """Show where every sample stands; returns what the person chose to do next, None to leave.

    `look` is called after the first paint and whenever the person asks again.
    """
    app = OverviewApp(look, keys=keys, theme=theme)
    app.run_to_end()
    return app.overview.choice
