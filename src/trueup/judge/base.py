"""The judge's protocol: what goes to a backend and what comes back, and where it is kept.

A backend turns one call into one reply. Everything else (planning, concurrency, retries, reading
the reply, locating quotes, the evidence rule, storing) is the same for every backend and lives in
`runner.py`, `parse.py` and `domain.text`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from trueup.domain.judging import RETRY_LATER, Judgement, JudgeTask, Reply, TaskUnit, Usage
from trueup.domain.model import JudgeSpec

__all__ = [
    "RETRY_LATER",
    "CallFailed",
    "JudgeBackend",
    "JudgeTask",
    "Judgement",
    "Lease",
    "LeasingSink",
    "Reply",
    "Scope",
    "Sink",
    "TaskUnit",
    "Usage",
]

Scope = Literal["retry", "record", "run"]


class CallFailed(Exception):  # noqa: N818 (a state of one call, turned into a verdict, not an error for people)
    """One call brought no reply that could be read.

    `reason` is one of the closed list. `scope` says who is affected: "retry" may pass by itself,
    "record" concerns this record only, "run" would meet every other record too (a wrong key, no
    quota, an unknown model). `retry_after` is the wait in seconds that the server asked for.
    `unreachable` means that no connection came about. `reply` and `usage` are kept where the server
    sent them: a failed call costs tokens as well. The message never holds the key.
    """

    def __init__(
        self,
        reason: str,
        message: str,
        *,
        scope: Scope = "retry",
        retry_after: float | None = None,
        unreachable: bool = False,
        usage: Usage | None = None,
        reply: Reply | None = None,
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.scope: Scope = scope
        self.retry_after = retry_after
        self.unreachable = unreachable
        self.usage = usage or Usage()
        self.reply = reply


class JudgeBackend(Protocol):
    """One way to ask a judge. Implementations are safe for concurrent calls."""

    async def complete(self, spec: JudgeSpec, task: JudgeTask) -> Reply:
        """Ask about one task. Raises CallFailed with a reason of the closed list."""
        ...

    async def aclose(self) -> None:
        """Give back connections."""
        ...


class Sink(Protocol):
    """Where the runner commits judgements, in batches, as replies arrive.

    All methods are called from one thread, which is not the event loop's, and never at the same
    time. A method that raises ends the run; nothing that was committed before is lost.
    """

    def commit(self, batch: Sequence[Judgement]) -> None:
        """Store a batch in one transaction that survives `kill -9` once this returns.

        A call is unique by (record, metric, call_fingerprint, repeat, part); its reading by that
        and the judge `fingerprint`. Verdicts are inserted only together with the reading that the
        same statement inserted, so that two runners cannot mix their verdicts; a reading that is
        there is left as it is. A verdict is unique by (unit, metric, fingerprint, repeat): one that
        is there stays, unless it is undecided with a reason of RETRY_LATER, which the new one
        replaces.
        """
        ...


@dataclass(frozen=True, slots=True)
class Lease:
    """Who holds tasks while it asks about them.

    `owner` is unique for each run. A lease ends by release, `ttl_s` seconds after it was last
    claimed or renewed, or at once when `dead(owner)` is true: the process that held it is gone.
    """

    owner: str
    ttl_s: float = 300.0

    def dead(self, owner: str) -> bool:
        """Whether the process behind an owner is known to be gone (False where unknown)."""
        from trueup.judge.leases import owner_is_dead

        return owner_is_dead(owner)


@runtime_checkable
class LeasingSink(Sink, Protocol):
    """A sink that also keeps two runners from paying twice for the same unit.

    The runner claims tasks in blocks just before it asks, and releases them after the commit.
    """

    def claim(self, tasks: Sequence[JudgeTask], spec: JudgeSpec, lease: Lease) -> list[JudgeTask]:
        """Take what nobody else holds; returns what this run shall ask now.

        In one writing transaction: drop leases that ended; insert (record, metric,
        spec.call_fingerprint, repeat) -> (owner, until) for each task and leave those held by
        another owner; of the tasks now held by `lease.owner`, drop the units that have a verdict of
        spec.fingerprint which no RETRY_LATER reason excuses (another run may have stored it since
        the plan was made) and set `part` to one more than the highest stored one. A task with no
        unit left is released and not returned. Order is kept.
        """
        ...

    def held(self, tasks: Sequence[JudgeTask], spec: JudgeSpec, lease: Lease) -> list[JudgeTask]:
        """Those of the tasks on which another live owner still holds a lease."""
        ...

    def renew(self, lease: Lease) -> None:
        """Move the end of all leases of this owner to now + ttl_s."""
        ...

    def release(self, tasks: Sequence[JudgeTask], spec: JudgeSpec, lease: Lease) -> None:
        """Give back the leases of this owner on these tasks."""
        ...
