"""Reads OpenAI Batch API result files, with the same reader, identity and uniqueness as a run.

What is stored already, or belongs to another judge, is counted and left alone. Claims that a reply
left out are asked in the next batch, in a smaller request; a reply that was cut off stays undecided
(`truncated`), since there is nobody to halve it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from trueup.domain.judging import Judgement, JudgeTask
from trueup.domain.model import JudgeSpec
from trueup.judge.asking import Asking
from trueup.judge.base import RETRY_LATER, CallFailed, Lease, LeasingSink, Sink
from trueup.judge.batch_files import numbered_lines, request_id, split
from trueup.judge.budget import Price
from trueup.judge.calls import Outcome
from trueup.judge.leases import new_owner
from trueup.judge.openai_errors import classify, read_error
from trueup.judge.openai_reply import read_completion
from trueup.judge.planning import Bound, judgement, settled
from trueup.judge.progress import RunSummary, Tally
from trueup.judge.secrets import redactor

_BLOCK = 500


@dataclass(frozen=True, slots=True)
class BatchOutcome:
    """What result files held. `waiting` counts requests that are still without a result;
    `unknown` results of nothing that is asked now, `doubled` results that came again, `unread`
    lines that are no results (FILE:LINE and why)."""

    summary: RunSummary
    results: int = 0
    waiting: int = 0
    unknown: int = 0
    doubled: int = 0
    unread: tuple[str, ...] = ()


async def read_results(
    paths: Sequence[Path],
    spec: JudgeSpec,
    tasks: Sequence[JudgeTask],
    sink: Sink,
    *,
    price: Price | None = None,
    cached: int = 0,
) -> BatchOutcome:
    """Store the verdicts in result files. `tasks` is the plan of what is still missing."""
    bound = Bound.of(spec)
    results = _Results(paths, price)
    tally = Tally(len(tasks), spec.model, cached=cached)
    reader = _Reader(bound, results, tally)
    lease = Lease(new_owner())
    for start in range(0, len(tasks), _BLOCK):
        block = list(tasks[start : start + _BLOCK])
        if isinstance(sink, LeasingSink):
            block = sink.claim(block, spec, lease)
        try:
            made = [j for task in block for j in await reader.task(task)]
            sink.commit(made)
        finally:
            if isinstance(sink, LeasingSink):
                sink.release(block, spec, lease)
    return BatchOutcome(
        summary=tally.summary(0.0, None),
        results=len(results.outcomes),
        waiting=reader.waiting,
        unknown=len(results.outcomes.keys() - reader.used),
        doubled=results.doubled,
        unread=tuple(results.unread),
    )


@dataclass
class _Reader:
    """Gives each task its results."""

    bound: Bound
    results: _Results
    tally: Tally
    waiting: int = 0
    used: set[str] = field(default_factory=set)

    async def task(self, task: JudgeTask) -> list[Judgement]:
        without = settled(self.bound, task)
        if without is not None:
            return self._count([judgement(self.bound, task, without)])
        made: list[Judgement] = []
        for sub in split(self.bound.spec, task):
            identity = request_id(self.bound, sub)
            outcome = self.results.outcomes.get(identity)
            if outcome is None:
                self.waiting += 1
                continue
            self.used.add(identity)
            self._answered(outcome)
            if outcome.failed is not None and outcome.failed.reason in RETRY_LATER:
                # Nothing is stored of it: the units stay missing and go into the next batch.
                self.tally.undecided[outcome.failed.reason] += len(sub.units)
                self.tally.failure(outcome.failed.reason, outcome.failed.message)
                continue
            asking = Asking(self.bound, _Given(outcome), halve=False)
            numbered = replace(sub, part=task.part + len(made))
            made += [j async for j in asking.ask(numbered)]
        return self._count(made)

    def _answered(self, outcome: Outcome) -> None:
        usage = outcome.reply.usage if outcome.reply is not None else None
        if usage is None and outcome.failed is not None:
            usage = outcome.failed.usage
        if usage is not None:
            self.tally.used(usage, outcome.cost)
        if outcome.reply is not None and outcome.failed is None:
            self.tally.answered(outcome.reply)

    def _count(self, made: list[Judgement]) -> list[Judgement]:
        for one in made:
            self.tally.judged(one)
            if one.failure is not None:
                self.tally.failure(one.failure, one.notes.get("message"))
        self.tally.done += bool(made)
        self.tally.failed += any(one.failure is not None for one in made)
        return made


class _Given:
    """Answers one call, with a result that is there; what would be asked after it has to wait."""

    def __init__(self, outcome: Outcome) -> None:
        self._outcome: Outcome | None = outcome

    async def call(self, _task: JudgeTask) -> Outcome | None:
        outcome, self._outcome = self._outcome, None
        return outcome


class _Results:
    """One result of each request id in the files: the first reply, else the last failure."""

    def __init__(self, paths: Sequence[Path], price: Price | None) -> None:
        self.outcomes: dict[str, Outcome] = {}
        self.doubled = 0
        self.unread: list[str] = []
        self._price = price
        self._redact = redactor()
        for path in paths:
            for number, line in numbered_lines(path):
                problem = self._take(line)
                if problem is not None:
                    self.unread.append(f"{path.name}:{number}: {problem}")

    def _take(self, line: str) -> str | None:
        """Keep the result of a line, or say why it is none."""
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            return "not JSON (cut off?)"
        identity = entry.get("custom_id") if isinstance(entry, dict) else None
        if not isinstance(identity, str):
            return "no custom_id"
        before = self.outcomes.get(identity)
        if before is not None and before.failed is None:
            self.doubled += 1
            return None
        self.outcomes[identity] = self._outcome(entry)
        return None

    def _outcome(self, entry: Mapping[str, Any]) -> Outcome:
        response = entry.get("response")
        body = response.get("body") if isinstance(response, dict) else None
        status = response.get("status_code", 0) if isinstance(response, dict) else 0
        try:
            if status == 200:
                reply = read_completion(body, {}, self._redact)
                cost = self._price.of(reply.usage) if self._price else None
                return Outcome(reply, None, 1, 0.0, cost)
            failed = self._failure(status, body, entry.get("error"))
        except CallFailed as error:
            failed = error
        return Outcome(failed.reply, failed, 1, 0.0, None)

    def _failure(self, status: int, body: Any, error: Any) -> CallFailed:
        if isinstance(status, int) and status >= 400:
            content = json.dumps(body).encode("utf-8", "replace")
            return classify(status, {}, read_error(status, content), self._redact)
        said = error if isinstance(error, dict) else {}
        code = str(said.get("code") or "")
        message = self._redact(str(said.get("message") or code or "no response"))
        reason = "timeout" if "expired" in code else "bad_response"
        return CallFailed("cancelled" if "cancel" in code else reason, message[:300])
