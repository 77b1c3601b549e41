"""One call with its retries: gate, budget, deadline, backoff. Knows nothing of claims."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from time import monotonic

from trueup.domain.judging import JudgeTask, Reply, Usage
from trueup.judge.base import CallFailed, JudgeBackend
from trueup.judge.budget import Budget
from trueup.judge.limits import Gate
from trueup.judge.options import RunOptions, RunStopped
from trueup.judge.planning import Bound
from trueup.judge.progress import Tally
from trueup.judge.retry import Attempts

_HINTS = {
    "auth": "check the environment variable that api_key_env names, and the account's permissions",
    "quota": "top up or change the account; `trueup judge` then goes on where it stopped",
    "not_found": "check model and base_url of this judge in trueup.toml",
    "rate_limit": "run the same command again later: it goes on where it stopped",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call brought in the end: a reply, or how its last attempt failed."""

    reply: Reply | None
    failed: CallFailed | None
    attempts: int
    seconds: float
    cost: float | None


class Caller:
    """Makes calls for one run and counts them."""

    def __init__(
        self, bound: Bound, backend: JudgeBackend, options: RunOptions, tally: Tally
    ) -> None:
        self._bound = bound
        self._backend = backend
        self._options = options
        self._tally = tally
        self._rng = Random(options.seed)  # noqa: S311 (jitter, not a secret)
        self.gate = Gate(options.concurrency)
        self.budget = Budget(options.max_calls, options.max_cost, options.price)
        self._failed_in_a_row = 0
        self._ever_answered = False
        self.stop: Callable[[RunStopped], None] = lambda _: None
        self.closing = asyncio.Event()

    async def call(self, task: JudgeTask) -> Outcome | None:
        """Ask until there is a reply or no use in asking again.

        None when nothing was asked: a cap is reached, or the run is closing.
        """
        attempts = Attempts(self._options.retry, self._rng)
        started = monotonic()
        last: Outcome | None = None
        while (attempt := await self._attempt(task)) is not None:
            reply, failed, price = attempt
            count, cost = 1, price
            if last is not None:
                count += last.attempts
                cost = _sum(last.cost, price)
            kept = reply if failed is None else failed.reply
            last = Outcome(kept, failed, count, monotonic() - started, cost)
            if failed is None:
                self._answered(reply)
                return last
            wait = attempts.wait(failed)
            if wait is None or not await self._pause(wait):
                break
        if last is not None and last.failed is not None:
            self._gave_up(last.failed)
        return last

    async def _attempt(
        self, task: JudgeTask
    ) -> tuple[Reply | None, CallFailed | None, float | None] | None:
        """One request: (reply, failure, cost); None when it may not be sent."""
        episode = await self.gate.enter()
        reply: Reply | None = None
        failed: CallFailed | None = None
        try:
            reserved = None if self.closing.is_set() else self.budget.take(self._bound.spec, task)
            if reserved is None:
                return None
            reply, failed = await self._ask(task)
        finally:
            throttled = failed is not None and failed.reason == "rate_limit"
            self.gate.leave(episode, throttled=throttled, ok=reply is not None)
        usage = reply.usage if reply is not None else failed.usage if failed else Usage()
        price = self._options.price.of(usage) if self._options.price else None
        self.budget.settle(reserved, price)
        self._tally.used(usage, price)
        return reply, failed, price

    async def _ask(self, task: JudgeTask) -> tuple[Reply | None, CallFailed | None]:
        try:
            async with asyncio.timeout(self._options.timeout_s):
                return await self._backend.complete(self._bound.spec, task), None
        except CallFailed as error:
            return None, error
        except TimeoutError:
            return None, CallFailed("timeout", f"no reply within {self._options.timeout_s:g} s")
        except Exception as error:  # noqa: BLE001 (a backend's bug fails its record, not the run)
            text = f"{type(error).__name__}: {error}"
            return None, CallFailed("bad_response", text, scope="record")

    async def _pause(self, seconds: float) -> bool:
        """Wait; False when the run closes meanwhile, which is no time to begin another attempt."""
        try:
            async with asyncio.timeout(seconds):
                await self.closing.wait()
        except TimeoutError:
            return True
        return False

    def _answered(self, reply: Reply | None) -> None:
        self._failed_in_a_row = 0
        self._ever_answered = True
        if reply is not None:
            self._tally.answered(reply)

    def _gave_up(self, failed: CallFailed) -> None:
        """Stop the run where the next call would fail like this one."""
        self._tally.failure(failed.reason, failed.message)
        long_wait = failed.retry_after is not None and (
            failed.retry_after > self._options.retry.max_wait_s
        )
        if failed.scope == "run":
            self._stop(failed, failed.message)
        elif failed.reason == "rate_limit" and long_wait:
            self._stop(failed, f"rate limited, try again in {failed.retry_after:.0f} s")
        elif failed.unreachable and not self._ever_answered:
            self._stop(failed, f"the judge cannot be reached: {failed.message}")
        elif failed.scope == "retry":
            self._failed_in_a_row += 1
            if self._failed_in_a_row >= self._options.give_up_after:
                times = self._failed_in_a_row
                self._stop(failed, f"{times} calls in a row failed, the last: {failed.message}")
        else:
            self._failed_in_a_row = 0

    def _stop(self, failed: CallFailed, message: str) -> None:
        hint = _HINTS.get(failed.reason, "what was judged is kept; run the same command again")
        self.stop(RunStopped(failed.reason, message, hint=hint))


def _sum(a: float | None, b: float | None) -> float | None:
    return b if a is None else a if b is None else a + b
