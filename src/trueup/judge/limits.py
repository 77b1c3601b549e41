"""How many calls may be under way: opens after the first answer, gives way to 429, grows back."""

from __future__ import annotations

import asyncio
from collections import deque


class Gate:
    """Admits up to `limit` calls at a time.

    Starts with one call, so that a wrong key costs one request and a refused parameter is learned
    once; the first success, or `probe_s` seconds without a word, opens it to `concurrency`. A 429
    halves the limit, once per episode: calls that had started before the last cut do not cut again.
    Below the place of the last cut the limit then grows by one with each success, above it by one
    with each round of calls.
    """

    def __init__(self, concurrency: int, *, probe_s: float = 3.0) -> None:
        self.concurrency = max(1, concurrency)
        self.limit = 1.0
        self._threshold = float(self.concurrency)
        self.active = 0
        self.cuts = 0
        self._opened = self.concurrency == 1
        self._probe_s = probe_s
        self._probe: asyncio.TimerHandle | None = None
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def enter(self) -> int:
        """Wait for a place; returns the episode in which the call starts, for `leave`."""
        if not self._opened and self._probe is None:
            loop = asyncio.get_running_loop()
            self._probe = loop.call_later(self._probe_s, self._open)
        if self.active < int(self.limit):
            self.active += 1
        else:
            await self._queue()
        return self.cuts

    def leave(self, episode: int, *, throttled: bool = False, ok: bool = False) -> None:
        """Give the place back and say how the call went."""
        if throttled:
            self._cut(episode)
        elif ok:
            self._grow()
        elif not self._opened:
            self.limit = min(self.limit * 2, self.concurrency)
        self.active -= 1
        self._admit()

    def close(self) -> None:
        """Stop the timer."""
        if self._probe is not None:
            self._probe.cancel()

    async def _queue(self) -> None:
        """Wait until `_admit` has counted this call in."""
        place = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            await place
        except asyncio.CancelledError:
            # Admitted and cancelled in the same turn: the place goes to the next one.
            if place.done() and not place.cancelled():
                self.active -= 1
                self._admit()
            else:
                self._waiting.remove(place)
            raise

    def _admit(self) -> None:
        while self._waiting and self.active < int(self.limit):
            place = self._waiting.popleft()
            if not place.done():
                self.active += 1
                place.set_result(None)

    def _cut(self, episode: int) -> None:
        if episode != self.cuts:
            return
        self.cuts += 1
        # A single call that is turned away says nothing of how many would be too many.
        if self.active > 1:
            self._threshold = max(1.0, min(self.limit, self.active) / 2)
        self.limit = min(self.limit, self._threshold)

    def _grow(self) -> None:
        if not self._opened:
            self._open()
        else:
            step = 1.0 if self.limit < self._threshold else 1 / self.limit
            self.limit = min(float(self.concurrency), self.limit + step)

    def _open(self) -> None:
        self._opened = True
        self.close()
        if self.cuts == 0:
            self.limit = float(self.concurrency)
        self._admit()
