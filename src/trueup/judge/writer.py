"""Commits judgements from a thread of its own, in batches, while the network goes on.

Whoever puts a judgement waits for the batch it fell into. A worker that waits has no call under
way, so the number of workers bounds what a `kill -9` can cost: replies under way or unstored. A
batch is closed when its first judgement is `window_s` old or the thread becomes free, whichever is
later, so batches grow by themselves when the store is slow; at once when nothing else is under way.
The window follows the time that a call takes, so that waiting for it costs a few per cent of a
worker's time at most.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from trueup.domain.judging import Judgement
from trueup.judge.base import Sink

T = TypeVar("T")
_SHARE = 0.05
_SHORTEST_S, _LONGEST_S = 0.005, 0.25
_Job = tuple[Callable[[], Any], "asyncio.Future[Any]"]


class Writer:
    """One thread in which every method of the sink runs, in the order of the requests.

    `idle` tells whether no call is under way, so that nothing more can come into a batch.
    """

    def __init__(
        self, sink: Sink, *, max_batch: int = 500, idle: Callable[[], bool] = lambda: False
    ) -> None:
        self._sink = sink
        self._idle = idle
        self._window_s = _SHORTEST_S
        self._max_batch = max_batch
        self._loop = asyncio.get_running_loop()
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="trueup-writer", daemon=True)
        self._thread.start()
        self._batch: list[Judgement] = []
        self._stored: asyncio.Future[Any] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._busy = False
        self.failed: BaseException | None = None

    def took(self, seconds: float) -> None:
        """Tell how long a call took."""
        window = min(_LONGEST_S, max(_SHORTEST_S, seconds * _SHARE))
        self._window_s += (window - self._window_s) * 0.1

    async def put(self, judgement: Judgement) -> None:
        """Store a judgement; returns once it is committed. Raises what the sink raised."""
        if self._stored is None:
            self._stored = self._loop.create_future()
        stored = self._stored
        self._batch.append(judgement)
        if len(self._batch) >= self._max_batch or (not self._busy and self._idle()):
            self._flush()
        elif self._timer is None:
            self._timer = self._loop.call_later(self._window_s, self._due)
        # Shielded: a worker that is cancelled while it waits does not cancel the others' batch.
        await asyncio.shield(stored)

    async def call(self, method: Callable[[], T]) -> T:
        """Run something of the sink's in its thread."""
        done: asyncio.Future[T] = self._loop.create_future()
        self._jobs.put((method, done))
        return await asyncio.shield(done)

    async def close(self) -> None:
        """Commit what is left and end the thread. Raises the first error of a commit, if any."""
        self._flush()
        self._jobs.put(None)
        await asyncio.to_thread(self._thread.join)
        await asyncio.sleep(0)
        if self.failed is not None:
            raise self.failed

    def _due(self) -> None:
        self._timer = None
        if not self._busy:
            self._flush()

    def _flush(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._batch or self._stored is None:
            return
        batch: Sequence[Judgement] = self._batch
        stored = self._stored
        self._batch, self._stored, self._busy = [], None, True
        stored.add_done_callback(self._committed)
        self._jobs.put((lambda: self._sink.commit(batch), stored))

    def _committed(self, stored: asyncio.Future[Any]) -> None:
        self._busy = False
        if not stored.cancelled() and stored.exception() is not None:
            self.failed = self.failed or stored.exception()
        if self._batch and self._timer is None:
            self._flush()

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            method, done = job
            result: object = None
            error: BaseException | None = None
            try:
                result = method()
            except BaseException as raised:  # noqa: BLE001 (handed to whoever waits for the job)
                error = raised
            self._loop.call_soon_threadsafe(_resolve, done, result, error)


def _resolve(done: asyncio.Future[Any], result: object, error: BaseException | None) -> None:
    if done.done():
        return
    if error is not None:
        done.set_exception(error)
    else:
        done.set_result(result)
