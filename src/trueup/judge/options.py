"""How a run goes about it: nothing here is part of a judge's identity."""

from __future__ import annotations

from dataclasses import dataclass, field

from trueup.errors import ServiceError
from trueup.judge.budget import Price
from trueup.judge.retry import RetryPolicy


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Times are in seconds.

    `timeout_s` is the total deadline of one request. `give_up_after` is how many calls in a row may
    fail for the server's fault (time-outs, 5xx, no connection) before the run stops. `cached` is
    what the plan left out because it was stored, passed through to the summary. `seed` makes the
    jitter repeatable. `wait_for_others` waits for records that another run is asking about.
    """

    concurrency: int = 32
    timeout_s: float = 60.0
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    price: Price | None = None
    max_calls: int | None = None
    max_cost: float | None = None
    cached: int = 0
    seed: int | None = None
    give_up_after: int = 20
    progress_s: float = 0.2
    max_batch: int = 500
    lease_s: float = 300.0
    wait_for_others: bool = True
    poll_s: float = 0.5


class RunStopped(ServiceError):  # noqa: N818 (named after the state, as in errors.py)
    """A run that ended because every further call would fail too.

    `reason` is one of the closed list; all that was answered before is stored.
    """

    def __init__(self, reason: str, message: str, *, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.reason = reason
