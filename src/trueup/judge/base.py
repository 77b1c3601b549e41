"""The judge's protocol: what goes to a backend and what comes back.

A backend turns one call into one reply. Everything else (planning, concurrency, retries, reading the
reply, locating quotes, the evidence rule, storing) is the same for every backend and lives in
`runner.py`, `parse.py` and `domain.text`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from trueup.domain.judging import Judgement, JudgeTask, Reply, TaskUnit, Usage
from trueup.domain.model import JudgeSpec

__all__ = ["JudgeBackend", "JudgeTask", "Judgement", "Reply", "Sink", "TaskUnit", "Usage"]


class JudgeBackend(Protocol):
    """One way to ask a judge. Implementations are safe for concurrent calls."""

    async def complete(self, spec: JudgeSpec, task: JudgeTask) -> Reply:
        """Ask about one task. Raises CallFailed with a reason of the closed list."""
        ...

    async def aclose(self) -> None:
        """Give back connections."""
        ...


class Sink(Protocol):
    """Where the runner commits judgements, in batches, as replies arrive."""

    def commit(self, batch: Sequence[Judgement]) -> None:
        """Store a batch atomically; a judgement that is already there is left as it is."""
        ...
