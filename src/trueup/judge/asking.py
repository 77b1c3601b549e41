"""Asks about one record: in parts, in halves after a cut-off, once more about what is missing."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from trueup.domain.judging import Judgement, JudgeTask, TaskUnit
from trueup.domain.model import Verdict
from trueup.judge.calls import Outcome
from trueup.judge.match import Matched, match
from trueup.judge.parse import Reading, read_reply
from trueup.judge.planning import Bound, judgement, undecided
from trueup.judge.progress import printable
from trueup.judge.render import claim_text
from trueup.judge.rules import EvidenceReader
from trueup.judge.single_call import read_single_call
from trueup.judge.templates import is_single_call

_HOPELESS = frozenset({"refusal", "content_filter", "context_length"})
"""Failures that the record's other claims would meet too."""


@dataclass(frozen=True, slots=True)
class _Part:
    units: tuple[TaskUnit, ...]
    again: bool = False


class Calling(Protocol):
    """Who makes the calls: the runner's Caller, or a file of results."""

    async def call(self, task: JudgeTask) -> Outcome | None:
        """The outcome of asking about a task; None where nothing may be asked (any more)."""
        ...


class Asking:
    """The calls about one record. Yields a judgement for each call, to be stored at once.

    Without `halve` a reply that was cut off is not asked again in halves.
    """

    def __init__(self, bound: Bound, caller: Calling, *, halve: bool = True) -> None:
        self._bound = bound
        self._caller = caller
        self._halve = halve
        self._evidence = EvidenceReader(bound)
        self._single = is_single_call(bound.spec.prompt_text)

    async def ask(self, task: JudgeTask) -> AsyncGenerator[Judgement, None]:
        """Judgements in the order of the calls. Every unit gets one verdict, unless the caller may
        not ask any more: then the rest of the record is left out."""
        size = len(task.units) if self._single else self._bound.spec.claims_per_call
        parts = deque(_Part(u) for u in _cut(task.units, size or len(task.units)))
        number = task.part
        while parts:
            part = parts.popleft()
            whole = part.units == task.units and number == task.part
            sub = task if whole else replace(task, units=part.units, part=number)
            outcome = await self._caller.call(sub)
            if outcome is None:
                return
            number += 1
            if outcome.failed is not None:
                yield self._failed(sub, parts, outcome)
                return
            yield self._read(sub, part, parts, outcome)

    def _failed(self, sub: JudgeTask, parts: deque[_Part], outcome: Outcome) -> Judgement:
        """The call failed, and with it what was still to be asked of this record."""
        assert outcome.failed is not None
        reason = outcome.failed.reason
        units = sub.units + tuple(u for p in parts for u in p.units)
        verdicts = undecided(self._bound, sub, units, reason)
        return self._judgement(sub, outcome, verdicts, reason, outcome.failed.message)

    def _read(
        self, sub: JudgeTask, part: _Part, parts: deque[_Part], outcome: Outcome
    ) -> Judgement:
        assert outcome.reply is not None
        reading = read_reply(outcome.reply)
        if reading.failure is not None:
            return self._unread(sub, parts, outcome, reading)
        if self._single:
            verdicts, notes = read_single_call(self._bound, sub, reading)
            return self._judgement(sub, outcome, verdicts, None, None, notes)
        matched = match(reading.items, [claim_text(sub, u) for u in sub.units])
        verdicts = self._evidence.verdicts(sub, matched.claims, reading.flags)
        silent = [v.unit for v in verdicts if _unanswered(v)]
        if silent and not part.again and len(silent) < len(sub.units):
            parts.appendleft(_Part(tuple(u for u in sub.units if u.key in silent), again=True))
            verdicts = [v for v in verdicts if not _unanswered(v)]
        notes = {"extras": str(len(matched.extras))} if matched.extras else {}
        return self._judgement(sub, outcome, verdicts, None, _problem(matched), notes)

    def _unread(
        self, sub: JudgeTask, parts: deque[_Part], outcome: Outcome, reading: Reading
    ) -> Judgement:
        reason = reading.failure or "parse"
        units = sub.units
        if reason == "truncated" and len(units) > 1 and self._halve and not self._single:
            half = (len(units) + 1) // 2
            parts.extendleft(_Part(u) for u in (units[half:], units[:half]))
            return self._judgement(sub, outcome, (), reason, reading.message)
        if reason in _HOPELESS or reason == "truncated":
            units += tuple(u for p in parts for u in p.units)
            parts.clear()
        verdicts = undecided(self._bound, sub, units, reason)
        return self._judgement(sub, outcome, verdicts, reason, reading.message)

    def _judgement(
        self,
        sub: JudgeTask,
        outcome: Outcome,
        verdicts: Sequence[Verdict],
        failure: str | None,
        message: str | None,
        notes: dict[str, str] | None = None,
    ) -> Judgement:
        said = dict(outcome.reply.notes) if outcome.reply is not None else {}
        if message:
            said["message"] = printable(message[:500])
        return judgement(
            self._bound,
            sub,
            verdicts,
            reply=outcome.reply,
            failure=failure,
            attempts=outcome.attempts,
            seconds=outcome.seconds,
            cost=outcome.cost,
            notes=said | (notes or {}),
        )


def _unanswered(verdict: Verdict) -> bool:
    """Whether asking again may help: the reply left the claim out, or spoilt its entry."""
    return (
        verdict.reason in {"missing_verdict", "schema"}
        and "conflicting_verdicts" not in verdict.flags
    )


def _problem(matched: Matched) -> str | None:
    """What is wrong with the first claim that got no verdict."""
    silent = sum(i is None for i in matched.claims)
    if silent:
        return f"{silent} of {len(matched.claims)} claims have no entry in the reply"
    return next((i.problem for i in matched.claims if i is not None and i.problem), None)


def _cut(units: tuple[TaskUnit, ...], size: int) -> list[tuple[TaskUnit, ...]]:
    return [units[i : i + size] for i in range(0, len(units), max(1, size))]
