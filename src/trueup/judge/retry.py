"""When to ask again, and after how long."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from trueup.judge.base import CallFailed


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """`retries` failures that may pass are asked again (2 means three requests in all).

    A 429 does not use them up: it is waited for until `patience_s` seconds of waiting have been
    spent on one call. A single wait beyond `max_wait_s` is not begun: the run stops and says when
    to come back. A wait that the server named is never cut short.
    """

    retries: int = 5
    base_s: float = 0.5
    cap_s: float = 30.0
    patience_s: float = 900.0
    max_wait_s: float = 300.0


class Attempts:
    """The attempts of one call: decides after each failure whether and when to try again."""

    def __init__(self, policy: RetryPolicy, rng: Random) -> None:
        self._policy = policy
        self._rng = rng
        self._failures = 0
        self._throttles = 0
        self._waited = 0.0

    def wait(self, failed: CallFailed) -> float | None:
        """Seconds to wait before the next attempt; None when there shall be none."""
        if failed.scope != "retry":
            return None
        if failed.reason == "rate_limit":
            return self._throttled(failed)
        if self._failures >= self._policy.retries:
            return None
        self._failures += 1
        if failed.retry_after is not None and failed.retry_after > self._policy.max_wait_s:
            return None
        return self._spread(failed.retry_after, self._backoff(self._failures, 1.0))

    def _throttled(self, failed: CallFailed) -> float | None:
        self._throttles += 1
        wait = self._spread(failed.retry_after, self._backoff(self._throttles, 2.0))
        if wait > self._policy.max_wait_s or self._waited + wait > self._policy.patience_s:
            return None
        self._waited += wait
        return wait

    def _backoff(self, attempt: int, times: float) -> float:
        longest = min(self._policy.cap_s, self._policy.base_s * times * 2.0 ** min(attempt - 1, 20))
        return longest * self._rng.uniform(0.5, 1.0)

    def _spread(self, asked: float | None, own: float) -> float:
        # Not all at the same moment, and never earlier than the server said.
        return own if asked is None else asked + self._rng.uniform(0.02, 0.1) * min(asked + 1, 10)
