"""Hands out the tasks of a run, in blocks claimed from the sink: two runs share the work."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence

from trueup.domain.judging import JudgeTask
from trueup.domain.model import JudgeSpec
from trueup.judge.base import Lease, LeasingSink, Sink
from trueup.judge.leases import new_owner
from trueup.judge.options import RunOptions
from trueup.judge.progress import Tally
from trueup.judge.writer import Writer

RELEASE_EVERY = 200


class TaskQueue:
    """Tasks in their order. Without a leasing sink it simply hands them out.

    Tasks that another run holds are put back and claimed again once the own ones are done: what the
    other run has stored by then drops out, what it left behind is taken over.
    """

    def __init__(
        self,
        tasks: Sequence[JudgeTask],
        spec: JudgeSpec,
        sink: Sink,
        writer: Writer,
        options: RunOptions,
        tally: Tally,
        closing: asyncio.Event,
    ) -> None:
        self._todo = deque(tasks)
        self._ready: deque[JudgeTask] = deque()
        self._held: list[JudgeTask] = []
        self._finished: list[JudgeTask] = []
        self._spec = spec
        self._sink = sink if isinstance(sink, LeasingSink) else None
        self._writer = writer
        self._options = options
        self._tally = tally
        self._closing = closing
        self._lock = asyncio.Lock()
        self._ahead: asyncio.Task[None] | None = None
        self._lease = Lease(new_owner(), options.lease_s)
        self._block = max(64, options.concurrency)

    async def next(self) -> JudgeTask | None:
        """The next task to ask about; None when there is none left."""
        if self._sink is None:
            return self._todo.popleft() if self._todo else None
        while not self._ready:
            async with self._lock:
                if not self._ready and not await self._claim(self._sink):
                    return None
        task = self._ready.popleft()
        self._claim_ahead(self._sink)
        return task

    def done(self, task: JudgeTask) -> None:
        """The task is through, or was broken off: its lease may go."""
        if self._sink is not None:
            self._finished.append(task)

    async def release(self, *, at_least: int = 1) -> None:
        """Give back the leases of what is done, if there are that many."""
        sink, finished = self._sink, self._finished
        if sink is None or len(finished) < at_least:
            return
        self._finished = []
        await self._writer.call(lambda: sink.release(finished, self._spec, self._lease))

    async def release_all(self) -> None:
        """Give back everything, done or not."""
        if self._ahead is not None:
            self._ahead.cancel()
            await asyncio.gather(self._ahead, return_exceptions=True)
        self._finished += self._ready
        self._todo.extendleft(reversed(self._ready))
        self._ready.clear()
        await self.release()

    async def keep_renewing(self) -> None:
        """Renew the leases until cancelled."""
        sink = self._sink
        while sink is not None:
            await asyncio.sleep(self._options.lease_s / 3)
            await self._writer.call(lambda: sink.renew(self._lease))

    def rest(self) -> list[JudgeTask]:
        """The tasks that were not handed out."""
        return [*self._ready, *self._todo, *self._held]

    def _claim_ahead(self, sink: LeasingSink) -> None:
        """Begin to claim the next block while workers still have tasks of this one."""
        if self._ahead is not None and self._ahead.done():
            self._ahead.result()
            self._ahead = None
        if self._ahead is None and self._todo and len(self._ready) <= self._block // 2:
            self._ahead = asyncio.create_task(self._claim_block_alone(sink))

    async def _claim_block_alone(self, sink: LeasingSink) -> None:
        async with self._lock:
            await self._claim_block(sink)

    async def _claim(self, sink: LeasingSink) -> bool:
        """Claim the next block; False when nothing is left to hand out."""
        while not self._ready:
            if not self._todo:
                if not self._held or not self._options.wait_for_others:
                    return False
                await self.release()
                if await self._closed_within(self._options.poll_s):
                    return False
                self._todo.extend(self._held)
                self._held = []
            await self._claim_block(sink)
        return True

    async def _claim_block(self, sink: LeasingSink) -> None:
        block = [self._todo.popleft() for _ in range(min(self._block, len(self._todo)))]
        try:
            granted, held = await self._writer.call(lambda: self._take(sink, block))
        except BaseException:
            # Claimed or not: what was not handed out belongs to what is left.
            self._todo.extendleft(reversed(block))
            raise
        self._ready.extend(granted)
        self._held += held
        self._tally.held = len(self._held)
        self._tally.total -= len(block) - len(granted) - len(held)

    async def _closed_within(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await self._closing.wait()
        except TimeoutError:
            return False
        return True

    def _take(
        self, sink: LeasingSink, block: list[JudgeTask]
    ) -> tuple[list[JudgeTask], list[JudgeTask]]:
        """In the writer's thread: what was granted of a block, and what another run holds."""
        granted = sink.claim(block, self._spec, self._lease)
        mine = {(t.record, t.metric, t.repeat) for t in granted}
        rest = [t for t in block if (t.record, t.metric, t.repeat) not in mine]
        return granted, sink.held(rest, self._spec, self._lease) if rest else []
