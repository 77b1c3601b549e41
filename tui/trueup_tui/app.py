"""The applications, one per command, each around one screen. The CLI calls `run_*`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from textual.app import App, SystemCommand
from textual.screen import Screen

from trueup.errors import TrueupError
from trueup.services.labelling import LabellingService
from trueup_tui.keymap import LABEL_KEYS, effective
from trueup_tui.screens.label import LabelScreen
from trueup_tui.theme import PALETTES, THEMES, Palette, choose

OpenLabelling = Callable[[], LabellingService]


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


def _runner(screen: Screen[object], action: str) -> Callable[[], None]:
    def run() -> None:
        screen.call_later(screen.run_action, action)

    return run


class LabelApp(TrueupApp):
    """`trueup label`: the frame is painted first, the store opened while it is."""

    def __init__(
        self,
        open_service: OpenLabelling,
        *,
        keys: Mapping[str, str] | None = None,
        theme: str | None = None,
        requeue_outdated: bool = False,
    ) -> None:
        super().__init__(theme=theme)
        self._open_service = open_service
        self._table = effective(LABEL_KEYS, keys)
        self._requeue = requeue_outdated

    def get_default_screen(self) -> LabelScreen:
        """The labelling screen."""
        return LabelScreen(self._table)

    def on_mount(self) -> None:
        """Open the store behind the first paint."""
        self.call_after_refresh(lambda: self.run_worker(self._open(), name="open"))

    async def _open(self) -> None:
        screen = self.screen_stack[0]
        assert isinstance(screen, LabelScreen)
        try:
            service = await asyncio.to_thread(self._open_service)
            session = await asyncio.to_thread(
                lambda: service.session(requeue_outdated=self._requeue)
            )
            await screen.start(service, session)
        except TrueupError as error:
            self.fail(error)


def run_label(
    service: LabellingService | OpenLabelling,
    *,
    keys: Mapping[str, str] | None = None,
    theme: str | None = None,
    requeue_outdated: bool = False,
) -> None:
    """Label on the terminal until the person leaves.

    Give a function that opens the service rather than the service: it is called after the first
    paint. Raises TrueupError where it cannot be opened, or `keys` ([keys] of trueup.toml) is wrong.
    """
    opener = service if callable(service) else lambda: service
    LabelApp(opener, keys=keys, theme=theme, requeue_outdated=requeue_outdated).run_to_end()
