"""Carries actions to the store, one after another, and says how it stands.

`saving…` appears after 150 ms. A store error keeps the action, says so and tries again; nothing is
shown as saved before it is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from trueup.domain.session import Action, TaskItem
from trueup.errors import StoreError
from trueup.services.claim_service import ClaimService, News
from trueup_tui.widgets.bars import SaveState

PATIENCE_S = 0.15
_DELAYS_S = (0.5, 1.0, 2.0, 5.0)


class Courier:
    """One action at a time. `waiting` is the action that is not stored yet."""

    def __init__(self, service: ClaimService, changed: Callable[[SaveState, str], None]) -> None:
        self._service = service
        self._changed = changed
        self._wake = asyncio.Event()
        self._drop = False
        self.waiting: Action | None = None
        self.state: SaveState = "none"

    @property
    def is_late(self) -> bool:
        """Whether something is shown as not saved yet: keys must not act on the next claim then."""
        return self.state in {"saving", "unsaved"}

    async def deliver(self, item: TaskItem, action: Action) -> News | None:
        """Store an action; returns the news, or None where the answer is another's.

        Raises Dropped when the person takes the unsaved action back.
        """
        self.waiting, self._drop = action, False
        attempt = 0
        try:
            while True:
                try:
                    news = await self._once(item, action)
                except StoreError as error:
                    delay = _DELAYS_S[min(attempt, len(_DELAYS_S) - 1)]
                    attempt += 1
                    self._say("unsaved", f"NOT SAVED ({error.message}), trying again")
                    await self._pause(delay)
                    if self._drop:
                        self._say("none", "")
                        raise Dropped from error
                else:
                    self._say("saved", "")
                    return news
        finally:
            self.waiting = None

    def retry_now(self) -> None:
        """Try again without waiting."""
        self._wake.set()

    def drop(self) -> None:
        """Give up the unsaved action."""
        self._drop = True
        self._wake.set()

    async def _once(self, item: TaskItem, action: Action) -> News | None:
        storing = asyncio.ensure_future(asyncio.to_thread(self._service.deliver, item, action))
        done, _ = await asyncio.wait({storing}, timeout=PATIENCE_S)
        if not done and self.state != "unsaved":
            self._say("saving", "")
        return await storing

    async def _pause(self, seconds: float) -> None:
        self._wake.clear()
        try:
            await asyncio.wait_for(self._wake.wait(), seconds)
        except TimeoutError:
            return

    def _say(self, state: SaveState, text: str) -> None:
        self.state = state
        self._changed(state, text)


class Dropped(Exception):  # noqa: N818 (a decision of the person, not an error)
    """The person took back an action that was not saved."""
