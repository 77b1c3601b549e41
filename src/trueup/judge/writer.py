"""Commits judgements from a thread of its own, in batches, while the network goes on.

Whoever puts a judgement waits until it is committed. A worker that waits has no call under way, so
the number of workers bounds what a `kill -9` can cost: replies under way or unstored. The thread
takes what is there as soon as it is free; a batch that is small waits a moment for more, unless
nothing is under way that could bring more. That moment follows the time that a call takes, so that
it costs a few per cent of a worker's time at most.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, TypeVar

from trueup.domain.judging import Judgement
from trueup.judge.base import Sink

T = TypeVar("T")
_SHARE = 0.05
_SHORTEST_S, _LONGEST_S = 0.005, 0.25


@dataclass(frozen=True, slots=True)
class _Job:
    """A judgement to commit, or something else to do, and who waits for it."""

    done: asyncio.Future[Any]
    judgement: Judgement | None = None
    method: Callable[[], Any] | None = None


class Writer:
    """One thread in which every method of the sink runs, in the order of the requests.

    A batch of `enough` judgements waits for no more. `idle` tells whether no call is under way, so
    that nothing more can come into a batch; it is asked from the thread.
    """

    def __init__(
        self,
        sink: Sink,
        *,
        max_batch: int = 500,
        enough: int = 500,
        idle: Callable[[], bool] = lambda: False,
    ) -> None:
        self._sink = sink
        self._max_batch = max_batch
        self._enough = min(enough, max_batch)
        self._idle = idle
        self._window_s = _SHORTEST_S
        self._loop = asyncio.get_running_loop()
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._held: list[_Job | None] = []
        self.failed: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="trueup-writer", daemon=True)
        self._thread.start()

    def took(self, seconds: float) -> None:
        """Tell how long a call took."""
        window = min(_LONGEST_S, max(_SHORTEST_S, seconds * _SHARE))
        self._window_s += (window - self._window_s) * 0.1

    async def put(self, judgement: Judgement) -> None:
        """Store a judgement; returns once it is committed. Raises what the sink raised."""
        done = self._loop.create_future()
        self._jobs.put(_Job(done, judgement))
        await done

    async def call(self, method: Callable[[], T]) -> T:
        """Run something of the sink's in its thread."""
        done: asyncio.Future[T] = self._loop.create_future()
        self._jobs.put(_Job(done, method=method))
        return await done

    async def close(self) -> None:
        """Commit what is left and end the thread. Raises the first error of a commit, if any."""
        self._jobs.put(None)
        await asyncio.to_thread(self._thread.join)
        await asyncio.sleep(0)
        if self.failed is not None:
            raise self.failed

    def _run(self) -> None:
        while (job := self._take()) is not None:
            if job.method is not None:
                self._do(job.method, [job])
            else:
                self._commit(self._batch(job))

    def _take(self) -> _Job | None:
        return self._held.pop() if self._held else self._jobs.get()

    def _batch(self, first: _Job) -> list[_Job]:
        """The judgements that are there, and those of the next moment where few are there."""
        batch = [first]
        until = monotonic() + self._window_s
        while len(batch) < self._max_batch:
            wait = until - monotonic()
            more = wait > 0 and len(batch) < self._enough and not self._idle()
            try:
                job = self._jobs.get(block=more, timeout=max(wait, 0.0))
            except queue.Empty:
                break
            if job is None or job.judgement is None:
                self._held.append(job)
                break
            batch.append(job)
        return batch

    def _commit(self, batch: Sequence[_Job]) -> None:
        made = [job.judgement for job in batch if job.judgement is not None]
        error = self._do(lambda: self._sink.commit(made), batch)
        self.failed = self.failed or error

    def _do(self, method: Callable[[], Any], jobs: Sequence[_Job]) -> BaseException | None:
        """Run a method and tell all who wait; returns what it raised."""
        result: Any = None
        error: BaseException | None = None
        try:
            result = method()
        except BaseException as raised:  # noqa: BLE001 (handed to whoever waits for the job)
            error = raised
        self._loop.call_soon_threadsafe(_resolve, [j.done for j in jobs], result, error)
        return error


def _resolve(
    waiting: Sequence[asyncio.Future[Any]], result: Any, error: BaseException | None
) -> None:
    for done in waiting:
        if done.done():
            continue
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(result)
