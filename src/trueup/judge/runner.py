"""Runs a judge over tasks: an async generator of progress that commits as replies arrive.

    run = Run(tasks, spec, backend, sink, options)
    async for progress in run.events(): ...
    run.summary

The runner imports no store: it is given a sink. It owns neither the sink nor the backend; whoever
made them closes them. Ctrl-C: `run.cancel()` (or cancelling the task that iterates) ends the calls
under way and keeps what was answered. A run that cannot go on raises RunStopped after everything
that was answered is committed and the last event, with the summary, was given out.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from time import monotonic
from typing import Any

from trueup.domain.judging import Judgement, JudgeTask
from trueup.domain.model import JudgeSpec
from trueup.judge.asking import Asking
from trueup.judge.base import JudgeBackend, Sink
from trueup.judge.calls import Caller
from trueup.judge.options import RunOptions, RunStopped
from trueup.judge.planning import Bound, judgement, settled
from trueup.judge.progress import Progress, RunSummary, Tally
from trueup.judge.queueing import RELEASE_EVERY, TaskQueue
from trueup.judge.writer import Writer

_STRICT = 32
_SHARE_OF_A_COMMIT = 3
"""A commit is worth its while from this part of the workers on: they are held up no longer."""


def _workers(concurrency: int) -> int:
    """How many records are in hand at once: what a `kill -9` can cost at most.

    The gate lets `concurrency` of them call. From 32 on a quarter more may wait for their commit
    meanwhile, so that the store does not hold up the network; below, a record waits in its own
    place, and no more is lost than was under way.
    """
    return concurrency + (concurrency // 4 if concurrency >= _STRICT else 0)


async def run(
    tasks: Sequence[JudgeTask],
    spec: JudgeSpec,
    backend: JudgeBackend,
    sink: Sink,
    options: RunOptions | None = None,
) -> AsyncGenerator[Progress, None]:
    """Judge the tasks. Yields progress; the last event carries the summary.

    Raises RunStopped (a ServiceError) when going on is no use, and what the sink raises.
    """
    async with aclosing(Run(tasks, spec, backend, sink, options).events()) as events:
        async for event in events:
            yield event


class Run:
    """One run. `summary` is there once `events` has ended, however it ended."""

    def __init__(
        self,
        tasks: Sequence[JudgeTask],
        spec: JudgeSpec,
        backend: JudgeBackend,
        sink: Sink,
        options: RunOptions | None = None,
    ) -> None:
        self.options = options or RunOptions()
        self.summary: RunSummary | None = None
        self._tasks = tasks
        self._sink = sink
        self._bound = Bound.of(spec)
        self._tally = Tally(len(tasks), spec.model, cached=self.options.cached)
        self._caller = Caller(self._bound, backend, self.options, self._tally)
        self._caller.stop = self._stop
        self._stopped: RunStopped | None = None
        self._reason: str | None = None
        self._cancelled = asyncio.Event()
        self._started = monotonic()

    def cancel(self) -> None:
        """End the run at once: calls under way are dropped, what was answered is kept."""
        self._end("cancelled")
        self._cancelled.set()

    async def events(self) -> AsyncGenerator[Progress, None]:
        """Start, and tell how it goes until the end."""
        self._started = monotonic()
        gate = self._caller.gate
        self._writer = Writer(
            self._sink,
            max_batch=self.options.max_batch,
            enough=max(1, self.options.concurrency // _SHARE_OF_A_COMMIT),
            idle=lambda: gate.active == 0,
        )
        self._queue = TaskQueue(
            self._tasks,
            self._bound.spec,
            self._sink,
            self._writer,
            self.options,
            self._tally,
            self._caller.closing,
        )
        work = asyncio.create_task(self._work())
        try:
            while not work.done():
                yield self._progress()
                await asyncio.wait({work}, timeout=self.options.progress_s)
        finally:
            if not work.done():
                self.cancel()
            await self._finish(work)
        work.result()
        yield replace(self._progress(), summary=self.summary)
        if self._stopped is not None:
            raise self._stopped

    async def _work(self) -> None:
        """Run the workers until they are through or the run is cancelled."""
        count = min(_workers(self.options.concurrency), max(1, len(self._tasks)))
        workers = [asyncio.create_task(self._worker()) for _ in range(count)]
        aside: list[asyncio.Task[Any]] = [
            asyncio.create_task(self._queue.keep_renewing()),
            asyncio.create_task(self._cancelled.wait()),
        ]
        all_done = asyncio.gather(*workers)
        try:
            either: set[asyncio.Future[Any]] = {all_done, aside[1]}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if all_done.done():
                all_done.result()
        finally:
            for task in (*workers, *aside):
                task.cancel()
            await asyncio.gather(all_done, *workers, *aside, return_exceptions=True)

    async def _worker(self) -> None:
        while not self._caller.closing.is_set():
            task = await self._queue.next()
            if task is None:
                return
            try:
                await self._record(task)
            finally:
                self._queue.done(task)
            await self._queue.release(at_least=RELEASE_EVERY)

    async def _record(self, task: JudgeTask) -> None:
        """Judge one record; each call's judgement is committed before the next call."""
        judged, failed = 0, False
        try:
            async with aclosing(self._judgements(task)) as made:
                async for judgement in made:
                    judged += len(judgement.verdicts)
                    failed = failed or (judgement.failure is not None and bool(judgement.verdicts))
                    self._count(judgement)
                    self._writer.took(judgement.seconds)
                    await self._writer.put(judgement)
        except BaseException:
            self._end("cancelled")
            raise
        finally:
            if judged < len(task.units):
                # A cap, the end of the run, or a cancelled worker left these unasked.
                self._end("budget")
                self._tally.undecided[self._reason or "cancelled"] += len(task.units) - judged
            else:
                self._tally.done += 1
                self._tally.failed += failed

    async def _judgements(self, task: JudgeTask) -> AsyncGenerator[Judgement, None]:
        verdicts = settled(self._bound, task)
        if verdicts is not None:
            yield judgement(self._bound, task, verdicts)
            return
        async for made in Asking(self._bound, self._caller).ask(task):
            yield made

    def _count(self, made: Judgement) -> None:
        self._tally.judged(made)
        reasons = {v.reason for v in made.verdicts if v.value == "undecided"} | {made.failure}
        for reason in reasons - {None}:
            self._tally.failure(reason or "", made.notes.get("message"))

    def _stop(self, stopped: RunStopped) -> None:
        self._stopped = self._stopped or stopped
        self._end(stopped.reason)

    def _end(self, reason: str) -> None:
        """Begin no further call. The first reason counts."""
        self._reason = self._reason or reason
        self._caller.closing.set()

    async def _finish(self, work: asyncio.Task[None]) -> None:
        """Wait for the workers, commit what is left, sum up. Raises what a commit raised."""
        await asyncio.wait({work})
        self._caller.gate.close()
        try:
            await self._queue.release_all()
        finally:
            try:
                await self._writer.close()
            finally:
                for task in self._queue.rest() if self._reason else ():
                    self._tally.undecided[self._reason or ""] += len(task.units)
                self.summary = self._tally.summary(monotonic() - self._started, self._reason)

    def _progress(self) -> Progress:
        gate = self._caller.gate
        now = monotonic() - self._started
        return self._tally.progress(now, limit=int(gate.limit), under_way=gate.active)
